"""What each block leaves when it is broken, as rows (plain data, no jax).

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

from rlgpt_jax.envs.voxel.rules.blocks.blocks import TABLE
from rlgpt_jax.envs.voxel.rules.items.item_table import KEEPS_VARIANT

KINDS = 2  # different items that one event may drop


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
        row
        if ":" in row.item or row.item != block
        else row._replace(item=f"{row.item}:{variant_of(block, meta)}")
        for row in rows
    )
