"""What MineDojo tells of a block besides its name: flags of its material, harvest level.

From `third_party/minecraft` where it is there (tools that a block needs, wood); which
blocks share one of the game's materials is from knowledge of Minecraft 1.11 and Forge.
"""

import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCKS, IS_LIQUID, TABLE, by_byte, is_one_of

# Materials that one walks through: plants, circuits, thin layers.
PLANTS = (
    "sapling", "deadbush", "tallgrass", "yellow_flower", "red_flower", "brown_mushroom",
    "red_mushroom", "wheat", "reeds", "vine",
)  # fmt: skip
CIRCUITS = ("torch", "redstone_wire", "ladder", "rail", "lever")
LAYERS = ("snow_layer", "carpet")
_THIN = is_one_of(*PLANTS, *CIRCUITS, *LAYERS)
_NOTHING = is_one_of("air", "fire")
_WEB = is_one_of("web")

# All indexed by the byte of the world array.
IS_SOLID = ~(_THIN | _NOTHING | IS_LIQUID)
BLOCKS_MOVEMENT = IS_SOLID & ~_WEB
BLOCKS_LIGHT = ~(_THIN | _NOTHING)
IS_COLLIDABLE = ~is_one_of("fire")  # the game's own flag, true for air too
CAN_BURN = by_byte(
    [b != "air" and TABLE[b]["material"] == "wood" for b in BLOCKS], bool
) | is_one_of(
    "leaves", "leaves2", "tallgrass", "deadbush", "vine", "wool", "carpet", "bed", "tnt",
    "bookshelf", "noteblock", "jukebox",
)  # fmt: skip
IS_TOOL_NOT_REQUIRED = by_byte([b == "air" or TABLE[b]["needs_tool"] is None for b in BLOCKS], bool)

_TIERS = ("wooden", "stone", "iron", "diamond")
# Blocks that a tool speeds up though none is needed, and so have level 0.
_QUICKER = (
    "clay", "dirt", "farmland", "grass", "gravel", "sand", "soul_sand", "grass_path", "planks",
    "bookshelf", "log", "log2", "chest", "pumpkin", "melon_block", "ladder", "ice",
    "packed_ice", "rail",
)  # fmt: skip
# Blocks that need a pickaxe of any kind but have no level of their own.
_NO_LEVEL = (
    "furnace", "lit_furnace", "brick_block", "stonebrick", "stone_stairs", "mob_spawner",
    "iron_door", "anvil", "coal_block", "hardened_clay", "cobblestone_wall", "iron_bars",
    "hopper", "web",
)  # fmt: skip


def _harvest_level(block: str) -> int:
    if block in _QUICKER:
        return 0
    needed = () if block == "air" else TABLE[block]["needs_tool"] or ()
    levels = [level for level, tier in enumerate(_TIERS) if any(t.startswith(tier) for t in needed)]
    return -1 if not levels or block in _NO_LEVEL else min(levels)


HARVEST_LEVEL: np.ndarray = by_byte([_harvest_level(b) for b in BLOCKS], np.int64)
