"""Frames on a GPU: one Pallas kernel in the place of thousands of small ones.

A program draws a tile of pixels of one lane by the code of `pixel.py`. Worlds, light and textures
stay in the GPU's memory; a program's rays march on until the slowest is done, so tiles are small
and near square.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from rlgpt_jax.envs.voxel.render.jax.lookups import sources
from rlgpt_jax.envs.voxel.render.jax.pixel import draw
from rlgpt_jax.envs.voxel.render.jax.scene import Scenes
from rlgpt_jax.envs.voxel.render.jax.tables import TABLES, Tables
from rlgpt_jax.envs.voxel.senses.rays_pallas import halves, lane_spec

TILE_HEIGHT, TILE_WIDTH = 8, 16  # pixels of a program, four warps of 4 x 8
_WARPS = 4


@functools.partial(jax.jit, static_argnames=("height", "width", "interpret"))
def render(
    scenes: Scenes,
    blocks: jax.Array,
    pool_light: jax.Array,
    pool_index: jax.Array,
    height: int,
    width: int,
    lanes: jax.Array | None = None,
    interpret: bool = False,
) -> jax.Array:
    """Draws what agents see; arguments and result as `render_jax.render`.

    Args:
      interpret: runs the kernel without a GPU, slowly, for tests.
    """
    if lanes is not None:
        blocks = blocks[lanes]

    def drawn(part: slice) -> jax.Array:
        scene, own, index = jax.tree.map(lambda x: x[part], (scenes, blocks, pool_index))
        return _draw(height, width, interpret, scene, own, index, pool_light)

    parts = [drawn(part) for part in halves(blocks)]
    return jnp.concatenate(parts).reshape(-1, height, width, 3)


def _draw(
    height: int, width: int, interpret: bool, scenes: Scenes, blocks: jax.Array,
    pool_index: jax.Array, pool_light: jax.Array,
) -> jax.Array:  # fmt: skip
    """uint8[N, height * width * 3]."""
    number = len(pool_index)
    across, down = -(-width // TILE_WIDTH), -(-height // TILE_HEIGHT)
    tables = jax.tree.map(jnp.asarray, TABLES)
    is_scalar = jax.tree.map(lambda x: x.ndim == 1, scenes)  # of a lane
    scenes = jax.tree.map(lambda x: x if x.ndim > 1 else x[:, None], scenes)
    return pl.pallas_call(
        functools.partial(_kernel, height, width, across, is_scalar),
        grid=(number, across * down),
        in_specs=(
            jax.tree.map(lane_spec, scenes), jax.tree.map(_whole, tables), lane_spec(blocks, 1),
            _whole(pool_light), pl.BlockSpec((1,), lambda lane, tile: (lane,)),
        ),
        out_specs=pl.BlockSpec((None, height * width * 3), lambda lane, tile: (lane, 0)),
        out_shape=jax.ShapeDtypeStruct((number, height * width * 3), jnp.uint8),
        compiler_params=plgpu.CompilerParams(num_warps=_WARPS, num_stages=1),
        interpret=interpret,
        name="frames",
    )(scenes, tables, blocks, pool_light, pool_index)  # fmt: skip


def _whole(array: jax.Array) -> pl.BlockSpec:
    return pl.BlockSpec(array.shape, lambda *_: (0,) * array.ndim)


def _kernel(
    height: int, width: int, across: int, is_scalar: Scenes, scene: Scenes, tables: Tables,
    blocks: Any, pool_light: Any, pool_index: Any, image: Any,
) -> None:  # fmt: skip
    """Draws one tile; all but the last are refs."""
    tile = pl.program_id(1)
    pixel = jnp.arange(TILE_HEIGHT * TILE_WIDTH, dtype=jnp.int32)
    # Threads of a warp share a block of 4 x 8 pixels.
    row = (pixel >> 3 & 3) | pixel >> 6 << 2
    column = (pixel & 7) | (pixel >> 5 & 1) << 3
    row, column = row + tile // across * TILE_HEIGHT, column + tile % across * TILE_WIDTH
    inside = (row < height) & (column < width)
    own = jax.tree.map(lambda ref, scalar: ref[0] if scalar else ref, scene, is_scalar)
    source = sources(own, tables, blocks, jnp.int32(0), pool_light, pool_index[0])
    colour = draw(source, row, column, height, width)
    at = jnp.where(inside, (row * width + column) * 3, 0)
    for channel, value in enumerate(colour):
        plgpu.store(image.at[at + channel], value.astype(jnp.uint8), mask=inside)
