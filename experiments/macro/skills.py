"""The trusted skills that macros may call: `obs = yield from NAME(obs, ...)`.

In runs they are switched on by --config.macros.skills=true; here by --skills.
"""

import argparse
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.config_files import load_config
from experiments.macro import source
from experiments.values import ConfigError, suggest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="shows the code of this one")
    parser.add_argument("--sensors", choices=source.SENSOR_LEVELS, default="full")
    words = "runs each (or the one named) in the embedded world and tells how often it succeeds"
    parser.add_argument("--measure", action="store_true", help=words)
    parser.add_argument("--episodes", type=int, default=32, help="of --measure")


def run(options: argparse.Namespace) -> int:
    from rlgpt_jax.macros.skills import skills

    console = Console(file=sys.stdout)
    texts = skills.sources(options.sensors)
    if options.name not in (None, *texts):
        known = suggest(options.name, list(texts))
        raise ConfigError(f"no skill {options.name!r} at sensors {options.sensors}. {known}")
    if options.measure:
        return measure(console, options, [options.name] if options.name else list(texts))
    if options.name is None:
        for skill in skills.documented(options.sensors):
            console.print(f"[bold]{skill.signature}[/bold]\n    {skill.doc}", highlight=False)
        return 0
    console.print(texts[options.name].strip(), highlight=False, markup=False)
    example = f"\n# for example\n{skills.EXAMPLES[options.name]}"
    console.print(example, highlight=False, markup=False)
    return 0


def measure(console: Console, options: argparse.Namespace, names: list[str]) -> int:
    """Prints one row per skill. Returns the exit code."""
    from experiments.macro import measured
    from experiments.macro.run import make_world
    from rlgpt_jax.rl.evaluate.report import wilson

    if options.episodes < 1:
        raise ConfigError(f"--episodes={options.episodes}: must be at least 1")
    table = Table(title="Trusted skills in the embedded world", title_justify="left")
    for column in ("skill", "case", "success", "95 %", "ticks", "mistakes"):
        table.add_column(column, overflow="fold")
    worlds: dict[str, Any] = {}
    for name in sorted(names, key=lambda name: measured.SCENARIOS[name].task):
        scenario = measured.SCENARIOS[name]
        if scenario.task not in worlds:
            config = load_config(scenario.task)
            worlds = {scenario.task: make_world(config, "validation", options.episodes)}
        with console.status(f"{name}: compiling and playing"):
            found = measured.measure(worlds[scenario.task], measured.program(name))
        low, high = wilson(found.successes, found.arose)
        table.add_row(
            name, f"{scenario.case} ({scenario.task})", f"{found.successes} of {found.arose}",
            f"{low:.0%} to {high:.0%}", f"{found.mean_ticks:.0f}", ", ".join(found.mistakes),
        )  # fmt: skip
    console.print(table)
    return 0
