"""What broken blocks leave behind: items with their variants, and experience.

The rows are in `drop_table.py`; here they are arrays by byte, and the draws of an episode.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel import hashing
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_STATES, by_byte, is_one_of
from rlgpt_jax.envs.voxel.rules.items.drop_table import KINDS, SHEARED, rows_of, variant_of
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, item_id
from rlgpt_jax.envs.voxel.rules.player import tools
from rlgpt_jax.envs.voxel.state import WorldState

MOST = 5  # different quantities of one of the items that one event drops
SHEARS = tools.TOOLS.index("shears")
# Experience of a block that was mined with the right tool, from and to.
EXPERIENCE = {
    "coal_ore": (0, 2), "diamond_ore": (3, 7), "emerald_ore": (3, 7), "lapis_ore": (2, 5),
    "redstone_ore": (1, 5), "lit_redstone_ore": (1, 5),
}  # fmt: skip


class Dropped(NamedTuple):
    """Items that appear in this tick at one place per lane."""

    name: jax.Array  # int32[N, KINDS]  item ids
    quantity: jax.Array  # int32[N, KINDS]  0 = nothing
    position: jax.Array  # float32[N, 3]
    velocity: jax.Array  # float32[N, 3]  blocks/tick
    age: jax.Array  # int32[N]  ticks; negative delays the pick-up
    damage: jax.Array | np.int32 = np.int32(0)  # int32[N] or one  uses spent


def _arrays() -> tuple[np.ndarray, ...]:
    item, low, draw = np.zeros((3, 256, KINDS), np.int32)
    start, end = np.zeros((2, 256, KINDS), np.float32)
    above = np.full((256, KINDS, MOST - 1), 2.0, np.float32)
    for byte, (block, meta) in enumerate(BLOCK_STATES):
        for k, row in enumerate(rows_of(block, meta)):
            at = byte, k
            item[at], low[at], draw[at] = item_id(row.item), row.low, row.draw
            start[at], end[at] = row.start, row.end
            shares = row.shares or (1.0,) * (row.high - row.low + 1)
            above[byte, k, : len(shares) - 1] = np.cumsum(shares)[:-1] / sum(shares)
    return item, low, draw, start, end, above


# By byte and kind. ABOVE: the draws from which on there is one piece more.
ITEM, LOW, DRAW, START, END, ABOVE = _arrays()
IS_SHEARED = is_one_of(*SHEARED)
# The item that is a block itself, by byte; 0 if the block is no item.
ITEM_OF_BLOCK = by_byte(
    [ITEM_ID.get((block, variant_of(block, meta)), 0) for block, meta in BLOCK_STATES], np.int32
)
_XP = [EXPERIENCE.get(block, (0, 0)) for block, _ in BLOCK_STATES]
XP_LOW = by_byte([low for low, _ in _XP], np.int32)
XP_CHOICES = by_byte([high - low + 1 for low, high in _XP], np.int32)


def of_blocks(
    state: WorldState, held: jax.Array, byte: jax.Array, by_itself: jax.Array | bool = False
) -> tuple[jax.Array, jax.Array]:
    """What blocks leave when broken.

    Args:
      state: N worlds, for their randomness.
      held: int32[N], item ids of what they are broken with.
      byte: uint8[N], the blocks.
      by_itself: bool[N], a block that broke for want of support needs no tool.

    Returns:
      (item, quantity) int32[N, KINDS].
    """
    tool = jnp.asarray(tools.TOOL_OF_ITEM)[held]
    kind = jnp.arange(KINDS, dtype=jnp.int32)
    seed, tick = state.seed[:, None], state.tick[:, None]
    draw = hashing.uniform(seed, tick, hashing.DROP_KIND, jnp.asarray(DRAW)[byte])
    falls = (draw >= jnp.asarray(START)[byte]) & (draw < jnp.asarray(END)[byte])
    falls &= (jnp.asarray(tools.HARVESTS)[tool, byte] | by_itself)[:, None]
    more = hashing.uniform(seed, tick, hashing.DROP_COUNT, kind)
    more = (more[..., None] >= jnp.asarray(ABOVE)[byte]).sum(-1, dtype=jnp.int32)
    quantity = jnp.where(falls, jnp.asarray(LOW)[byte] + more, 0)
    whole = ((tool == SHEARS) & jnp.asarray(IS_SHEARED)[byte] & ~jnp.asarray(by_itself))[:, None]
    item = jnp.asarray(ITEM)[byte]
    itself = jnp.asarray(ITEM_OF_BLOCK)[byte][:, None]
    first = kind == 0
    return jnp.where(whole & first, itself, item), jnp.where(whole, first, quantity)


def experience(state: WorldState, held: jax.Array, byte: jax.Array) -> jax.Array:
    """float32[N]: experience of blocks mined with an item int32[N]; there are no orbs."""
    tool = jnp.asarray(tools.TOOL_OF_ITEM)[held]
    spread = hashing.below(
        jnp.asarray(XP_CHOICES)[byte], state.seed, state.tick, hashing.EXPERIENCE, 1
    )
    points = jnp.asarray(XP_LOW)[byte] + spread
    return jnp.where(jnp.asarray(tools.HARVESTS)[tool, byte], points, 0).astype(jnp.float32)


def popped(state: WorldState, name: jax.Array, quantity: jax.Array, cell: jax.Array) -> Dropped:
    """Items int32[N, K] at broken blocks int32[N, 3]: near their centres, with a small hop."""
    u = hashing.uniform(state.seed, state.tick, hashing.ITEM_X)
    v = hashing.uniform(state.seed, state.tick, hashing.ITEM_Z)
    offset = jnp.stack([0.25 + 0.5 * u, jnp.full_like(u, 0.25), 0.25 + 0.5 * v], -1)
    velocity = jnp.stack([0.2 * v - 0.1, jnp.full_like(u, 0.2), 0.2 * u - 0.1], -1)
    position = cell.astype(jnp.float32) + offset
    return Dropped(name, quantity, position, velocity, jnp.zeros_like(cell[:, 0]))
