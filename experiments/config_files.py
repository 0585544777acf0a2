"""Configurations as files: those beside `configs/base.py`, and any other `.py` file.

A configuration file has a function `get_config() -> base.Config`. It is Python of the user's
own and is run as such.
"""

import ast
import importlib
from pathlib import Path
from types import ModuleType

from experiments.configs import base, worlds
from experiments.configs.worlds import from_path, is_path, words_of
from experiments.values import ConfigError, suggest

CONFIGS = Path(__file__).parent / "configs"


def config_names() -> dict[str, str]:
    """Every configuration and the first line of its docstring, without importing it."""
    found: dict[str, str] = {}
    for path in sorted(CONFIGS.glob("*.py")):
        tree = ast.parse(path.read_text())
        if any(isinstance(n, ast.FunctionDef) and n.name == "get_config" for n in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def stem_of(name: str) -> str:
    """What a run of this configuration is called."""
    return Path(name).stem if is_path(name) else name


def load_config(name: str) -> base.Config:
    """What `get_config()` of `experiments/configs/<name>.py`, or of a path, returns.

    Raises:
      ConfigError: there is no such file, or it gives no configuration that can be used.
    """
    if name in worlds.TASKS:  # needs no file: all have the same defaults
        return base.for_control(name)
    if not is_path(name) and name not in config_names():
        names = [*config_names(), *worlds.TASKS]
        raise ConfigError(
            f"--config={name}: no such configuration. {suggest(name, names)} "
            "--config=help lists them; a file of your own is given by its path, my_task.py."
        )
    module = from_path(name, "--config") if is_path(name) else _import(name)
    if not hasattr(module, "get_config"):
        raise ConfigError(
            f"--config={name}: the file has no function get_config(). Begin with a copy of "
            "experiments/configs/template.py."
        )
    try:
        config = module.get_config()
    except Exception as error:
        raise ConfigError(f"--config={name}: {words_of(error)}") from error
    if not isinstance(config, base.Config):
        raise ConfigError(
            f"--config={name}: get_config() returned {type(config).__name__}; needs base.Config."
        )
    return config


def _import(name: str) -> ModuleType:
    return importlib.import_module(f"experiments.configs.{name}")
