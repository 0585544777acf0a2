"""Pictures of items for the hotbar, the hand and the ground, drawn by our own code.

Blocks are small cubes of their textures, tools are shapes in the colour of their
material, common things have a drawing of their own; the rest are lumps in a colour
made from their name.
"""

import colorsys
import functools
import zlib

import numpy as np

from rlgpt_jax.envs.names import NAMES
from rlgpt_jax.envs.voxel.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.pictures import paint
from rlgpt_jax.envs.voxel.pictures.paint import Colour, pixels
from rlgpt_jax.envs.voxel.pictures.textures import FACES, IS_CUBE, IS_PLANT, TEXTURES, TINT

MATERIALS: dict[str, Colour] = {
    "wooden": (160, 122, 68), "stone": (144, 144, 144), "iron": (224, 224, 224),
    "golden": (250, 218, 76), "diamond": (84, 222, 212), "leather": (146, 88, 52),
    "chainmail": (150, 150, 156),
}  # fmt: skip

# h handle, H its dark side, m metal, d its dark side.
_TOOLS = {
    "pickaxe": "....mmmmm... ...dddddmmm. .......hHdmm ......hHH.dm .....hH....m "
    "....hH.....m ...hH.......  ..hH........ .hH......... hH..........",
    "axe": ".....mm..... ....mmmm.hH. ...mmmmmhH.. ...mmmmhHm.. ....mmhHmm.. .....hHdm... "
    "....hH.dd... ...hH....... ..hH........ .hH......... hH..........",
    "shovel": "........mmm. .......mmmmm .......mmmmd ......hHmmd. .....hH.dd.. ....hH...... "
    "...hH....... ..hH........ .hH......... hH..........",
    "hoe": ".....mmmm... ....mmdddHH. .......hHHm. ......hH.dm. .....hH..... ....hH...... "
    "...hH....... ..hH........ .hH......... hH..........",
    "sword": ".........mmm ........mmmd .......mmmd. ......mmmd.. .....mmmd... h...mmmd.... "
    "hh.mmmd..... .hhmmd...... ..hhd....... .hHhh....... hH..hh...... H...........",
    "helmet": "...mmmmmm... ..mmmmmmmm.. .mmmmmmmmmm. .mmmmmmmmdd. .mmmddddmdd. .mmd....mdd. "
    ".mmd....mdd.",
    "chestplate": "mm........mm mmmm....mmmm mmmmmmmmmmmm mmmmmmmmmmdd dmmmmmmmmmdd ..mmmmmmmd.. "
    "..mmmmmmmd.. ..mmmmmmdd.. ..mmmmmmdd.. ..mmmmmddd..",
    "leggings": ".mmmmmmmmmm. .mmmmmmmmdd. .mmmmmmmmdd. .mmmd..mmdd. .mmmd..mmdd. .mmmd..mmdd. "
    ".mmdd..mmdd. .mmdd..mmdd.",
    "boots": "............ .mmd....mmd. .mmd....mmd. .mmd....mmd. .mmd....mmd. mmmd...mmmd. "
    "mmdd...mmdd.",
}

_BUCKET = (
    "..gggggg.. .gllllllg. glllllllLg gGllllllLg gGGGGGGGLg .gwwwwwwg. .gwwwwwdg. "
    ".gwwwwwdg. ..gwwwdg.. ..gggggg.."
)
_STEAK = "...rrrr... ..rrrrrrr. .rrprrrrrr rrprrrrwrr rrrrrrwwrd .rrrrrrrrd ..drrrrdd. ...dddd..."
_INGOT = (
    "......mmmm.. ...mmmmmmmm. .mmmmmmmmmmd "
    "mmmmmmmmmddd dmmmmmdddddd .dddddddddd. ..ddddd....."
)
_GEM = "...mmmm... ..mmllmmm. .mmllmmmmd mmlmmmmmmd mmmmmmmmdd .mmmmmmdd. ..mmmmdd.. ...mmdd..."
_LUMP = "...mmm.... .mmlmmmm.. mmllmmmmd. mmlmmmmmmd mmmmmmmmdd .mmmmmmdd. ..dmmddd.. ....dd...."
_DUST = ".......... ....m..... ...mlm.m.. .m.mmmm... .mmlmmmmd. mmmmlmmmmd ddmmmmmddd .dddddddd."
_STICK = (
    "........hh .......hhH ......hhH. .....hhH.. ....hhH... "
    "...hhH.... ..hhH..... .hhH...... hhH....... HH........"
)

# name -> (rows of letters, colours).
_DRAWN: dict[str, tuple[str, dict[str, Colour]]] = {
    "stick": (_STICK, {"h": (150, 112, 62), "H": (92, 66, 34)}),
    "shears": (
        "....m...m. ....mm.mm. .....mmm.. .....mdm.. ....dm.md. ..hhh.hhh. .h..hh..h. "
        ".h..h.h..h ..hh...hh.",
        {"m": (216, 216, 216), "d": (150, 150, 150), "h": (190, 60, 44)},
    ),
    "coal": (_LUMP, {"m": (52, 52, 52), "l": (96, 96, 96), "d": (28, 28, 28)}),
    "diamond": (_GEM, {"m": (98, 226, 220), "l": (220, 255, 252), "d": (44, 158, 152)}),
    "emerald": (_GEM, {"m": (40, 200, 90), "l": (190, 255, 210), "d": (16, 120, 48)}),
    "iron_ingot": (_INGOT, {"m": (226, 226, 226), "d": (150, 150, 150)}),
    "gold_ingot": (_INGOT, {"m": (252, 222, 86), "d": (190, 142, 30)}),
    "brick": (_INGOT, {"m": (178, 98, 78), "d": (122, 62, 48)}),
    "redstone": (_DUST, {"m": (190, 20, 14), "l": (255, 80, 60), "d": (110, 8, 4)}),
    "sugar": (_DUST, {"m": (232, 236, 240), "l": (255, 255, 255), "d": (180, 186, 196)}),
    "gunpowder": (_DUST, {"m": (110, 110, 110), "l": (150, 150, 150), "d": (70, 70, 70)}),
    "flint": (_LUMP, {"m": (70, 70, 74), "l": (120, 120, 126), "d": (40, 40, 42)}),
    "clay_ball": (_LUMP, {"m": (160, 166, 178), "l": (190, 196, 206), "d": (120, 126, 138)}),
    "apple": (
        ".....h.... ....hgg... .rrr.rrr.. rrlrrrrrr. rlrrrrrrrd rrrrrrrrrd rrrrrrrrdd "
        ".rrrrrrrd. ..rrrrdd..",
        {"r": (216, 34, 30), "l": (255, 150, 140), "d": (146, 14, 18), "h": (96, 66, 34),
         "g": (96, 170, 56)},
    ),
    "bread": (
        "........bb.. .....bbbbbb. ...bbbbbbbd ..bbblbbbbd. .bblbbbbbd.. bbbbbbbdd... bbbbddd.....",
        {"b": (196, 140, 62), "l": (232, 186, 110), "d": (136, 88, 34)},
    ),
    "wheat": (
        "y..y....y. .yy.y.yy.. .y.yyyy.y. ..yyyyyy.. ...yoyy... ...oyoy... ..rrrrr... ...oyo.... "
        "..o.y.o...",
        {"y": (222, 196, 86), "o": (176, 142, 50), "r": (150, 40, 30)},
    ),
    "wheat_seeds": (
        "......g.. .g.....g. ....gg... ..g...g.. .gg.g.... .....g.g. ..g..gg..",
        {"g": (96, 168, 60)},
    ),
    "egg": ("...ee... ..eeee.. .eleeee. .eleeee. eeeeeeed eeeeeeed .eeeeed. ..eddd..",
            {"e": (228, 214, 180), "l": (255, 248, 230), "d": (180, 162, 126)}),
    "feather": ("........ww ......wwwd ....wwwwd. ...wwwdw.. "
                "..wwdww... ..wdww.... .wwww..... .g........ g.........",
                {"w": (240, 240, 240), "d": (186, 186, 186), "g": (120, 120, 120)}),
    "leather": (".bb....bb. bbbbbbbbbb .bbbbbbbd. ..bbbbbd.. "
                "..bbbbbd.. .bbbbbbbd. bbbbbbbbdd .dd....dd.",
                {"b": (190, 104, 58), "d": (130, 66, 32)}),
    "bone": (".......ww. ......wwww ......www. .....wwd.. ....wwd... "
             "...wwd.... ..wwd..... www....... wwww...... .ww.......",
             {"w": (234, 232, 216), "d": (170, 168, 150)}),
    "string": ("w......w.. .ww...w.w. ...ww...w. ....w..w.. "
               "..ww..w... .w...ww... .w....w... ..ww...w..",
               {"w": (236, 236, 236)}),
    "bowl": ("bbbbbbbbbb bddddddddb .bbbbbbbb. .bbbbbbbd. ..bbbbdd.. ...dddd...",
             {"b": (150, 106, 58), "d": (96, 64, 30)}),
    "sign": ("bbbbbbbbbb bkkkbkkkbb bbbbbbbbbb bkkbkkkkbb "
             "bbbbbbbbbd ....hh.... ....hh.... ....hh....",
             {"b": (172, 138, 82), "k": (70, 50, 26), "d": (120, 92, 50), "h": (104, 76, 42)}),
    "paper": ("..wwwwwww .wwwkkwww .wkkwwkww wwwwkkwww wkkwwwwww wwwkkwwd. wwwwwwwd.",
              {"w": (240, 240, 234), "k": (190, 190, 184), "d": (200, 200, 190)}),
    "book": (".rrrrrrr. rrlrrrrrw rrlrrrrrw rrlrrrrrw rrlrrrrrw rrrrrrrrw .wwwwwww.",
             {"r": (140, 66, 32), "l": (206, 164, 80), "w": (236, 232, 216)}),
    "arrow": (".......mm ......mmm ......hm. .....h... "
              "....h.... ...h..... ww.h..... .wh...... w.w......",
              {"m": (196, 196, 196), "h": (134, 100, 56), "w": (236, 236, 236)}),
    "bow": ("....hhhh.. ..hhh..hw. .hh....w.. .h....w... "
            "hh...w.... h...w..... h..w...... .hw....... .w........",
            {"h": (134, 98, 50), "w": (230, 230, 230)}),
}  # fmt: skip

_BUCKETS: dict[str, Colour] = {
    "bucket": (96, 96, 96), "milk_bucket": (250, 250, 250), "water_bucket": (58, 108, 206),
    "lava_bucket": (230, 110, 24),
}  # fmt: skip
_MEATS: dict[str, Colour] = {
    "beef": (204, 48, 44), "cooked_beef": (132, 76, 42), "porkchop": (238, 138, 132),
    "cooked_porkchop": (196, 150, 90), "mutton": (214, 74, 66), "cooked_mutton": (150, 92, 52),
    "chicken": (240, 190, 170), "cooked_chicken": (196, 128, 66), "rabbit": (232, 170, 150),
    "cooked_rabbit": (180, 112, 62), "rotten_flesh": (150, 84, 44), "fish": (120, 150, 170),
    "cooked_fish": (170, 130, 90),
}  # fmt: skip
GRASS_ON_ICONS = (124, 189, 80)


def _dark(colour: Colour, factor: float = 0.66) -> Colour:
    return tuple(int(c * factor) for c in colour)


def _tool(name: str) -> np.ndarray | None:
    material, _, kind = name.partition("_")
    if kind not in _TOOLS or material not in MATERIALS:
        return None
    metal = MATERIALS[material]
    palette = {"m": metal, "d": _dark(metal), "h": (134, 98, 50), "H": (84, 60, 30)}
    return pixels(_TOOLS[kind], palette)


def _tinted(texture: int) -> np.ndarray:
    picture = TEXTURES[texture].astype(np.float32)
    picture[TINT[texture] > 0, :3] *= np.array(GRASS_ON_ICONS) / 255.0
    return picture


def _cube(byte: int) -> np.ndarray:
    """A block seen from above one of its edges: top and two sides."""
    top, side, front = (_tinted(FACES[byte, face]) for face in (3, 0, 4))
    picture = paint.empty()
    y, x = np.mgrid[:16, :16]
    across, down = x - 7.5, y + 0.5
    # The top is a rhombus 16 wide and 8 high, the sides lean by half a pixel per pixel.
    u, v = (across + 2 * down) / 16, (2 * down - across) / 16
    is_top = (u >= 0) & (u < 1) & (v >= 0) & (v < 1)
    depth = (down - 8 + np.abs(across) / 2) / 8
    is_side = ~is_top & (depth >= 0) & (depth < 1) & (np.abs(across) < 8)
    row = np.clip(depth * 16, 0, 15).astype(int)
    left, right = np.clip((across + 8) * 2, 0, 15), np.clip(across * 2, 0, 15)
    iu, iv = (np.clip(w * 16, 0, 15).astype(int) for w in (u, v))
    picture[is_top] = top[iv, iu][is_top]
    for mask, face, column, light in (
        (is_side & (across < 0), side, left, 0.8),
        (is_side & (across > 0), front, right, 0.6),
    ):
        picture[mask] = face[row, column.astype(int)][mask] * (light, light, light, 1)
    return picture


def _lump(name: str) -> np.ndarray:
    hue = zlib.crc32(name.encode()) % 360 / 360.0
    colour = tuple(int(255 * c) for c in colorsys.hsv_to_rgb(hue, 0.5, 0.85))
    bright = tuple(min(255, c + 50) for c in colour)
    return pixels(_LUMP, {"m": colour, "l": bright, "d": _dark(colour)})


def _draw(name: str) -> np.ndarray:
    tool = _tool(name)
    if tool is not None:
        return tool
    if name in _BUCKETS:
        inside = _BUCKETS[name]
        palette = {"g": (74, 74, 74), "l": inside, "L": _dark(inside, 0.85),
                   "G": _dark(inside, 0.9), "w": (206, 206, 206), "d": (150, 150, 150)}  # fmt: skip
        return pixels(_BUCKET, palette)
    if name in _MEATS:
        colour = _MEATS[name]
        light = tuple(min(255, c + 40) for c in colour)
        return pixels(_STEAK, {"r": colour, "p": light, "w": (244, 226, 206), "d": _dark(colour)})
    if name in _DRAWN:
        return pixels(*_DRAWN[name])
    byte = BLOCK_ID.get(name, 0)
    if byte and (IS_PLANT[byte] or (not IS_CUBE[byte] and name != "chest")):
        return _tinted(FACES[byte, 0])
    return _cube(byte) if byte else _lump(name)


@functools.cache
def icon(name_id: int) -> np.ndarray:
    """The picture uint8[16, 16, 4] of an item given by its name id; 0 is empty."""
    picture = _draw(NAMES[name_id]) if name_id else paint.empty()
    return np.clip(picture, 0, 255).astype(np.uint8)
