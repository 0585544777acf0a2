"""Episodes once more, from their recorded actions, to be drawn.

The worlds are functions of their seed and of the actions, so neither policy nor macros
nor observations are needed. A lane that has ended goes on without a new episode: its
last state is there to be drawn.
"""

import functools
from collections.abc import Iterator
from typing import cast

import jax
import numpy as np

from rlgpt_jax.envs.voxel.env import EnvParams, VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.state import WorldState
from rlgpt_jax.loop.tools import World
from rlgpt_jax.rl.evaluate.keyframes import Batch
from rlgpt_jax.rl.rollout.on_host import OnHost


def can_repeat(world: World) -> bool:
    """Whether its episodes can be drawn."""
    return isinstance(world, HostVoxel | VoxelEnv)


def states(world: World, batch: Batch, stop: int) -> Iterator[tuple[int, "HostVoxel | _Pure"]]:
    """Yields (row, worlds) for rows 0 to `stop` of a recorded batch."""
    repeated = world if isinstance(world, HostVoxel) else _Pure(cast(VoxelEnv, world))
    repeated.reset(batch.seed)
    yield 0, repeated
    for at in range(stop):
        repeated.advance(batch.rows[at].action.astype(np.int32), rays=False)
        yield at + 1, repeated


class _Pure:
    """Pure worlds, on the device where they were evaluated."""

    def __init__(self, env: VoxelEnv):
        self._env = env
        self._state: WorldState | None = None

    def reset(self, seed: int) -> None:
        world = OnHost(self._env)
        world.reset(seed)
        self._state = world.state

    def advance(self, action: np.ndarray, rays: bool = False) -> None:
        del rays
        self._state = _advance(self._env, self._env.default_params, self._state, action)

    def lane_state(self, lane: int) -> WorldState:
        return jax.device_get(_lane(self._state, lane))


@functools.partial(jax.jit, static_argnums=0)
def _advance(env: VoxelEnv, params: EnvParams, state: WorldState, action: jax.Array) -> WorldState:
    """A tick without observation and without reset."""
    return env.advance(params, state, action)[0]


@jax.jit
def _lane(state: WorldState, lane: int) -> WorldState:
    return jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, lane, 1), state)
