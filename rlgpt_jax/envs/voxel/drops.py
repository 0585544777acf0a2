"""What broken blocks leave behind: items with their variants, and experience.

Source: `third_party/minecraft/blocks.json`, without fortune and silk touch. `BLOCK_DROPS`
repairs what it lacks or has wrong (Minecraft 1.11's published drop rates):
  * leaves have no rates: sapling of their kind 1/20 (jungle 1/40); oak and dark oak also
    an apple 1/200, independent of the sapling
  * gravel is flint 1/10 of the time, else gravel; tall grass is seeds 1/8 of the time
  * ripe wheat is 1 wheat and of 3 seeds each with 8/14; unripe wheat is 1 seed
  * wooden slabs are not stone slabs; a double slab is 2 slabs
  * podzol is dirt; grass paths are dirt (the data has nothing for them)
  * vines leave nothing without shears; panes of glass leave nothing
  * doors and beds leave one item for two blocks, here for the lower half and the foot
Variants stay (`item_table.KEEPS_VARIANT`), but stone of variant 0 is cobblestone.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel import hashing, tools
from rlgpt_jax.envs.voxel.blocks import BLOCK_STATES, TABLE, by_byte, is_one_of
from rlgpt_jax.envs.voxel.item_table import ITEM_ID, KEEPS_VARIANT, item_id
from rlgpt_jax.envs.voxel.state import WorldState

KINDS = 2  # different items that one event may drop
MOST = 5  # different quantities of one of them
SHEARS = tools.TOOLS.index("shears")


class BlockDrop(NamedTuple):
    """`low`..`high` pieces of `item` if this tick's draw u lies in [start, end)."""

    item: str
    low: int = 1
    high: int = 1
    start: float = 0.0
    end: float = 1.0
    shares: tuple[float, ...] = ()  # of low, low + 1, ... pieces; () = all equal
    draw: int = 0  # rows of one draw can exclude each other


def _leaves(sapling: int, rate: float, apples: bool) -> tuple[BlockDrop, ...]:
    apple = (BlockDrop("apple", end=1 / 200, draw=1),) if apples else ()
    return (BlockDrop(f"sapling:{sapling}", end=rate), *apple)


_SEED, _NO_SEED = 8 / 14, 6 / 14  # one of the three seeds of ripe wheat
_SEEDS = (_NO_SEED**3, 3 * _SEED * _NO_SEED**2, 3 * _SEED**2 * _NO_SEED, _SEED**3)
# By block, or by block and metadata. A row without a variant keeps that of the block.
BLOCK_DROPS: dict[str | tuple[str, int], tuple[BlockDrop, ...]] = {
    ("stone", 0): (BlockDrop("cobblestone"),),
    **{("stone", meta): (BlockDrop("stone"),) for meta in range(1, 7)},
    ("dirt", 2): (BlockDrop("dirt:0"),),
    "grass_path": (BlockDrop("dirt:0"),),
    "gravel": (BlockDrop("gravel", end=0.9), BlockDrop("flint", start=0.9)),
    ("leaves", 0): _leaves(0, 1 / 20, apples=True),
    ("leaves", 1): _leaves(1, 1 / 20, apples=False),
    ("leaves", 2): _leaves(2, 1 / 20, apples=False),
    ("leaves", 3): _leaves(3, 1 / 40, apples=False),
    ("leaves2", 0): _leaves(4, 1 / 20, apples=False),
    ("leaves2", 1): _leaves(5, 1 / 20, apples=True),
    "tallgrass": (BlockDrop("wheat_seeds", end=1 / 8),),
    "deadbush": (BlockDrop("stick", 0, 2),),
    ("wheat", 0): (BlockDrop("wheat_seeds"),),
    ("wheat", 7): (BlockDrop("wheat"), BlockDrop("wheat_seeds", 0, 3, shares=_SEEDS)),
    "bookshelf": (BlockDrop("book", 3, 3),),
    "clay": (BlockDrop("clay_ball", 4, 4),),
    "snow": (BlockDrop("snowball", 4, 4),),
    **{("snow_layer", n): (BlockDrop("snowball", n + 2, n + 2),) for n in range(8)},
    "double_stone_slab": (BlockDrop("stone_slab:0", 2, 2),),
    "wooden_slab": (BlockDrop("wooden_slab"),),
    "vine": (),
    "glass_pane": (),
    **{("bed", meta): () for meta in range(8, 16)},
    ("wooden_door", 8): (),
    ("iron_door", 8): (),
}
# Shears take these blocks whole.
SHEARED = ("leaves", "leaves2", "tallgrass", "deadbush", "vine", "web")
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


def variant_of(block: str, meta: int) -> int:
    """The variant of the item that keeps a block's kind; the upper half is no kind."""
    if block not in KEEPS_VARIANT:
        return 0
    return meta % 8 if block.endswith("slab") else meta


def rows_of(block: str, meta: int) -> tuple[BlockDrop, ...]:
    """What a block state leaves, with the variant in every item's name."""
    plain = []
    for row in TABLE.get(block, {}).get("drops", ()):
        low = int(row.get("min", 1))
        item = f"{row['item']}:{row['meta']}" if "meta" in row else row["item"]
        plain.append(BlockDrop(item, low, int(row.get("max", low))))
    rows = BLOCK_DROPS.get((block, meta), BLOCK_DROPS.get(block, tuple(plain)))
    assert len(rows) <= KINDS, block
    return tuple(
        row if ":" in row.item or row.item != block
        else row._replace(item=f"{row.item}:{variant_of(block, meta)}")
        for row in rows
    )  # fmt: skip


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
