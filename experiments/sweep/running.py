"""What all commands that run lists of jobs share: their flags, the plan, the run itself."""

import dataclasses
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from absl.flags import FlagValues
from rich.console import Console

from experiments import flags
from experiments.commands import answer
from experiments.configs.base import Config
from experiments.sweep import estimate, launchers
from experiments.sweep.board import Board
from experiments.sweep.fields import Assignments
from experiments.sweep.jobs import Call, Failure, Job, overrides_of, run_all
from experiments.values import ConfigError, parse_value, suggest

HELP = {
    "jobs": "Runs at the same time (default: 1 here, all of them on a cluster).",
    "launcher": "local (this machine), ray (RAY_ADDRESS, or `ray start`), or slurm.",
    "cpus": "Cores of each run (default: here an equal share, on a cluster 1).",
    "gpus": "GPUs that ray and slurm keep for each run (default: 0).",
    "slurm": "Options of submitit: slurm_partition=gpu,timeout_min=600.",
    "out": "Folder of the runs and of what is written about them.",
    "smoke": "Tiny budgets; the numbers mean nothing.",
    "dry_run": "Say what would run, and how long.",
}
SWITCHES = ("smoke", "dry_run")


@dataclasses.dataclass(frozen=True)
class Running:
    """How jobs are to be run, checked."""

    many: int  # at the same time; 0 for all
    threads: int  # of each
    launcher: Callable[[], AbstractContextManager[Call]]
    out: Path
    extra: tuple[str, ...]  # flags that every job is given
    dry_run: bool


def read(
    argv: Sequence[str],
    own: Mapping[str, str],
    switches: Collection[str] = (),
    lists: Collection[str] = (),
) -> FlagValues:
    """The flags of a command: those of `HELP` and its `own`.

    Raises:
      ConfigError: for names that are none.
    """
    parts = [word.partition("=") for word in argv]
    words = [f"{name[:2]}{name[2:].replace('-', '_')}{is_}{text}" for name, is_, text in parts]
    return flags.read(words, {**own, **HELP}, (*SWITCHES, *switches), lists, "See --help.")


def help_text(text: str | None, own: Mapping[str, str]) -> str:
    words = {**own, **HELP, "config.<field>": "=VALUE changes any field of all."}
    return flags.help_text(text, words)


def command(
    argv: list[str], text: str | None, own: Mapping[str, str], run: Callable[[list[str]], int]
) -> int:
    """Help, or what `run` does. Returns the exit code: 1 if a run failed or was stopped, 2 for a
    setting that cannot be used."""
    try:
        return answer(argv, help_text(text, own), run)
    except KeyboardInterrupt:
        print("Stopped from the keyboard. The same command goes on where it was.")
        return 1


def settings(values: FlagValues, out: Path, assignments: Assignments) -> Running:
    """The flags of `HELP`, with their values checked.

    Raises:
      ConfigError: a value, or a launcher that is not there.
    """
    name = values.launcher or "local"
    if name not in launchers.NAMES:
        raise ConfigError(f"--launcher={name}: {suggest(name, launchers.NAMES)}")
    is_here = name == "local"
    many = _whole(values.jobs, "--jobs", 1) if values.jobs else int(is_here)
    share = max(1, len(os.sched_getaffinity(0)) // many) if is_here else 1
    threads = _whole(values.cpus, "--cpus", 1) if values.cpus else share
    gpus = parse_value(values.gpus or "0", float, "--gpus")
    if not 0 <= gpus < 1e4:
        raise ConfigError(f"--gpus={values.gpus}: needs a number from 0 on.")
    options = _options(values.slurm or "")
    folder = Path(values.out or out).resolve()
    launcher = launchers.choose(name, folder / "slurm", threads, gpus, options)
    extra = (*overrides_of(assignments), *["--smoke"] * values.smoke)
    return Running(many, threads, launcher, folder, extra, values.dry_run)


def _whole(text: str, flag: str, least: int) -> int:
    number = parse_value(text, int, flag)
    if number < least:
        raise ConfigError(f"{flag}={text}: needs a whole number from {least} on.")
    return number


def _options(text: str) -> dict[str, str | int]:
    """`timeout_min=60,slurm_partition=gpu`."""
    found: dict[str, str | int] = {}
    for part in filter(None, text.split(",")):
        name, given, value = part.partition("=")
        if not (name.isidentifier() and given):
            raise ConfigError(f"--slurm={text}: needs NAME=VALUE, with commas between them.")
        found[name] = int(value) if value.isdigit() else value
    return found


def go(running: Running, configs: Mapping[Job, Config], notes: Sequence[str] = ()) -> list | None:
    """Tells the plan and does what is missing.

    Args:
      configs: the jobs, and the settings of each.
      notes: told with the plan.

    Returns:
      The failures, or None where nothing shall be written: a dry run.
    """
    console = Console(file=sys.stdout)

    def say(words: str) -> None:
        console.print(words, highlight=False, soft_wrap=True, markup=False)

    jobs = list(configs)
    left = [job for job in jobs if not job.is_done]
    many = max(1, min(running.many or len(jobs), len(jobs)))
    each, total = estimate.minutes(configs, many)
    for job in jobs if running.dry_run else ():
        say(f"{job.name}: {'done' if job.is_done else f'about {each[job]:.0f} min'}")
    for note in notes:
        say(note)
    say(f"{len(jobs)} runs, {len(left)} of them to do: about {total:.0f} minutes with "
        f"--jobs={many}, {sum(each.values()) / 60:.1f} hours of one core.")  # fmt: skip
    if running.dry_run:
        return None
    failed: list[Failure] = []
    if left:
        with running.launcher() as call, Board(console, configs, total) as board:
            failed = run_all(jobs, running.extra, call, many, running.threads, board.say)
    return failed


def tell_failures(failed: Sequence[Failure]) -> None:
    for failure in failed:
        print(f"{failure.job.name} failed: {failure.reason}; its words are in {failure.job.log}")
    if failed:
        print("The same command tries again what failed.")
