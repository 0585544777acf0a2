"""Worlds that the contract is checked on, behind one small set of arrangements.

What a driver must be able to do, every world of the contract can: the embedded one by
its saved state, MineDojo by chat commands (/tp, /replaceitem, /setblock, /kill).
"""

import functools
from typing import Protocol

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.view.observation import Sight, View, look
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID
from tests.envs.voxel import worlds

LANES = worlds.HOST_LANES
HORIZON = 60
# The goal takes two crafts, so that one is a reward without an end.
TASK = Task("contract", "make planks", goal_item="planks", goal_quantity=8, horizon=HORIZON)
NOOPS = np.tile(np.array(base.NOOP, np.int32), (LANES, 1))


class Driver(Protocol):
    """A world of `LANES` lanes that stand on flat grass, with arrangements for tests."""

    def reset(self, seed: int) -> Observation:
        """A seeded episode as the world starts it."""
        ...

    def arrange(self, *items: tuple[str, int]) -> Observation:
        """A fresh episode: every lane holds `items` from slot 0 on and looks along +z."""
        ...

    def put(self, block: str, offset: tuple[int, int, int]) -> None:
        """Sets a block relative to the block of the feet, in every lane."""
        ...

    def kill(self, lane: int) -> None:
        """Takes all life of one lane; the next tick finds out."""
        ...

    def step(self, action: np.ndarray) -> Step:
        """One tick of int32[LANES, 8]."""
        ...

    def view(self) -> View:
        """The full observation of MineDojo after the last tick."""
        ...


class Embedded:
    """The embedded world on flat ground."""

    def __init__(self) -> None:
        env = VoxelEnv(TASK, worlds.HOST_PARAMS, LANES, worlds.pool(worlds.HOST_PARAMS))
        self.host = HostVoxel(env)
        self._before, self._now, self._action = None, None, NOOPS

    def reset(self, seed: int) -> Observation:
        self._now = self._before = self.host.reset(seed)
        self._action = NOOPS
        return self._now

    def arrange(self, *items: tuple[str, int]) -> Observation:
        self.reset(0)
        saved = self.host.save()
        fields = saved["fields"]
        fields.player.position[:] = (8.5, worlds.GROUND, 8.5)
        fields.player.yaw[:] = 0.0
        for slot, (name, quantity) in enumerate(items):
            fields.inventory.item[:, slot] = NAME_ID[name]
            fields.inventory.quantity[:, slot] = quantity
        return self._load(saved)

    def put(self, block: str, offset: tuple[int, int, int]) -> None:
        saved = self.host.save()
        byte = AIR_CODE + 1 if block == "air" else BLOCK_ID[block]
        blocks = np.array(self.host.state.blocks)
        for lane, feet in enumerate(np.floor(saved["fields"].player.position + 1e-3).astype(int)):
            x, y, z = feet + offset
            world = blocks[lane]
            world[world > AIR_CODE] = AIR_CODE + 1  # no ray may jump past the new block
            world[x % world.shape[0], z % world.shape[1], y] = byte
        pool = np.array(self.host.env.default_params.pool.blocks)[saved["fields"].pool_index]
        lane, cell = np.nonzero(blocks.reshape(LANES, -1) != pool.reshape(LANES, -1))
        saved["edit_lane"], saved["edit_cell"] = lane.astype(np.int32), cell
        saved["edit_byte"] = blocks.reshape(LANES, -1)[lane, cell]
        self._load(saved)

    def kill(self, lane: int) -> None:
        saved = self.host.save()
        saved["fields"].player.life[lane] = 0.0
        self._load(saved)

    def step(self, action: np.ndarray) -> Step:
        self._before, self._action = self._now, action
        step = self.host.step(action)
        self._now = step.obs
        return step

    def view(self) -> View:
        return look(Sight(self._now, self._before, self._action, self.host, sea_level=63))

    def _load(self, saved: dict) -> Observation:
        self._now = self._before = self.host.load(saved)
        self._action = NOOPS
        return self._now


@functools.cache
def embedded() -> Driver:
    """One compiled world for all tests; each begins with `reset` or `arrange`."""
    return Embedded()


@functools.cache
def minedojo() -> Driver:
    """The bridge to MineDojo, with workers that play a double of the game."""
    from tests.envs.minedojo.driver import Bridge

    return Bridge()


# Every test of the contract runs on each.
WORLDS = {"embedded": embedded, "minedojo": minedojo}
