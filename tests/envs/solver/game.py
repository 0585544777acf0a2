"""One lane of a task, played through its public actions; the true state may be read."""

import dataclasses
import functools
import operator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, MOBS, NAME_ID, NAMES
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel import transition
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import _view
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCKS
from rlgpt_jax.envs.voxel.rules.items import crafting
from rlgpt_jax.envs.voxel.rules.items.item_table import NAME_OF_ITEM
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import EYE_HEIGHT
from rlgpt_jax.envs.voxel.state import WorldParams, WorldPool
from rlgpt_jax.envs.voxel.terrain.pool import load_pool

REST = np.array([0.0, 1e-3, 0.0])
Cell = tuple[int, int, int]

# The parts of `VoxelEnv.advance`. The tick alone is large, and it is the same program for
# all tasks with as many mobs, so that it compiles a few times and not once per task.
_tick = jax.jit(transition.tick, donate_argnums=0, static_argnums=4)
_near_stations = jax.jit(crafting.near_stations)


@functools.cache
def _parts(name: str):
    """A task and its jitted (reset, judge)."""
    task = get_task(name)
    env = VoxelEnv(task, worlds_params(), 1, worlds(task.biome))

    def judge(params, before, state):
        state, outcome = env.judge(params, before, state)
        return state, outcome, env.counts(params, state)

    def reset(params, key):
        state, _ = env.reset(params, key)
        return state, env.counts(params, state)

    return env, jax.jit(reset), jax.jit(judge, donate_argnums=2)


def worlds_params() -> WorldParams:
    return WorldParams(num_worlds=2)


@functools.cache
def worlds(biome: str) -> WorldPool:
    """Worlds of the size that training uses."""
    return load_pool(biome, "train", worlds_params())


class Over(Exception):
    """The episode ended."""

    def __init__(self, success: bool, tick: int, why: str):
        super().__init__(f"{why} at tick {tick}")
        self.success, self.tick, self.why = success, tick, why


class Mob(NamedTuple):
    index: int
    kind: str
    position: np.ndarray  # float[3], feet


@dataclasses.dataclass
class Game:
    """An episode. Every method that changes the world is a sequence of actions."""

    task: str
    seed: int = 0

    def __post_init__(self) -> None:
        self.env, reset, self._judge = _parts(self.task)
        params = self.env.default_params
        self.state, self._counts = reset(params, jax.random.key(self.seed))
        self.reward = 0.0
        self.actions: list[np.ndarray] = []  # all of the episode, to replay it

    # --- acting ------------------------------------------------------------------

    def act(self, **columns: int) -> None:
        """One tick. Columns are named as in `base`, for example `YAW=13`.

        Raises:
          Over: the episode ended with this tick.
        """
        row = np.array(base.NOOP, np.int32)
        for name, value in columns.items():
            row[getattr(base, name)] = value
        self.actions.append(row)
        before = self._counts
        task, params = self.env.task, self.env.default_params
        light = params.pool.light
        state = _tick(self.state, row[None], task.break_speed, light, task.hostile)
        self.state, outcome, self._counts = self._judge(params, before, state)
        reward, terminated, truncated, success = (np.asarray(part)[0] for part in outcome)
        self.reward += float(reward)
        if success:
            raise Over(True, self.tick, "solved")
        if terminated:
            raise Over(False, self.tick, f"died of {self.damage_kind}")
        if truncated:
            raise Over(False, self.tick, "out of time")

    def wait(self, ticks: int = 1) -> None:
        for _ in range(ticks):
            self.act()

    def function(self, function: int, argument: int = 0, slot: int = 0) -> None:
        """A functional action and the ticks that it takes."""
        self.act(FUNCTION=function, CRAFT_ARG=argument, SLOT_ARG=slot)
        while int(self.state.player.busy[0]) > 0:
            self.act()

    def craft(self, name: str) -> bool:
        """One craft or smelt action by name. Returns whether the count grew."""
        before = self.count(name)
        last = len(CRAFT_NAMES) - 1 - CRAFT_NAMES[::-1].index(name)
        for argument in dict.fromkeys((CRAFT_NAMES.index(name), last)):
            self.function(base.FN_CRAFT, argument=argument)
            if self.count(name) > before:
                return True
        return False

    # --- reading -----------------------------------------------------------------

    def read(self, path: str) -> np.ndarray:
        """A field of the state, without the lane axis. Not for `blocks`."""
        return np.array(operator.attrgetter(path)(self.state))[0]

    @property
    def tick(self) -> int:
        return int(self.read("tick"))

    @property
    def damage_kind(self) -> str:
        return base.DAMAGE_KINDS[int(self.read("player.damage_kind"))]

    @property
    def position(self) -> np.ndarray:
        return self.read("player.position").astype(float)

    @property
    def eye(self) -> np.ndarray:
        return self.position + np.array([0.0, EYE_HEIGHT, 0.0])

    @property
    def feet(self) -> Cell:
        """The cell of the feet, unwrapped."""
        x, y, z = np.floor(self.position + REST).astype(int)
        return int(x), int(y), int(z)

    def count(self, name: str) -> int:
        """Pieces of an item, all variants."""
        held = NAME_OF_ITEM[self.read("inventory.item")] == NAME_ID[name]
        return int(self.read("inventory.quantity")[held].sum())

    def inventory(self) -> dict[str, int]:
        """Pieces by name."""
        found: dict[str, int] = {}
        for item, quantity in zip(self.read("inventory.item"), self.read("inventory.quantity")):
            if quantity:
                name = NAMES[NAME_OF_ITEM[item]]
                found[name] = found.get(name, 0) + int(quantity)
        return found

    def slot(self, name: str) -> int | None:
        """The first slot with an item of this name."""
        held = np.flatnonzero(NAME_OF_ITEM[self.read("inventory.item")] == NAME_ID[name])
        return int(held[0]) if len(held) else None

    def name_in_hand(self) -> str:
        return NAMES[int(NAME_OF_ITEM[self.read("inventory.item")[0]])]

    def blocks(self) -> np.ndarray:
        """A copy of the lane's world, uint8[X, Z, Y]."""
        return np.array(_view(self.state.blocks)[0])

    def byte(self, cell: Cell) -> int:
        """The byte of an unwrapped cell, air outside the world's height."""
        _, size_x, size_z, size_y = self.state.blocks.shape
        x, y, z = cell
        if not 0 <= y < size_y:
            return AIR_CODE + 1
        return int(_view(self.state.blocks)[0, x % size_x, z % size_z, y])

    def block(self, cell: Cell) -> str:
        byte = self.byte(cell)
        return "air" if byte >= AIR_CODE else BLOCKS[byte]

    def mobs(self, *kinds: str) -> list[Mob]:
        """Mobs of these kinds, nearest first."""
        position, kind = self.read("mobs.position").astype(float), self.read("mobs.kind")
        found = [Mob(i, MOBS[k], position[i]) for i, k in enumerate(kind) if MOBS[k] in kinds]
        return sorted(found, key=lambda mob: np.linalg.norm(mob.position - self.position))

    def near_stations(self) -> set[str]:
        """Stations that the observation calls near now."""
        small = self.state.replace(blocks=jnp.zeros((1, 1, 1, 1), jnp.uint8))
        near = (bool(part[0]) for part in _near_stations(small))
        return {name for name, is_near in zip(("crafting_table", "furnace"), near) if is_near}
