"""Textures and boxes of all block states as arrays, indexed by the byte of the world."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art.block_art import RECIPES, faces_of, hashed
from rlgpt_jax.envs.voxel.render.art.solids import PLANTS, parts_of
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_STATES, LIQUIDS

NO_TINT, GRASS_TINT, LEAF_TINT = 0, 1, 2
TOP, FRONT = 3, 4  # faces: axis * 2 + (1 on the + side), axes x, y, z
# Textures whose white parts take the colour of the biome's grass or leaves.
_TINTED = {
    "grass_top": GRASS_TINT, "tallgrass:1": GRASS_TINT, "tallgrass:2": GRASS_TINT,
    "leaves:0": LEAF_TINT, "leaves:3": LEAF_TINT, "leaves2:0": LEAF_TINT,
    "leaves2:1": LEAF_TINT, "vine": LEAF_TINT,
}  # fmt: skip


def _draw_all() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pictures uint8[T, 16, 16, 4], their tints uint8[T, 16, 16], faces int32[AIR_CODE, 6]."""
    pictures, tints = [np.zeros((16, 16, 4), np.uint8)], [np.zeros((16, 16), np.uint8)]
    index: dict[str, int] = {}
    faces = np.zeros((AIR_CODE, 6), np.int32)
    for byte, (name, meta) in enumerate(BLOCK_STATES[1:], 1):
        for face, texture in enumerate(faces_of(name, meta) or [name] * 6):
            if texture not in index:
                index[texture] = len(pictures)
                draw = RECIPES.get(texture)
                picture = draw() if draw else hashed(texture)
                pictures.append(np.clip(picture, 0, 255).astype(np.uint8))
                tints.append(tint_of(texture, pictures[-1]))
            faces[byte, face] = index[texture]
    return np.stack(pictures), np.stack(tints), faces


def tint_of(texture: str, picture: np.ndarray) -> np.ndarray:
    """uint8[16, 16]: which pixels take which colour of the biome."""
    tint = np.full((16, 16), _TINTED.get(texture, NO_TINT), np.uint8)
    if texture == "grass":  # on the side of turf only the white rim
        tint[np.ptp(picture[..., :3].astype(int), -1) < 4] = GRASS_TINT
        tint[6:] = NO_TINT
    return tint


def _means() -> np.ndarray:
    """float32[T, 3]: the mean colour of what is no hole."""
    solid = TEXTURES[..., 3:] > 0
    return ((TEXTURES[..., :3] * solid).sum((1, 2)) / np.maximum(1, solid.sum((1, 2)))).astype(
        np.float32
    )


def _boxes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boxes float32[B, 6] in blocks, their sides int32[B], and each byte's first one."""
    boxes, sides, first = [], [], np.zeros(257, np.int32)
    for byte, (name, meta) in enumerate(BLOCK_STATES):
        for box, side in parts_of(name, meta) or []:
            boxes.append(box)
            sides.append(side)
        first[byte + 1 :] = len(boxes)
    return np.array(boxes, np.float32) / 16.0, np.array(sides, np.int32), first


TEXTURES, TINT, FACES = _draw_all()
MEAN = _means()
BOX, BOX_SIDE, BOX_FIRST = _boxes()
# bool[AIR_CODE]
_STATES = (*BLOCK_STATES, *[("", 0)] * (AIR_CODE - len(BLOCK_STATES)))
IS_PLANT = np.array([name in PLANTS for name, _ in _STATES])
IS_SHAPE = np.diff(BOX_FIRST)[:AIR_CODE] > 0
IS_CUBE = np.array([name not in ("air", "", *PLANTS, *LIQUIDS) for name, _ in _STATES])
IS_CUBE &= ~IS_SHAPE
