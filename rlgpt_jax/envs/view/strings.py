"""Names as the MineDojo client shows them.

Items have spaces for underscores. Blocks of voxels and rays are called by what the game
shows to players, in lower case; where that is not the block's name, it is listed here
(from knowledge of Minecraft 1.11). Entries of `delta_inv` keep their underscores.
"""

import numpy as np

from rlgpt_jax.envs.names import NAME_ID, NAMES

_SHOWN_AS = {
    "grass": "grass block", "log": "wood", "log2": "wood", "planks": "wooden planks",
    "leaves2": "leaves", "sapling": "oak sapling", "flowing_water": "water",
    "flowing_lava": "lava", "tallgrass": "grass", "deadbush": "dead bush",
    "yellow_flower": "flower", "red_flower": "flower", "brown_mushroom": "mushroom",
    "red_mushroom": "mushroom", "gold_block": "block of gold", "iron_block": "block of iron",
    "diamond_block": "block of diamond", "emerald_block": "block of emerald",
    "coal_block": "block of coal", "double_stone_slab": "stone slab",
    "brick_block": "bricks", "stonebrick": "stone bricks", "mossy_cobblestone": "moss stone",
    "mob_spawner": "monster spawner", "redstone_wire": "redstone dust", "wheat": "crops",
    "lit_furnace": "furnace", "lit_redstone_ore": "redstone ore", "standing_sign": "sign",
    "wooden_door": "oak door", "stone_stairs": "cobblestone stairs",
    "oak_stairs": "oak wood stairs", "snow_layer": "snow", "reeds": "sugar cane",
    "fence": "oak fence", "fence_gate": "oak fence gate", "trapdoor": "wooden trapdoor",
    "melon_block": "melon", "vine": "vines", "wooden_slab": "wood slab",
    "hay_block": "hay bale", "web": "cobweb", "lapis_ore": "lapis lazuli ore",
    "lapis_block": "lapis lazuli block", "noteblock": "note block",
}  # fmt: skip

_ITEM = np.array([name.replace("_", " ") or "air" for name in NAMES])
_BLOCK = np.array([_SHOWN_AS.get(name, name.replace("_", " ")) for name in NAMES])
_PLAIN = np.array([name or "air" for name in NAMES])
_ENTITY = np.array([name.replace("_", "") for name in NAMES])
_ENTITY[NAME_ID["none"]] = "null"

_TABLES = {"voxels": _BLOCK, "rays": _BLOCK, "delta_inv": _PLAIN}


def spell(group: str, key: str, ids: np.ndarray) -> np.ndarray:
    """Ids of `envs.names` as MineDojo's strings.

    Args:
      group: the outer key of the observation, such as "inventory".
      key: the inner key, such as "name".
      ids: int32 of any shape.

    Returns:
      str of the same shape.
    """
    table = _ENTITY if key == "entity_name" else _TABLES.get(group, _ITEM)
    return table[ids]
