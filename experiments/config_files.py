"""Configurations as files: those beside `configs/base.py`, and any other `.py` file.

A configuration file has a function `get_config() -> base.Config`. It is Python of the user's
own and is run as such.
"""

import ast
import importlib
import importlib.util
import traceback
from pathlib import Path
from types import ModuleType

from experiments.configs import base
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


def is_path(name: str) -> bool:
    """Whether `--config` names a file and not a configuration of the project."""
    return name.endswith(".py") or "/" in name


def stem_of(name: str) -> str:
    """What a run of this configuration is called."""
    return Path(name).stem if is_path(name) else name


def load_config(name: str) -> base.Config:
    """What `get_config()` of `experiments/configs/<name>.py`, or of a path, returns.

    Raises:
      ConfigError: there is no such file, or it gives no configuration that can be used.
    """
    if not is_path(name) and name not in config_names():
        raise ConfigError(
            f"--config={name}: no such configuration. {suggest(name, list(config_names()))} "
            "--config=help lists them; a file of your own is given by its path, my_task.py."
        )
    module = _from_path(name) if is_path(name) else _import(name)
    if not hasattr(module, "get_config"):
        raise ConfigError(
            f"--config={name}: the file has no function get_config(). Begin with a copy of "
            "experiments/configs/template.py."
        )
    try:
        config = module.get_config()
    except Exception as error:
        raise ConfigError(f"--config={name}: {_words(error)}") from error
    if not isinstance(config, base.Config):
        raise ConfigError(
            f"--config={name}: get_config() returned {type(config).__name__}; needs base.Config."
        )
    return config


def _import(name: str) -> ModuleType:
    return importlib.import_module(f"experiments.configs.{name}")


def _from_path(name: str) -> ModuleType:
    path = Path(name).expanduser()
    if not path.is_file():
        raise ConfigError(f"--config={name}: there is no such file.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"--config={name}: not a Python file; its name must end with .py.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(f"--config={name}: {_words(error)}") from error
    return module


def _words(error: Exception) -> str:
    """What went wrong in a user's file: our own words, or the error with its line."""
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return str(error)
    lines = traceback.extract_tb(error.__traceback__)
    where = error.lineno if isinstance(error, SyntaxError) else lines[-1].lineno if lines else None
    file = Path(lines[-1].filename).name if lines and not isinstance(error, SyntaxError) else ""
    return f"{type(error).__name__}: {error} ({f'{file} ' if file else ''}line {where})"
