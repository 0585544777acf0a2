"""Which cells must be looked at again after a block changed, and when.

Only cells that the change can matter to are named: a liquid that spreads asks its
frontier, not the cells that it came from. So the short queue of `updates` suffices.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks import falling, flow
from rlgpt_jax.envs.voxel.rules.blocks import neighbours as near_by
from rlgpt_jax.envs.voxel.rules.blocks.flow import is_in
from rlgpt_jax.envs.voxel.rules.blocks.support import SUPPORTED

SUPPORT_DELAY = CONTACT_DELAY = 1  # ticks
NOT = 1 << 20  # a delay that never comes
# Cells that share a face with the changed one, by their place in `neighbours.STEPS`.
_TOUCHING = np.arange(len(near_by.STEPS)) < near_by.SIDES.stop
_TOUCHING[near_by.SELF] = False


def _when(condition: jax.Array, delay: int) -> jax.Array:
    return jnp.where(condition, delay, NOT).astype(jnp.int32)


def _first(*delays: jax.Array) -> jax.Array:
    return functools.reduce(jnp.minimum, delays)


def delays(old: jax.Array, near: jax.Array, flowed: jax.Array, flies: jax.Array) -> jax.Array:
    """Ticks until each cell around a change must be looked at.

    Args:
      old: uint8[...], what the changed cell held; the same as now if a liquid was looked
        at and stays.
      near: uint8[..., 15], it and what is around it now, in the order of `neighbours`.
      flowed: bool[...], a liquid made the change, by the rules of its new surroundings.
      flies: bool[...], a block came down into the cell.

    Returns:
      int32[..., 15], `NOT` for cells that need no look.
    """
    new, up, down = (near[..., k] for k in (near_by.SELF, near_by.UP, near_by.DOWN))
    sides = near[..., near_by.SIDES]
    own = _own(new, up, sides, down, flowed, flies)
    above = _when(is_in(falling.FALLS, up) & is_in(falling.LETS_FALL, new), falling.DELAY)
    beside = _beside(old[..., None], new[..., None], sides)
    never = jnp.full_like(beside, NOT)
    flows = jnp.concatenate(
        [own[..., None], above[..., None], _below(old, new, down)[..., None], beside, never,
         _above_sides(old, new, up, near[..., near_by.UP_SIDES])], -1
    )  # fmt: skip
    hangs = is_in(SUPPORTED, near) & (old != new)[..., None] & _TOUCHING
    return jnp.minimum(flows, _when(hangs, SUPPORT_DELAY))


def _own(
    new: jax.Array,
    up: jax.Array,
    sides: jax.Array,
    down: jax.Array,
    flowed: jax.Array,
    flies: jax.Array,
) -> jax.Array:
    """The changed cell itself: it may fall, be flooded, or be lava beside water."""
    wet = is_in(flow.IS_WATER, sides).any(-1) | is_in(flow.IS_WATER, up)
    hot = is_in(flow.IS_LAVA, sides).any(-1) | is_in(flow.IS_LAVA, up)
    opened = is_in(flow.IS_OPEN, new) & ~flowed
    drops = is_in(falling.FALLS, new) & (flies | is_in(falling.LETS_FALL, down))
    return _first(
        _when(drops, falling.DELAY),
        _when(opened & wet, flow.WATER_DELAY),
        _when(opened & hot, flow.LAVA_DELAY),
        _when(is_in(flow.IS_LAVA, new) & wet, CONTACT_DELAY),
        _when(is_in(flow.IS_WATER, new) & is_in(flow.IS_LAVA, up), flow.LAVA_DELAY),
    )


def _below(old: jax.Array, new: jax.Array, cell: jax.Array) -> jax.Array:
    """The cell under the change: liquids fall into it, or cease to."""
    water, lava = is_in(flow.IS_WATER, new), is_in(flow.IS_LAVA, new)
    falls = is_in(flow.IS_FALLING, cell)
    is_water, is_lava = is_in(flow.IS_WATER, cell), is_in(flow.IS_LAVA, cell)
    fills_water = is_in(flow.WATER_RANK, cell) >= 0
    fills_lava = (is_in(flow.LAVA_RANK, cell) >= 0) | is_water
    ends_water = is_in(flow.IS_WATER, old) & ~water & falls & is_water
    ends_lava = is_in(flow.IS_LAVA, old) & ~lava & falls & is_lava
    return _first(
        _when(water & is_lava, CONTACT_DELAY),
        _when((water & fills_water) | ends_water, flow.WATER_DELAY),
        _when((lava & fills_lava) | ends_lava, flow.LAVA_DELAY),
    )


def _beside(old: jax.Array, new: jax.Array, cell: jax.Array) -> jax.Array:
    """Cells at the sides: fed, fed no more, or touched.

    What is not fed by a liquid that dries up may yet feed the dry cell: it is asked too.
    """
    soon = _first(
        _when(is_in(flow.IS_LAVA, cell) & is_in(flow.IS_WATER, new), CONTACT_DELAY),
        # Two sources make a third of whatever flows between them.
        _when((new == flow.WATER) & (is_in(flow.WATER_RANK, cell) >= 0), flow.WATER_DELAY),
    )
    for feeds, ranks, step, delay in (
        (flow.WATER_FEEDS, flow.WATER_RANK, 1, flow.WATER_DELAY),
        (flow.LAVA_FEEDS, flow.LAVA_RANK, 2, flow.LAVA_DELAY),
    ):
        before, now, rank = is_in(feeds, old), is_in(feeds, new), is_in(ranks, cell)
        loses = (now > before) & (before - step <= rank) & (rank < flow.FALLING)
        soon = _first(soon, _when((now < rank) | loses, delay))
    return soon


def _above_sides(old: jax.Array, new: jax.Array, up: jax.Array, cell: jax.Array) -> jax.Array:
    """Cells beside a liquid over the change: it may now spread, or have to fall."""
    turns = (flow.spreads(up, old) != flow.spreads(up, new))[..., None]
    soon = _when(jnp.zeros_like(cell, bool), NOT)
    for feeds, ranks, delay in (
        (flow.WATER_FEEDS, flow.WATER_RANK, flow.WATER_DELAY),
        (flow.LAVA_FEEDS, flow.LAVA_RANK, flow.LAVA_DELAY),
    ):
        given = is_in(feeds, up)[..., None]
        soon = _first(soon, _when(turns & (given <= is_in(ranks, cell)), delay))
    return soon
