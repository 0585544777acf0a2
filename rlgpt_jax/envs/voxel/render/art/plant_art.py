"""Textures of plants, and of fire and cobwebs, which are drawn like them."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art import paint
from rlgpt_jax.envs.voxel.render.art.colours import WHITE, dark
from rlgpt_jax.envs.voxel.render.art.paint import Colour, Recipe, grain, pixels, plain, put, streaks

# Rows of letters from the blossom down: p petals, q their shade, h heart, s stalk.
_ROUND = "..pp.. .pphp. .phhp. ..pp.. ...s.. .s.s.. ..ss.s ...ss. ...s.. ...s.."
_TULIP = "..pp.. .pqpp. .pqpp. .pppp. ..ss.. ...s.. .s.s.. .sss.. ..ss.. ...s.."
_ORCHID = "..p.pp .pqp.. ..pqp. pp.s.. .qps.. ...s.p ..pspq ...sp. s..s.. .sss.s"
_ALLIUM = "..ppp. .pqpqp .ppqpp .qpppq ..ppp. ...s.. ...s.. ...s.. ..ss.. ...s.."
_BLUET = ".pp..pp. phhpphhp .pp..pp. .s.pp.s. .sphhps. ..spps.. ...ss... ..s.s..."
_DAISY = "..ppp. .ppppp .phhhp .ppppp ..ppp. ...s.. ...s.. .s.ss. ..ss.. ...s.."
_FLOWERS: dict[str, tuple[str, Colour, Colour]] = {
    "yellow_flower": (_ROUND, (252, 226, 60), (240, 190, 30)),
    "red_flower:0": (_ROUND, (212, 34, 28), (60, 24, 20)),
    "red_flower:1": (_ORCHID, (42, 164, 236), (220, 240, 255)),
    "red_flower:2": (_ALLIUM, (184, 118, 232), (150, 84, 204)),
    "red_flower:3": (_BLUET, (242, 244, 246), (244, 220, 92)),
    "red_flower:4": (_TULIP, (222, 52, 28), (170, 28, 20)),
    "red_flower:5": (_TULIP, (242, 140, 34), (206, 96, 20)),
    "red_flower:6": (_TULIP, (242, 244, 242), (206, 216, 206)),
    "red_flower:7": (_TULIP, (238, 166, 222), (206, 122, 190)),
    "red_flower:8": (_DAISY, (246, 246, 246), (246, 208, 40)),
}


def _flower(text: str, petals: Colour, heart: Colour) -> np.ndarray:
    colours = {"p": petals, "h": heart, "q": heart, "s": (72, 138, 44)}
    return np.roll(pixels(text, colours), 3, 0)


def blades(name: str, colour: Colour, tall: int, count: int) -> np.ndarray:
    """Thin stalks that grow from the lower edge and lean."""
    rng = paint.random_for(name)
    picture = paint.empty()
    for _ in range(count):
        x, lean = rng.uniform(1, 15), rng.uniform(-0.35, 0.35)
        tone = rng.uniform(0.6, 1.1)
        for y in range(rng.integers(tall // 2, tall + 1)):
            column = int(np.clip(x + lean * y, 0, 15))
            picture[15 - y, column] = (*(min(255, c * tone) for c in colour), 255)
    return picture


def _fern() -> np.ndarray:
    """A stalk with leaves that bend to both sides."""
    picture = paint.empty()
    for row in range(2, 16):
        wide = min(7, 1 + (row - 2) * 2 // 3) if row < 13 else 3
        for side in (-1, 1):
            for step in range(wide if row % 2 == 0 else 1):
                tone = 210 - 16 * step - 46 * (row % 4 == 0)
                y = min(15, row + step // 2)
                picture[y, 7 + side * step + (side > 0)] = (tone, tone, tone, 255)
    return picture


def _reeds() -> np.ndarray:
    """Four canes with joints."""
    picture = paint.empty()
    for left, joint in ((1, 4), (5, 9), (9, 2), (13, 12)):
        for row in range(16):
            tone = 0.72 if (row - joint) % 7 == 0 else 1.0
            picture[row, left] = (*dark((170, 214, 124), tone), 255)
            picture[row, left + 1] = (*dark((138, 184, 96), tone), 255)
    return picture


def _wheat(ripe: bool) -> np.ndarray:
    if not ripe:
        return blades("sprouts", (66, 176, 44), 5, 14)
    picture = blades("wheat", (188, 170, 70), 14, 16)
    for x in range(1, 16, 3):
        top = 1 + (x * 5) % 4
        picture[top : top + 6, x, :] = (214, 188, 92, 255)
        picture[top + 1 : top + 6 : 2, min(15, x + 1), :] = (168, 132, 52, 255)
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


def _fire() -> np.ndarray:
    """Tongues, yellow within and red at their tips."""
    rng = paint.random_for("fire")
    picture = paint.empty()
    for x in range(16):
        height = 8 + 6 * abs(np.sin(x * 1.15)) + rng.uniform(-1.5, 1.5)
        for y in range(min(15, int(height)) + 1):
            heat = 1.0 - y / height + rng.uniform(-0.15, 0.15)
            hot, warm, cool = (255, 238, 140), (252, 168, 40), (222, 84, 16)
            colour = hot if heat > 0.7 else warm if heat > 0.35 else cool
            if heat > 0.12 or y % 2:
                picture[15 - y, x] = (*colour, 255)
    return picture


def _vine() -> np.ndarray:
    """White for the tint: hanging strings of leaves with gaps."""
    rng = paint.random_for("vine")
    picture = paint.empty()
    for x in range(0, 16, 2):
        for y in range(16):
            if rng.uniform() < 0.72:
                tone = rng.uniform(110, 210)
                picture[y, x : x + 1 + int(rng.uniform() < 0.55)] = (tone, tone, tone, 255)
    return picture


def gourd(name: str, colour: Colour, face: str = "") -> np.ndarray:
    picture = streaks(name, colour, 0.1)
    picture = paint.shade(picture, np.where(np.arange(16) % 4 == 0, 0.8, 1.0)[None].repeat(16, 0))
    if face:
        eyes = "kk....kk kkk..kkk ........ k.k..k.k kkkkkkkk .kk..kk."
        light = {"dark": (54, 30, 6), "lit": (255, 226, 96)}[face]
        picture = pixels(eyes, {"k": light}, picture)
    return picture


def _gourd_top(name: str, colour: Colour) -> np.ndarray:
    y, x = np.mgrid[:16, :16] - 7.5
    picture = grain(name, colour, 0.08)
    return put(picture, np.hypot(x, y) < 2, (96, 110, 40))


def _cactus(top: bool) -> np.ndarray:
    if top:
        y, x = np.mgrid[:16, :16] - 7.5
        picture = grain("cactus", (92, 152, 66), 0.1)
        return put(picture, np.round(np.hypot(x, y)) % 4 == 3, (58, 112, 40))
    ribs = np.where(np.arange(16) % 4 == 1, 0.66, 1.0)[None].repeat(16, 0)
    picture = paint.shade(streaks("cactus", (66, 130, 44), 0.1), ribs)
    y, x = np.mgrid[:16, :16]
    return put(picture, (x % 4 == 3) & ((y + x) % 5 == 0), (222, 226, 190))


RECIPES: dict[str, Recipe] = {
    # White ones take the tint of the biome's grass.
    "tallgrass:1": lambda: blades("tallgrass", (225, 225, 225), 13, 26),
    "tallgrass:2": _fern,
    "tallgrass:0": lambda: blades("shrub", (128, 92, 48), 10, 9),
    "deadbush": lambda: blades("deadbush", (124, 88, 44), 11, 10),
    "wheat:0": lambda: _wheat(False), "wheat:7": lambda: _wheat(True),
    "reeds": _reeds, "fire": _fire, "web": _web, "vine": _vine,
    "brown_mushroom": lambda: _mushroom((150, 112, 84), False),
    "red_mushroom": lambda: _mushroom((204, 34, 30), True),
    "pumpkin": lambda: gourd("pumpkin", (214, 126, 30)),
    "pumpkin_top": lambda: _gourd_top("pumpkin", (196, 118, 34)),
    "pumpkin_front": lambda: gourd("pumpkin", (214, 126, 30), "dark"),
    "lit_pumpkin": lambda: gourd("pumpkin", (224, 138, 36)),
    "lit_pumpkin_top": lambda: _gourd_top("pumpkin", (196, 118, 34)),
    "lit_pumpkin_front": lambda: gourd("pumpkin", (224, 138, 36), "lit"),
    "melon_block": lambda: put(
        gourd("melon", (110, 148, 38)), paint.tones("melon", smooth=1) > 0.4, (162, 180, 70)),
    "melon_block_top": lambda: _gourd_top("melon", (126, 150, 44)),
    "cactus": lambda: _cactus(False), "cactus_top": lambda: _cactus(True),
    "hay_block": lambda: put(
        streaks("hay", (196, 166, 40), 0.2, vertical=False),
        np.isin(np.arange(16), (3, 12))[None].repeat(16, 0), (150, 52, 30)),
    "hay_block_top": lambda: paint.cobbles("hay", (206, 180, 56), (150, 122, 30), 30),
    "waterlily": lambda: put(
        paint.empty(), np.hypot(*(np.mgrid[:16, :16] - 7.5)) < 7, (30, 110, 36), "lily"),
    "slime": lambda: paint.framed(plain((110, 180, 94)), (80, 146, 66)),
}  # fmt: skip
for _name, _row in _FLOWERS.items():
    RECIPES[_name] = lambda row=_row: _flower(*row)  # type: ignore[misc]
