"""Mobs in pictures: boxes with body, head and legs, and their skins of `mobs.png`.

Lengths in sixteenths of a block; +z is where the mob looks, y 0 its feet.
"""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.render.art.textures import sheet

SKINS = (  # the pictures of `mobs.png`; a face begins in the upper left corner of its own
    "cow", "cow_head", "horn", "cow_leg", "udder", "cow_face", "wool", "shorn", "skin",
    "sheep_face", "pig", "pig_face", "snout", "feathers", "beak", "wattle", "chicken_face",
    "zombie", "zombie_shirt", "zombie_trousers", "zombie_face", "human", "hair", "shirt",
    "trousers", "human_face", "chicken_badge",
)  # fmt: skip
# By the variant of wool: red, green, blue.
DYES = (
    (233, 236, 236), (240, 118, 19), (189, 68, 179), (58, 175, 217),  # white to light blue
    (248, 198, 39), (112, 185, 25), (237, 141, 172), (62, 68, 71),  # yellow to gray
    (142, 142, 134), (21, 137, 145), (121, 42, 172), (53, 57, 157),  # light gray to blue
    (114, 71, 40), (84, 109, 27), (161, 39, 34), (26, 27, 31),  # brown to black
)  # fmt: skip


class Part(NamedTuple):
    """One box of a mob."""

    box: tuple[float, ...]  # x, y, z low and x, y, z high
    paint: str  # name in `SKINS`
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


def _upright(shirt: str, head: str, face: str, trousers: str) -> list:
    """Body, head and legs of one who goes on two."""
    return [
        Part((-4, 12, -2, 4, 24, 2), shirt),
        Part((-4, 24, -4, 4, 32, 4), head, face),
        Part((-4, 0, -2, -0.1, 12, 2), trousers, swing=1),
        Part((0.1, 0, -2, 4, 12, 2), trousers, swing=-1),
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
        *_upright("zombie_shirt", "zombie", "zombie_face", "zombie_trousers"),
        Part((-8, 20, -2, -4, 24, 10), "zombie"), Part((4, 20, -2, 8, 24, 10), "zombie"),
    ],
    "player": [
        *_upright("shirt", "hair", "human_face", "trousers"),
        Part((-8, 12, -2, -4, 24, 2), "human", swing=-1),
        Part((4, 12, -2, 8, 24, 2), "human", swing=1),
    ],
}  # fmt: skip


SKIN = sheet("mobs")[: len(SKINS)]
# The boxes of all mobs one after the other: of mob i those of FIRST[i]..FIRST[i + 1].
PARTS = [part for mob in MOBS for part in MODELS.get(mob, [])]
FIRST = np.cumsum([0] + [len(MODELS.get(mob, [])) for mob in MOBS]).astype(np.int32)
BOX = np.array([part.box for part in PARTS], np.float32) / 16.0


def _reach() -> np.ndarray:
    """float32[len(MOBS)]: radius round the middle, blocks."""
    reach = np.zeros(len(MOBS), np.float32)
    for i in range(len(MOBS)):
        own = BOX[FIRST[i] : FIRST[i + 1]]
        if len(own):
            middle = own[:, 4].max() / 2
            far = np.abs(own) - np.array([0, middle, 0, 0, middle, 0], np.float32)
            reach[i] = np.linalg.norm(np.maximum(*np.abs(far).max(0).reshape(2, 3))) + 0.2
    return reach


REACH = _reach()


def _badges() -> dict[str, np.ndarray]:
    """The face of each mob as one small picture uint8[*, *, 4], for maps."""
    sides = {"cow_face": 8, "sheep_face": 6, "pig_face": 8, "zombie_face": 8, "human_face": 8,
             "chicken_badge": 6, "snout": 4}  # fmt: skip
    faces = {name.partition("_")[0]: SKIN[SKINS.index(name)][:side, :side].copy()
             for name, side in sides.items()}  # fmt: skip
    faces["player"] = faces.pop("human")
    faces["pig"][4:7, 2:6] = faces.pop("snout")[:3]
    return faces


BADGES = _badges()
