"""Today's names of items, blocks and mobs, as the Minecraft wiki has them, for those of 1.11.2.

Only names of what 1.11.2 has under another one; of kinds (wood, colours) the first alone, since a
task counts every kind. Source: https://minecraft.wiki/w/Java_Edition_Flattening (the table of
renamed blocks and items), and the names in plain speech of the items' own pages.
"""

from collections.abc import Collection

# name of 1.11.2: names of today
_NAMES = {
    "red_flower": "poppy", "yellow_flower": "dandelion", "tallgrass": "short_grass",
    "deadbush": "dead_bush", "grass": "grass_block", "grass_path": "dirt_path", "web": "cobweb",
    "reeds": "sugar_cane", "melon": "melon_slice", "waterlily": "lily_pad",
    "speckled_melon": "glistering_melon_slice", "lit_pumpkin": "jack_o_lantern",
    "log": "oak_log oak_wood wood", "planks": "oak_planks wooden_planks", "leaves": "oak_leaves",
    "sapling": "oak_sapling", "wooden_slab": "oak_slab", "fence": "oak_fence",
    "fence_gate": "oak_fence_gate", "wooden_door": "oak_door", "trapdoor": "oak_trapdoor",
    "wooden_button": "oak_button", "wooden_pressure_plate": "oak_pressure_plate",
    "boat": "oak_boat", "sign": "oak_sign", "wool": "white_wool", "carpet": "white_carpet",
    "bed": "white_bed red_bed",
    "brick_block": "bricks", "stonebrick": "stone_bricks", "nether_brick": "nether_bricks",
    "end_bricks": "end_stone_bricks", "hardened_clay": "terracotta", "snow": "snow_block",
    "slime": "slime_block", "magma": "magma_block", "mob_spawner": "spawner",
    "noteblock": "note_block", "golden_rail": "powered_rail", "quartz_ore": "nether_quartz_ore",
    "lapis_ore": "lapis_lazuli_ore", "hay_block": "hay_bale", "beef": "raw_beef",
    "cooked_beef": "steak", "mutton": "raw_mutton", "porkchop": "raw_porkchop",
    "chicken": "raw_chicken", "rabbit": "raw_rabbit", "fish": "cod raw_cod",
    "cooked_fish": "cooked_cod", "wheat_seeds": "seeds", "redstone": "redstone_dust",
    "slime_ball": "slimeball", "map": "empty_map", "writable_book": "book_and_quill",
    "ender_eye": "eye_of_ender", "experience_bottle": "bottle_o_enchanting",
    "chest_minecart": "minecart_with_chest", "furnace_minecart": "minecart_with_furnace",
    "hopper_minecart": "minecart_with_hopper", "tnt_minecart": "minecart_with_tnt",
    "fireworks": "firework_rocket", "firework_charge": "firework_star",
    "chorus_fruit_popped": "popped_chorus_fruit", "totem": "totem_of_undying",
    "netherbrick": "nether_brick_item", "leather_helmet": "leather_cap",
    "leather_chestplate": "leather_tunic", "leather_leggings": "leather_pants",
    **{f"{kind}_block": f"block_of_{kind}" for kind in
       ("coal", "iron", "gold", "diamond", "emerald", "redstone", "quartz")},
}  # fmt: skip
TODAY = {today: old for old, names in _NAMES.items() for today in names.split()}


def known(name: str, valid: Collection[str]) -> str:
    """The name of 1.11.2 for one of today ("poppy", "Oak Log"); others stay as they are."""
    if not isinstance(name, str) or name in valid:
        return name
    word = plain(name)
    return word if word in valid else TODAY.get(word, name)


def plain(name: str) -> str:
    """As names are written here: "Oak Log" is oak_log."""
    return name.strip().lower().replace(" ", "_").replace("'", "")
