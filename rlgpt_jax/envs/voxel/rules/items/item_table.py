"""Items with their variants (metadata): one id each.

The state of a world holds item ids. An item of variant 0 has the id of its name in
`envs.names`, so that names can be used as items; other variants (kinds of wood, colours,
charcoal) follow after the last name. What leaves the world (observations) shows names
and variants apart, as MineDojo does.

Source: `third_party/minecraft` (recipes, smelting, items) and the block states that this
world holds.
"""

import numpy as np

from rlgpt_jax.envs.names import NAME_ID, NAMES, NUM_NAMES, load
from rlgpt_jax.envs.voxel.rules.blocks.blocks import METAS

# minecraft-data lists this item under its number only.
_REPAIRED = {"?452": "iron_nugget"}
# Blocks whose metadata is a kind of material and stays with the item; of slabs the
# lowest 8 values alone.
_KINDS = (
    "stone", "dirt", "sand", "planks", "sapling", "log", "log2", "leaves", "leaves2",
    "tallgrass", "red_flower", "wool", "stone_slab", "wooden_slab",
)  # fmt: skip
KEEPS_VARIANT = frozenset(_KINDS)


def parse(entry: str) -> tuple[str, int | None]:
    """(name, variant) of an entry like "planks:2"; None stands for any variant."""
    name, _, variant = _REPAIRED.get(entry, entry).partition(":")
    return name, int(variant) if variant.isdigit() else None


def _mentioned() -> set[tuple[str, int]]:
    """Variants above 0 that recipes, smelting, tables or blocks name."""
    entries: list[str] = []
    for row in load("recipes")["recipes"]:
        cells = row.get("shapeless") or [cell for line in row["shape"] for cell in line]
        entries += [row["out"], *(cell for cell in cells if cell)]
    for source, (product, *_) in load("smelting")["recipes"].items():
        entries += [source, product]
    found = {parse(entry) for entry in entries}
    found |= {
        (name, int(variant))
        for name, row in load("items")["items"].items()
        for variant in row.get("variants", ())
    }
    found |= {
        (name, meta % 8 if "slab" in name else meta) for name in _KINDS for meta in METAS[name]
    }
    found |= {("sapling", 4), ("sapling", 5)}  # of acacia and dark oak, which leaves drop
    return {(name, variant) for name, variant in found if variant and name in NAME_ID}


ITEMS: tuple[tuple[str, int], ...] = (*((name, 0) for name in NAMES), *sorted(_mentioned()))
ITEM_ID: dict[tuple[str, int], int] = {item: i for i, item in enumerate(ITEMS)}
NUM_ITEMS = len(ITEMS)
NAME_OF_ITEM = np.array([NAME_ID[name] for name, _ in ITEMS], np.int32)
VARIANT_OF_ITEM = np.array([variant for _, variant in ITEMS], np.int32)
assert (NAME_OF_ITEM[:NUM_NAMES] == np.arange(NUM_NAMES)).all()


def variants_of(name: str) -> list[int]:
    """The ids of all variants of a name, variant 0 first."""
    return [ITEM_ID[item] for item in ITEMS if item[0] == name]


def item_id(entry: str) -> int:
    """The id of an entry like "log" or "planks:2"; no variant means variant 0.

    Raises:
      ValueError: there is no such item.
    """
    name, variant = parse(entry)
    if (name, variant or 0) not in ITEM_ID:
        raise ValueError(f"no item {entry!r}. Names are those of Minecraft 1.11, e.g. log:2.")
    return ITEM_ID[name, variant or 0]
