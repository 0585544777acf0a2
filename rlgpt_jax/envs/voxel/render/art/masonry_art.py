"""Textures of what builders use: bricks, slabs, metals, wool, glass."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art import earth_art, paint
from rlgpt_jax.envs.voxel.render.art.colours import (  # fmt: skip
    BLUE,
    DIAMOND,
    DYES,
    GOLD,
    GREEN,
    IRON,
    dark,
)
from rlgpt_jax.envs.voxel.render.art.paint import (
    Colour,
    Recipe,
    cobbles,
    framed,
    grain,
    put,
    rectangle,
    streaks,
)  # fmt: skip


def wool(colour: Colour) -> np.ndarray:
    return grain("wool", colour, 0.07, smooth=1)


def bricks(name: str, colour: Colour, mortar: Colour, long: int = 8) -> np.ndarray:
    y, x = np.mgrid[:16, :16]
    high = 4 if long == 8 else 8
    shifted = x + (y // high % 2) * (long // 2)
    tone = paint.tones(name, (16 // high, 16 // long + 1))[y // high, shifted % 16 // long]
    picture = paint.shade(grain(name, colour, 0.05), 1.0 + 0.1 * tone)
    return put(picture, (y % high == high - 1) | (shifted % long == long - 1), mortar)


def _stone_bricks(name: str = "") -> np.ndarray:
    return bricks("stonebrick" + name, (126, 126, 126), (84, 84, 84), 16)


def _mossy_bricks() -> np.ndarray:
    return put(_stone_bricks(), paint.tones("moss", smooth=1) > 0.2, (92, 120, 66), "moss")


def _cracked_bricks() -> np.ndarray:
    y, x = np.mgrid[:16, :16]
    cracks = (x + (paint.tones("cracked") * 2).astype(int) + y) % 11 == 0
    return put(_stone_bricks(), cracks, (70, 70, 70))


def _chiseled(picture: np.ndarray) -> np.ndarray:
    """Squares within each other."""
    y, x = np.mgrid[:16, :16] - 7.5
    return paint.shade(picture, np.where(np.maximum(abs(x), abs(y)).astype(int) % 3 == 1, 0.7, 1.0))


def _slab_stone() -> np.ndarray:
    return framed(grain("slab", (164, 164, 164), 0.05), (138, 138, 138))


def _slab_side() -> np.ndarray:
    picture = _slab_stone()
    return rectangle(picture, (0, 7, 16, 9), (138, 138, 138))


def metal(name: str, colour: Colour) -> np.ndarray:
    return framed(streaks(name, colour, 0.05, vertical=False), dark(colour, 0.72))


def glass(colour: Colour = (206, 232, 238)) -> np.ndarray:
    picture = framed(paint.empty(), colour)
    for i in (3, 4, 5, 9, 10):
        picture[i, 13 - i] = (*dark(colour, 1.12), 255)
    return picture


RECIPES: dict[str, Recipe] = {
    "glass": glass, "glass_pane": glass,
    "lapis_block": lambda: metal("lapis", BLUE), "gold_block": lambda: metal("gold", GOLD),
    "iron_block": lambda: metal("iron", IRON), "diamond_block": lambda: metal("diamond", DIAMOND),
    "emerald_block": lambda: metal("emerald", GREEN),
    "redstone_block": lambda: metal("redstone", (178, 24, 16)),
    "coal_block": lambda: framed(grain("coal", (26, 26, 28), 0.4), (14, 14, 14)),
    "quartz_block": lambda: metal("quartz", (236, 232, 226)),
    "stonebrick": _stone_bricks, "stonebrick:1": _mossy_bricks,
    "stonebrick:2": _cracked_bricks, "stonebrick:3": lambda: _chiseled(_stone_bricks()),
    "brick_block": lambda: bricks("brick", (156, 88, 72), (182, 172, 164)),
    "nether_brick": lambda: bricks("netherbrick", (50, 26, 30), (30, 14, 16)),
    "red_nether_brick": lambda: bricks("netherbrick", (78, 8, 10), (42, 4, 6)),
    "end_bricks": lambda: bricks("endbrick", (226, 230, 172), (184, 190, 130)),
    "purpur_block": lambda: bricks("purpur", (168, 124, 168), (140, 98, 140)),
    "prismarine": lambda: cobbles("prismarine", (104, 160, 146), (76, 122, 116), 10),
    "prismarine:1": lambda: bricks("prismarine", (104, 168, 150), (70, 120, 112)),
    "prismarine:2": lambda: bricks("prismarine", (56, 88, 76), (36, 62, 54)),
    "sea_lantern": lambda: framed(grain("lantern", (196, 216, 210), 0.1, 1), (120, 160, 150)),
    "double_stone_slab": _slab_side, "double_stone_slab_top": _slab_stone,
    "stone_slab:0": _slab_side, "stone_slab_top:0": _slab_stone,
    "stone_slab:1": earth_art.sandstone,
    "stone_slab_top:1": lambda: grain("sandstone", earth_art.SAND, 0.04),
    "stone_slab:3": earth_art.cobblestone,
    "stone_slab:4": lambda: bricks("brick", (156, 88, 72), (182, 172, 164)),
    "stone_slab:5": _stone_bricks,
    "stone_slab:6": lambda: bricks("netherbrick", (50, 26, 30), (30, 14, 16)),
    "stone_slab:7": lambda: metal("quartz", (236, 232, 226)),
    "stone_stairs": earth_art.cobblestone, "cobblestone_wall": earth_art.cobblestone,
    "cobblestone_wall:1": lambda: put(
        earth_art.cobblestone(), paint.tones("moss", smooth=1) > 0.15, (88, 118, 60), "moss"),
    "sandstone:1": lambda: _chiseled(earth_art.sandstone()),
    "sandstone:2": lambda: framed(grain("sandstone", earth_art.SAND, 0.04), (196, 182, 134)),
    "hardened_clay": lambda: grain("hardened", (150, 92, 66), 0.05, smooth=1),
}  # fmt: skip
for _dye, _colour in enumerate(DYES):
    RECIPES[f"wool:{_dye}"] = lambda c=_colour: wool(c)  # type: ignore[misc]
    RECIPES[f"carpet:{_dye}"] = lambda c=_colour: wool(c)  # type: ignore[misc]
    RECIPES[f"stained_glass:{_dye}"] = lambda c=_colour: glass(c)  # type: ignore[misc]
    RECIPES[f"stained_hardened_clay:{_dye}"] = lambda c=_colour: grain(  # type: ignore[misc]
        "hardened", tuple(int(0.55 * a + 0.4 * b) for a, b in zip(c, (150, 92, 66))), 0.05, 1
    )
