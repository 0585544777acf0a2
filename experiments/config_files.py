"""What a name on any command line stands for: a configuration.

    craft_wooden_pickaxe   a file beside `configs/base.py`
    harvest_milk           a task of the table, as its agents were asked
    harvest_milk_rays      the same with macros that see the rays too, and conversations of its own
    harvest_log_one_agent  the same by other agents, with a conversation of its own
    craft_stick_paper      a task of the paper's table, as all methods are compared on it
    craft_wooden_shovel    a task of the table (or MineDojo's name of it), nobody was asked
    kitchen_microwave      a task of a simulator
    path/to/my_task.py     a file of the user's own, which is run as such

A file has a function `get_config() -> base.Config`, or a record `TASK` alone.
"""

import ast
import importlib
from pathlib import Path
from types import ModuleType

from experiments.configs import base, worlds
from experiments.configs.baselines import CONVERSATIONS, Overrides
from experiments.configs.worlds import from_path, is_path, words_of
from experiments.task_fields import override
from experiments.values import ConfigError, nearest, suggest
from rlgpt_jax.envs.tasks import tasks

CONFIGS = Path(__file__).parent / "configs"
TRANSCRIPTS = CONFIGS.parent / "transcripts"
RAYS, PAPER = "_rays", "_paper"
# Tasks of the table whose agents were asked with macros as blind as the paper's.
RECORDED = {
    "craft_stick": "Craft a stick on plains from nothing: find one of the few trees, mine, craft.",
    "harvest_beef_with_diamond_sword": "Get beef from one of three cows with a diamond sword.",
    "harvest_log": "Harvest one log with empty hands in a forest.",
    "harvest_milk": "Milk a cow with an empty bucket on plains.",
    "harvest_wool": "Shear a sheep on plains with shears in hand.",
}
VARIANTS: dict[str, Overrides] = {
    **CONVERSATIONS,
    # Code needs a policy that tells it where things are; a macro takes some 50 ticks.
    "blind": (("sight", "blind_code"), ("ppo.unroll_length", "512"), ("ppo.gamma", "0.997")),
}
BLIND_TICKS = 5  # times what the task trains for where code sees
# Shipped conversations of variants, and what makes them others.
DERIVED = {
    ("harvest_log", "one_agent"): "by a single agent that plans, codes and reads the facts itself",
    ("harvest_log", "slow_fast"): "by a slow and a fast agent without a critic: both read facts",
    **{(task, "pixels"): "by a policy that sees pictures of 64 x 64 pixels, not rays" for task in (
        "harvest_milk", "harvest_wool")},
    ("harvest_milk", "seeing"): "judged by a critic that sees pictures of the episodes",
    ("car_racing", "seeing"): "judged by a critic that sees pictures of the episodes",
    ("assembly", "blind"): "with macros that read the hand alone; the policy sees where things are",
    **{(task, "blind"): "with macros that read the hand alone, as assembly_blind" for task in (
        "peg_insert_side", "kitchen_microwave", "kitchen_light_switch")},
}  # fmt: skip


def config_names() -> dict[str, str]:
    """Every configuration and the first line of its docstring, without importing it."""
    found: dict[str, str] = {}
    for path in sorted(CONFIGS.glob("*.py")):
        tree = ast.parse(path.read_text())
        if any(isinstance(n, ast.FunctionDef) and n.name == "get_config" for n in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    found |= RECORDED
    for (name, variant), words in DERIVED.items():
        found[f"{name}_{variant}"] = f"{name} {words}."
    for path in sorted(TRANSCRIPTS.glob(f"*{RAYS}.jsonl")):
        words = f"{path.stem.removesuffix(RAYS)} with macros that see the rays too."
        found[path.stem] = words
    for task in base.PAPER_TASKS:
        found[f"{task}{PAPER}"] = f"{task} as in the table of the paper's ten tasks."
    return dict(sorted(found.items()))


def derived(name: str) -> tuple[str, str] | None:
    """The configuration and the variant in the name of a shipped conversation of another kind."""
    return next((pair for pair in DERIVED if "_".join(pair) == name), None)


def stem_of(name: str) -> str:
    """What a run of this configuration is called."""
    return Path(name).stem if is_path(name) else name


def whole_name(name: str) -> str:
    """The name, or the whole path of a file, for runs that are started from another folder."""
    return str(Path(name).expanduser().resolve()) if is_path(name) else name


def load_config(name: str, flag: str = "--config") -> base.Config:
    """What a name stands for; `flag` is where it was given.

    Raises:
      ConfigError: nothing, or a file that gives no configuration that can be used.
    """
    name = name if is_path(name) else tasks.ALIASES.get(name, name)
    files = config_names()
    if name in worlds.TASKS:  # needs no file: all have the same defaults
        return base.for_control(name)
    if name in RECORDED:
        return base.for_task(name, **base.of_horizon(tasks.TASKS[name].horizon))
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
    if pair := derived(name):
        config = load_config(pair[0])
        told = ("llm.transcript", f"experiments/transcripts/{name}.jsonl")
        changes = [*VARIANTS[pair[1]], told]
        if pair[1] == "blind":
            ticks = BLIND_TICKS * config.loop.ticks_per_iteration
            changes.append(("loop.ticks_per_iteration", str(ticks)))
        return override(config, changes)
    if not (is_path(name) or (CONFIGS / f"{name}.py").exists()):
        if name.endswith(PAPER):
            return base.for_paper(name.removesuffix(PAPER), name)
        return base.with_rays(load_config(name.removesuffix(RAYS)), name)
    own = f"experiments.configs.{name}"
    module = from_path(name, flag) if is_path(name) else importlib.import_module(own)
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
