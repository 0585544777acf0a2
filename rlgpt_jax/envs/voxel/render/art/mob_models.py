"""Mobs in pictures: boxes with body, head and legs, and pixels on their faces.

Lengths in sixteenths of a block; +z is where the mob looks, y 0 its feet.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.render.art import paint
from rlgpt_jax.envs.voxel.render.art.paint import Colour, grain, plain, put

BROWN, CREAM, WOOL, SKIN = (92, 66, 46), (214, 206, 196), (236, 236, 232), (222, 188, 160)
PINK, WHITE, YELLOW, RED = (242, 172, 168), (244, 244, 240), (236, 176, 44), (206, 40, 34)
GREEN, TEAL, PURPLE, BLACK = (88, 138, 66), (36, 142, 142), (70, 62, 150), (24, 22, 22)
HORN, UDDER, FACE, HAIR = (196, 192, 180), (232, 172, 164), (196, 146, 112), (64, 42, 24)


class Part(NamedTuple):
    """One box of a mob."""

    box: tuple[float, ...]  # x, y, z low and x, y, z high
    paint: str  # name in `_PAINTS`
    face: str = ""  # another name for the side that looks forward
    swing: int = 0  # legs: 1 or -1, which way they go first
    when: int = 0  # 0 always, 1 only with wool, 2 only without


def _legs(x: float, front: float, back: float, height: float, half: float, colour: str) -> list:
    """Four legs centred at +-x and at two places along z."""
    return [
        Part((sx * x - half, 0, z - half, sx * x + half, height, z + half), colour, swing=sx * way)
        for z, way in ((front, 1), (back, -1))
        for sx in (-1, 1)
    ]


_BODY = [
    Part((-4, 12, -2, 4, 24, 2), "shirt"),
    Part((-4, 24, -4, 4, 32, 4), "hair", "human_face"),
    Part((-4, 0, -2, -0.1, 12, 2), "trousers", swing=1),
    Part((0.1, 0, -2, 4, 12, 2), "trousers", swing=-1),
]
MODELS: dict[str, list[Part]] = {
    "cow": [
        Part((-6, 11, -9, 6, 21, 9), "cow"),
        Part((-4, 15, 8, 4, 23, 14), "cow_head", "cow_face"),
        Part((-5, 21, 10, -4, 24.5, 11), "horn"), Part((4, 21, 10, 5, 24.5, 11), "horn"),
        Part((-2, 10, -8, 2, 11, -2), "udder"),
        *_legs(3.9, 6.5, -6.5, 12, 2, "cow_leg"),
    ],
    "sheep": [
        Part((-5.6, 10.5, -9, 5.6, 20.5, 8), "wool", when=1),
        Part((-4, 12, -8, 4, 18, 8), "shorn", when=2),
        Part((-3, 15, 6, 3, 21, 13.6), "skin", "sheep_face"),
        Part((-3.6, 16.5, 5.5, 3.6, 22, 11), "wool", when=1),
        *[leg._replace(when=1) for leg in _legs(3, 5, -6, 7, 1.9, "skin")],
        *[leg._replace(box=(*leg.box[:1], 6, *leg.box[2:4], 12.5, leg.box[5]), when=1)
          for leg in _legs(3, 5, -6, 12, 2.6, "wool")],
        *[leg._replace(when=2) for leg in _legs(3, 5, -6, 12, 2, "skin")],
    ],
    "pig": [
        Part((-5, 6, -8, 5, 14, 8), "pig"),
        Part((-4, 8, 6, 4, 16, 14), "pig", "pig_face"),
        Part((-2, 9, 14, 2, 12, 15), "pig", "snout"),
        *_legs(3, 5, -6, 6, 2, "pig"),
    ],
    "chicken": [
        Part((-3, 5, -4, 3, 11, 4), "feathers"),
        Part((-2, 9, 3, 2, 15, 6), "feathers", "chicken_face"),
        Part((-2, 11, 6, 2, 13, 8), "beak"), Part((-1, 9, 6, 1, 11, 7), "wattle"),
        Part((-4, 6, -3, -3, 10, 3), "feathers"), Part((3, 6, -3, 4, 10, 3), "feathers"),
        Part((-2, 0, -0.5, -1, 5, 0.5), "beak", swing=1),
        Part((1, 0, -0.5, 2, 5, 0.5), "beak", swing=-1),
        Part((-2.5, 0, 0, -0.5, 0.4, 2), "beak"), Part((0.5, 0, 0, 2.5, 0.4, 2), "beak"),
    ],
    "zombie": [
        Part((-4, 12, -2, 4, 24, 2), "zombie_shirt"),
        Part((-4, 24, -4, 4, 32, 4), "zombie", "zombie_face"),
        Part((-4, 0, -2, -0.1, 12, 2), "zombie_trousers", swing=1),
        Part((0.1, 0, -2, 4, 12, 2), "zombie_trousers", swing=-1),
        Part((-8, 20, -2, -4, 24, 10), "zombie"), Part((4, 20, -2, 8, 24, 10), "zombie"),
    ],
    "player": [
        *_BODY,
        Part((-8, 12, -2, -4, 24, 2), "human", swing=-1),
        Part((4, 12, -2, 8, 24, 2), "human", swing=1),
    ],
}  # fmt: skip


def _face(rows: str, palette: Mapping[str, Colour]) -> np.ndarray:
    """Pixel art in the upper left corner, where the faces of parts begin."""
    picture = paint.pixels(rows, palette, plain(palette.get("s", BLACK)))
    lines = rows.split()
    shift = -((16 - len(lines)) // 2), -((16 - len(lines[0])) // 2)
    return np.roll(picture, shift, (0, 1))


def _hide() -> np.ndarray:
    patches = paint.tones("cow", smooth=3) + 0.15 * paint.tones("cow+") > 0.3
    return put(grain("hide", BROWN, 0.12), patches, CREAM, "hide")


_EYES = {"k": BLACK, "w": (250, 250, 250)}
_PAINTS: dict[str, np.ndarray] = {
    "cow": _hide(), "cow_head": grain("hide", BROWN, 0.12), "horn": plain(HORN),
    "cow_leg": put(grain("leg", BROWN, 0.1), np.indices((16, 16))[0] > 10, CREAM, "hoof"),
    "udder": plain(UDDER),
    "cow_face": _face(
        "sscccsss ssccccss ssccccss kwccccwk ssccccss spppppps spnppnps spppppps",
        {**_EYES, "s": BROWN, "c": CREAM, "p": (222, 178, 166), "n": (108, 70, 64)}),
    "wool": grain("wool", WOOL, 0.08, smooth=1), "shorn": grain("shorn", (226, 200, 178), 0.05),
    "skin": grain("sheep", SKIN, 0.05),
    "sheep_face": _face("cccccc ssssss kwsswk ssssss ssppss ssppss",
                        {**_EYES, "s": SKIN, "c": WOOL, "p": (206, 146, 132)}),
    "pig": grain("pig", PINK, 0.05, smooth=1),
    "pig_face": _face("ssssssss ssssssss ssssssss kwsssswk ssssssss ssssssss ssssssss ssssssss",
                      {**_EYES, "s": PINK}),
    "snout": _face("ssss nssn ssss", {"s": (250, 190, 186), "n": (150, 74, 74)}),
    "feathers": grain("feathers", WHITE, 0.05), "beak": plain(YELLOW), "wattle": plain(RED),
    "chicken_face": _face("ssss ssss kssk ssss ssss ssss", {"k": BLACK, "s": WHITE}),
    "zombie": grain("zombie", GREEN, 0.12), "zombie_shirt": grain("rags", TEAL, 0.14),
    "zombie_trousers": grain("rags2", PURPLE, 0.12),
    "zombie_face": _face("ssssdsss sdssssss ssssssds ssssssss skksskks ssssssss sssddsss sskkkkss",
                         {"s": GREEN, "d": (70, 112, 52), "k": BLACK}),
    "human": grain("human", FACE, 0.05), "hair": grain("hair", HAIR, 0.1),
    "shirt": grain("shirt", (54, 150, 160), 0.08), "trousers": grain("jeans", (62, 66, 150), 0.08),
    "human_face": _face("hhhhhhhh hhhhhhhh hssssssh ssssssss swbssbws sssnnsss sshhhhss sshhhhss",
                        {**_EYES, "s": FACE, "h": HAIR, "b": PURPLE, "n": (150, 104, 76)}),
}  # fmt: skip


def _build() -> dict[str, np.ndarray]:
    """All parts of all mobs: the fields `part_*` of `art.Art`."""
    index = {name: i for i, name in enumerate(_PAINTS)}
    parts = [part for mob in MOBS for part in MODELS.get(mob, [])]
    first = np.cumsum([0] + [len(MODELS.get(mob, [])) for mob in MOBS])
    box = np.array([part.box for part in parts], np.float32) / 16.0
    reach = np.zeros(len(MOBS), np.float32)
    for i in range(len(MOBS)):
        own = box[first[i] : first[i + 1]]
        if len(own):
            middle = own[:, 4].max() / 2
            far = np.abs(own) - np.array([0, middle, 0, 0, middle, 0], np.float32)
            reach[i] = np.linalg.norm(np.maximum(*np.abs(far).max(0).reshape(2, 3))) + 0.2
    pictures = np.clip(np.stack(list(_PAINTS.values())), 0, 255).astype(np.uint8)
    return dict(
        part_first=first.astype(np.int32),
        part_box=box,
        part_paint=np.array([(index[p.paint], index[p.face or p.paint]) for p in parts], np.int32),
        part_swing=np.array([p.swing for p in parts], np.int32),
        part_when=np.array([p.when for p in parts], np.int32),
        part_dyed=np.array([p.paint == "wool" for p in parts], bool),
        part_skin=pictures,
        part_reach=reach,
    )


PARTS = _build()


def _draw_badges() -> dict[str, np.ndarray]:
    """The face of each mob as one small picture uint8[*, *, 4], for maps."""
    names = {"cow": 8, "sheep": 6, "zombie": 8, "human": 8}
    badges = {name: _PAINTS[f"{name}_face"][:side, :side] for name, side in names.items()}
    badges["player"] = badges.pop("human")
    badges["pig"] = _PAINTS["pig_face"][:8, :8].copy()
    badges["pig"][4:7, 2:6] = _PAINTS["snout"][:3, :4]
    palette = {"k": BLACK, "s": WHITE, "y": YELLOW, "r": RED}
    badges["chicken"] = _face("ssssss ssssss skssks syyyys syyyys ssrrss", palette)[:6, :6]
    return {name: badge.astype(np.uint8) for name, badge in badges.items()}


BADGES = _draw_badges()
