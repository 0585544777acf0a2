"""Makes the environment of MineDojo's interpreter and says what else the machine needs.

    python -m experiments.minedojo setup [--python=3.9] [--folder=.minedojo]

It takes about 80 seconds and 340 MB. Run again it goes on where it stopped, and does nothing
where all is there.
"""

import argparse
import functools
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from experiments.minedojo import checks, doctor, facts, interpreters, recipe, steps
from experiments.minedojo.steps import SetupError
from experiments.values import ConfigError
from rlgpt_jax.envs.minedojo.config import DEFAULT_PYTHON, PYTHON_VARIABLE

DEFAULT_FOLDER = DEFAULT_PYTHON.parents[1]
WIDTH = 60  # of a command's words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    words = f"version ({recipe.words_of_versions()}) or path of the Python to make it with; by "
    parser.add_argument("--python", default="", help=words + "default the first one found")
    words = "where; by default .minedojo in the checkout, where runs look"
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help=words)


def run(options: argparse.Namespace) -> int:
    """Returns 0 if the client can be imported, 1 if a step failed."""
    folder = options.folder.absolute()
    console = Console()
    try:
        base = base_for(folder, options.python)
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, base, console)
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    say_what_else(folder, console)
    return 0


def base_for(folder: Path, asked: str) -> str:
    """The Python to make `folder` with, or the one it has been made with.

    Raises:
      ConfigError: there is none, or the folder holds something else.
    """
    answer = steps.told(folder)
    if answer is None:
        # A setup that was stopped leaves one of these.
        is_ours = (folder / "pyvenv.cfg").exists() or (folder / steps.LOG).exists()
        if folder.exists() and not is_ours and any(folder.iterdir()):
            raise ConfigError(
                f"--folder={folder}: there are other files in it. Give a folder that does not "
                "exist yet, or an empty one."
            )
        return interpreters.find(asked).path
    version = tuple(answer["version"])
    if asked and (wanted := interpreters.find(asked).version[:2]) != version[:2]:
        raise ConfigError(
            f"{folder} holds Python {version[0]}.{version[1]}, not "
            f"{wanted[0]}.{wanted[1]}. Remove it, or give another --folder."
        )
    return str(steps.python_of(folder))


def make(folder: Path, base: str, console: Console) -> None:
    """Does what has not been done, a line for each step. Raises `SetupError`."""
    plan = steps.steps(folder, base)
    for number, step in enumerate(plan, 1):
        name, began = escape(f"[{number}/{len(plan)}] {step.name}"), time.perf_counter()
        told = "was there"
        with console.status(f"{name} ...") as status:  # shows what commands say
            if not step.is_done():
                step.do(functools.partial(_tell, status, name))
                if not step.is_done():
                    raise SetupError(
                        f"{step.name}: not as the recipe says, though every command ended well. "
                        f"Remove {folder} and run setup again. Log: {folder / steps.LOG}"
                    )
                told = f"{time.perf_counter() - began:.0f} s"
        console.print(f"{name}: {told}", highlight=False, soft_wrap=True)


def _tell(status: Status, name: str, words: str) -> None:
    status.update(f"{name}: {escape(words[:WIDTH])}")


def say_what_else(folder: Path, console: Console) -> None:
    """The doctor's rows of what setup does not install."""
    python = str(steps.python_of(folder))
    known = facts.gather(python, with_import=False)
    console.print(f"MineDojo's interpreter: {python}", highlight=False, soft_wrap=True)
    if folder != DEFAULT_FOLDER:
        words = f"To use it: export {PYTHON_VARIABLE}={python}"
        console.print(words, highlight=False, soft_wrap=True)
    rows = [check(known) for check in checks.MACHINE]
    console.print("What the game itself needs, which setup does not install:")
    doctor.show(console, rows)
