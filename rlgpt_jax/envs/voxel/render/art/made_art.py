"""Textures of what is made and used: stations, beds, torches, rails, redstone."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art import earth_art, paint
from rlgpt_jax.envs.voxel.render.art.colours import GOLD, RED, WHITE, WOOD, dark  # fmt: skip
from rlgpt_jax.envs.voxel.render.art.masonry_art import wool
from rlgpt_jax.envs.voxel.render.art.paint import (
    Colour,
    Recipe,
    cobbles,
    framed,
    grain,
    pixels,
    plain,
    put,
    rectangle,
    streaks,
)  # fmt: skip
from rlgpt_jax.envs.voxel.render.art.wood_art import planks

_CHEST = (164, 116, 44)


def table_top() -> np.ndarray:
    picture = framed(planks((150, 108, 62), "table"), (92, 62, 34))
    lines = np.zeros((16, 16), bool)
    lines[[5, 10], 2:14] = lines[2:14, [5, 10]] = True
    return put(picture, lines, (104, 72, 40))


def table_side(front: bool = False) -> np.ndarray:
    picture = rectangle(planks(WOOD, "table"), (0, 0, 16, 3), (150, 108, 62))
    for box in ((0, 3, 2, 16), (14, 3, 16, 16)):
        picture = rectangle(picture, box, (106, 76, 44))
    saw = "mm...h mmm..h .mmm.h ..mm.h ...m.h .....h"
    hammer = "mmm..mm mmm..md .h...m. .h...h. .h...h. .h...h."
    colours = {"m": (176, 176, 180), "d": (110, 110, 114), "h": (92, 62, 34)}
    return pixels(hammer if front else saw, colours, picture)


def furnace(front: bool, fire: bool = False) -> np.ndarray:
    picture = framed(cobbles("furnace", (118, 118, 118), (84, 84, 84), 9), (92, 92, 92))
    if not front:
        return picture
    picture = rectangle(picture, (3, 2, 13, 6), (68, 68, 68))
    picture = rectangle(picture, (4, 8, 12, 14), (34, 32, 32))
    if fire:
        flames = "...y.... .y.yy.y. yyoyyoyy ooooyooo roorooor rrorrorr"
        colours = {"y": (255, 222, 90), "o": (250, 150, 30), "r": (214, 74, 16)}
        picture = np.roll(pixels(flames, colours, np.roll(picture, -3, 0)), 3, 0)
    return picture


def _furnace_top() -> np.ndarray:
    return framed(earth_art.stone(), (96, 96, 96))


def chest(colour: Colour, lock: bool) -> np.ndarray:
    """The lid begins a third down; the lock hangs over the edge at the front."""
    edge = dark(colour, 0.5)
    picture = framed(planks(colour, "chest"), edge)
    picture[:, (0, 15)], picture[:, (1, 14), :3] = picture[:, (1, 14)], edge
    picture = rectangle(picture, (1, 2, 15, 3), edge)
    picture = rectangle(picture, (1, 6, 15, 7), edge)
    return rectangle(picture, (7, 5, 9, 9), (210, 210, 206)) if lock else picture


def _shelf() -> np.ndarray:
    picture = planks()
    rng = paint.random_for("books")
    covers = ((150, 40, 34), (44, 74, 140), (60, 116, 50), (166, 140, 80))
    for top in (1, 9):
        picture = rectangle(picture, (0, top, 16, top + 6), (60, 44, 26))
        for x in range(1, 15):
            box = (x, top + int(rng.integers(0, 2)), x + 1, top + 6)
            picture = rectangle(picture, box, covers[rng.integers(4)])
    return picture


def _bars() -> np.ndarray:
    picture = paint.empty()
    for x in (1, 5, 9, 13):
        picture = rectangle(picture, (x, 0, x + 2, 16), (120, 120, 118))
        picture = rectangle(picture, (x, 0, x + 1, 16), (158, 158, 156))
    for y in (0, 15):
        picture = rectangle(picture, (0, y, 16, y + 1), (110, 110, 108))
    return picture


def _cage() -> np.ndarray:
    """The spawner: a dark grid that one can look through."""
    picture = framed(paint.empty(), (36, 52, 64))
    y, x = np.mgrid[:16, :16]
    return put(picture, (x % 4 < 2) & (y % 4 < 1) | (y % 4 < 2) & (x % 4 < 1), (28, 42, 54), "cage")


def _torch(rise: int) -> np.ndarray:
    """A stick with a flame, `rise` pixels above the floor. As wide as the picture,
    because the box of a torch is thin."""
    picture = rectangle(plain((122, 94, 54)), (0, 6 - rise, 16, 16), (122, 94, 54))
    picture = paint.shade(picture, 1.0 + 0.1 * paint.tones("torch"))
    picture = rectangle(picture, (0, 0, 16, 9 - rise), (255, 196, 70))
    return rectangle(picture, (0, 0, 16, 8 - rise), (255, 244, 170))


def bed_top(head: bool, turns: int) -> np.ndarray:
    """Seen from above, with the head to the south for 0 turns and a quarter turn each."""
    picture = rectangle(wool((172, 34, 34)), (0, 0, 16, 1), (120, 20, 20))
    if head:
        picture = rectangle(wool((172, 34, 34)), (0, 5, 16, 7), (204, 204, 204))
        picture = rectangle(picture, (1, 8, 15, 15), WHITE)
    return np.rot90(picture, -turns).copy()


def _bed_side(head: bool) -> np.ndarray:
    picture = rectangle(planks(), (0, 7, 16, 13), WHITE if head else (172, 34, 34))
    picture = rectangle(picture, (0, 10, 16, 13), (140, 26, 26))
    picture = rectangle(picture, (0, 13, 16, 16), (96, 70, 36))
    return picture


def _tnt() -> np.ndarray:
    picture = streaks("tnt", (206, 52, 36), 0.12)
    picture = rectangle(picture, (0, 5, 16, 11), (238, 238, 238))
    return pixels("kkk.k.k.kkk .k..kkk..k. .k..kkk..k. .k..k.k..k.", {"k": (40, 40, 40)}, picture)


def _rail(colour: Colour = (150, 140, 130)) -> np.ndarray:
    picture = paint.empty()
    for top in range(1, 16, 4):
        picture = rectangle(picture, (1, top, 15, top + 2), (116, 86, 48))
    for left in (2, 12):
        picture = rectangle(picture, (left, 0, left + 2, 16), colour)
    return picture


def _note(disc: bool) -> np.ndarray:
    picture = framed(planks((112, 74, 50), "note"), (74, 48, 32))
    if disc:
        return rectangle(picture, (3, 7, 13, 9), (26, 20, 16))
    return pixels("..kk ..k. ..k. kkk. kkk.", {"k": (40, 26, 20)}, picture)


def _cake_top() -> np.ndarray:
    return put(grain("icing", WHITE, 0.02), paint.blobs("cherries", 5, 1), (206, 30, 30))


def _cake() -> np.ndarray:
    picture = rectangle(grain("cake", (184, 96, 48), 0.1), (0, 8, 16, 11), WHITE)
    return rectangle(picture, (3, 11, 6, 12), WHITE)


def _wire() -> np.ndarray:
    y, x = np.mgrid[:16, :16] - 7.5
    cross = (abs(x) < 2) | (abs(y) < 2)
    return put(paint.empty(), cross & (paint.tones("wire") > -0.6), (170, 14, 8), "wire")


RECIPES: dict[str, Recipe] = {
    "sponge": lambda: put(grain("sponge", (196, 190, 74), 0.1), paint.blobs("sponge", 9, 3),
                          (140, 130, 36)),
    "iron_bars": _bars, "mob_spawner": _cage,
    "tnt": _tnt, "tnt_top": lambda: grain("tnt", (196, 60, 44), 0.12),
    "bookshelf": _shelf, "bookshelf_top": planks, "bookshelf_bottom": planks,
    "torch:5": lambda: _torch(0), "torch_bottom": lambda: plain((100, 74, 40)),
    "torch_top": lambda: plain((255, 250, 200)),
    "chest": lambda: chest(_CHEST, False), "chest_front": lambda: chest(_CHEST, True),
    "chest_top": lambda: framed(planks(_CHEST, "chest"), (84, 58, 22)),
    "crafting_table": table_side, "crafting_table_front": lambda: table_side(True),
    "crafting_table_top": table_top, "crafting_table_bottom": planks,
    "furnace": lambda: furnace(False), "furnace_front": lambda: furnace(True),
    "furnace_top": _furnace_top,
    "lit_furnace": lambda: furnace(False), "lit_furnace_front": lambda: furnace(True, fire=True),
    "lit_furnace_top": _furnace_top,
    "redstone_wire": _wire, "rail": _rail,
    "golden_rail": lambda: _rail(GOLD), "activator_rail": lambda: _rail(RED),
    "detector_rail": lambda: _rail((120, 40, 36)),
    "cake": _cake, "cake_top": _cake_top, "cake_bottom": lambda: grain("cake", (150, 76, 38), 0.1),
    "anvil": lambda: grain("anvil", (78, 78, 80), 0.12, smooth=1),
    "jukebox": lambda: _note(False), "jukebox_top": lambda: _note(True),
    "noteblock": lambda: _note(False),
    "hopper": lambda: grain("hopper", (72, 72, 74), 0.1, smooth=1),
    "hopper_top": lambda: framed(grain("hopper", (44, 44, 46), 0.1), (86, 86, 88)),
    "lever": lambda: streaks("lever", (134, 104, 62), 0.15),
    "lever_bottom": earth_art.cobblestone,
    "piston": lambda: rectangle(earth_art.cobblestone(), (0, 0, 16, 4), WOOD),
    "piston_top": lambda: framed(planks(), (110, 84, 46)),
}  # fmt: skip
for _meta in (1, 2, 3, 4):
    RECIPES[f"torch:{_meta}"] = lambda: _torch(3)
    RECIPES[f"torch_top:{_meta}"] = lambda: plain((224, 168, 84))
for _meta in (0, 1, 2, 3):
    # Bed 0 looks south, 1 west, 2 north, 3 east: clockwise from above.
    RECIPES[f"bed:{_meta}"] = lambda: _bed_side(False)
    RECIPES[f"bed:{_meta + 8}"] = lambda: _bed_side(True)
    RECIPES[f"bed_top:{_meta}"] = lambda turns=_meta: bed_top(False, turns)  # type: ignore[misc]
    RECIPES[f"bed_top:{_meta + 8}"] = lambda turns=_meta: bed_top(True, turns)  # type: ignore[misc]
RECIPES["bed_bottom"] = planks
