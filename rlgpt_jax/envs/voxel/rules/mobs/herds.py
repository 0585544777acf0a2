"""Animals of the land at the start of an episode: herds of the biome's kinds on grass.

Minecraft 1.11 puts them there when land is made: herds of 4, a kind drawn by the biome's
weights, members within some steps of each other. How many there are is the task's number.
Source: https://minecraft.wiki/w/Spawn (Java 1.11), `biomes.py`.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel import hashing
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.envs.voxel.terrain.worldgen import get_biome

HERD = 4  # animals
REACH = 6  # blocks, +- in x and z, of a member from the place of its herd
TRIES = 32


def draw(
    pool: WorldPool, index: jax.Array, feet: jax.Array, task: Task, seed: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Kinds int32[N, W] and corners of cells float32[N, W, 3] of the task's W wild animals.

    Args:
      pool: the worlds; `index` int32[N] is that of each lane.
      feet: float32[N, 3], the player's cell; places are given in its period.
      task: `task.wild` animals of `task.biome`; a land without animals has none.
      seed: uint32[N].
    """
    animals = get_biome(task.biome).animals
    number = jnp.arange(-(-task.wild // HERD), dtype=jnp.int32)
    herd_of = np.arange(task.wild, dtype=np.int32) // HERD
    if not animals:
        return jnp.zeros((len(seed), task.wild), jnp.int32), jnp.tile(
            feet[:, None], (1, task.wild, 1)
        )
    weights = np.array([weight for _, weight in animals], np.float32)
    ends = np.cumsum(weights / weights.sum())[:-1].astype(np.float32)
    ids = np.array([MOBS.index(mob) for mob, _ in animals], np.int32)
    u = hashing.uniform(seed[:, None], hashing.HERD_KIND, number)
    kind = jnp.asarray(ids)[(u[..., None] >= jnp.asarray(ends)).sum(-1)]

    size_x, size_z = pool.spawnable.shape[1:]
    tries = jnp.arange(TRIES, dtype=jnp.int32)
    anywhere = [
        hashing.below(size, seed[:, None, None], purpose, number[:, None], tries)
        for size, purpose in ((size_x, hashing.HERD_X), (size_z, hashing.HERD_Z))
    ]
    centre = _first_fit(pool, index, *anywhere)
    member = jnp.arange(task.wild, dtype=jnp.int32)[:, None] + len(number)
    steps = [
        hashing.below(2 * REACH + 1, seed[:, None, None], purpose, member, tries) - REACH
        for purpose in (hashing.HERD_X, hashing.HERD_Z)
    ]
    # The last resort is the place of the herd.
    column = [
        jnp.concatenate([place[:, herd_of, None] + step, place[:, herd_of, None]], 2)
        for place, step in zip(centre, steps)
    ]
    x, z = _first_fit(pool, index, *column)
    y = pool.surface[index[:, None], x % size_x, z % size_z]
    x, z = (
        at + size * jnp.round((feet[:, axis, None] - at) / size)
        for at, axis, size in ((x, 0, size_x), (z, 2, size_z))
    )
    return kind[:, herd_of], jnp.stack([x, y.astype(jnp.float32), z], -1)


def _first_fit(
    pool: WorldPool, index: jax.Array, x: jax.Array, z: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Of columns int32[N, K, T] the first that is open ground with grass, int32[N, K]; if
    there is none, the last."""
    size_x, size_z = pool.spawnable.shape[1:]
    cell = index[:, None, None], x % size_x, z % size_z
    below = pool.blocks[(*cell, pool.surface[cell] - 1)]
    fits = pool.spawnable[cell] & (below == BLOCK_ID["grass"])
    first = jnp.where(fits.any(2), jnp.argmax(fits, axis=2), x.shape[2] - 1)[..., None]
    found = [jnp.take_along_axis(a, first, 2)[..., 0] for a in (x, z)]
    return found[0], found[1]
