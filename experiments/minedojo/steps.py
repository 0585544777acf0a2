"""The steps of setup. Each can tell whether it has been done, so that setup can go on."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from experiments.minedojo import commands, interpreters, recipe
from experiments.minedojo.commands import SetupError, Tell

CHECKED = "checked.json"  # in the folder: with which versions the client was imported
LOG = "setup.log"


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

    def pip(*arguments: str) -> list[str]:
        return [python, "-I", "-m", "pip", "--disable-pip-version-check", "install", *arguments]

    def install(tell: Tell) -> None:
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(recipe.CONSTRAINTS) + "\n")
        commands.run(pip("-c", str(constraints), recipe.CLIENT), log, tell)

    def make(tell: Tell) -> None:
        commands.run([base, "-I", "-m", "venv", str(folder)], log, tell)

    def tools(tell: Tell) -> None:
        commands.run(pip(*recipe.TOOLS), log, tell)

    return [
        Step("environment", lambda: told(folder) is not None, make),
        Step("pip, setuptools, wheel", lambda: has_tools(packages(folder)), tools),
        Step("MineDojo's client", lambda: not wrong_packages(packages(folder)), install),
        Step("import of the client", lambda: was_checked(folder), lambda tell: check(folder, tell)),
    ]


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
        for name, version in recipe.INSTALLED.items() if found.get(name) != version
    }  # fmt: skip


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
    commands.run([python, "-I", "-m", "pip", "check"], folder / LOG, tell)
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
