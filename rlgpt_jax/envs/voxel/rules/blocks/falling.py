"""Sand, gravel and anvils: one block down per update while nothing holds them.

Source: https://minecraft.wiki/w/Falling_Block (Java 1.11). There a falling block is a
body that speeds up; here it stays in the grid and moves a cell every `DELAY` ticks.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    IS_LIQUID,
    IS_SOLID,
    META_OF,
    SLABS,
    is_one_of,
)

DELAY = 2  # ticks
FALLS = is_one_of("sand", "gravel", "anvil")
# What a resting block falls through, and what one on its way crushes besides.
LETS_FALL = is_one_of("fire") | IS_LIQUID
LETS_FALL[0], LETS_FALL[AIR_CODE:] = True, True
_CRUSHED = is_one_of("tallgrass", "deadbush", "vine") | (is_one_of("snow_layer") & (META_OF == 0))
# A block that comes down here has no place: it breaks into its item. Nothing solid
# stops it within the cell, or what does is lower than a block.
_LOW = is_one_of(
    "bed", "cactus", "cake", "carpet", "chest", "farmland", "grass_path", "ladder",
    "snow_layer", "soul_sand", "trapdoor",
) | (is_one_of(*SLABS) & (META_OF < 8))  # fmt: skip
_THIN = ~IS_SOLID & ~LETS_FALL
BREAKS_FALL = (_LOW | _THIN) & ~_CRUSHED & ~(is_one_of("snow_layer") & (META_OF == 7))


def moves(byte: jax.Array, below: jax.Array, flies: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Whether a block goes down by one cell, and whether it breaks into its item.

    Args:
      byte: uint8[...], the block.
      below: uint8[...], what is under it.
      flies: bool[...], it is on its way and did not lie here.

    Returns:
      (goes, breaks) bool[...].
    """
    is_in = lambda table, cells: jnp.asarray(table)[cells]  # noqa: E731
    falls = is_in(FALLS, byte)
    goes = falls & (is_in(LETS_FALL, below) | (flies & is_in(_CRUSHED, below)))
    return goes, falls & flies & is_in(BREAKS_FALL, below)
