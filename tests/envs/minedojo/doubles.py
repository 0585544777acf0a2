"""Worlds of MineDojo whose workers run for real and play a double of the game client."""

import dataclasses
import sys
from pathlib import Path

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.host import HostMineDojo
from rlgpt_jax.envs.minedojo.launcher import Local
from rlgpt_jax.envs.names import CRAFT_NAMES
from rlgpt_jax.envs.tasks.tasks import Task, get_task

DOUBLE = Path(__file__).parent / "double"
ROOT = Path(__file__).parents[3]
CONFIG = MineDojoConfig(
    python=sys.executable, launch_timeout=60.0, call_timeout=60.0, image_size=(4, 6)
)
LOG = dataclasses.replace(get_task("harvest_1_log"), goal_quantity=2, horizon=20)
NOOP = np.array(base.NOOP, np.int32)
IDLE = np.stack([NOOP, NOOP])  # of two lanes


def action(**columns: int) -> np.ndarray:
    """int32[8]: a no-op but for the named columns."""
    row = NOOP.copy()
    for name, value in columns.items():
        row[getattr(base, name)] = value
    return row


ATTACK = action(FUNCTION=base.FN_ATTACK)
PLANKS = action(FUNCTION=base.FN_CRAFT, CRAFT_ARG=CRAFT_NAMES.index("planks"))
SNEAK = action(JUMP=2)  # in the double's lava: 10 of 20 points of life


class Folder:
    """What passes between a test and the doubles: faults in, what the game heard out."""

    def __init__(self, path: Path):
        self.path = path

    def fault(self, lane: int, *lines: str, always: bool = False) -> None:
        """Lines of `double/minedojo/sim/faults.py` for a lane's next worker, or all of them."""
        kind = "always" if always else "fault"
        (self.path / f"{kind}-{lane}").write_text("\n".join(lines))

    def heard(self, lane: int, start: str = "") -> list[str]:
        """What the lane's games have noted, in order, that begins with `start`."""
        path = self.path / f"log-{lane}"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if line.startswith(start)]


def make(
    folder: Path,
    task: Task = LOG,
    num_envs: int = 2,
    image_size: tuple[int, int] | None = None,
    draws: tuple[int, int] = CONFIG.image_size,
    **changes: object,
) -> HostMineDojo:
    """A world of `num_envs` lanes; `changes` are fields of the configuration.

    `draws` is the one called `image_size` there: that of the game's pictures.
    """
    config = dataclasses.replace(CONFIG, image_size=draws, **changes)  # type: ignore[arg-type]
    environment = {"PYTHONPATH": f"{DOUBLE}:{ROOT}", "DOUBLE_FOLDER": str(folder)}
    return HostMineDojo(task, num_envs, config, Local(config, environment), image_size)


def restarts(world: HostMineDojo) -> int:
    """Workers that had to be started again, in all."""
    return sum(lane.failures.restarts for lane in world.lanes)
