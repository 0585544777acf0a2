"""The steps of setup. Each can tell whether it has been done, so that setup can go on.

What their commands say is kept; how they failed is explained.
"""

import functools
import json
import re
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.minedojo import interpreters, recipe

Tell = Callable[[str], None]
CHECKED = "checked.json"  # in the folder: with which versions the client was imported
LOG = "setup.log"
LAST_LINES = 5  # of a command that failed, in the message

# What the last lines of a failed command hold, and what to do then.
CURES = (
    (r"error in gym setup command|invalid metadata|extras_require",
     "gym 0.21 was built with tools that refuse it. Remove the folder and run setup again, so "
     "that pip, setuptools and wheel are those of the recipe."),
    (r"No space left on device", "The disk is full; 340 MB are needed."),
    (r"Failed to establish|Connection|timed out|Temporary failure|No matching distribution",
     "pip did not reach its package index or did not find the package there. Look at the "
     "network and at `pip config list`, then run setup again: it goes on where it stopped."),
    (r"gcc|command '.*cc' failed|Python\.h",
     "A package is compiled here because no wheel fits. Take another Python 3.9, or install a "
     "C compiler and the headers of this one (apt install build-essential python3.9-dev)."),
)  # fmt: skip


class SetupError(RuntimeError):
    """A step that failed; the message is for the person who ran it."""


class Step(NamedTuple):
    """Part of setup: `is_done()` looks at what is there, `do(tell)` does what is missing."""

    name: str
    is_done: Callable[[], bool]
    do: Callable[[Tell], None]


def python_of(folder: Path) -> Path:
    """The interpreter of the environment in `folder`."""
    return folder / "bin" / "python"


def steps(folder: Path, base: str) -> list[Step]:
    """What makes `folder` an environment with MineDojo's client, in order.

    Args:
      base: the Python it is made with.
    """
    python, log = str(python_of(folder)), folder / LOG

    pip = [python, "-I", "-m", "pip", "--disable-pip-version-check", "install"]
    make = functools.partial(run, [base, "-I", "-m", "venv", str(folder)], log)
    tools = functools.partial(run, [*pip, *recipe.TOOLS], log)

    def install(tell: Tell) -> None:
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(recipe.CONSTRAINTS) + "\n")
        run([*pip, "-c", str(constraints), recipe.CLIENT], log, tell)

    return [
        Step("environment", lambda: told(folder) is not None, make),
        Step("pip, setuptools, wheel", lambda: has_tools(packages(folder)), tools),
        Step("MineDojo's client", lambda: not wrong_packages(packages(folder)), install),
        Step("import of the client", lambda: was_checked(folder), functools.partial(check, folder)),
    ]


def run(command: Sequence[str], log: Path, tell: Tell) -> None:
    """Runs a command. Its lines go to the end of `log` and, as they come, to `tell`.

    Raises:
      SetupError: it cannot be started or failed; holds its last lines and, if known, the cure.
    """
    last: deque[str] = deque(maxlen=40)
    with log.open("a", encoding="utf-8") as kept:
        kept.write(f"$ {' '.join(command)}\n")
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace",
            )  # fmt: skip
        except OSError as error:
            raise SetupError(f"{command[0]} does not start: {error}") from error
        with process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    kept.write(line)
                    last.append(line.rstrip())
                    tell(line.strip())
            except BaseException:  # the command must not outlive an interrupted setup
                process.kill()
                raise
    if process.returncode:
        raise SetupError(explain(command, process.returncode, [*last], log))


def explain(command: Sequence[str], code: int, lines: Sequence[str], log: Path) -> str:
    """The message of a command that failed."""
    text = "\n".join(lines)
    cures = [cure for pattern, cure in CURES if re.search(pattern, text)]
    told = "\n".join(f"  {line}" for line in [line for line in lines if line][-LAST_LINES:])
    cure = cures[0] if cures else "Read the log; setup can be run again and goes on from here."
    return f"{' '.join(command)} ended with code {code}:\n{told}\n{cure}\nLog: {log}"


def told(folder: Path) -> dict[str, Any] | None:
    """What the environment's interpreter tells; None if it does not run or has no pip."""
    try:
        answer = interpreters.probe(str(python_of(folder)))
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return answer if "pip" in answer["packages"] else None


def packages(folder: Path) -> dict[str, str]:
    return (told(folder) or {"packages": {}})["packages"]


def has_tools(found: dict[str, str]) -> bool:
    right = all(found.get(name) == recipe.INSTALLED[name] for name in ("setuptools", "wheel"))
    return right and recipe.version_tuple(found.get("pip", "99")) < recipe.MAX_PIP


def wrong_packages(found: dict[str, str]) -> dict[str, str]:
    """Name to version, "not installed" included, where it is not the recipe's."""
    return {
        name: found.get(name, "not installed")
        for name, version in recipe.INSTALLED.items()
        if found.get(name) != version
    }


def was_checked(folder: Path) -> bool:
    """Whether the client was imported with the versions that are there now."""
    try:
        return json.loads((folder / CHECKED).read_text()) == packages(folder)
    except (OSError, ValueError):
        return False


def check(folder: Path, tell: Tell) -> None:
    """Imports the client in the new interpreter and looks at every version.

    Raises:
      SetupError: something is not as the recipe says.
    """
    python = str(python_of(folder))
    tell("versions")
    run([python, "-I", "-m", "pip", "check"], folder / LOG, tell)
    if wrong := wrong_packages(packages(folder)):
        words = ", ".join(f"{name} {version}" for name, version in wrong.items())
        raise SetupError(
            f"{folder} holds other versions than the recipe: {words}. Remove it and run setup "
            "again."
        )
    tell("import minedojo, 16 to 70 seconds")
    try:
        answer = interpreters.probe(python, with_import=True)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise SetupError(f"{python} cannot import minedojo: {error}") from error
    if "import_error" in answer:
        raise SetupError(
            f"{python} cannot import minedojo: {answer['import_error']}. Remove {folder} and "
            "run setup again."
        )
    tell(f"imported in {answer['import_seconds']:.0f} s")
    (folder / CHECKED).write_text(json.dumps(answer["packages"], indent=1))
