"""Which shape and colours an item's picture has: tables by name, and rules for families."""

from rlgpt_jax.envs.voxel.render.art.colours import DYES, PLANKS, WOODS, dark
from rlgpt_jax.envs.voxel.render.art.paint import Colour

MATERIALS: dict[str, Colour] = {
    "wooden": (160, 122, 68), "stone": (144, 144, 144), "iron": (224, 224, 224),
    "golden": (250, 218, 76), "diamond": (84, 222, 212), "leather": (146, 88, 52),
    "chainmail": (150, 150, 156),
}  # fmt: skip
# What letters mean in every shape: handle, string or bone, iron, black, red, bowl, green.
FIXED: dict[str, Colour] = {
    "h": (134, 98, 50), "H": (84, 60, 30), "w": (236, 234, 226), "v": (150, 150, 150),
    "g": (96, 96, 100), "G": (150, 150, 154), "k": (30, 28, 30), "K": (62, 60, 64),
    "r": (206, 36, 30), "b": (150, 106, 58), "D": (96, 64, 30), "e": (86, 166, 56),
}  # fmt: skip
_NETHER: Colour = (60, 30, 34)
Look = tuple[str, Colour, Colour]  # shape, first and second colour

# name: shape, colour, and the second colour where the shape has one.
_ITEMS: dict[str, tuple] = {
    "bucket": ("bucket", (74, 74, 76)), "milk_bucket": ("bucket", (250, 250, 250)),
    "water_bucket": ("bucket", (58, 108, 206)), "lava_bucket": ("bucket", (236, 120, 28)),
    "beef": ("steak", (204, 48, 44)), "cooked_beef": ("steak", (126, 72, 40)),
    "porkchop": ("steak", (240, 146, 140)), "cooked_porkchop": ("steak", (204, 160, 100)),
    "mutton": ("steak", (224, 84, 76)), "cooked_mutton": ("steak", (156, 98, 56)),
    "rotten_flesh": ("steak", (146, 92, 42)),
    "chicken": ("drumstick", (242, 198, 180)), "cooked_chicken": ("drumstick", (198, 126, 62)),
    "rabbit": ("drumstick", (232, 160, 140)), "cooked_rabbit": ("drumstick", (176, 106, 56)),
    "coal:0": ("lump", (46, 46, 48)), "coal:1": ("lump", (74, 60, 46)),
    "flint": ("shard", (64, 64, 68)), "clay_ball": ("ball", (160, 166, 178)),
    "snowball": ("ball", (240, 248, 250)), "slime_ball": ("ball", (118, 190, 98)),
    "magma_cream": ("ball", (206, 130, 40)), "fire_charge": ("ball", (70, 42, 30)),
    "ender_pearl": ("ball", (22, 92, 82)), "ender_eye": ("ball", (110, 160, 70)),
    "diamond": ("gem", (98, 226, 220)), "emerald": ("gem", (40, 200, 90)),
    "quartz": ("shard", (234, 228, 220)), "nether_star": ("star", (220, 236, 236)),
    "iron_ingot": ("ingot", (222, 222, 222)), "gold_ingot": ("ingot", (252, 222, 86)),
    "brick": ("ingot", (178, 98, 78)), "netherbrick": ("ingot", _NETHER),
    "iron_nugget": ("nugget", (214, 214, 214)), "gold_nugget": ("nugget", (252, 222, 86)),
    "redstone": ("dust", (190, 20, 14)), "sugar": ("dust", (236, 240, 244)),
    "gunpowder": ("dust", (104, 104, 104)), "glowstone_dust": ("dust", (240, 206, 100)),
    "blaze_powder": ("powder", (248, 168, 40)), "blaze_rod": ("rod", (240, 170, 40)),
    "end_rod": ("rod", (240, 232, 220)), "ghast_tear": ("egg", (216, 236, 240)),
    "egg": ("egg", (228, 214, 180), (206, 190, 150)), "spawn_egg": ("egg", (200, 200, 200)),
    "dragon_egg": ("egg", (26, 10, 34), (90, 30, 110)),
    "wheat_seeds": ("seeds", (96, 168, 60)), "pumpkin_seeds": ("seeds", (226, 214, 160)),
    "melon_seeds": ("seeds", (60, 52, 40)), "beetroot_seeds": ("seeds", (196, 158, 104)),
    "nether_wart": ("seeds", (164, 30, 34)), "cocoa": ("seeds", (126, 74, 36)),
    "book": ("book", (140, 66, 32), (206, 164, 80)),
    "enchanted_book": ("book", (130, 40, 130), (240, 210, 110)),
    "writable_book": ("book", (140, 66, 32), (60, 60, 60)),
    "written_book": ("book", (90, 60, 130), (206, 164, 80)),
    "leather": ("hide", (190, 104, 58)), "rabbit_hide": ("hide", (196, 158, 106)),
    "rabbit_foot": ("foot", (206, 166, 110)), "saddle": ("saddle", (150, 82, 40)),
    "lead": ("spiral", (140, 100, 60)), "name_tag": ("tag", (222, 206, 166)),
    "mushroom_stew": ("stew", (206, 160, 124)), "rabbit_stew": ("stew", (196, 120, 56)),
    "beetroot_soup": ("stew", (166, 30, 34)), "cookie": ("cookie", (206, 140, 74), (88, 48, 24)),
    "fish:0": ("fish", (120, 150, 170)), "fish:1": ("fish", (190, 84, 76)),
    "fish:2": ("fish", (240, 130, 30)), "fish:3": ("fish", (226, 206, 80)),
    "cooked_fish:0": ("fish", (176, 140, 104)), "cooked_fish:1": ("fish", (206, 116, 62)),
    "carrot": ("root", (244, 140, 26)), "golden_carrot": ("root", (252, 216, 76)),
    "beetroot": ("root", (166, 36, 44)), "carrots": ("root", (244, 140, 26)),
    "beetroots": ("root", (166, 36, 44)),
    "potato": ("tuber", (206, 162, 88), (150, 112, 56)),
    "potatoes": ("tuber", (206, 162, 88), (150, 112, 56)),
    "baked_potato": ("tuber", (222, 176, 92), (240, 216, 140)),
    "poisonous_potato": ("tuber", (178, 176, 80), (110, 140, 50)),
    "melon": ("slice", (226, 52, 40), (40, 20, 14)),
    "speckled_melon": ("slice", (226, 52, 40), (252, 222, 86)),
    "pumpkin_pie": ("pie", (222, 134, 50), (196, 104, 30)),
    "chorus_fruit": ("ball", (146, 104, 146)), "chorus_fruit_popped": ("gem", (166, 122, 166)),
    "spider_eye": ("ball", (150, 20, 40)), "fermented_spider_eye": ("ball", (180, 90, 90)),
    "glass_bottle": ("bottle", (206, 226, 232)), "potion": ("bottle", (56, 93, 198)),
    "splash_potion": ("bottle", (120, 120, 220)), "lingering_potion": ("bottle", (170, 110, 200)),
    "experience_bottle": ("bottle", (190, 230, 70)), "dragon_breath": ("bottle", (226, 120, 206)),
    "minecart": ("cart", (60, 60, 62), (40, 40, 42)),
    "chest_minecart": ("cart", (60, 60, 62), (164, 116, 44)),
    "furnace_minecart": ("cart", (60, 60, 62), (118, 118, 118)),
    "tnt_minecart": ("cart", (60, 60, 62), (206, 52, 36)),
    "hopper_minecart": ("cart", (60, 60, 62), (84, 84, 88)),
    "command_block_minecart": ("cart", (60, 60, 62), (190, 130, 90)),
    "painting": ("frame", (150, 196, 230), (240, 220, 120)),
    "item_frame": ("frame", (190, 150, 110), (160, 120, 84)),
    "map": ("frame", (226, 216, 180), (200, 190, 150)),
    "filled_map": ("frame", (190, 206, 140), (90, 140, 200)),
    "compass": ("dial", (170, 170, 174), (226, 226, 226)),
    "clock": ("dial", (250, 214, 70), (120, 160, 230)),
    "fishing_rod": ("rod_line", (134, 98, 50)), "carrot_on_a_stick": ("rod_line", (244, 140, 26)),
    "flint_and_steel": ("flint_steel", (90, 90, 94)),
    "flower_pot": ("pot", (150, 82, 60)), "skull:0": ("skull", (206, 206, 206), (120, 120, 120)),
    "skull:1": ("skull", (60, 60, 60), (30, 30, 30)),
    "skull:2": ("skull", (88, 138, 66), (50, 90, 40)),
    "skull:3": ("skull", (196, 146, 112), (240, 240, 240)),
    "skull:4": ("skull", (90, 176, 84), (40, 90, 40)),
    "prismarine_shard": ("shard", (104, 176, 156)),
    "prismarine_crystals": ("powder", (196, 226, 210)),
    "shield": ("shield", (170, 170, 170), (230, 230, 230)), "elytra": ("wing", (150, 146, 170)),
    "fireworks": ("rocket", (206, 36, 30)), "firework_charge": ("ball", (90, 90, 96)),
    "armor_stand": ("stand", (168, 136, 82)), "brewing_stand": ("brewer", (190, 170, 90)),
    "end_crystal": ("star", (220, 150, 220)), "totem": ("skull", (240, 210, 90), (60, 150, 90)),
    "shulker_shell": ("hide", (150, 110, 150)), "bed": ("bed", (172, 34, 34)),
    "sign": ("sign", (172, 138, 82)), "standing_sign": ("sign", (172, 138, 82)),
    "wall_sign": ("sign", (172, 138, 82)), "iron_bars": ("bars", (170, 170, 168)),
    "torch": ("torch", (120, 92, 52), (255, 206, 80)),
    "redstone_torch": ("torch", (120, 92, 52), (230, 30, 20)),
    "unlit_redstone_torch": ("torch", (120, 92, 52), (90, 20, 16)),
    "lever": ("switch", (120, 120, 120)), "tripwire_hook": ("switch", (168, 136, 82)),
    "tripwire": ("spiral", (220, 220, 220)), "cauldron": ("pan", (74, 74, 76), (40, 40, 42)),
    "hopper": ("pan", (84, 84, 88), (50, 50, 52)),
    "stone_button": ("button", (126, 126, 126)), "wooden_button": ("button", PLANKS[0]),
    "stone_pressure_plate": ("plate", (126, 126, 126)),
    "wooden_pressure_plate": ("plate", PLANKS[0]),
    "light_weighted_pressure_plate": ("plate", (250, 214, 70)),
    "heavy_weighted_pressure_plate": ("plate", (222, 222, 222)),
    "standing_banner": ("banner", DYES[0]),
    "wall_banner": ("banner", DYES[0]), "barrier": ("dial", (206, 36, 30), (240, 240, 240)),
}  # fmt: skip
# Where records get their label from.
_RECORDS = ("13", "cat", "blocks", "chirp", "far", "mall", "mellohi", "stal", "strad", "ward",
            "11", "wait")  # fmt: skip


def look_of(name: str, variant: int) -> Look | None:
    """The shape of an item that is drawn flat, with its colours; None if there is none."""
    row = _ITEMS.get(f"{name}:{variant}") or _ITEMS.get(name) or _ITEMS.get(f"{name}:0")
    if row is None:
        row = _family(name, variant)
    if row is None:
        return None
    shape, colour, *more = row
    return shape, colour, more[0] if more else dark(colour, 0.8)


def _family(name: str, variant: int) -> tuple | None:
    """Items that differ in their material or colour alone."""
    first, _, rest = name.partition("_")
    if name in ("dye", "banner"):  # counted from black to white
        return name, DYES[15 - variant % 16]
    if rest == "horse_armor":
        return "armor", MATERIALS[first]
    if first == "record":
        return "disc", DYES[1 + _RECORDS.index(rest)]
    if name == "boat" or rest.endswith("boat"):
        kind = WOODS.index(name[: -len("_boat")]) if name != "boat" else 0
        return "boat", PLANKS[kind]
    if name.endswith(("repeater", "comparator")) or name.startswith(("powered", "unpowered")):
        return "repeater", (160, 160, 160)
    return None


def palette(colour: Colour, second: Colour) -> dict[str, Colour]:
    """What the letters of a shape stand for."""
    light = tuple(min(255, c + 48) for c in colour)
    own = {"m": colour, "l": light, "d": dark(colour), "x": second, "y": dark(second, 0.75)}
    return FIXED | own
