"""Finds a Python that MineDojo's client runs in, and asks interpreters about themselves."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from experiments.minedojo import recipe
from experiments.values import ConfigError

PROBE = Path(__file__).with_name("probe.py")
SECONDS = 30.0  # to answer without importing the client
IMPORT_SECONDS = 600.0
INSTALL = (
    "pyenv install 3.9, uv python install 3.9, or conda create -p PLACE python=3.9; a path can "
    "be given too: --python=/PLACE/bin/python"
)


class Interpreter(NamedTuple):
    """A Python that answered."""

    path: str
    version: tuple[int, ...]
    has_ensurepip: bool


def probe(python: str, with_import: bool = False) -> dict[str, Any]:
    """What an interpreter tells about itself (probe.py).

    Raises:
      OSError, subprocess.SubprocessError, ValueError: it does not run or answers nonsense.
    """
    command = [python, "-I", str(PROBE), *(["import"] if with_import else [])]
    timeout = IMPORT_SECONDS if with_import else SECONDS
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True)
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise ValueError(f"{python} ended without a word")
    return json.loads(lines[-1])


def ask(python: str) -> Interpreter | None:
    """None for a path that is no Python, or a pyenv shim of a version that is not active."""
    try:
        told = probe(python)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return Interpreter(python, tuple(told["version"]), told["has_ensurepip"])


def find(asked: str = "") -> Interpreter:
    """The interpreter to make the environment of.

    Args:
      asked: a version (3.9, 3.10.13), a path or a command, or "" for any that will do.

    Raises:
      ConfigError: there is none, or what was asked for will not do.
    """
    wanted = recipe.version_tuple(asked)
    if asked and not re.fullmatch(r"\d+(\.\d+)*", asked):
        return _usable(asked)
    if wanted and not (len(wanted) > 1 and recipe.is_supported(wanted)):
        raise ConfigError(
            f"--python={asked}: MineDojo's client needs Python {recipe.words_of_versions()}."
        )
    found = [
        each for path in candidates() if (each := ask(path)) and recipe.is_supported(each.version)
    ]
    fits = [each for each in found if each.version[: len(wanted)] == wanted]
    if not fits:
        others = ", ".join(f"{each.path} is {_dotted(each.version)}" for each in found)
        raise ConfigError(
            f"no Python {asked or recipe.words_of_versions()} on PATH, in pyenv or in uv"
            + (f" ({others})" if others else "")
            + f". Install one: {INSTALL}."
        )
    # The first version of the recipe; one that can make an environment before one that cannot.
    best = min(fits, key=lambda each: (not each.has_ensurepip, each.version[:2]))
    return _with_ensurepip(best)


def _usable(python: str) -> Interpreter:
    path = shutil.which(os.path.expanduser(python)) or python
    answer = ask(path)
    if answer is None:
        raise ConfigError(f"--python={python}: this does not run as a Python. Try: {INSTALL}.")
    if not recipe.is_supported(answer.version):
        raise ConfigError(
            f"--python={python}: this is Python {_dotted(answer.version)}; MineDojo's client "
            f"needs {recipe.words_of_versions()}. Try: {INSTALL}."
        )
    return _with_ensurepip(answer)


def _with_ensurepip(found: Interpreter) -> Interpreter:
    if found.has_ensurepip:
        return found
    name = ".".join(map(str, found.version[:2]))
    raise ConfigError(
        f"{found.path} has no ensurepip, so it cannot make environments. On Debian and Ubuntu: "
        f"apt install python{name}-venv; or take another Python: {INSTALL}."
    )


def candidates() -> Iterator[str]:
    """Paths that may be a Python, the likely ones first: PATH, pyenv, uv."""
    names = [f"python{major}.{minor}" for major, minor in recipe.VERSIONS]
    found = [path for name in (*names, "python3") if (path := shutil.which(name))]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv/python")
    for major, minor in recipe.VERSIONS:
        found += map(str, sorted(pyenv.glob(f"versions/{major}.{minor}.*/bin/python")))
        found += map(str, sorted(uv.glob(f"cpython-{major}.{minor}.*/bin/python3")))
    return iter(dict.fromkeys(found))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
