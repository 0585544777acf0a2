"""Where an episode starts: the lane's world, the player's place, the mobs.

The mobs of a lane are, in this order: those of the task, near the player; animals of the
land in herds, anywhere; empty entries for the zombies that appear later.

Everything is a hash of the lane's seed. Places are tried until one fits; a lane for
which none does gets the world's first open place.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel import hashing
from rlgpt_jax.envs.voxel.rules.mobs import herds, mob_life
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import CHICKEN, COLOUR_END, COLOUR_META, SHEEP
from rlgpt_jax.envs.voxel.state import Mobs, WorldPool

TRIES = 32
# A mob whose ground is farther above or below the player's is likely out of sight.
MAX_MOB_HEIGHT = 5  # blocks


class Start(NamedTuple):
    """The start of an episode in each of N lanes."""

    pool_index: jax.Array  # int32[N]
    position: jax.Array  # float32[N, 3]
    yaw: jax.Array  # float32[N]
    mobs: Mobs


def open_places(pool: WorldPool) -> jax.Array:
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
    places = np.stack(np.unravel_index(flat.argmax(1), spawnable.shape[1:]), 1)
    return jnp.asarray(places.astype(np.int32))


def draw(
    pool: WorldPool,
    fallback: jax.Array,
    task: Task,
    seed: jax.Array,
    mob_range: jax.Array | None = None,
) -> Start:
    """Draws the start of the episode with seed uint32[N].

    `mob_range` is int32[2], the task's by default; apart, it is data (`task_numbers`).
    """
    mob_range = jnp.asarray(task.mob_range) if mob_range is None else mob_range
    index = hashing.below(pool.blocks.shape[0], seed, hashing.WORLD)
    column = _first_open(pool, fallback, index, seed)
    height = pool.surface[index, column[:, 0], column[:, 1]]
    feet = jnp.stack([column[:, 0], height, column[:, 1]], 1).astype(jnp.float32)
    middle = jnp.array([0.5, 0.0, 0.5], jnp.float32)
    own_mobs = range(len(task.mobs))
    places = [_beside(pool, index, column, height, mob_range, seed, m) for m in own_mobs]
    own = np.array([MOBS.index(mob) for mob in task.mobs], np.int32)
    kinds = [jnp.tile(jnp.asarray(own), (len(seed), 1))]
    places = [jnp.stack(places, 1)] if places else []
    if task.wild:
        wild_kinds, wild_places = herds.draw(pool, index, feet, task, seed)
        kinds, places = [*kinds, wild_kinds], [*places, wild_places]
    empty = num_mobs(task) - len(task.mobs) - task.wild
    kinds.append(jnp.zeros((len(seed), empty), jnp.int32))
    places.append(jnp.tile(feet[:, None], (1, empty, 1)))
    kind = jnp.concatenate(kinds, 1)
    number = jnp.arange(kind.shape[1], dtype=jnp.int32)
    colour = hashing.uniform(seed[:, None], hashing.SHEEP_COLOUR, number)
    shade = (colour[..., None] >= jnp.asarray(COLOUR_END[:-1])).sum(-1)
    yaw = 360.0 * hashing.uniform(seed[:, None], hashing.MOB_FACING, number) - 180.0
    mobs = mob_life.born(kind, jnp.concatenate(places, 1) + middle, yaw).replace(
        variant=jnp.where(kind == SHEEP, jnp.asarray(COLOUR_META)[shade], 0),
        timer=jnp.where(kind == CHICKEN, mob_life.egg_time(seed[:, None], 0, number), 0),
    )
    yaw = 360.0 * hashing.uniform(seed, hashing.FACING) - 180.0
    return Start(index, feet + middle, yaw, mobs)


def num_mobs(task: Task) -> int:
    """M: places for the task's mobs, animals and zombies; at least one."""
    return max(1, len(task.mobs) + task.wild + task.hostile)


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
    mob_range: jax.Array,
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
        for reach, purpose in zip(mob_range, (hashing.MOB_X, hashing.MOB_Z))
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
