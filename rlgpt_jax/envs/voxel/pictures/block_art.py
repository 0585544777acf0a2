"""Recipes of the 16 x 16 textures: one small function or line a picture."""

import colorsys
import zlib
from collections.abc import Callable

import numpy as np

from rlgpt_jax.envs.voxel.pictures import paint
from rlgpt_jax.envs.voxel.pictures.paint import (
    Colour,
    cobbles,
    grain,
    pixels,
    plain,
    put,
    rectangle,
    streaks,
)  # fmt: skip

DIRT, STONE, WOOD, BARK = (134, 96, 67), (126, 126, 126), (172, 138, 82), (96, 74, 45)
IRON, GOLD, DIAMOND, COAL = (222, 222, 222), (250, 214, 70), (98, 226, 220), (42, 42, 42)
RED, BLUE, GREEN, WHITE = (196, 22, 18), (34, 66, 178), (22, 196, 72), (236, 238, 238)


def hashed(name: str) -> np.ndarray:
    hue = zlib.crc32(name.encode()) % 360 / 360.0
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.45, 0.75)
    return grain(name, (int(red * 255), int(green * 255), int(blue * 255)), 0.18)


def _ore(name: str, colour: Colour) -> np.ndarray:
    spots = paint.blobs(name, 6, 6)
    picture = _stone()
    shadow = np.roll(spots, (1, 1), (0, 1)) & ~spots
    picture = put(picture, shadow, (88, 88, 88))
    return put(picture, spots, colour, name)


def _stone() -> np.ndarray:
    return streaks("stone", STONE, 0.13, vertical=False)


def _dirt() -> np.ndarray:
    picture = grain("dirt", DIRT, 0.16)
    return put(picture, paint.blobs("pebbles", 4, 1), (150, 140, 130))


def _planks(name: str = "planks", colour: Colour = WOOD) -> np.ndarray:
    picture = streaks(name, colour, 0.10, vertical=False)
    row = np.arange(16) // 4
    seams = np.zeros((16, 16), bool)
    seams[3::4] = True
    for board, at in enumerate((5, 13, 2, 10)):
        seams[row == board, at] = True
    return paint.shade(picture, np.where(seams, 0.68, 1.0))


def _bark() -> np.ndarray:
    picture = streaks("bark", BARK, 0.28)
    return put(picture, paint.blobs("knots", 3, 3), (66, 50, 30))


def _rings() -> np.ndarray:
    y, x = np.mgrid[:16, :16] - 7.5
    ring = np.maximum(abs(x), abs(y)).astype(int)
    picture = paint.shade(grain("rings", (186, 152, 96), 0.06), np.where(ring % 2 == 0, 1.0, 0.84))
    return put(picture, ring == 7, BARK, "bark")


def _leaves() -> np.ndarray:
    noise = paint.tones("leaves") + 0.5 * paint.tones("leaves+", smooth=1)
    picture = paint.shade(plain((255, 255, 255)), 0.72 + 0.2 * np.round(noise * 2) / 2)
    picture[noise < -0.72] = 0
    return picture


def _turf_side() -> np.ndarray:
    """Earth with a white, jagged rim that takes the grass colour."""
    depth = paint.random_for("turf").choice((2, 3, 3, 4, 5), 16)
    where = np.arange(16)[:, None] < depth
    return put(_dirt(), where, (212, 212, 212), "turf")


def _bricks(name: str, colour: Colour, mortar: Colour, long: int = 8) -> np.ndarray:
    y, x = np.mgrid[:16, :16]
    shifted = x + (y // 4 % 2) * (long // 2)
    tone = paint.tones(name, (4, 16 // long + 1))[y // 4, shifted % 16 // long]
    picture = paint.shade(grain(name, colour, 0.05), 1.0 + 0.1 * tone)
    return put(picture, (y % 4 == 3) | (shifted % long == long - 1), mortar)


def _framed(picture: np.ndarray, colour: Colour) -> np.ndarray:
    edge = np.ones((16, 16), bool)
    edge[1:-1, 1:-1] = False
    return put(picture, edge, colour)


def _metal(name: str, colour: Colour) -> np.ndarray:
    dark = tuple(int(c * 0.72) for c in colour)
    return _framed(streaks(name, colour, 0.05, vertical=False), dark)


def _table_top() -> np.ndarray:
    picture = _framed(_planks("table", (150, 108, 62)), (92, 62, 34))
    lines = np.zeros((16, 16), bool)
    lines[[5, 10], 2:14] = lines[2:14, [5, 10]] = True
    return put(picture, lines, (104, 72, 40))


def _table_side() -> np.ndarray:
    picture = rectangle(_planks("table"), (0, 0, 16, 3), (150, 108, 62))
    for box in ((0, 3, 2, 16), (14, 3, 16, 16)):
        picture = rectangle(picture, box, (106, 76, 44))
    saw = "mm...h mmm..h .mmm.h ..mm.h ...m.h .....h"
    return pixels(saw, {"m": (176, 176, 180), "h": (92, 62, 34)}, picture)


def _furnace(front: bool, fire: bool = False) -> np.ndarray:
    picture = _framed(cobbles("furnace", (118, 118, 118), (84, 84, 84), 9), (92, 92, 92))
    if not front:
        return picture
    picture = rectangle(picture, (3, 2, 13, 6), (68, 68, 68))
    picture = rectangle(picture, (4, 8, 12, 14), (34, 32, 32))
    if fire:
        flames = "...y.... .y.yy.y. yyoyyoyy ooooyooo roorooor rrorrorr"
        colours = {"y": (255, 222, 90), "o": (250, 150, 30), "r": (214, 74, 16)}
        picture = np.roll(pixels(flames, colours, np.roll(picture, -3, 0)), 3, 0)
    return picture


def _chest() -> np.ndarray:
    picture = _framed(_planks("chest", (164, 116, 44)), (84, 58, 22))
    picture = rectangle(picture, (1, 6, 15, 7), (84, 58, 22))
    return rectangle(picture, (7, 5, 9, 9), (200, 200, 196))


def _shelf() -> np.ndarray:
    picture = _planks()
    rng = paint.random_for("books")
    for top in (1, 9):
        picture = rectangle(picture, (0, top, 16, top + 6), (60, 44, 26))
        for x in range(1, 15):
            colour = ((150, 40, 34), (44, 74, 140), (60, 116, 50), (166, 140, 80))[rng.integers(4)]
            picture = rectangle(picture, (x, top + int(rng.integers(0, 2)), x + 1, top + 6), colour)
    return picture


def _glass() -> np.ndarray:
    picture = _framed(paint.empty(), (206, 232, 238))
    for i in (3, 4, 5, 9, 10):
        picture[i, 13 - i] = (232, 246, 250, 255)
    return picture


def _gourd(name: str, colour: Colour, face: bool = False) -> np.ndarray:
    picture = streaks(name, colour, 0.1)
    picture = paint.shade(picture, np.where(np.arange(16) % 4 == 0, 0.82, 1.0)[None].repeat(16, 0))
    if face:
        eyes = "kk....kk kkk..kkk ........ k.k..k.k kkkkkkkk .kk..kk."
        picture = pixels(eyes, {"k": (54, 30, 6)}, picture)
    return picture


def _flower(petals: Colour, heart: Colour) -> np.ndarray:
    text = "..pp.. .pphp. .phhp. ..pp.. ...s.. .s.s.. ..ss.s ...ss. ...s.. ...s.."
    drawing = pixels(text, {"p": petals, "h": heart, "s": (72, 138, 44)})
    return np.roll(drawing, 3, 0)


def _blades(name: str, colour: Colour, tall: int, blades: int) -> np.ndarray:
    """Thin stalks that grow from the lower edge and lean."""
    rng = paint.random_for(name)
    picture = paint.empty()
    for _ in range(blades):
        x, lean = rng.uniform(1, 15), rng.uniform(-0.35, 0.35)
        tone = rng.uniform(0.7, 1.1)
        for y in range(rng.integers(tall // 2, tall + 1)):
            column = int(np.clip(x + lean * y, 0, 15))
            picture[15 - y, column] = (*(min(255, c * tone) for c in colour), 255)
    return picture


def _mushroom(cap: Colour, spots: bool) -> np.ndarray:
    text = "..cccc.. .cwcccc. cccccwcc cccccccc ...ss... ...ss... ...ss..."
    colours = {"c": cap, "w": WHITE if spots else cap, "s": (216, 206, 186)}
    return np.roll(pixels(text, colours), 4, 0)


def _web() -> np.ndarray:
    y, x = np.mgrid[:16, :16] - 7.5
    ring = np.round(np.hypot(x, y)) % 4 == 2
    spokes = (abs(x) < 0.6) | (abs(y) < 0.6) | (abs(abs(x) - abs(y)) < 0.6)
    return put(paint.empty(), ring | spokes, (226, 228, 230))


def _torch() -> np.ndarray:
    picture = rectangle(paint.empty(), (7, 6, 9, 16), (120, 90, 50))
    picture = rectangle(picture, (7, 6, 9, 8), (255, 214, 90))
    return rectangle(picture, (7, 6, 9, 7), (255, 246, 190))


def _water() -> np.ndarray:
    wave = paint.tones("water", smooth=2)
    return paint.shade(plain((58, 108, 206)), 1.0 + 0.14 * np.round(wave * 3) / 3)


def _lava() -> np.ndarray:
    flow = paint.tones("lava", smooth=2)[..., None]
    picture = plain((214, 92, 20))
    picture[..., :3] += np.maximum(flow, 0) * (40, 110, 40) + np.minimum(flow, 0) * (60, 50, 0)
    return np.clip(picture, 0, 255)


def _sandstone() -> np.ndarray:
    picture = streaks("sandstone", (216, 203, 155), 0.06, vertical=False)
    return paint.shade(picture, np.where(np.isin(np.arange(16), (3, 11, 15)), 0.86, 1.0)[:, None])


def _wool() -> np.ndarray:
    return grain("wool", (233, 236, 236), 0.07, smooth=1)


def _tnt() -> np.ndarray:
    picture = streaks("tnt", (206, 52, 36), 0.12)
    picture = rectangle(picture, (0, 5, 16, 11), (238, 238, 238))
    return pixels("kkk.k.k.kkk .k..kkk..k. .k..kkk..k. .k..k.k..k.", {"k": (40, 40, 40)}, picture)


def _crossed(colour: Colour) -> np.ndarray:
    """Two posts and rungs."""
    picture = paint.empty()
    for box in ((2, 0, 4, 16), (12, 0, 14, 16)):
        picture = rectangle(picture, box, colour)
    for top in range(1, 16, 4):
        picture = rectangle(picture, (0, top, 16, top + 2), colour)
    return picture


def _door(name: str, colour: Colour) -> np.ndarray:
    picture = _framed(_planks(name, colour), tuple(int(c * 0.7) for c in colour))
    return rectangle(picture, (12, 8, 14, 10), (70, 62, 50))


def _farm() -> np.ndarray:
    return paint.shade(grain("farm", (98, 66, 40), 0.1), np.where(np.arange(16) % 4 < 2, 0.8, 1.05))


Recipe = Callable[[], np.ndarray]

# Texture names; a block shows `name`, or `name_top`, `name_bottom`, `name_front` there.
RECIPES: dict[str, Recipe] = {
    "stone": _stone,
    "grass": _turf_side,
    "grass_top": lambda: grain("grass", (214, 214, 214), 0.16),
    "grass_bottom": _dirt,
    "dirt": _dirt,
    "cobblestone": lambda: cobbles("cobble", (132, 132, 132), (82, 82, 82)),
    "mossy_cobblestone": lambda: put(
        cobbles("cobble", (126, 130, 124), (74, 80, 70)), paint.tones("moss", smooth=1) > 0.2,
        (94, 122, 68), "moss"),
    "planks": _planks,
    "wooden_slab": _planks, "oak_stairs": _planks, "fence": _planks, "fence_gate": _planks,
    "trapdoor": lambda: _framed(_planks(), (112, 84, 46)), "standing_sign": _planks,
    "sapling": lambda: pixels(
        "...gg... .gGgGg.. gGgggGgg .ggGgGg. ..gggg.. ...bg... ...b.... ...b.... ...bb...",
        {"g": (66, 140, 42), "G": (88, 170, 58), "b": (104, 76, 44)}),
    "bedrock": lambda: grain("bedrock", (86, 86, 86), 0.75, smooth=1),
    "water": _water, "flowing_water": _water, "lava": _lava, "flowing_lava": _lava,
    "sand": lambda: grain("sand", (221, 209, 162), 0.07),
    "gravel": lambda: cobbles("gravel", (136, 130, 128), (104, 98, 96), 34),
    "gold_ore": lambda: _ore("gold_ore", GOLD),
    "iron_ore": lambda: _ore("iron_ore", (216, 175, 147)),
    "coal_ore": lambda: _ore("coal_ore", COAL), "lapis_ore": lambda: _ore("lapis_ore", BLUE),
    "diamond_ore": lambda: _ore("diamond_ore", DIAMOND),
    "redstone_ore": lambda: _ore("redstone_ore", RED),
    "lit_redstone_ore": lambda: _ore("redstone_ore", (255, 60, 50)),
    "emerald_ore": lambda: _ore("emerald_ore", GREEN),
    "log": _bark, "log_top": _rings, "log_bottom": _rings,
    "log2": _bark, "log2_top": _rings, "log2_bottom": _rings,
    "leaves": _leaves, "leaves2": _leaves,
    "sponge": lambda: put(grain("sponge", (196, 190, 74), 0.1), paint.blobs("sponge", 8, 3),
                          (150, 140, 40)),
    "glass": _glass,
    "lapis_block": lambda: _metal("lapis", BLUE), "gold_block": lambda: _metal("gold", GOLD),
    "iron_block": lambda: _metal("iron", IRON), "diamond_block": lambda: _metal("diamond", DIAMOND),
    "emerald_block": lambda: _metal("emerald", GREEN),
    "coal_block": lambda: grain("coal", COAL, 0.3),
    "sandstone": _sandstone,
    "sandstone_top": lambda: grain("sandstone", (221, 209, 162), 0.04),
    "bed": lambda: rectangle(
        rectangle(_planks(), (0, 7, 16, 12), (168, 30, 30)), (0, 7, 6, 12), WHITE),
    "bed_top": lambda: rectangle(_wool(), (0, 5, 16, 16), (172, 34, 34)),
    "web": _web, "wool": _wool,
    "tallgrass": lambda: _blades("tallgrass", (225, 225, 225), 13, 26),
    "deadbush": lambda: _blades("deadbush", (124, 88, 44), 11, 9),
    "wheat": lambda: _blades("wheat", (206, 182, 84), 14, 18),
    "reeds": lambda: _blades("reeds", (150, 196, 104), 16, 8),
    "fire": lambda: _blades("fire", (252, 150, 40), 15, 24),
    "yellow_flower": lambda: _flower((252, 226, 60), (240, 190, 30)),
    "red_flower": lambda: _flower((212, 34, 28), (60, 24, 20)),
    "brown_mushroom": lambda: _mushroom((150, 112, 84), False),
    "red_mushroom": lambda: _mushroom((204, 34, 30), True),
    "stone_slab": lambda: _framed(_stone(), (156, 156, 156)),
    "double_stone_slab": lambda: _framed(_stone(), (156, 156, 156)),
    "stone_stairs": lambda: cobbles("cobble", (132, 132, 132), (82, 82, 82)),
    "stonebrick": lambda: _bricks("stonebrick", (128, 128, 128), (88, 88, 88), 16),
    "brick_block": lambda: _bricks("brick", (156, 88, 72), (182, 172, 164)),
    "tnt": _tnt, "tnt_top": lambda: grain("tnt", (196, 60, 44), 0.12),
    "bookshelf": _shelf, "bookshelf_top": _planks, "bookshelf_bottom": _planks,
    "obsidian": lambda: grain("obsidian", (24, 18, 38), 0.6, smooth=1),
    "torch": _torch, "torch_top": lambda: plain((255, 236, 150)),
    "chest": _chest, "chest_top": lambda: _framed(_planks("chest", (164, 116, 44)), (84, 58, 22)),
    "crafting_table": _table_side, "crafting_table_top": _table_top,
    "crafting_table_bottom": _planks,
    "furnace": lambda: _furnace(False), "furnace_front": lambda: _furnace(True),
    "lit_furnace": lambda: _furnace(False), "lit_furnace_front": lambda: _furnace(True, fire=True),
    "farmland": _dirt, "farmland_top": _farm,
    "grass_path": lambda: rectangle(_dirt(), (0, 0, 16, 3), (150, 124, 66)),
    "grass_path_top": lambda: grain("path", (150, 124, 66), 0.12),
    "redstone_wire": lambda: put(
        paint.empty(), paint.tones("wire", smooth=1) > 0.1, (150, 12, 8), "wire"),
    "ladder": lambda: _crossed((150, 116, 64)), "rail": lambda: _crossed((140, 130, 120)),
    "wooden_door": lambda: _door("door", (158, 124, 72)),
    "iron_door": lambda: _door("iron", (206, 206, 206)),
    "snow": lambda: grain("snow", (244, 250, 252), 0.03, smooth=1),
    "snow_layer": lambda: grain("snow", (244, 250, 252), 0.03, smooth=1),
    "ice": lambda: grain("ice", (158, 190, 252), 0.08, smooth=1),
    "packed_ice": lambda: grain("packed", (142, 178, 244), 0.1, smooth=1),
    "cactus": lambda: paint.shade(streaks("cactus", (62, 124, 42), 0.1),
                                  np.where(np.arange(16) % 4 == 1, 0.7, 1.0)[None].repeat(16, 0)),
    "cactus_top": lambda: grain("cactus", (92, 152, 66), 0.1),
    "clay": lambda: grain("clay", (160, 166, 178), 0.05, smooth=1),
    "hardened_clay": lambda: grain("hardened", (150, 92, 66), 0.05, smooth=1),
    "netherrack": lambda: grain("netherrack", (112, 54, 52), 0.25, smooth=1),
    "soul_sand": lambda: grain("soul", (82, 62, 50), 0.25, smooth=1),
    "pumpkin": lambda: _gourd("pumpkin", (214, 126, 30)),
    "pumpkin_front": lambda: _gourd("pumpkin", (214, 126, 30), face=True),
    "melon_block": lambda: _gourd("melon", (116, 150, 42)),
    "hay_block": lambda: streaks("hay", (196, 166, 40), 0.2),
    "hay_block_top": lambda: grain("hay", (206, 180, 56), 0.2),
    "cake": lambda: rectangle(grain("cake", (184, 96, 48), 0.1), (0, 8, 16, 11), WHITE),
    "cake_top": lambda: put(
        grain("icing", WHITE, 0.02), paint.blobs("cherries", 5, 1), (206, 30, 30)),
    "anvil": lambda: grain("anvil", (72, 72, 74), 0.12, smooth=1),
    "vine": _leaves,
}  # fmt: skip
