"""Frames as one Pallas kernel, written for the Triton lowering.

A program draws a tile of pixels of one lane. Worlds, light and textures stay in the GPU's
memory and are looked up by index; a program's rays march on until the slowest is done, so
tiles are small and near square.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from rlgpt_jax.envs.voxel.frames.pixel import draw
from rlgpt_jax.envs.voxel.frames.scene import Scenes
from rlgpt_jax.envs.voxel.frames.sources import sources
from rlgpt_jax.envs.voxel.frames.tables import TABLES, Tables
from rlgpt_jax.envs.voxel.pallas_worlds import check_addresses, lane_spec, per_lane, whole_spec

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
    """Draws what every agent sees; arguments and result as `render_jax.render`.

    Args:
      interpret: runs the kernel without a GPU, slowly, for tests.

    Raises:
      ValueError: the worlds, or the pool's light, have a size that cannot be addressed.
    """
    check_addresses(blocks, "worlds of the lanes")
    check_addresses(pool_light, "worlds of the pool")
    number = len(pool_index)
    across, down = -(-width // TILE_WIDTH), -(-height // TILE_HEIGHT)
    tables = jax.tree.map(jnp.asarray, TABLES)
    scenes, pool_index = per_lane((scenes, pool_index))
    chosen = () if lanes is None else (lanes[:, None],)
    inputs = (scenes, tables, blocks, pool_light, pool_index, chosen)
    image = pl.pallas_call(
        functools.partial(_kernel, height, width, across),
        grid=(number, across * down),
        in_specs=(
            jax.tree.map(lane_spec, scenes), jax.tree.map(whole_spec, tables),
            lane_spec(blocks) if lanes is None else whole_spec(blocks), whole_spec(pool_light),
            lane_spec(pool_index), jax.tree.map(lane_spec, chosen),
        ),
        out_specs=pl.BlockSpec((None, height * width * 3), lambda lane, tile: (lane, 0)),
        out_shape=jax.ShapeDtypeStruct((number, height * width * 3), jnp.uint8),
        compiler_params=plgpu.CompilerParams(num_warps=_WARPS, num_stages=1),
        interpret=interpret,
        name="frames",
    )(*inputs)  # fmt: skip
    return image.reshape(number, height, width, 3)


def _kernel(
    height: int, width: int, across: int, scene: Scenes, tables: Tables, blocks: Any,
    pool_light: Any, pool_index: Any, chosen: tuple, image: Any,
) -> None:  # fmt: skip
    """Draws one tile; refs of one lane, and the whole of the tables and of the light.

    `blocks` are all worlds where `chosen` holds the lane's number.
    """
    tile = pl.program_id(1)
    pixel = jnp.arange(TILE_HEIGHT * TILE_WIDTH, dtype=jnp.int32)
    # Threads of a warp share a block of 4 x 8 pixels.
    row = (pixel >> 3 & 3) | pixel >> 6 << 2
    column = (pixel & 7) | (pixel >> 5 & 1) << 3
    row, column = row + tile // across * TILE_HEIGHT, column + tile % across * TILE_WIDTH
    inside = (row < height) & (column < width)
    source = sources(
        scene, tables, blocks, tuple(lane[0] for lane in chosen), pool_light, (pool_index[0],),
        pool_light.shape[1:], load_ref,
    )  # fmt: skip
    colour = draw(source, row, column, height, width)
    at = jnp.where(inside, (row * width + column) * 3, 0)
    for channel, value in enumerate(colour):
        plgpu.store(image.at[at + channel], value.astype(jnp.uint8), mask=inside)


def load_ref(ref: Any, *index: Any, where: jax.Array | None = None) -> jax.Array:
    """`Sources.load` for refs. A number per lane has an axis of length 1."""
    index = index or (0,)
    if where is None:
        return ref[index]
    return plgpu.load(ref.at[index], mask=where, other=0)
