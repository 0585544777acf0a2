"""What broken blocks and dead mobs leave behind.

Source: `third_party/minecraft/blocks.json`, with the rates that it lacks (Minecraft
1.11's published drop rates). Adding a block's rate is adding a row to `BLOCK_DROPS`.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel import hashing, tools
from rlgpt_jax.envs.voxel.blocks import BLOCKS, TABLE, by_byte, is_one_of
from rlgpt_jax.envs.voxel.mob_table import DROP_HIGH, DROP_LOW, DROP_NAME
from rlgpt_jax.envs.voxel.state import WorldState

KINDS = 2  # different items that one event may drop
WOOL = NAME_ID["wool"]
SHEARS = tools.TOOLS.index("shears")


class BlockDrop(NamedTuple):
    """`low`..`high` pieces of `item` if this tick's draw u lies in [start, end)."""

    item: str
    low: int = 1
    high: int = 1
    start: float = 0.0
    end: float = 1.0


# Blocks whose data gives no rate, a wrong count or a wrong item. The draw is shared by
# the rows of a block, so rows whose intervals do not meet exclude each other.
_LEAVES = (BlockDrop("sapling", end=0.05), BlockDrop("apple", start=0.995))
BLOCK_DROPS: dict[str, tuple[BlockDrop, ...]] = {
    "gravel": (BlockDrop("gravel", end=0.9), BlockDrop("flint", start=0.9)),
    "leaves": _LEAVES,
    "leaves2": (BlockDrop("sapling", end=0.05),),
    "tallgrass": (BlockDrop("wheat_seeds", end=0.125),),
    "deadbush": (BlockDrop("stick", 0, 2),),
    "wheat": (BlockDrop("wheat"), BlockDrop("wheat_seeds", 0, 3)),
    "bookshelf": (BlockDrop("book", 3, 3),),
    "clay": (BlockDrop("clay_ball", 4, 4),),
    "snow": (BlockDrop("snowball", 4, 4),),
    "snow_layer": (BlockDrop("snowball"),),
    "double_stone_slab": (BlockDrop("stone_slab", 2, 2),),
    "wooden_slab": (BlockDrop("wooden_slab"),),
    "vine": (),  # only to shears
}
# Shears take these blocks whole.
SHEARED = ("leaves", "leaves2", "tallgrass", "deadbush", "vine", "web")


class Dropped(NamedTuple):
    """Items that appear in this tick at one place per lane."""

    name: jax.Array  # int32[N, KINDS]  name ids
    quantity: jax.Array  # int32[N, KINDS]  0 = nothing
    position: jax.Array  # float32[N, 3]
    velocity: jax.Array  # float32[N, 3]  blocks/tick
    age: jax.Array  # int32[N]  ticks; negative delays the pick-up


def _rows_of(block: str) -> tuple[BlockDrop, ...]:
    rows = TABLE.get(block, {}).get("drops", ())
    plain = [
        BlockDrop(r["item"], int(r.get("min", 1)), int(r.get("max", r.get("min", 1)))) for r in rows
    ]
    return BLOCK_DROPS.get(block, tuple(plain))[:KINDS]


def _arrays() -> tuple[np.ndarray, ...]:
    name, low, high = np.zeros((3, 256, KINDS), np.int32)
    start, end = np.zeros((2, 256, KINDS), np.float32)
    for byte, block in enumerate(BLOCKS[1:], 1):
        for k, row in enumerate(_rows_of(block)):
            at = byte, k
            name[at], low[at], high[at] = NAME_ID[row.item], row.low, row.high
            start[at], end[at] = row.start, row.end
    return name, low, high, start, end


NAME, LOW, HIGH, START, END = _arrays()
IS_SHEARED = is_one_of(*SHEARED)
# The item that is a block itself, by byte; 0 if the block is no item.
ITEM_OF_BLOCK = by_byte([NAME_ID[b] for b in BLOCKS], np.int32)


def of_blocks(
    state: WorldState, held_name: jax.Array, byte: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """(name, quantity) int32[N, KINDS] that blocks leave when broken by hand or tool."""
    tool = jnp.asarray(tools.TOOL_OF_ITEM)[held_name]
    kind = jnp.arange(KINDS, dtype=jnp.int32)
    draw = hashing.uniform(state.seed, state.tick, hashing.DROP_KIND)[:, None]
    low, high = jnp.asarray(LOW)[byte], jnp.asarray(HIGH)[byte]
    quantity = low + hashing.below(
        high - low + 1, state.seed[:, None], state.tick[:, None], hashing.DROP_COUNT, kind
    )
    falls = (draw >= jnp.asarray(START)[byte]) & (draw < jnp.asarray(END)[byte])
    falls &= jnp.asarray(tools.HARVESTS)[tool, byte][:, None]
    whole = (tool == SHEARS) & jnp.asarray(IS_SHEARED)[byte]
    first = kind == 0
    name = jnp.where(
        whole[:, None] & first, jnp.asarray(ITEM_OF_BLOCK)[byte][:, None], jnp.asarray(NAME)[byte]
    )
    return name, jnp.where(whole[:, None], first, jnp.where(falls, quantity, 0)).astype(jnp.int32)


def of_mobs(state: WorldState, kind: jax.Array, sheared: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(name, quantity) int32[N, KINDS] that dead mobs of `kind` int32[N] leave."""
    name, low = jnp.asarray(DROP_NAME)[kind], jnp.asarray(DROP_LOW)[kind]
    spread = jnp.asarray(DROP_HIGH)[kind] - low + 1
    slot = jnp.arange(KINDS, dtype=jnp.int32)
    quantity = low + hashing.below(
        spread, state.seed[:, None], state.tick[:, None], hashing.DROP_COUNT, slot
    )
    shorn = sheared[:, None] & (name == WOOL)
    return name, jnp.where((name > 0) & ~shorn, quantity, 0)
