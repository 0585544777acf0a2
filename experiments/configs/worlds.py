"""Tasks of worlds that are not Minecraft: the shipped ones, and those of a file of one's own.

Such a file has `TASKS`, a dictionary of `ControlTask` records by name (docs/new_world.md).
"""

import difflib
import functools
import importlib.util
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from experiments.values import ConfigError
from rlgpt_jax.envs.control.table import TASKS
from rlgpt_jax.envs.control.task import ControlTask

MINECRAFT = ("voxel", "minedojo")
CONTROL = "control"


def find(world: str, name: str) -> ControlTask:
    """The task of that name in a world.

    Args:
      world: "control", or the path of a Python file with `TASKS`.

    Raises:
      ConfigError: there is no such world or task.
    """
    tasks = TASKS if world == CONTROL else _own(world)
    if name not in tasks:
        near = difflib.get_close_matches(name, tasks, n=3) or sorted(tasks)
        raise ConfigError(f"world={world} has no task {name!r}. Try: {', '.join(near)}.")
    return tasks[name]


def of_run(config: Mapping[str, Any]) -> ControlTask | None:
    """The task of a run folder's configuration, as JSON; None of Minecraft, or where the world is
    not to be found any more."""
    world = config.get("world", "voxel")
    if not isinstance(world, str) or world in MINECRAFT:  # a record in runs of older versions
        return None
    try:
        return find(world, config["task"])
    except (ConfigError, KeyError):
        return None


@functools.cache
def _own(world: str) -> dict[str, ControlTask]:
    if not is_path(world):
        raise ConfigError(
            f"world is {world!r}. Choose from: {', '.join((*MINECRAFT, CONTROL))}, or give the "
            "path of a Python file with TASKS."
        )
    # Workers import its simulators by the file's name.
    sys.path.append(str(Path(world).expanduser().resolve().parent))
    tasks = getattr(from_path(world, "--config.world"), "TASKS", None)
    if not isinstance(tasks, dict) or not all(isinstance(t, ControlTask) for t in tasks.values()):
        raise ConfigError(f"world={world}: the file needs TASKS, a dictionary of ControlTask.")
    return tasks


def is_path(name: str) -> bool:
    """Whether a flag names a file and not something of the project."""
    return name.endswith(".py") or "/" in name


def from_path(name: str, flag: str) -> ModuleType:
    """The module in a file, which is run.

    Raises:
      ConfigError: it is not there, or fails.
    """
    path = Path(name).expanduser()
    if not path.is_file():
        raise ConfigError(f"{flag}={name}: there is no such file.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{flag}={name}: not a Python file; its name must end with .py.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(f"{flag}={name}: {words_of(error)}") from error
    return module


def words_of(error: Exception) -> str:
    """What went wrong in a user's file: our own words, or the error with its line."""
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return str(error)
    lines = traceback.extract_tb(error.__traceback__)
    where = error.lineno if isinstance(error, SyntaxError) else lines[-1].lineno if lines else None
    file = Path(lines[-1].filename).name if lines and not isinstance(error, SyntaxError) else ""
    return f"{type(error).__name__}: {error} ({f'{file} ' if file else ''}line {where})"
