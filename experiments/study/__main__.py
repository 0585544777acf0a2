"""The command: runs what is missing, then writes tables and figures.

Overrides of any field (`--config.<field>=VALUE`) and `--smoke` are handed to every run.
`held_out` and `agents` are commands of their own: add `--help` to them.
"""

import argparse
import dataclasses
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from experiments import flags
from experiments.commands import exit_code
from experiments.configs.worlds import is_path
from experiments.study import cells, estimate
from experiments.study.cells import Cell, Skipped
from experiments.study.runs import Failure, Run, overrides_of, plan_runs, run_all
from experiments.values import ConfigError, suggest

DEFAULT_CONFIGS = ("harvest_milk", "harvest_wool", "harvest_log")
DEFAULT_VARIANTS = ("rl_gpt", "pure_rl", "pure_code")


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line asked for, checked."""

    preset: str  # "" for a free choice of configurations and variants
    cells: tuple[Cell, ...]
    skipped: tuple[Skipped, ...]
    seeds: tuple[int, ...]
    jobs: int
    out: Path
    smoke: bool
    dry_run: bool
    assignments: tuple[tuple[str, str], ...]

    @property
    def extra(self) -> list[str]:
        """Flags that every run is given."""
        return overrides_of(self.assignments) + ["--smoke"] * self.smoke


def parse(argv: list[str]) -> Options:
    """Reads the command line.

    Raises:
      ConfigError: for unknown configurations, variants, presets and fields.
    """
    assignments, rest = flags.split_overrides(argv)
    parser = argparse.ArgumentParser("python -m experiments.study", description=__doc__)
    parser.add_argument("--preset", default="", help=f"one of {', '.join(cells.PRESETS)}")
    parser.add_argument("--configs", "--tasks", default="", help="names, separated by commas")
    parser.add_argument(
        "--variants",
        "--modes",
        default="",
        help=f"without a preset: of {', '.join(cells.VARIANTS)}",
    )
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--out", type=Path, help="default: studies/<preset>")
    parser.add_argument("--smoke", action="store_true", help="tiny budgets; meaningless numbers")
    parser.add_argument("--dry-run", action="store_true", help="what would run, and how long")
    given = parser.parse_args(rest)
    configs = _configs(given.configs)
    variants = _chosen(given.variants, list(cells.VARIANTS), "--variants")
    if given.preset and variants:
        raise ConfigError("--variants is for studies without a preset: a preset has its own.")
    if "agents_setup" in variants and "rl_gpt" not in variants:
        raise ConfigError("--variants=agents_setup takes the set-up of rl_gpt's runs: name it too.")
    if not given.seeds.replace(",", "").isdigit() or given.jobs < 1:
        raise ConfigError(f"--seeds={given.seeds} --jobs={given.jobs}: need whole numbers.")
    if given.preset:
        wanted = cells.cells_of(given.preset, configs)
        good, skipped = cells.usable(wanted, given.smoke, assignments)
    else:
        good, skipped = _free(configs or DEFAULT_CONFIGS, variants or DEFAULT_VARIANTS), []
        for cell in good:
            cells.resolve(cell, given.smoke, assignments)
    _check_fields(assignments, good, given.smoke)
    seeds = tuple(dict.fromkeys(int(text) for text in given.seeds.split(",") if text))
    out = given.out or Path("studies") / (given.preset or "study")
    return Options(given.preset, tuple(good), tuple(skipped), seeds, given.jobs, out, given.smoke,
                   given.dry_run, tuple(assignments))  # fmt: skip


def _free(configs: tuple[str, ...], variants: tuple[str, ...]) -> list[Cell]:
    return [Cell(config, variant) for config in configs for variant in variants]


def _check_fields(assignments: list[tuple[str, str]], good: list[Cell], is_smoke: bool) -> None:
    """An override that no cell takes is a mistake, not a reason to skip them all."""
    if assignments and not good:
        cells.resolve(Cell(DEFAULT_CONFIGS[0], "rl_gpt"), is_smoke, assignments)


def _configs(text: str) -> tuple[str, ...]:
    """Names, and files by their whole paths, since runs are started from elsewhere.

    Raises:
      ConfigError: one stands for nothing, or two runs would have one folder.
    """
    names = [name for name in text.split(",") if name]
    for name in names:
        flags.load_config(name, "--configs")
    if len({flags.stem_of(name) for name in names}) < len(names):
        raise ConfigError(f"--configs={text}: two of one name, which their folders are called by.")
    return tuple(
        str(Path(name).expanduser().resolve()) if is_path(name) else name for name in names
    )


def _chosen(text: str, valid: list[str], flag: str) -> tuple[str, ...]:
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in valid:
            raise ConfigError(f"{flag}={text}: no {name!r}. {suggest(name, valid)}")
    return tuple(names)


def main(argv: list[str]) -> int:
    """Returns the exit code: 1 if a run failed, 2 for a setting that cannot be used."""
    return exit_code(lambda: run(argv))


def run(argv: list[str]) -> int:
    if argv[:1] == ["held_out"]:
        from experiments.study import held_out

        return held_out.main(argv[1:])
    if argv[:1] == ["agents"]:
        from experiments.study import agents

        return agents.main(argv[1:])
    console = Console(file=sys.stdout)
    options = parse(argv)
    runs = plan_runs(options.out, options.cells, options.seeds)
    configs = {c: cells.resolve(c, options.smoke, options.assignments) for c in options.cells}
    each, total = estimate.minutes(runs, configs, options.jobs)

    def say(words: str) -> None:
        console.print(words, highlight=False, soft_wrap=True, markup=False)

    _tell_plan(say, options, runs, each, total)
    if options.dry_run:
        return 0
    from experiments.study.board import Board

    targets = {
        run: configs[run.cell].loop.num_iterations * configs[run.cell].loop.ticks_per_iteration
        for run in runs if configs[run.cell].loop.learns
    }  # fmt: skip
    try:
        with Board(console, each, targets) as board:
            failed = run_all(runs, options.extra, options.jobs, board.say)
    except KeyboardInterrupt:
        say("Stopped from the keyboard. The same command goes on where it was.")
        return 1
    write_out(options, runs, failed, argv, say)
    return 1 if failed else 0


def _tell_plan(
    say: Callable[[str], None],
    options: Options,
    runs: list[Run],
    each: dict[Run, float],
    total: float,
) -> None:
    """What is left to do, how long it takes, and what cannot be done."""
    left = [run for run in runs if not run.is_done]
    for run in runs if options.dry_run else ():
        state = "done" if run.is_done else f"about {each[run]:.0f} min"
        say(f"{run.name}: {state}")
    for skipped in options.skipped:
        say(f"left out {skipped.cell.name}: {skipped.reason}")
    say(
        f"{len(runs)} runs, {len(left)} of them to do: about {total:.0f} minutes with "
        f"--jobs={options.jobs}, {sum(each.values()) / 60:.1f} hours of one core."
    )


def write_out(
    options: Options,
    runs: list[Run],
    failed: list[Failure],
    argv: list[str],
    say: Callable[[str], None],
) -> None:
    """Tables and figures of all that is done."""
    from experiments.study import figure, pooled, presets
    from experiments.study.measured import measure

    measured = measure(runs)
    tables = presets.tables_of(options.preset, measured, options.cells)
    command = shlex.join(["python", "-m", "experiments.study", *argv])
    study = presets.Study(
        options.preset, options.seeds, command, tuple(runs), tuple(options.extra),
        tuple(tables), measured, options.skipped, tuple(failed),
    )  # fmt: skip
    paths = presets.write(options.out, study)
    paths += figure.iterations_figure(
        options.out, presets.plain_of(options.preset, measured.values())
    )
    paths += figure.curves_figure(options.out, presets.plain_of(options.preset, measured.values()))
    for made in tables:
        say(made.markdown())
    for line in pooled.missing(measured) if options.preset == "controls" else ():
        say(line)
    say(
        "Written: "
        + ", ".join(str(path.relative_to(options.out)) for path in paths)
        + f" in {options.out}"
    )
    for failure in failed:
        say(f"{failure.run.name} failed: {failure.reason}; its words are in {failure.run.log}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
