"""Textures of blocks that this world holds only as items, for their pictures."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art import (
    earth_art,
    made_art,
    masonry_art,
    paint,
    plant_art,
    wood_art,
)  # fmt: skip
from rlgpt_jax.envs.voxel.render.art.colours import DYE_NAMES, DYES, WOOD, dark
from rlgpt_jax.envs.voxel.render.art.paint import (
    Colour,
    Recipe,
    cobbles,
    framed,
    grain,
    pixels,
    plain,
    rectangle,
)  # fmt: skip

_PURPUR, _NETHER = (168, 124, 168), (50, 26, 30)


def _mouth(wide: int) -> np.ndarray:
    """The front of a dispenser or dropper: a hole in stone."""
    picture = made_art.furnace(False)
    picture = rectangle(picture, (8 - wide, 5, 8 + wide, 11), (52, 52, 52))
    return rectangle(picture, (9 - wide, 6, 7 + wide, 10), (20, 20, 20))


def _box(colour: Colour) -> np.ndarray:
    """A shulker box: the seam of its lid in the middle."""
    picture = framed(grain("shulker", colour, 0.08, smooth=1), dark(colour, 0.7))
    return rectangle(picture, (0, 8, 16, 9), dark(colour, 0.55))


def _lamp(lit: bool) -> np.ndarray:
    colour = (250, 214, 130) if lit else (112, 66, 36)
    picture = framed(grain("lamp", colour, 0.18), (70, 44, 28))
    return rectangle(rectangle(picture, (7, 0, 9, 16), (84, 54, 32)), (0, 7, 16, 9), (84, 54, 32))


def _eyed(colour: Colour, eye: Colour) -> np.ndarray:
    """A dark face with two lights, as the observer and the command blocks have."""
    picture = framed(grain("eyed", colour, 0.1), dark(colour))
    return pixels("ee..ee ee..ee ...... .eeee.", {"e": eye}, picture)


def _sunflower(petals: Colour, heart: Colour) -> np.ndarray:
    blossom = "..pppp.. .pphhpp. .phhhhp. .phhhhp. .pphhpp. ..pppp.. "
    stalk = "...ss... .s.ss.s. .ssssss. ...ss..."
    picture = pixels(blossom + stalk, {"p": petals, "h": heart, "s": (66, 138, 44)})
    return np.roll(picture, 1, 0)


def _enchanting() -> np.ndarray:
    picture = framed(earth_art.RECIPES["obsidian"](), (120, 30, 34))
    return rectangle(picture, (0, 0, 16, 4), (150, 34, 38))


def _daylight() -> np.ndarray:
    picture = framed(plain((150, 190, 200)), (110, 84, 50))
    picture[::4, 1:-1, :3] = picture[1:-1, ::4, :3] = (120, 96, 60)
    return picture


RECIPES: dict[str, Recipe] = {
    "dispenser": lambda: made_art.furnace(False), "dispenser_front": lambda: _mouth(4),
    "dropper": lambda: made_art.furnace(False), "dropper_front": lambda: _mouth(3),
    "sticky_piston": lambda: rectangle(earth_art.cobblestone(), (0, 0, 16, 4), WOOD),
    "sticky_piston_top": lambda: rectangle(wood_art.planks(), (4, 4, 12, 12), (110, 180, 94)),
    "piston_head": wood_art.planks, "piston_extension": wood_art.planks,
    "monster_egg": earth_art.stone, "portal": lambda: grain("portal", (110, 40, 190), 0.35, 1),
    "brown_mushroom_block": lambda: grain("cap", (142, 104, 78), 0.08, 1),
    "red_mushroom_block": lambda: paint.put(
        grain("cap", (190, 38, 34), 0.06, 1), paint.blobs("spots", 5, 4), (226, 220, 210)),
    "pumpkin_stem": lambda: plant_art.blades("stem", (110, 150, 50), 9, 3),
    "melon_stem": lambda: plant_art.blades("stem", (90, 160, 50), 9, 3),
    "brick_stairs": lambda: masonry_art.RECIPES["brick_block"](),
    "stone_brick_stairs": lambda: masonry_art.RECIPES["stonebrick"](),
    "sandstone_stairs": earth_art.sandstone,
    "red_sandstone_stairs": lambda: earth_art.RECIPES["red_sandstone"](),
    "red_sandstone:1": lambda: earth_art.RECIPES["red_sandstone"](),
    "red_sandstone:2": lambda: framed(
        grain("sandstone", earth_art.RED_SAND, 0.04), (150, 80, 28)),
    "quartz_stairs": lambda: masonry_art.metal("quartz", (236, 232, 226)),
    "quartz_block:2": lambda: paint.streaks("quartz", (236, 232, 226), 0.08),
    "nether_brick_fence": lambda: masonry_art.bricks("netherbrick", _NETHER, (30, 14, 16)),
    "nether_brick_stairs": lambda: masonry_art.bricks("netherbrick", _NETHER, (30, 14, 16)),
    "nether_wart_block": lambda: cobbles("wart", (120, 6, 8), (90, 2, 4), 20),
    "bone_block": lambda: paint.streaks("bone", (226, 220, 196), 0.08),
    "bone_block_top": lambda: framed(grain("bone", (216, 208, 180), 0.06), (180, 172, 144)),
    "enchanting_table": _enchanting,
    "enchanting_table_top": lambda: rectangle(_enchanting(), (4, 4, 12, 12), (70, 190, 190)),
    "end_portal": lambda: grain("portal", (14, 22, 30), 0.5),
    "end_portal_frame": earth_art.RECIPES["end_stone"],
    "end_portal_frame_top": lambda: rectangle(plain((60, 110, 90)), (4, 4, 12, 12), (20, 40, 34)),
    "end_gateway": lambda: grain("portal", (14, 22, 30), 0.5),
    "redstone_lamp": lambda: _lamp(False), "lit_redstone_lamp": lambda: _lamp(True),
    "double_wooden_slab": wood_art.planks,
    "double_stone_slab2": lambda: earth_art.RECIPES["red_sandstone"](),
    "stone_slab2": lambda: earth_art.RECIPES["red_sandstone"](),
    "ender_chest": lambda: made_art.chest((46, 66, 66), False),
    "ender_chest_front": lambda: made_art.chest((46, 66, 66), True),
    "ender_chest_top": lambda: framed(grain("ender", (40, 58, 58), 0.15), (14, 20, 20)),
    "trapped_chest": lambda: made_art.chest((168, 100, 44), False),
    "trapped_chest_front": lambda: made_art.chest((168, 100, 44), True),
    "trapped_chest_top": lambda: framed(wood_art.planks((168, 100, 44), "chest"), (110, 30, 22)),
    "command_block": lambda: _eyed((186, 128, 96), (90, 50, 34)),
    "repeating_command_block": lambda: _eyed((120, 100, 186), (54, 40, 100)),
    "chain_command_block": lambda: _eyed((120, 170, 150), (50, 90, 74)),
    "structure_block": lambda: _eyed((110, 90, 110), (200, 180, 200)),
    "structure_void": lambda: framed(paint.empty(), (110, 160, 200)),
    "observer": lambda: _eyed((108, 108, 108), (60, 20, 20)),
    "beacon": lambda: rectangle(masonry_art.glass(), (3, 3, 13, 13), (120, 226, 220)),
    "daylight_detector": lambda: plain((150, 120, 80)),
    "daylight_detector_top": _daylight,
    "daylight_detector_inverted": lambda: plain((150, 120, 80)),
    "daylight_detector_inverted_top": _daylight,
    "iron_trapdoor": lambda: framed(grain("iron", (206, 206, 206), 0.05), (150, 150, 150)),
    "chorus_plant": lambda: grain("chorus", (96, 60, 96), 0.12),
    "chorus_flower": lambda: framed(grain("chorus", (150, 118, 150), 0.1), (90, 60, 90)),
    "purpur_pillar": lambda: paint.streaks("purpur", _PURPUR, 0.12),
    "purpur_stairs": lambda: masonry_art.RECIPES["purpur_block"](),
    "purpur_double_slab": lambda: masonry_art.RECIPES["purpur_block"](),
    "purpur_slab": lambda: masonry_art.RECIPES["purpur_block"](),
    "frosted_ice": lambda: earth_art.RECIPES["ice"](),
    "silver_shulker_box": lambda: _box(DYES[8]),
    "double_plant:0": lambda: _sunflower((250, 206, 40), (110, 72, 30)),
    "double_plant:1": lambda: _sunflower((196, 140, 196), (160, 100, 166)),
    "double_plant:2": lambda: plant_art.blades("double", (100, 160, 60), 15, 26),
    "double_plant:3": lambda: plant_art.blades("double fern", (90, 150, 66), 15, 18),
    "double_plant:4": lambda: _sunflower((196, 30, 30), (150, 14, 20)),
    "double_plant:5": lambda: _sunflower((232, 176, 220), (206, 130, 196)),
}  # fmt: skip
for _dye, (_name, _colour) in enumerate(zip(DYE_NAMES, DYES)):
    RECIPES[f"{_name}_shulker_box"] = lambda c=_colour: _box(c)  # type: ignore[misc]
    RECIPES[f"stained_glass_pane:{_dye}"] = lambda c=_colour: masonry_art.glass(c)  # type: ignore[misc]
