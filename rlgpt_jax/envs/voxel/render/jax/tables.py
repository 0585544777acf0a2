"""What blocks, mobs and items look like, packed for kernels that look up one word a pixel.

Every picture is 16 x 16 texels: those of blocks come first, then those of mobs, then the
bare arm, then the icons of items. `render/art` draws them.
"""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.render.art.art import ART
from rlgpt_jax.envs.voxel.render.art.icons import icon
from rlgpt_jax.envs.voxel.render.art.textures import FRONT, TOP
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, FIRST_LAVA, FIRST_WATER
from rlgpt_jax.envs.voxel.rules.items.item_table import NUM_ITEMS

TEXELS = 16  # of a picture's side
# Bits of `Tables.block`: 0-2 the kind (`art.AIR` ..), and four flags.
CORNER, JOINS, DOOR, UPPER_DOOR = 8, 16, 32, 64
BOX_UNITS = 160.0  # of a block, in `Tables.box`
SOLID, TINT_SHIFT = 1 << 26, 24  # of a texel
# Bits of `Tables.part_look`: the leg that goes first, the other, with wool, without, dyed.
FIRST_LEG, OTHER_LEG, WOOLLY, SHORN, DYED = 1, 2, 4, 8, 16
_SKIN = (196, 146, 112)


class Tables(NamedTuple):
    """Arrays for kernels. T pictures, B boxes of blocks, K boxes of mobs."""

    block: np.ndarray  # int32[256]  by byte: kind and flags
    surface: np.ndarray  # float32[256]  height of a liquid in its cell
    face: np.ndarray  # int32[256 * 6]  picture of a byte's face: axis * 2 + (1 on the + side)
    texel: np.ndarray  # int32[T * 256]  red | green << 8 | blue << 16 | tint << 24 | SOLID
    mean: np.ndarray  # int32[T]  mean of the solid texels: red | green << 8 | blue << 16
    box_first: np.ndarray  # int32[257]  boxes of a byte: box_first[byte] .. [byte + 1]
    # int32[2 * B]: low corner x | y << 8 | z << 16 | side << 24, then the high corner; the
    # side on which a neighbour must join (`solids.Part`); lengths in 1/160 block.
    box: np.ndarray
    cracks: np.ndarray  # int32[256]  stage 0..9 from which a texel is cracked
    clouds: np.ndarray  # int32[64 * 64]  by x * 64 + z: whether there is one
    part_first: np.ndarray  # int32[len(MOBS) + 1]  boxes of a mob
    part_box: np.ndarray  # float32[K * 6]  blocks
    part_look: np.ndarray  # int32[K]  flags | picture of the sides << 8 | of the front << 20
    mob_reach: np.ndarray  # float32[len(MOBS)]  radius round the middle, blocks


def _arm() -> np.ndarray:
    """uint8[16, 16, 4]: along the arm to the right, two texels a unit across it downwards."""
    across, along = np.mgrid[:TEXELS, :TEXELS]
    spots = 1.0 + 0.05 * np.sign(np.sin(2.1 * along + 4.3 * (across // 2)))
    tone = np.where(across < 6, 0.72, 1.0) * spots
    colour = np.clip(tone[..., None] * np.array(_SKIN), 0, 255)
    return np.concatenate([colour, np.full((TEXELS, TEXELS, 1), 255)], -1).astype(np.uint8)


_BLOCK_PICTURES, _MOB_PICTURES = len(ART.pictures), len(ART.part_skin)
ARM = _BLOCK_PICTURES + _MOB_PICTURES  # picture of the bare arm
FIRST_ICON = ARM + 1  # plus the item id
WATER_PICTURE = int(ART.faces[FIRST_WATER, TOP])
LAVA_PICTURE = int(ART.faces[FIRST_LAVA, TOP])
FIRE, FIRE_PICTURE = int(ART.fire), int(ART.faces[ART.fire, FRONT])


def _pack(colour: np.ndarray) -> np.ndarray:
    """int32 of colours [..., 3]."""
    whole = np.rint(colour).astype(np.int32)
    return whole[..., 0] | whole[..., 1] << 8 | whole[..., 2] << 16


def _textures() -> tuple[np.ndarray, np.ndarray]:
    """`Tables.texel` and `Tables.mean`."""
    icons = np.stack([icon(item) for item in range(NUM_ITEMS)])
    pictures = np.concatenate([ART.pictures, ART.part_skin, _arm()[None], icons])
    tint = np.zeros(pictures.shape[:3], np.int32)
    tint[:_BLOCK_PICTURES] = ART.tint
    solid = pictures[..., 3] > 0
    texel = _pack(pictures) | tint << TINT_SHIFT | np.where(solid, SOLID, 0)
    weight = solid[..., None]
    mean = (pictures[..., :3] * weight).sum((1, 2)) / np.maximum(1, weight.sum((1, 2)))
    return texel.reshape(-1).astype(np.int32), _pack(mean)


def _boxes() -> np.ndarray:
    units = np.rint(ART.box * BOX_UNITS).astype(np.int32)
    low, high = (ends[:, 0] | ends[:, 1] << 8 | ends[:, 2] << 16 for ends in np.split(units, 2, 1))
    return np.stack([low | ART.box_side << 24, high], 1).reshape(-1).astype(np.int32)


def _part_looks() -> np.ndarray:
    flags = (
        FIRST_LEG * (ART.part_swing == 1) + OTHER_LEG * (ART.part_swing == -1)
        + WOOLLY * (ART.part_when == 1) + SHORN * (ART.part_when == 2) + DYED * ART.part_dyed
    )  # fmt: skip
    sides, front = (ART.part_paint + _BLOCK_PICTURES).T
    return (flags | sides << 8 | front << 20).astype(np.int32)


def _faces() -> np.ndarray:
    faces = np.zeros((256, 6), np.int32)
    faces[:AIR_CODE] = ART.faces
    return faces.reshape(-1)


_TEXEL, _MEAN = _textures()
TABLES = Tables(
    block=(
        ART.kind + CORNER * ART.corner + JOINS * ART.joins + DOOR * ART.is_door
        + UPPER_DOOR * ART.above_door
    ).astype(np.int32),
    surface=ART.surface.astype(np.float32),
    face=_faces(),
    texel=_TEXEL,
    mean=_MEAN,
    box_first=ART.box_first.astype(np.int32),
    box=_boxes(),
    cracks=ART.cracks.reshape(-1).astype(np.int32),
    clouds=ART.clouds.reshape(-1).astype(np.int32),
    part_first=ART.part_first.astype(np.int32),
    part_box=ART.part_box.reshape(-1).astype(np.float32),
    part_look=_part_looks(),
    mob_reach=ART.part_reach.astype(np.float32),
)  # fmt: skip
assert (np.abs(ART.box * BOX_UNITS - np.rint(ART.box * BOX_UNITS)) < 1e-4).all()
assert ARM < 1 << 11 and (ART.faces[FIRST_WATER] == WATER_PICTURE).all()
