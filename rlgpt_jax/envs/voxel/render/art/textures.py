"""Textures and boxes of all block states as arrays, indexed by the byte of the world.

The pictures are our own. They are edited in `textures.png`: 16 x 16 pixels each, from left to
right and from top to bottom in the order of the names in `textures.json`. A name is that of the
block, the part that shows it and the metadata: "log", "log_top", "log_top:2". What is more special
wins.
"""

import json
from pathlib import Path

import numpy as np
from PIL import Image

from rlgpt_jax.envs.voxel.render.art.solids import PLANTS, parts_of
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    BLOCK_STATES,
    BLOCKS,
    LIQUIDS,
    SLABS,
    by_byte,
    is_one_of,
)

NO_TINT, GRASS_TINT, LEAF_TINT = 0, 1, 2
TOP, FRONT = 3, 4  # faces: axis * 2 + (1 on the + side), axes x, y, z
# Textures whose white parts take the colour of the biome's grass or leaves.
_TINTED = {
    "grass_top": GRASS_TINT, "tallgrass:1": GRASS_TINT, "tallgrass:2": GRASS_TINT,
    "leaves:0": LEAF_TINT, "leaves:3": LEAF_TINT, "leaves2:0": LEAF_TINT,
    "leaves2:1": LEAF_TINT, "vine": LEAF_TINT,
}  # fmt: skip


def sheet(name: str) -> np.ndarray:
    """The pictures uint8[N, 16, 16, 4] of a PNG file beside this one; the last may be empty."""
    with Image.open(Path(__file__).with_name(f"{name}.png")) as picture:
        pixels = np.asarray(picture.convert("RGBA"))
    rows, columns = pixels.shape[0] // 16, pixels.shape[1] // 16
    return pixels.reshape(rows, 16, columns, 16, 4).swapaxes(1, 2).reshape(-1, 16, 16, 4)


def texture_of(name: str, part: str, meta: int) -> int:
    """The texture of a part of a block: the one of this metadata, or the usual one; 0 if none."""
    meta = meta % 8 if name in SLABS else meta
    names = (f"{name}{part}:{meta}", f"{name}{part}", f"{name}{part}:0" if not part else "")
    return next((INDEX[n] for n in names if n in INDEX), 0)


def _faces() -> np.ndarray:
    """int32[256, 6]: the textures of -x, +x, bottom, top, -z, +z."""
    faces = np.zeros((256, 6), np.int32)
    for byte, state in enumerate(BLOCK_STATES[1:], 1):
        side, top, bottom, front = (
            texture_of(state[0], part, state[1]) for part in ("", "_top", "_bottom", "_front")
        )
        top, front = top or side, front or side
        faces[byte] = side, side, bottom or top, top, front, front
    return faces


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


NAMES = json.loads(Path(__file__).with_name("textures.json").read_text(encoding="utf-8"))
INDEX = {name: i for i, name in enumerate(NAMES)}
TEXTURES = sheet("textures")[: len(NAMES)]
TINT = np.stack([tint_of(name, TEXTURES[i]) for name, i in INDEX.items()])
FACES = _faces()
MEAN = _means()
BOX, BOX_SIDE, BOX_FIRST = _boxes()
# bool[256]
IS_PLANT, IS_SHAPE = is_one_of(*PLANTS), np.diff(BOX_FIRST) > 0
IS_CUBE = by_byte([name not in ("air", *PLANTS, *LIQUIDS) for name in BLOCKS], bool) & ~IS_SHAPE
