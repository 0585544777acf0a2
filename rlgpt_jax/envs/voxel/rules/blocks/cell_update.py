"""What a cell that has its turn becomes: it falls, breaks, is flooded or dries up."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.rules.blocks import falling, flow, support
from rlgpt_jax.envs.voxel.rules.blocks import neighbours as near_by
from rlgpt_jax.envs.voxel.rules.blocks.blocks import is_one_of

# Snow that loses its ground leaves nothing; of what else breaks, see `drops.py`.
VANISHES = is_one_of("snow_layer")


class Change(NamedTuple):
    """What K cells per lane become."""

    active: jax.Array  # bool[G, K]
    byte: jax.Array  # uint8[G, K]
    goes_down: jax.Array  # bool[G, K]  the old block is now one cell lower
    breaks: jax.Array  # bool[G, K]  the old block breaks into its item
    flowed: jax.Array  # bool[G, K]  a liquid made the change
    feeds: jax.Array  # bool[G, K]  a flowing liquid that stays, and may feed its neighbours


def decide(near: jax.Array, flies: jax.Array) -> Change:
    """What the cells become whose surroundings are uint8[G, K, 11]."""
    byte, below = near[..., near_by.SELF], near[..., near_by.DOWN]
    goes, shatters = falling.moves(byte, below, flies)
    loose = jnp.asarray(support.SUPPORTED)[byte] & ~support.holds(byte, near)
    floods = flow.becomes(near)
    washes = (floods != byte) & jnp.asarray(flow.IS_WATER)[floods]
    washes &= jnp.asarray(flow.IS_WASHED)[byte]
    leaves = goes | shatters | loose
    new = jnp.where(leaves, jnp.uint8(flow.REMOVED), floods)
    item = shatters | washes | (loose & ~jnp.asarray(VANISHES)[byte])
    feeds = (new == byte) & jnp.asarray(flow.IS_LIQUID & ~flow.IS_SOURCE)[byte]
    return Change(new != byte, new, goes, item, ~leaves, feeds)
