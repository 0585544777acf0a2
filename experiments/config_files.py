"""What a name on any command line stands for: a configuration.

    harvest_milk         a file beside `configs/base.py`
    harvest_milk_rays    the same with macros that see the rays too, and conversations of its own
    craft_stick_paper    a task of the paper's table, as all methods are compared on it
    craft_wooden_shovel  a task of the table (or MineDojo's name of it) that has no such file
    kitchen_microwave    a task of a simulator
    path/to/my_task.py   a file of the user's own, which is run as such

A file has a function `get_config() -> base.Config`, or a record `TASK` alone.
"""

import ast
import importlib
from pathlib import Path
from types import ModuleType

from experiments.configs import base, worlds
from experiments.configs.worlds import from_path, is_path, words_of
from experiments.values import ConfigError, nearest, suggest
from rlgpt_jax.envs.tasks import tasks

CONFIGS = Path(__file__).parent / "configs"
TRANSCRIPTS = CONFIGS.parent / "transcripts"
RAYS, PAPER = "_rays", "_paper"


def config_names() -> dict[str, str]:
    """Every configuration and the first line of its docstring, without importing it."""
    found: dict[str, str] = {}
    for path in sorted(CONFIGS.glob("*.py")):
        tree = ast.parse(path.read_text())
        if any(isinstance(n, ast.FunctionDef) and n.name == "get_config" for n in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    for path in sorted(TRANSCRIPTS.glob(f"*{RAYS}.jsonl")):
        words = f"{path.stem.removesuffix(RAYS)} with macros that see the rays too."
        found[path.stem] = words
    for task in base.PAPER_TASKS:
        found[f"{task}{PAPER}"] = f"{task} as in the table of the paper's ten tasks."
    return dict(sorted(found.items()))


def stem_of(name: str) -> str:
    """What a run of this configuration is called."""
    return Path(name).stem if is_path(name) else name


def load_config(name: str, flag: str = "--config") -> base.Config:
    """What a name stands for; `flag` is where it was given.

    Raises:
      ConfigError: nothing, or a file that gives no configuration that can be used.
    """
    name = name if is_path(name) else tasks.ALIASES.get(name, name)
    files = config_names()
    if name in worlds.TASKS:  # needs no file: all have the same defaults
        return base.for_control(name)
    if name in tasks.TASKS and name not in files:
        return base.for_row(name)
    if not is_path(name) and name not in files:
        names = [*dict.fromkeys([*files, *tasks.TASKS, *tasks.ALIASES, *worlds.TASKS])]
        near = f"{suggest(name, names)} " if nearest(name, names) else ""
        raise ConfigError(
            f"{flag}={name}: no such configuration or task. {near}"
            "`python -m experiments.main --config=help` lists them; a file of your own is given "
            "by its path, my_task.py."
        )
    if not (is_path(name) or (CONFIGS / f"{name}.py").exists()):
        if name.endswith(PAPER):
            return base.for_paper(name.removesuffix(PAPER), name)
        return base.with_rays(load_config(name.removesuffix(RAYS)), name)
    module = from_path(name, flag) if is_path(name) else _import(name)
    try:
        config = _made(module)
    except Exception as error:
        raise ConfigError(f"{flag}={name}: {words_of(error)}") from error
    if not isinstance(config, base.Config):
        raise ConfigError(
            f"{flag}={name}: get_config() returned {type(config).__name__}; needs base.Config."
        )
    return config


def of_minecraft(name: str, flag: str) -> base.Config:
    """The same, where only Minecraft will do.

    Raises:
      ConfigError: as `load_config`, or a task of another world.
    """
    config = load_config(name, flag)
    if not config.is_minecraft:
        raise ConfigError(f"{flag}={name}: a task of a simulator; this needs one of Minecraft.")
    return config


def _made(module: ModuleType) -> base.Config:
    if hasattr(module, "get_config"):
        return module.get_config()
    if isinstance(getattr(module, "TASK", None), base.Task):
        return base.for_task(module.TASK)
    raise ValueError(
        "the file has neither a function get_config() nor a record TASK. Begin with a copy of "
        "experiments/configs/template.py."
    )


def _import(name: str) -> ModuleType:
    return importlib.import_module(f"experiments.configs.{name}")
