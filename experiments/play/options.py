"""The command line of playing, read without importing jax."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from experiments.config_files import of_minecraft
from experiments.flags import read
from experiments.values import ConfigError, parse_value
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.params import WorldParams

HELP = {
    "task": "Name of a task (`help` lists them), or the path of a file of yours: my_task.py.",
    "seed": "Decides worlds, places and mobs. (default: 0)",
    "worlds": "How many worlds there are to be reset to. (default: 8)",
    "record": "Video to write, FILE.mp4.",
    "headless": "No window: play --actions and print what happened.",
    "actions": "File of actions for --headless: .npy int [T, 8], or text (see below).",
    "out": "With --headless: FILE.json for inventory, reward, success.",
}


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line asked for."""

    task: Task
    seed: int
    world: WorldParams
    record: Path | None
    actions: Path | None  # None plays in the window
    out: Path | None


def parse(argv: Sequence[str]) -> Options:
    """Reads the command line (without the program's name).

    Raises:
      ConfigError: for unknown names and bad values.
    """
    values = read(argv, HELP, ("headless",))
    if not values.task:
        raise ConfigError("--task=NAME is needed; --task=help lists them.")
    config = of_minecraft(values.task, "--task")
    if values.headless and not values.actions:
        raise ConfigError("--headless plays a file: give it with --actions=FILE.")
    for name in ("actions", "out"):
        if getattr(values, name) and not values.headless:
            raise ConfigError(f"--{name} belongs to --headless.")
    return Options(
        task=config.minecraft_task,
        seed=_number(values.seed, "seed", 0, 0),
        world=dataclasses.replace(config.voxel, num_worlds=_number(values.worlds, "worlds", 8, 1)),
        record=_path(values.record, "record", ".mp4"),
        actions=_path(values.actions, "actions", ""),
        out=_path(values.out, "out", ".json"),
    )


def _number(text: str | None, flag: str, default: int, low: int) -> int:
    number = default if text is None else parse_value(text, int, f"--{flag}")
    if not low <= number < 2**31:
        raise ConfigError(f"--{flag}={number}: it must be {low} or more, and below 2^31.")
    return number


def _path(text: str | None, flag: str, suffix: str) -> Path | None:
    if text and not text.endswith(suffix):
        raise ConfigError(f"--{flag}={text}: the file name must end with {suffix}.")
    return Path(text) if text else None
