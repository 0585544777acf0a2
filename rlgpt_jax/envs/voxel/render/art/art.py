"""All tables that the picture kernels read, as one argument of theirs.

They are no globals of the kernels: numba would keep a global's value in its cache on
disk even when the file that it comes from changes.
"""

import math
import zlib
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.render.art.mob_models import PARTS
from rlgpt_jax.envs.voxel.render.art.solids import DOORS, JOINS
from rlgpt_jax.envs.voxel.render.art.textures import (
    BOX,
    BOX_FIRST,
    BOX_SIDE,
    FACES,
    IS_CUBE,
    IS_PLANT,
    MEAN,
    TEXTURES,
    TINT,
)
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_ID,
    BLOCK_STATES,
    IS_LIQUID,
    LAVAS,
    LIQUIDS,
    WATERS,
    by_byte,
    is_one_of,
)
from rlgpt_jax.envs.voxel.rules.blocks.light import FULL, OPACITY
from rlgpt_jax.envs.voxel.terrain.noise import fractal_noise

AIR, CUBE, SHAPE, PLANT, WATER, LAVA = range(6)
_UPPER_DOOR = 8  # metadata


class Art(NamedTuple):
    """What blocks and mobs look like. T textures, B boxes."""

    kind: np.ndarray  # uint8[256]  by byte: AIR, CUBE, SHAPE, PLANT, WATER or LAVA
    corner: np.ndarray  # bool[256]  darkens the corners it takes part in
    joins: np.ndarray  # bool[256]  fences and panes reach for it
    is_door: np.ndarray  # bool[256]
    above_door: np.ndarray  # bool[256]  the upper half of a door, which stands as the lower
    surface: np.ndarray  # float32[256]  height of a liquid in its cell
    pictures: np.ndarray  # uint8[T, 16, 16, 4]
    mean: np.ndarray  # float32[T, 3]
    tint: np.ndarray  # uint8[T, 16, 16]
    faces: np.ndarray  # int32[AIR_CODE, 6]
    box: np.ndarray  # float32[B, 6]  those of a byte are box_first[byte] .. [byte + 1]
    box_side: np.ndarray  # int32[B]  see `solids.Part`
    box_first: np.ndarray  # int32[257]
    fire: int  # byte
    cracks: np.ndarray  # uint8[16, 16]  stage 0..9 from which a pixel is cracked
    clouds: np.ndarray  # bool[64, 64]
    # The boxes of mobs, K parts; those of mob i are part_first[i]..part_first[i + 1].
    part_first: np.ndarray  # int32[len(MOBS) + 1]
    part_box: np.ndarray  # float32[K, 6]  blocks
    part_paint: np.ndarray  # int32[K, 2]  into `part_skin`: all sides, the front
    part_swing: np.ndarray  # int32[K]
    part_when: np.ndarray  # int32[K]
    part_dyed: np.ndarray  # bool[K]  takes the colour of the sheep's wool
    part_skin: np.ndarray  # uint8[*, 16, 16, 4]
    part_reach: np.ndarray  # float32[len(MOBS)]  radius round the middle, blocks


def _draw_cracks() -> np.ndarray:
    """uint8[16, 16]: the stage 0..9 from which a pixel is cracked, 255 never."""
    rng, cracks = np.random.default_rng(zlib.crc32(b"cracks")), np.full((16, 16), 255, np.uint8)
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
    kind[is_one_of(*LAVAS)] = LAVA
    return kind


def _surface() -> np.ndarray:
    """Level 0 is a source, 1 to 7 sink away from it, from 8 on it falls."""
    heights = [0.0 if name not in LIQUIDS else 1.0 if meta >= 8 else (8 - meta) / 9
               for name, meta in BLOCK_STATES]  # fmt: skip
    return by_byte(heights, np.float32)


KIND = _kinds()
_WHOLE = (KIND == CUBE) & ~IS_LIQUID & (OPACITY == FULL)
ART = Art(
    kind=KIND,
    corner=_WHOLE | is_one_of("leaves", "leaves2"),
    joins=_WHOLE | is_one_of("glass", *JOINS),
    is_door=is_one_of(*DOORS),
    above_door=is_one_of(*DOORS) & by_byte([meta == _UPPER_DOOR for _, meta in BLOCK_STATES], bool),
    surface=_surface(),
    pictures=TEXTURES,
    mean=MEAN,
    tint=TINT,
    faces=FACES,
    box=BOX,
    box_side=BOX_SIDE,
    box_first=BOX_FIRST,
    fire=BLOCK_ID["fire"],
    cracks=_draw_cracks(),
    clouds=fractal_noise(np.random.default_rng(7), (64, 64), 9.0, 2) > 0.34,
    **PARTS,
)
