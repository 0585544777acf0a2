"""Where an episode starts: the lane's world, the player's place, the task's mobs.

Everything is a hash of the lane's seed. Places are tried until one fits; a lane for
which none does gets the world's first open place.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.tasks import Task
from rlgpt_jax.envs.voxel import hashing
from rlgpt_jax.envs.voxel.state import WorldPool

TRIES = 32
# A mob whose ground is farther above or below the player's is likely out of sight.
MAX_MOB_HEIGHT = 5  # blocks


class Start(NamedTuple):
    """The start of an episode in each of N lanes."""

    pool_index: jax.Array  # int32[N]
    position: jax.Array  # float32[N, 3]
    yaw: jax.Array  # float32[N]
    mob_position: jax.Array  # float32[N, M, 3]
    mob_yaw: jax.Array  # float32[N, M]


def open_places(pool: WorldPool) -> np.ndarray:
    """int32[P, 2]: one spawnable column (x, z) of every world.

    Raises:
      ValueError: if a world has none.
    """
    spawnable = np.asarray(pool.spawnable)
    flat = spawnable.reshape(len(spawnable), -1)
    if not flat.any(1).all():
        bad = np.flatnonzero(~flat.any(1)).tolist()
        raise ValueError(
            f"pool worlds {bad} have no spawnable column; every world needs one. "
            "Try another biome or a larger world."
        )
    return np.stack(np.unravel_index(flat.argmax(1), spawnable.shape[1:]), 1).astype(np.int32)


def draw(pool: WorldPool, fallback: np.ndarray, task: Task, seed: jax.Array) -> Start:
    """Draws the start of the episode with seed uint32[N]."""
    index = hashing.below(pool.blocks.shape[0], seed, hashing.WORLD)
    column = _first_open(pool, jnp.asarray(fallback), index, seed)
    height = pool.surface[index, column[:, 0], column[:, 1]]
    feet = jnp.stack([column[:, 0], height, column[:, 1]], 1).astype(jnp.float32)
    middle = jnp.array([0.5, 0.0, 0.5], jnp.float32)
    num_mobs = max(len(task.mobs), 1)
    mobs = [_beside(pool, index, column, height, task, seed, m) for m in range(num_mobs)]
    number = jnp.arange(num_mobs, dtype=jnp.int32)
    return Start(
        pool_index=index,
        position=feet + middle,
        yaw=360.0 * hashing.uniform(seed, hashing.FACING) - 180.0,
        mob_position=jnp.stack(mobs, 1) + middle,
        mob_yaw=360.0 * hashing.uniform(seed[:, None], hashing.MOB_FACING, number) - 180.0,
    )


def mob_kinds(task: Task) -> np.ndarray:
    """int32[M]: the task's mobs; one empty entry if it has none."""
    return np.array([MOBS.index(mob) for mob in task.mobs] or [0], np.int32)


def _first_open(
    pool: WorldPool, fallback: jax.Array, index: jax.Array, seed: jax.Array
) -> jax.Array:
    """int32[N, 2]: the first of some random columns that one can stand in."""
    number = jnp.arange(TRIES, dtype=jnp.int32)
    size_x, size_z = pool.spawnable.shape[1:]
    x = hashing.below(size_x, seed[:, None], hashing.PLACE_X, number)
    z = hashing.below(size_z, seed[:, None], hashing.PLACE_Z, number)
    fits = pool.spawnable[index[:, None], x, z]
    first = jnp.argmax(fits, axis=1)[:, None]
    found = jnp.concatenate([jnp.take_along_axis(a, first, 1) for a in (x, z)], 1)
    return jnp.where(fits.any(1, keepdims=True), found, fallback[index])


def _beside(
    pool: WorldPool,
    index: jax.Array,
    column: jax.Array,
    height: jax.Array,
    task: Task,
    seed: jax.Array,
    mob: int,
) -> jax.Array:
    """float32[N, 3]: a cell on the ground within the task's range of the player.

    The place is drawn evenly in the square and drawn again if it is no open ground or
    much higher or lower; the last resort is the player's own place.
    """
    number = jnp.arange(TRIES, dtype=jnp.int32) + TRIES * mob
    offsets = [
        hashing.below(2 * reach + 1, seed[:, None], purpose, number) - reach
        for reach, purpose in zip(task.mob_range, (hashing.MOB_X, hashing.MOB_Z))
    ]
    x, z = column[:, 0, None] + offsets[0], column[:, 1, None] + offsets[1]
    size_x, size_z = pool.spawnable.shape[1:]
    cell = index[:, None], x % size_x, z % size_z
    ground = pool.surface[cell]
    fits = pool.spawnable[cell] & (jnp.abs(ground - height[:, None]) <= MAX_MOB_HEIGHT)
    first = jnp.argmax(fits, axis=1)[:, None]
    here = (column[:, 0, None], height[:, None], column[:, 1, None])
    any_fits = fits.any(1, keepdims=True)
    found = [
        jnp.where(any_fits, jnp.take_along_axis(a, first, 1), own)[:, 0]
        for a, own in zip((x, ground, z), here)
    ]
    return jnp.stack(found, 1).astype(jnp.float32)
