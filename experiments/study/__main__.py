"""Runs what is missing of configurations, variants and seeds, then writes tables and figures.

    python -m experiments.study --configs=harvest_milk --variants=rl_gpt,pure_rl --jobs=2

Overrides of any field (`--config.<field>=VALUE`) and `--smoke` are handed to every run. Tables of
the paper's experiments: `python -m experiments.tables`. `held_out` and `agents` are commands of
their own: add `--help` to them.
"""

import dataclasses
import importlib
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from experiments import flags
from experiments.commands import exit_code
from experiments.config_files import whole_name
from experiments.configs.base import Config
from experiments.recordings import WITHOUT
from experiments.study import cells
from experiments.study.cells import SET_UPS, Cell
from experiments.study.runs import Run, plan_runs
from experiments.sweep import fields, running
from experiments.sweep.jobs import Failure
from experiments.sweep.running import Running
from experiments.values import ConfigError, suggest

DEFAULT_CONFIGS = ("harvest_milk", "harvest_wool", "harvest_log")
DEFAULT_VARIANTS = ("rl_gpt", "pure_rl", "pure_code")
KNOWN = (*cells.VARIANTS, *cells.CONVERSATIONS)
SEEDS = "0,1,2"


OWN = ("held_out", "agents")  # modules that are commands of their own
HELP = {
    "configs": f"Names, separated by commas (default: {','.join(DEFAULT_CONFIGS)}).",
    "variants": f"Of {', '.join(KNOWN)} (default: {','.join(DEFAULT_VARIANTS)}).",
    "seeds": f"Whole numbers: 0..4, or with commas between them (default: {SEEDS}).",
}


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line asked for, checked."""

    configs: Mapping[Cell, Config]  # settings of every cell
    seeds: tuple[int, ...]
    running: Running


def parse(argv: list[str]) -> Options:
    """Reads the command line.

    Raises:
      ConfigError: for unknown configurations, variants and fields.
    """
    assignments, rest = flags.split_overrides(argv)
    given = running.read(rest, HELP)
    seeds = seeds_of(given.seeds or SEEDS)
    configs = configs_of(given.configs or "") or DEFAULT_CONFIGS
    variants = variants_of(given.variants or "") or DEFAULT_VARIANTS
    if (taking := set(variants) & set(SET_UPS)) and "rl_gpt" not in variants:
        raise ConfigError(
            f"--variants={min(taking)} takes the set-up of rl_gpt's runs: name it too."
        )
    found = {}
    for cell in [Cell(config, variant) for config in configs for variant in variants]:
        try:
            found[cell] = cells.resolve(cell, given.smoke, assignments)
        except ConfigError as error:  # a variant sets the mode, whatever the flag says
            raise ConfigError(str(error).replace(WITHOUT, "--variants=pure_rl")) from error
    how = running.settings(given, Path("studies") / "study", tuple(assignments))
    return Options(found, seeds, how)


def seeds_of(text: str) -> tuple[int, ...]:
    """`0,1,2` or `0..4`.

    Raises:
      ConfigError: other words.
    """
    try:
        seeds = tuple(map(int, fields.axis(f"seed={text}")[1]))
    except ValueError:
        seeds = ()
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise ConfigError(f"--seeds={text}: needs different whole numbers, 0,1,2 or 0..4.")
    return seeds


def configs_of(text: str) -> tuple[str, ...]:
    """Names between commas, and files by their whole paths.

    Raises:
      ConfigError: one stands for nothing, or two runs would have one folder.
    """
    names = [name for name in text.split(",") if name]
    for name in names:
        flags.load_config(name, "--configs")
    if len({flags.stem_of(name) for name in names}) < len(names):
        raise ConfigError(f"--configs={text}: two of one name, which their folders are called by.")
    return tuple(map(whole_name, names))


def variants_of(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    for name in names:
        if name not in KNOWN:
            raise ConfigError(f"--variants={text}: no {name!r}. {suggest(name, list(KNOWN))}")
    return names


def main(argv: list[str]) -> int:
    if argv and argv[0] in OWN:
        # Imported here alone: `agents` imports jax, which `held_out` must not find.
        module = importlib.import_module(f"experiments.study.{argv[0]}")
        return exit_code(lambda: module.main(argv[1:]))
    return running.command(argv, __doc__, HELP, run)


def run(argv: list[str]) -> int:
    options = parse(argv)
    runs = plan_runs(options.running.out / "runs", list(options.configs), options.seeds)
    failed = running.go(options.running, {run: options.configs[run.cell] for run in runs})
    if failed is not None:
        write_out(options, runs, failed, argv)
    return 1 if failed else 0


def write_out(options: Options, runs: list[Run], failed: list[Failure], argv: list[str]) -> None:
    """Tables and figures of all that is done."""
    from experiments.study import page
    from experiments.study.measured import measure

    measured = measure(runs)
    study = page.Study(
        name="What was measured", words="Cells of one's own choice.",
        world=", ".join(dict.fromkeys(config.world for config in options.configs.values())),
        command=shlex.join(["python", "-m", "experiments.study", *argv]), seeds=options.seeds,
        cells=tuple(options.configs), tables=tuple(page.free_tables(measured)), measured=measured,
        failed=tuple(failed), runs=tuple(runs), extra=options.running.extra,
    )  # fmt: skip
    page.publish(options.running.out, study)
    running.tell_failures(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
