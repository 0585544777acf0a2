"""Looks at everything that a run in the real game needs and names the cure of what fails.

    python -m experiments.minedojo doctor [--python=PATH] [--workers=1] [--launch] [--json]

Each row is ok, missing or unknown. The exit code is 1 if something is missing. The import
of the client is tried, which takes 16 to 70 seconds; the game is started with --launch.
"""

import argparse
import contextlib
import dataclasses
import json
import os
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.minedojo import checks, facts
from experiments.minedojo.checks import MISSING, OK, UNKNOWN, Row
from experiments.values import ConfigError
from rlgpt_jax.envs.minedojo.config import DEFAULT_PYTHON, PYTHON_VARIABLE

COLOURS = {OK: "green", MISSING: "red", UNKNOWN: "yellow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    words = "MineDojo's interpreter; by default that of RLGPT_MINEDOJO_PYTHON, else that of setup"
    parser.add_argument("--python", default="", help=words)
    parser.add_argument("--workers", type=int, default=1, help="how many are to run here")
    words = "as with --config.minedojo.headless=false: the game is to use DISPLAY"
    parser.add_argument("--no-headless", action="store_true", help=words)
    parser.add_argument("--skip-import", action="store_true", help="do not import the client")
    words = "start the game once, look at its picture and count its steps; minutes if not built"
    parser.add_argument("--launch", action="store_true", help=words)
    parser.add_argument("--json", action="store_true", help="print rows and facts as JSON")


def run(options: argparse.Namespace) -> int:
    """Returns 0 if nothing is missing, 1 if something is."""
    if options.workers < 1:
        raise ConfigError(f"--workers={options.workers}: needs 1 or more")
    python = options.python or interpreter()
    console = Console(stderr=options.json)
    imports = not options.skip_import
    waiting = console.status("importing MineDojo's client")
    with waiting if imports else contextlib.nullcontext():
        found = facts.gather(python, imports, not options.no_headless, options.workers)
    if options.launch:
        with console.status("starting the game"):
            from experiments.minedojo.launch import launch  # imports the bridge

            found = dataclasses.replace(found, launch=launch(python, found.headless))
    rows = [check(found) for check in (*checks.CLIENT, *checks.MACHINE)]
    well = all(row.state != MISSING for row in rows)
    if options.json:
        plain = dataclasses.asdict(found)
        del plain["build_script"]  # long
        told = {"ok": well, "rows": [row._asdict() for row in rows], "facts": plain}
        print(json.dumps(told, indent=1))
    else:
        show(console, rows)
    return 0 if well else 1


def show(console: Console, rows: Sequence[Row]) -> None:
    """A table, and below it what to do, in lines that can be copied."""
    table = Table()
    for name in ("what", "state", "found"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(row.name, f"[{COLOURS[row.state]}]{row.state}[/]", escape(row.found))
    console.print(table)
    for row in rows:
        if row.cure:
            words = f"[bold {COLOURS[row.state]}]{row.name}[/]: {escape(row.cure)}"
            console.print(words, highlight=False, soft_wrap=True)


def interpreter() -> str:
    """Where a run looks for MineDojo's interpreter."""
    return os.environ.get(PYTHON_VARIABLE) or str(DEFAULT_PYTHON)
