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


def states(world: World, batch: Batch, stop: int) -> Iterator[tuple[int, WorldState]]:
    """Yields (row, state of all lanes) for rows 0 to `stop` of a recorded batch."""
    env = cast("HostVoxel | VoxelEnv", world)
    played = env if isinstance(env, HostVoxel) else OnHost(env)
    played.reset(batch.seed)
    state = played.state
    yield 0, state
    for at in range(stop):
        action = batch.rows[at].action.astype(np.int32)
        if isinstance(env, HostVoxel):
            env.advance(action, rays=False)
            state = env.state
        else:  # on the device where it was evaluated
            state = _advance(env, env.default_params, state, action)
        yield at + 1, state


@functools.partial(jax.jit, static_argnums=0)
def _advance(env: VoxelEnv, params: EnvParams, state: WorldState, action: jax.Array) -> WorldState:
    """A tick without observation and without reset."""
    return env.advance(params, state, action)[0]
