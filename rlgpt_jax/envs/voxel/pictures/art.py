"""All tables that the picture kernels read, as one argument of theirs.

They are no globals of the kernels: numba would keep a global's value in its cache on
disk even when the file that it comes from changes.
"""

import math
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.blocks import AIR_CODE, IS_LIQUID, WATERS, is_one_of
from rlgpt_jax.envs.voxel.noise import fractal_noise
from rlgpt_jax.envs.voxel.pictures import paint
from rlgpt_jax.envs.voxel.pictures.mob_models import PARTS
from rlgpt_jax.envs.voxel.pictures.textures import (
    BOXES,
    FACES,
    IS_CUBE,
    IS_PLANT,
    MEAN,
    TEXTURES,
    TINT,
)  # fmt: skip

AIR, CUBE, SHAPE, PLANT, WATER = range(5)


class Art(NamedTuple):
    """What blocks and mobs look like. T textures."""

    kind: np.ndarray  # uint8[256]  by byte: AIR, CUBE, SHAPE, PLANT or WATER
    sunlight: np.ndarray  # float32[256]  share of sunlight that a cell lets through
    corner: np.ndarray  # bool[256]  darkens the corners it takes part in
    pictures: np.ndarray  # uint8[T, 16, 16, 4]
    mean: np.ndarray  # float32[T, 3]
    tint: np.ndarray  # uint8[T, 16, 16]
    faces: np.ndarray  # int32[AIR_CODE, 6]
    boxes: np.ndarray  # float32[AIR_CODE, 6]
    cracks: np.ndarray  # uint8[16, 16]  stage 0..9 from which a pixel is cracked
    clouds: np.ndarray  # bool[64, 64]
    # The boxes of mobs, K parts; those of mob i are part_first[i]..part_first[i + 1].
    part_first: np.ndarray  # int32[len(MOBS) + 1]
    part_box: np.ndarray  # float32[K, 6]  blocks
    part_paint: np.ndarray  # int32[K, 2]  into `part_skin`: all sides, the front
    part_swing: np.ndarray  # int32[K]
    part_when: np.ndarray  # int32[K]
    part_skin: np.ndarray  # uint8[*, 16, 16, 4]
    part_reach: np.ndarray  # float32[len(MOBS)]  radius round the middle, blocks


def _draw_cracks() -> np.ndarray:
    """uint8[16, 16]: the stage 0..9 from which a pixel is cracked, 255 never."""
    rng, cracks = paint.random_for("cracks"), np.full((16, 16), 255, np.uint8)
    for start in range(9):
        y, x, way = 7.5, 7.5, rng.uniform(0, 2 * math.pi)
        for step in range(11):
            row, column = int(y) % 16, int(x) % 16
            cracks[row, column] = min(cracks[row, column], min(9, start // 2 + step // 2))
            way += rng.uniform(-0.7, 0.7)
            y, x = y + math.sin(way), x + math.cos(way)
    return cracks


def _kinds() -> np.ndarray:
    kind = np.full(256, AIR, np.uint8)
    kind[1:AIR_CODE] = np.select([IS_CUBE[1:], IS_PLANT[1:]], [CUBE, PLANT], SHAPE)
    kind[is_one_of(*WATERS)] = WATER
    return kind


def _sunlight() -> np.ndarray:
    share = np.where((KIND == CUBE) & ~IS_LIQUID, 0.0, 1.0).astype(np.float32)
    share[is_one_of("leaves", "leaves2")] = 0.25
    return share


KIND = _kinds()
ART = Art(
    kind=KIND,
    sunlight=_sunlight(),
    corner=(KIND == CUBE) & ~IS_LIQUID,
    pictures=TEXTURES,
    mean=MEAN,
    tint=TINT,
    faces=FACES,
    boxes=BOXES,
    cracks=_draw_cracks(),
    clouds=fractal_noise(np.random.default_rng(7), (64, 64), 9.0, 2) > 0.34,
    **PARTS,
)
