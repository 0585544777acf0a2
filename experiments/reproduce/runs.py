"""The runs that are compared: undisturbed, killed and resumed, on another number of devices."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from experiments.configs.base import Config
from experiments.reproduce.contents import metrics_files
from experiments.sweep.jobs import PlainJob, last_words, run_all, work
from rlgpt_jax.loop.record import read_rows

FIRST_UPDATES = 2  # that are compared with another number of devices
FORCED = "--xla_force_host_platform_device_count"  # CPUs that JAX counts as devices
ASK = "import jax; print(jax.default_backend(), jax.device_count())"
THREADS = len(os.sched_getaffinity(0))
Say = Callable[[str], None]


class RunFailed(RuntimeError):
    """A run that did not end well; the message holds its last words."""


@dataclasses.dataclass(frozen=True)
class Moment:
    """When a run is killed: a file of metrics has so many rows."""

    file: str
    rows: int


def whole(job: PlainJob, extra: tuple[str, ...], say: Say) -> None:
    """Does a run, or what is left of it, to its end.

    Raises:
      RunFailed: it has no result.
    """
    began = time.monotonic()
    for failed in run_all([job], extra, work, 1, THREADS, lambda *_: None):
        raise RunFailed(f"{job.name}: {failed.reason}; its words are in {job.log}")
    say(f"{job.name}: ended after {(time.monotonic() - began) / 60:.1f} min")


def part(job: PlainJob, extra: tuple[str, ...], moment: Moment, say: Say) -> bool:
    """Starts a run and kills it without warning at a moment. Returns False if it ended before that.

    Raises:
      RunFailed: it ended before, without a result.
    """
    rows = lambda: len(read_rows(job.folder / moment.file))  # noqa: E731
    [task] = job.tasks(job.command(extra), THREADS)
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(work, task)
        try:
            while not ended.done() and rows() < moment.rows:
                time.sleep(0.02)
        finally:
            with contextlib.suppress(OSError, IndexError):  # not even begun, or done
                if not ended.done():
                    os.kill(int((job.folder / "lock").read_text().split()[1]), signal.SIGKILL)
    if rows() < moment.rows or (ended.result() and ended.result() != -signal.SIGKILL):
        raise RunFailed(f"{job.name}: {last_words(job.log)}; its words are in {job.log}")
    if job.has_result:
        return False
    say(f"{job.name}: killed after update {rows()}")
    return True


def middle(folder: Path) -> Moment | None:
    """In the middle of the longest iteration of a finished run; None where nothing is trained."""
    for file in metrics_files(folder):
        iterations = [row["iteration"] for row in read_rows(folder / file)]
        longest = max(iterations, key=iterations.count)
        half = (iterations.count(longest) + 1) // 2
        return Moment(file, iterations.index(longest) + half)
    return None


def other_devices(config: Config) -> int:
    """With how many devices a configuration can be run besides.

    Raises:
      ValueError: why it cannot.
    """
    if config.world != "voxel" or config.driver == "host" or config.reward.clip:
        raise ValueError("the host driver is in use, which has one")
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    backend, count = done.stdout.split()
    if backend == "cpu" and config.driver != "device":
        raise ValueError("the host driver is in use, which has one; --config.driver=device")
    groups = config.ppo.groups
    if not groups:
        raise ValueError("rows are dealt by device; --config.ppo.groups=2 fixes the dealing")
    available = max(groups, int(count)) if backend == "cpu" else int(count)
    can_share = [n for n in range(1, available + 1) if groups % n == 0]
    auto = 1 if backend == "cpu" else can_share[-1]  # as `rlgpt_jax.rl.devices` chooses
    own = auto if config.devices == "auto" else config.devices
    others = [n for n in can_share if n != own]
    if not others:
        raise ValueError(f"ppo.groups={groups} is for no other number than {own} of {available}")
    return others[0]


@dataclasses.dataclass(frozen=True)
class Asked:
    """What is to be run."""

    name: str
    config: Config
    extra: tuple[str, ...]  # flags of every run
    out: Path


@dataclasses.dataclass(frozen=True)
class Made:
    """Run folders."""

    once: Path  # that others are set beside
    again: list[Path]
    devices: Path | None = None  # a part of a run
    few: Moment | None = None  # of which so much is compared
    notes: tuple[str, ...] = ()  # what could not be done


def make(asked: Asked, say: Say) -> Made:
    """Makes all runs, one after the other. Nothing here may import jax, whose threads do not like
    new processes.

    Raises:
      RunFailed: one that did not end well.
    """
    names = ("once", "twice", "killed")
    once, twice, killed = (PlainJob(asked.name, asked.out / name) for name in names)
    for job in (once, twice):
        whole(job, asked.extra, say)
    made, moment = Made(once.folder, [twice.folder]), middle(once.folder)
    if moment is None:
        return dataclasses.replace(made, notes=("killed, devices: left out, nothing is trained",))
    was_killed = part(killed, asked.extra, moment, say)
    whole(killed, asked.extra, say)
    notes = ("killed: it ended before it could be killed",) * (not was_killed)
    made = dataclasses.replace(made, again=[twice.folder, killed.folder], notes=notes)
    try:
        num = other_devices(asked.config)
    except ValueError as error:
        return dataclasses.replace(made, notes=(*notes, f"devices: left out, {error}"))
    # Processes that are started from now on see so many CPUs as devices, and have the threads that
    # these need to run macros.
    os.environ["NPROC"] = str(max(THREADS, num + 1))
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FORCED}={num}".strip()
    few = dataclasses.replace(moment, rows=min(FIRST_UPDATES, moment.rows))
    other = PlainJob(asked.name, asked.out / f"devices={num}", (("devices", str(num)),))
    part(other, asked.extra, few, say)
    return dataclasses.replace(made, devices=other.folder, few=few)
