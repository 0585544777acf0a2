"""World steps per second with random actions: rays by numba, by jax, and without rays.

One step is one tick of one lane, resets included. The actions are drawn beforehand.
"""

import copy
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from experiments.bench.table import Row
from rlgpt_jax.envs.base import HostEnvironment
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.state import WorldPool, WorldState
from rlgpt_jax.rl.actions import PRIMITIVE_HEADS, decode

NUM_ACTIONS = 64  # drawn action arrays, used again and again
TICKS_PER_LOOK = 10  # ticks between two looks at the clock


def random_actions(num_envs: int, seed: int = 0) -> list[np.ndarray]:
    """Actions int32[N, 8] of the primitive heads, uniformly drawn."""
    rng = np.random.default_rng(seed)
    heads = rng.integers(0, PRIMITIVE_HEADS, (NUM_ACTIONS, num_envs, len(PRIMITIVE_HEADS)))
    return [np.asarray(decode(primitive.astype(np.int32))) for primitive in heads]


def ticks_per_second(step: Callable[[np.ndarray], Any], env: VoxelEnv, seconds: float) -> float:
    """Calls of `step` per second over a window of about `seconds`.

    The first episode is not counted: it ends with the compiling of the reset.
    """
    actions = random_actions(env.num_envs)
    for i in range(env.task.horizon + 1):
        jax.block_until_ready(step(actions[i % NUM_ACTIONS]))
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        for _ in range(TICKS_PER_LOOK):
            out = step(actions[count % NUM_ACTIONS])
            count += 1
        jax.block_until_ready(out)
    return count / passed


class Blind:
    """The same world on the host with no rays cast: what the rules alone cost.

    Tick and reset are two programs, as in `HostVoxel`: in one, the reset's write would
    follow reads of the same array, and XLA would copy every world at every tick.
    """

    def __init__(self, env: VoxelEnv):
        self._pool = env.pool

        def bound(pool: WorldPool) -> VoxelEnv:  # an argument, so that it is no constant
            other = copy.copy(env)
            other.pool = pool
            return other

        def advance(pool: WorldPool, state: WorldState, action: jax.Array) -> Any:
            state, outcome = bound(pool).advance(state, action)
            return state, outcome, bound(pool).observe(state, rays=False)

        self._advance = jax.jit(advance, donate_argnums=1)
        self._restart = jax.jit(
            lambda pool, state, done: bound(pool).reset_lanes(state, done), donate_argnums=1
        )
        reset = jax.jit(lambda pool, key: bound(pool).reset(key)[0])
        self.state = reset(self._pool, jax.random.key(0))

    def step(self, action: np.ndarray) -> Any:
        self.state, outcome, obs = self._advance(self._pool, self.state, action)
        outcome, obs = jax.tree.map(np.asarray, (outcome, obs))
        done = outcome.terminated | outcome.truncated
        if done.any():
            self.state = self._restart(self._pool, self.state, done)
        return outcome, obs


def measure(env: VoxelEnv, seconds: float) -> list[Row]:
    """One row per way of casting rays."""
    makers: dict[str, Callable[[], HostEnvironment | Blind]] = {
        "rays by numba": lambda: HostVoxel(env, raycaster="numba"),
        "rays by jax": lambda: HostVoxel(env, raycaster="jax"),
        "no rays": lambda: Blind(env),
    }
    rows = []
    for name, make in makers.items():
        world = make()
        if not isinstance(world, Blind):
            world.reset(0)
        rate = ticks_per_second(world.step, env, seconds)
        numbers = {"lanes": env.num_envs, "steps_per_second": rate * env.num_envs,
                   "milliseconds_per_tick": 1000.0 / rate}
        rows.append(Row("world", name, numbers))
    return rows
