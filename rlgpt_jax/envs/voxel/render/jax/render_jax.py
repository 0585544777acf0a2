"""Frames in plain JAX: the reference, which runs on every device."""

import functools

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.render.jax.lookups import sources
from rlgpt_jax.envs.voxel.render.jax.pixel import draw
from rlgpt_jax.envs.voxel.render.jax.scene import Scenes
from rlgpt_jax.envs.voxel.render.jax.tables import TABLES


@functools.partial(jax.jit, static_argnames=("height", "width"))
def render(
    scenes: Scenes,
    blocks: jax.Array,
    pool_light: jax.Array,
    pool_index: jax.Array,
    height: int,
    width: int,
    lanes: jax.Array | None = None,
) -> jax.Array:
    """Draws what agents see, one after the other: a tile of pixels stays in a CPU's cache.

    Args:
      scenes: of K lanes, by `scene.make_scenes`.
      blocks: uint8[N, X, Z, Y].
      pool_light: uint8[P, X, Z, Y].
      pool_index: int32[K].
      height: pixels.
      width: pixels.
      lanes: int32[K], which lanes those are; by default all, K = N.

    Returns:
      uint8[K, height, width, 3].
    """
    tables = jax.tree.map(jnp.asarray, TABLES)
    pixel = jnp.arange(height * width, dtype=jnp.int32)
    row, column = pixel // width, pixel % width

    def one(lane: tuple[jax.Array, Scenes, jax.Array]) -> jax.Array:
        index, scene, world = lane
        source = sources(scene, tables, blocks, index, pool_light, world)
        colour = draw(source, row, column, height, width)
        return jnp.stack(colour, -1).astype(jnp.uint8)

    number = len(pool_index)
    lanes = jnp.arange(number, dtype=jnp.int32) if lanes is None else lanes
    image = jax.lax.map(one, (lanes, scenes, pool_index))
    return image.reshape(number, height, width, 3)
