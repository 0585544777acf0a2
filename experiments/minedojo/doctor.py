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
from typing import Any

from rich.console import Console

from experiments.minedojo import checks, facts, table
from experiments.values import ConfigError
from rlgpt_jax.envs.minedojo.config import DEFAULT_PYTHON, PYTHON_VARIABLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--python",
        default="",
        help="MineDojo's interpreter; by default that of "
        "RLGPT_MINEDOJO_PYTHON, else the one that setup makes",
    )
    parser.add_argument("--workers", type=int, default=1, help="how many are to run here")
    parser.add_argument(
        "--no-headless",
        action="store_true",
        help="as with --config.minedojo.headless=false: the game is to use DISPLAY",
    )
    parser.add_argument("--skip-import", action="store_true", help="do not import the client")
    parser.add_argument(
        "--launch",
        action="store_true",
        help="start the game once, look at its "
        "picture and count its steps; minutes if the game is not built",
    )
    parser.add_argument("--json", action="store_true", help="print rows and facts as JSON")


def run(options: argparse.Namespace) -> int:
    """Returns 0 if nothing is missing, 1 if something is."""
    if options.workers < 1:
        raise ConfigError(f"--workers={options.workers}: needs 1 or more")
    python = options.python or interpreter()
    console = Console(stderr=options.json)
    with status(console, "" if options.skip_import else "importing MineDojo's client"):
        found = facts.gather(
            python, not options.skip_import, not options.no_headless, options.workers
        )
    if options.launch:
        with status(console, "starting the game"):
            from experiments.minedojo.launch import launch  # imports the bridge

            found = dataclasses.replace(found, launch=launch(python, found.headless))
    rows = [check(found) for check in (*checks.CLIENT, *checks.MACHINE)]
    well = table.is_well(rows)
    if options.json:
        told = {"ok": well, "rows": table.to_json(rows), "facts": plain(found)}
        print(json.dumps(told, indent=1))
    else:
        table.show(console, rows)
    return 0 if well else 1


def status(console: Console, words: str) -> Any:
    """Tells on a terminal what is waited for; a context manager."""
    if not (words and console.is_terminal):
        return contextlib.nullcontext()
    return console.status(words)


def interpreter() -> str:
    """Where a run looks for MineDojo's interpreter."""
    return os.environ.get(PYTHON_VARIABLE) or str(DEFAULT_PYTHON)


def plain(found: facts.Facts) -> dict[str, Any]:
    """The facts, without the long text of the build script."""
    told = dataclasses.asdict(found)
    del told["build_script"]
    return told
