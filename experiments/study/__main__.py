"""The command: runs what is missing, then writes tables and figures.

Overrides of any field (`--config.<field>=VALUE`) and `--smoke` are handed to every run.
`held_out` and `agents` are commands of their own: add `--help` to them.
"""

import dataclasses
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from experiments import flags
from experiments.commands import exit_code
from experiments.configs.worlds import is_path
from experiments.recordings import WITHOUT
from experiments.study import cells
from experiments.study.cells import Cell, Skipped
from experiments.study.runs import Run, plan_runs
from experiments.sweep import fields, running
from experiments.sweep.jobs import Failure
from experiments.sweep.running import Running
from experiments.values import ConfigError, suggest

DEFAULT_CONFIGS = ("harvest_milk", "harvest_wool", "harvest_log")
DEFAULT_VARIANTS = ("rl_gpt", "pure_rl", "pure_code")


HELP = {
    "preset": f"One of {', '.join(cells.PRESETS)}.",
    "configs": "Names, separated by commas.",
    "variants": f"Without a preset: of {', '.join(cells.VARIANTS)}.",
    "seeds": "Whole numbers: 0..4, or with commas between them (default: 0,1,2).",
}


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line asked for, checked."""

    preset: str  # "" for a free choice of configurations and variants
    cells: tuple[Cell, ...]
    skipped: tuple[Skipped, ...]
    seeds: tuple[int, ...]
    running: Running
    smoke: bool
    assignments: tuple[tuple[str, str], ...]


def parse(argv: list[str]) -> Options:
    """Reads the command line.

    Raises:
      ConfigError: for unknown configurations, variants, presets and fields.
    """
    assignments, rest = flags.split_overrides(argv)
    given = running.read(rest, HELP, "See --help.")
    preset, seeds = given.preset or "", given.seeds or "0,1,2"
    configs = _configs(given.configs or "")
    variants = _chosen(given.variants or "", list(cells.VARIANTS), "--variants")
    if preset and variants:
        raise ConfigError("--variants is for studies without a preset: a preset has its own.")
    if "agents_setup" in variants and "rl_gpt" not in variants:
        raise ConfigError("--variants=agents_setup takes the set-up of rl_gpt's runs: name it too.")
    numbers = fields.axis(f"seed={seeds}")[1]
    if not all(map(str.isdigit, numbers)):
        raise ConfigError(f"--seeds={seeds}: needs whole numbers, 0,1,2 or 0..4.")
    if preset:
        wanted = cells.cells_of(preset, configs)
        good, skipped = cells.usable(wanted, given.smoke, assignments)
    else:
        good, skipped = _free(configs or DEFAULT_CONFIGS, variants or DEFAULT_VARIANTS), []
        for cell in good:
            try:
                cells.resolve(cell, given.smoke, assignments)
            except ConfigError as error:  # a variant sets the mode, whatever the flag says
                words = str(error).replace(WITHOUT, "--variants=pure_rl")
                raise ConfigError(words) from error
    _check_fields(assignments, good, given.smoke)
    how = running.settings(given, Path("studies") / (preset or "study"), tuple(assignments))
    return Options(preset, tuple(good), tuple(skipped), tuple(map(int, numbers)), how,
                   given.smoke, tuple(assignments))  # fmt: skip


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
    if argv[:1] not in (["held_out"], ["agents"]) and {"--help", "-h"} & set(argv):
        print(running.help_text(__doc__, HELP))
        return 0
    return exit_code(lambda: run(argv))


def run(argv: list[str]) -> int:
    if argv[:1] == ["held_out"]:
        from experiments.study import held_out

        return held_out.main(argv[1:])
    if argv[:1] == ["agents"]:
        from experiments.study import agents

        return agents.main(argv[1:])
    options = parse(argv)
    runs = plan_runs(options.running.out, options.cells, options.seeds)
    configs = {c: cells.resolve(c, options.smoke, options.assignments) for c in options.cells}
    notes = [f"left out {skipped.cell.name}: {skipped.reason}" for skipped in options.skipped]
    try:
        failed = running.go(options.running, {run: configs[run.cell] for run in runs}, notes)
    except KeyboardInterrupt:
        print("Stopped from the keyboard. The same command goes on where it was.")
        return 1
    if failed is not None:
        write_out(options, runs, failed, argv, print)
    return 1 if failed else 0


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

    measured, out = measure(runs), options.running.out
    tables = presets.tables_of(options.preset, measured, options.cells)
    command = shlex.join(["python", "-m", "experiments.study", *argv])
    study = presets.Study(
        options.preset, options.seeds, command, tuple(runs), options.running.extra,
        tuple(tables), measured, options.skipped, tuple(failed),
    )  # fmt: skip
    paths = presets.write(out, study)
    plain = presets.plain_of(options.preset, measured.values())
    paths += figure.iterations_figure(out, plain) + figure.curves_figure(out, plain)
    for made in tables:
        say(made.markdown())
    for line in pooled.missing(measured) if options.preset == "controls" else ():
        say(line)
    say(f"Written: {', '.join(str(path.relative_to(out)) for path in paths)} in {out}")
    running.tell_failures(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
