"""World steps per second with random actions: what rays cost, and by which code.

One step is one tick of one lane, resets included. The actions are drawn beforehand. On
the host a call is one tick; on the device it is a scan of several.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.bench import turns
from experiments.bench.table import Row
from experiments.bench.turns import Contestant
from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.voxel.env import EnvParams, VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.state import WorldState
from rlgpt_jax.rl.actions import PRIMITIVE_HEADS
from rlgpt_jax.rl.worlds.minecraft import decode

NUM_ACTIONS = 64  # drawn action arrays, used again and again
SCAN = 16  # ticks of one call on the device


def random_actions(num_envs: int) -> list[np.ndarray]:
    """Actions int32[N, 8] of the primitive heads, uniformly drawn."""
    rng = np.random.default_rng(0)
    heads = rng.integers(0, PRIMITIVE_HEADS, (NUM_ACTIONS, num_envs, len(PRIMITIVE_HEADS)))
    return [np.asarray(decode(primitive.astype(np.int32))) for primitive in heads]


class Blind(VoxelEnv):
    """The same world with no rays cast: what the rules alone cost."""

    def __init__(self, env: VoxelEnv):
        super().__init__(env.task, env.sizes, env.num_envs, env.default_params.pool)

    def observe(
        self, params: EnvParams, state: WorldState, rays: bool = True, image: bool = True
    ) -> Observation:
        return super().observe(params, state, rays=False)


def on_host(name: str, world: HostVoxel, rays: bool = True) -> Contestant:
    """A host world, one tick per call; without `rays` none are cast in a tick."""
    actions = itertools.cycle(random_actions(world.num_envs))
    world.reset(0)

    def once() -> None:
        step = world.advance(next(actions), rays=rays)
        done = step.terminated | step.truncated
        if done.any():
            world.restart(done)

    once()
    world.restart(np.zeros(world.num_envs, bool))  # compiles what the first end would
    once()
    return Contestant(name, world.num_envs, once)


def on_device(name: str, env: VoxelEnv) -> Contestant:
    """A scan of `SCAN` ticks per call; the worlds stay where they are."""

    def several(params: EnvParams, carry: Any, actions: jax.Array) -> Any:
        def tick(carry: Any, action: jax.Array) -> Any:
            state, out = env.step(params, carry[0], action)
            return (state, out.obs), None  # carried on, so that every observation is made

        return jax.lax.scan(tick, carry, actions)[0]

    run = jax.jit(several, donate_argnums=1)
    drawn = jnp.asarray(np.stack(random_actions(env.num_envs)))
    chunks = itertools.cycle([drawn[i : i + SCAN] for i in range(0, NUM_ACTIONS, SCAN)])
    params = env.default_params
    # Copied apart: an observation may share buffers with the state, and both are donated.
    held = [jax.tree.map(jnp.copy, jax.jit(env.reset)(params, jax.random.key(0)))]

    def once() -> None:
        held[0] = jax.block_until_ready(run(params, held[0], next(chunks)))

    once()
    once()
    return Contestant(name, env.num_envs, once, SCAN)


def names(driver: str) -> list[str]:
    """Ways of casting rays."""
    return [*(["rays by numba"] if driver == "host" else []), "rays by jax", "no rays"]


def ready(name: str, world: VoxelEnv | HostVoxel, rays: bool = True) -> Contestant:
    """A world by the driver that it is for, compiled; without `rays` none are cast."""
    if isinstance(world, HostVoxel):
        return on_host(name, world, rays)
    return on_device(name, world if rays else Blind(world))


def contestant(env: VoxelEnv, driver: str, name: str) -> Contestant:
    """The world with one way of casting rays."""
    rays = name != "no rays"
    raycaster = name.removeprefix("rays by ") if rays else "auto"
    return ready(name, HostVoxel(env, raycaster) if driver == "host" else env, rays)


def measure(env: VoxelEnv, driver: str, seconds: float) -> Iterator[Row]:
    """One row per way of casting rays, in turns."""
    ready = [contestant(env, driver, name) for name in names(driver)]
    rates = turns.measure(ready, seconds)
    for one in ready:
        yield Row("world", one.name, turns.numbers(one, rates[one.name]))
