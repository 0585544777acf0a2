"""Blocks of the embedded world: one byte each, with properties as arrays.

A world array holds one byte per voxel. Below `AIR_CODE` it is a block state, an index
into `BLOCK_STATES`: a block's name and its metadata (kind of wood, facing, level of a
liquid). From `AIR_CODE` on it is air, and `byte - AIR_CODE` is a lower bound, in blocks
and at least 1, of the Chebyshev distance to the nearest block that is not air, capped at
`MAX_CLEARANCE`: a ray may skip that far minus one without looking.

Source: `third_party/minecraft/blocks.json` and `blocks_all.json` (minecraft-data,
Minecraft 1.11).
"""

import numpy as np

from rlgpt_jax.envs.names import NAME_ID, load

AIR_CODE = 240
MAX_CLEARANCE = 8
MAX_AIR = 255 - AIR_CODE  # the largest distance that a byte can hold

# Blocks of `blocks_all.json` that the table with tools and drops does not hold.
_MORE = (
    "cobblestone_wall", "glass_pane", "iron_bars", "carpet", "hopper", "lever", "jukebox",
    "noteblock",
)  # fmt: skip
_ALL = load("blocks_all")["blocks"]  # id, hardness, material, harvest tools, solid
_ITEM_OF_ID = {row["id"]: name for name, row in load("items")["items"].items()}


def _row(name: str) -> dict:
    """A row in the form of `blocks.json` for a block that only `blocks_all.json` has."""
    _, hardness, material, harvest_tools, solid = _ALL[name]
    return {
        "hardness": hardness,
        "material": material,
        "needs_tool": [_ITEM_OF_ID[i] for i in harvest_tools] if harvest_tools else None,
        "drops": [{"item": name}],
        "bb": "block" if solid else "empty",
        "light": 0,
        "transparent": True,
    }


TABLE: dict[str, dict] = load("blocks")["blocks"] | {name: _row(name) for name in _MORE}

# Metadata that exists in this world, the usual one first; all other blocks have 0 alone.
METAS: dict[str, tuple[int, ...]] = {
    # 0 stone, 1 granite, 3 diorite, 5 andesite; 2, 4, 6 polished
    "stone": (0, 1, 2, 3, 4, 5, 6),
    "dirt": (0, 1, 2),  # 1 coarse, 2 podzol
    "sand": (0, 1),  # 1 red
    # 0 source, 1 to 7 falling away from it, 8 falling down. Lava loses 2 a block.
    "flowing_water": (0, 1, 2, 3, 4, 5, 6, 7, 8),
    "flowing_lava": (0, 2, 4, 6, 8),
    # Wood: 0 oak, 1 spruce, 2 birch, 3 jungle; log2 and leaves2: 0 acacia, 1 dark oak
    "planks": (0, 1, 2, 3, 4, 5),
    "sapling": (0, 1, 2, 3),
    "log": (0, 1, 2, 3),
    "log2": (0, 1),
    "leaves": (0, 1, 2, 3),
    "leaves2": (0, 1),
    "tallgrass": (1, 2, 0),  # 1 grass, 2 fern, 0 shrub
    "red_flower": tuple(range(9)),
    # The colours that sheep have: white, pink, gray, light gray, brown, black
    "wool": (0, 6, 7, 8, 12, 15),
    # Slabs: + 8 is the upper half. 0 stone, 1 sandstone, 3 cobblestone, 4 brick, 5 stone brick
    "stone_slab": (0, 1, 3, 4, 5, 8, 9, 11, 12, 13),
    "wooden_slab": (0, 1, 2, 3, 4, 5, 8),
    # Stairs: 0 rise to +x, 1 -x, 2 +z, 3 -z; + 4 upside down
    "oak_stairs": tuple(range(8)),
    "stone_stairs": tuple(range(8)),
    "ladder": (2, 3, 4, 5),  # hangs at a block to +z, -z, +x, -x of it
    "torch": (5, 1, 2, 3, 4),  # 5 on the floor, 1 at a block to -x, 2 +x, 3 -z, 4 +z
    "wooden_door": tuple(range(9)),  # 0 to 3 facing, + 4 open; 8 the upper half
    "iron_door": (0, 1, 2, 3, 8),
    "trapdoor": tuple(range(8)),  # + 4 open
    "fence_gate": tuple(range(8)),  # + 4 open
    "bed": (0, 1, 2, 3, 8, 9, 10, 11),  # + 8 the head
    "snow_layer": tuple(range(8)),  # layers - 1
    "wheat": (0, 7),
    "vine": (1, 2, 4, 8),  # at a block to +z, -x, -z, +x
}
BLOCK_STATES: tuple[tuple[str, int], ...] = (
    ("air", 0),
    *((name, meta) for name in TABLE for meta in METAS.get(name, (0,))),
)
assert len(BLOCK_STATES) <= AIR_CODE
# By byte; a name appears once for each of its states.
BLOCKS: tuple[str, ...] = tuple(name for name, _ in BLOCK_STATES)
BYTE_OF: dict[tuple[str, int], int] = {state: i for i, state in enumerate(BLOCK_STATES)}
# The usual state of each block.
BLOCK_ID: dict[str, int] = {name: i for i, name in reversed(list(enumerate(BLOCKS)))}

WATERS, LAVAS = ("flowing_water", "water"), ("flowing_lava", "lava")
LIQUIDS = (*WATERS, *LAVAS)
STAIRS, SLABS = ("oak_stairs", "stone_stairs"), ("stone_slab", "wooden_slab")
DOORS = ("wooden_door", "iron_door")


def by_byte(values, dtype) -> np.ndarray:
    """dtype[256, ...]: values by byte, from those by state [S, ...]; all codes of air share one."""
    values = np.asarray(values, dtype)
    full = np.zeros((256, *values.shape[1:]), dtype)
    full[: len(BLOCKS)] = values
    full[AIR_CODE:] = full[0]
    return full


def is_one_of(*names: str) -> np.ndarray:
    """bool[256]: the byte is a state of one of these blocks.

    Raises:
      ValueError: a name is no block of this world.
    """
    unknown = set(names) - set(BLOCKS)
    if unknown:
        raise ValueError(f"no blocks {sorted(unknown)} in this world; see `blocks.BLOCKS`.")
    return by_byte([name in names for name in BLOCKS], bool)


# All indexed by the byte of the world array, uint8 0..255.
NAME_OF = by_byte([NAME_ID[b] for b in BLOCKS], np.int32)  # id in `envs.names`
META_OF = by_byte([meta for _, meta in BLOCK_STATES], np.int32)
IS_LIQUID = is_one_of(*LIQUIDS)
# Blocks that stop motion, whatever their shape (`shapes.py`).
IS_SOLID = by_byte([b != "air" and TABLE[b]["bb"] == "block" for b in BLOCKS], bool)
# Seconds-scale hardness; -1 cannot be broken, 0 breaks at once.
HARDNESS = by_byte(
    [
        0.0 if b == "air" else -1.0 if TABLE[b]["hardness"] is None else TABLE[b]["hardness"]
        for b in BLOCKS
    ],
    np.float32,
)
# Liquids have neighbouring bytes, so that comparisons replace table look-ups.
FIRST_WATER, LAST_WATER = (int(f(np.flatnonzero(is_one_of(*WATERS)))) for f in (min, max))
FIRST_LAVA, LAST_LAVA = (int(f(np.flatnonzero(is_one_of(*LAVAS)))) for f in (min, max))
FIRST_LIQUID, LAST_LIQUID = FIRST_WATER, LAST_LAVA
assert IS_LIQUID[FIRST_LIQUID : LAST_LIQUID + 1].all()
