"""An executable called xvfb-run that starts the stand-in in the place of the game.

MineDojo's launcher calls `xvfb-run` with the command of the game if MINEDOJO_HEADLESS=1:
the first one on PATH decides what is started. Nothing of MineDojo is changed.
"""

import argparse
import shlex
import sys
from pathlib import Path

from rlgpt_jax import files

NAME = "xvfb-run"
_SCRIPT = """#!/bin/sh
# Starts the stand-in for Minecraft; the folder of the run is among the arguments, or the
# current one.
run_dir=$PWD
for argument in "$@"; do
  case "$argument" in -PrunDir=*) run_dir=${{argument#-PrunDir=}} ;; esac
done
unset PYTHONHOME MPLBACKEND
export PYTHONPATH={checkout} PYTHONUNBUFFERED=1
exec {python} -m tests.doubles.minecraft game --run-dir="$run_dir" {options}
"""


def write(options: argparse.Namespace) -> int:
    """Writes the script into the folder and says how it is used."""
    path = write_script(options.folder, arguments_of(options))
    print(f"wrote {path}\nuse it by: MINEDOJO_HEADLESS=1 PATH={path.parent}:$PATH")
    return 0


def write_script(folder: Path, arguments: list[str]) -> Path:
    """Writes the executable; `arguments` are those of `python -m tests.doubles.minecraft game`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder.resolve() / NAME
    path.write_text(
        _SCRIPT.format(
            checkout=shlex.quote(str(files.CHECKOUT)), python=shlex.quote(sys.executable),
            options=shlex.join(arguments),
        )
    )  # fmt: skip
    path.chmod(0o755)
    return path


def arguments_of(options: argparse.Namespace) -> list[str]:
    """The options of the command line that the game is started with."""
    names = ["task", "split", "worlds", "seed", "lidar"]
    names += ["fault", "at", "away"] if options.fault else []
    given = [f"--{name}={getattr(options, name)}" for name in names]
    return given + (["--small"] if options.small else [])
