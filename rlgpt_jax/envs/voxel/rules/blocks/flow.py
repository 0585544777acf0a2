"""Water and lava: what a cell holds, given what is around it.

A cell pulls: its level follows from its neighbours, so that spreading and drying up are
one rule. A liquid does not look for the nearest hole: it spreads to all sides alike. A
cell that lost its feeder dries up at once, where the game lets its level rise first.

Source: https://minecraft.wiki/w/Fluid (Java 1.11): levels, infinite sources, obsidian,
cobblestone, stone; what liquids wash away.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks import neighbours as near_by
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_ID,
    BLOCK_STATES,
    BYTE_OF,
    IS_LIQUID,
    IS_SOLID,
    LAVAS,
    META_OF,
    WATERS,
    is_one_of,
)

REMOVED = AIR_CODE + 1  # air next to other blocks
WATER_DELAY, LAVA_DELAY = 5, 30  # ticks
FALLING = 8  # level of a liquid that falls down
NEVER = 99  # more than any level
WATER = BLOCK_ID["water"]
STONE, COBBLESTONE, OBSIDIAN = (BLOCK_ID[n] for n in ("stone", "cobblestone", "obsidian"))

IS_WATER, IS_LAVA = is_one_of(*WATERS), is_one_of(*LAVAS)
IS_SOURCE = is_one_of("water", "lava") | (IS_LIQUID & (META_OF == 0))
IS_FALLING = IS_LIQUID & (META_OF == FALLING)
# Blocks that keep liquids out; all others but air are washed away.
BLOCKS_FLOW = (IS_SOLID & ~is_one_of("snow_layer", "carpet")) | is_one_of("standing_sign", "reeds")
IS_OPEN = ~BLOCKS_FLOW & ~IS_LIQUID  # air, or what is washed away
IS_WASHED = IS_OPEN.copy()
IS_WASHED[0], IS_WASHED[AIR_CODE:] = False, False


def _flowing(name: str) -> np.ndarray:
    """uint8[9]: the bytes of a flowing liquid by level, the next farther if one is missing."""
    metas = [meta for block, meta in BLOCK_STATES if block == name]
    nearest = [min((m for m in metas if m >= level), default=max(metas)) for level in range(9)]
    return np.array([BYTE_OF[name, meta] for meta in nearest], np.uint8)


def _feeds(kind: np.ndarray, step: int) -> np.ndarray:
    """int32[256]: the level that a block gives to the cell beside it, `NEVER` if none."""
    level = np.where(META_OF == FALLING, 0, META_OF) + step
    return np.where(kind & (level < FALLING), level, NEVER).astype(np.int32)


def _ranks(kind: np.ndarray) -> np.ndarray:
    """int32[256]: the highest level that can no longer better a cell; -1 never changes.

    What falls does not change with what is beside it.
    """
    flows = kind & ~IS_SOURCE & ~IS_FALLING
    return np.where(IS_OPEN, NEVER - 1, np.where(flows, META_OF, -1)).astype(np.int32)


FLOWING_WATER, FLOWING_LAVA = _flowing("flowing_water"), _flowing("flowing_lava")
WATER_FEEDS, LAVA_FEEDS = _feeds(IS_WATER, 1), _feeds(IS_LAVA, 2)
WATER_RANK, LAVA_RANK = _ranks(IS_WATER), _ranks(IS_LAVA)


def is_in(table: np.ndarray, byte: jax.Array) -> jax.Array:
    """[...]: the entries of a table [256] by bytes uint8[...]."""
    return jnp.asarray(table)[byte]


def spreads(byte: jax.Array, below: jax.Array) -> jax.Array:
    """bool[...]: a liquid flows to its sides and not down.

    A source does where it cannot flow down; what flows, only where it rests on a block.
    """
    opens = is_in(IS_OPEN, below) | (is_in(IS_LAVA, byte) & is_in(IS_WATER, below))
    rests = jnp.where(is_in(IS_SOURCE, byte), ~opens, is_in(BLOCKS_FLOW, below))
    return is_in(IS_LIQUID, byte) & rests


def _level(near: jax.Array, kind: np.ndarray, feeds: np.ndarray) -> jax.Array:
    """int32[...]: the level at which a liquid reaches the cell, `NEVER` if it does not."""
    sides, below = near[..., near_by.SIDES], near[..., near_by.DOWN_SIDES]
    given = jnp.where(spreads(sides, below), is_in(feeds, sides), NEVER).min(-1)
    return jnp.where(is_in(kind, near[..., near_by.UP]), FALLING, given)


def becomes(near: jax.Array) -> jax.Array:
    """What an open cell or a liquid turns into.

    Args:
      near: uint8[..., 11], the cell and what is around it, in the order of
        `neighbours.NEAR`.

    Returns:
      uint8[...]; the same byte for a cell that stays as it is, other blocks included.
    """
    byte, up, down = (near[..., k] for k in (near_by.SELF, near_by.UP, near_by.DOWN))
    sides = near[..., near_by.SIDES]
    is_water, is_lava, is_open = is_in(IS_WATER, byte), is_in(IS_LAVA, byte), is_in(IS_OPEN, byte)

    level = _level(near, IS_WATER, WATER_FEEDS)
    sources = (sides == WATER).sum(-1)
    bed = is_in(BLOCKS_FLOW, down) | (down == WATER)
    water = jnp.where((sources >= 2) & bed, WATER, jnp.asarray(FLOWING_WATER)[level % NEVER % 9])
    lava_level = _level(near, IS_LAVA, LAVA_FEEDS)
    lava = jnp.asarray(FLOWING_LAVA)[lava_level % NEVER % 9]
    own = jnp.where(is_in(IS_FALLING, byte) | is_open, NEVER - 1, jnp.asarray(META_OF)[byte])
    wet = level <= jnp.where(is_water, own, NEVER - 1)
    hot = lava_level <= jnp.where(is_lava, own, NEVER - 1)
    dry = jnp.where(is_open, byte, jnp.uint8(REMOVED))
    cools = is_lava & ~is_open
    fluid = jnp.where(
        cools,
        jnp.where(hot, lava, jnp.where(wet, water, dry)),
        jnp.where(wet, water, jnp.where(hot, lava, dry)),
    )
    changes = is_open | ((is_water | is_lava) & ~is_in(IS_SOURCE, byte))
    result = jnp.where(changes, fluid, byte)

    # Lava meets water: at its sides or from above, or falls onto it.
    touched = is_lava & (is_in(IS_WATER, sides).any(-1) | is_in(IS_WATER, up))
    near_source = jnp.asarray(META_OF)[byte] <= 4
    cooled = jnp.where(is_in(IS_SOURCE, byte), OBSIDIAN, COBBLESTONE)
    result = jnp.where(touched & near_source, cooled, result)
    return jnp.where(is_water & is_in(IS_LAVA, up), STONE, result).astype(jnp.uint8)
