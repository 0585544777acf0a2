"""What blocks, mobs and items look like, packed for kernels that look up one word a pixel.

Every picture is 16 x 16 texels: those of blocks come first, then those of mobs, then the
bare arm, then the icons of items. `render/art` draws them.
"""

import math
import zlib
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.render.art import mob_models
from rlgpt_jax.envs.voxel.render.art.icons import icon
from rlgpt_jax.envs.voxel.render.art.solids import JOINS as JOINED
from rlgpt_jax.envs.voxel.render.art.textures import (
    BOX,
    BOX_FIRST,
    BOX_SIDE,
    FACES,
    FRONT,
    IS_CUBE,
    IS_PLANT,
    TEXTURES,
    TINT,
    TOP,
)
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_ID,
    BLOCK_STATES,
    DOORS,
    FIRST_LAVA,
    FIRST_WATER,
    LAVAS,
    LIQUIDS,
    META_OF,
    WATERS,
    by_byte,
    is_one_of,
)
from rlgpt_jax.envs.voxel.rules.blocks.light import FULL, OPACITY
from rlgpt_jax.envs.voxel.rules.items.item_table import NUM_ITEMS
from rlgpt_jax.envs.voxel.terrain.noise import fractal_noise

AIR, CUBE, SHAPE, PLANT, WATER, LAVA = range(6)  # kinds of blocks
TEXELS = 16  # of a picture's side
# Bits of `Tables.block`: 0-2 the kind (`AIR` ..); flags: it darkens the corners
# that it takes part in, fences and panes reach for it, it is a door, the upper half of one.
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


ARM = len(TEXTURES) + len(mob_models.SKINS)  # picture of the bare arm
FIRST_ICON = ARM + 1  # plus the item id
WATER_PICTURE, LAVA_PICTURE = int(FACES[FIRST_WATER, TOP]), int(FACES[FIRST_LAVA, TOP])
FIRE = BLOCK_ID["fire"]
FIRE_PICTURE = int(FACES[FIRE, FRONT])


def _blocks() -> np.ndarray:
    """`Tables.block`."""
    is_kind = [is_one_of(*WATERS), is_one_of(*LAVAS), IS_CUBE, IS_PLANT]
    kind = np.select(is_kind, [WATER, LAVA, CUBE, PLANT], SHAPE)
    kind[0], kind[AIR_CODE:] = AIR, AIR
    whole = (kind == CUBE) & (OPACITY == FULL)
    corner, joins = whole | is_one_of("leaves", "leaves2"), whole | is_one_of("glass", *JOINED)
    door = is_one_of(*DOORS)
    flags = CORNER * corner + JOINS * joins + DOOR * door + UPPER_DOOR * (door & (META_OF == 8))
    return (kind + flags).astype(np.int32)


def _surface() -> np.ndarray:
    """Level 0 is a source, 1 to 7 sink away from it, from 8 on it falls."""
    heights = [0.0 if name not in LIQUIDS else 1.0 if meta >= 8 else (8 - meta) / 9
               for name, meta in BLOCK_STATES]  # fmt: skip
    return by_byte(heights, np.float32)


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


def _pack(colour: np.ndarray) -> np.ndarray:
    """int32 of colours [..., 3]."""
    whole = np.rint(colour).astype(np.int32)
    return whole[..., 0] | whole[..., 1] << 8 | whole[..., 2] << 16


def _textures() -> tuple[np.ndarray, np.ndarray]:
    """`Tables.texel` and `Tables.mean`."""
    icons = np.stack([icon(item) for item in range(NUM_ITEMS)])
    pictures = np.concatenate([TEXTURES, mob_models.SKIN, _arm()[None], icons])
    tint = np.zeros(pictures.shape[:3], np.int32)
    tint[: len(TINT)] = TINT
    solid = pictures[..., 3] > 0
    texel = _pack(pictures) | tint << TINT_SHIFT | np.where(solid, SOLID, 0)
    weight = solid[..., None]
    mean = (pictures[..., :3] * weight).sum((1, 2)) / np.maximum(1, weight.sum((1, 2)))
    return texel.reshape(-1).astype(np.int32), _pack(mean)


def _boxes() -> np.ndarray:
    units = np.rint(BOX * BOX_UNITS).astype(np.int32)
    low, high = (ends[:, 0] | ends[:, 1] << 8 | ends[:, 2] << 16 for ends in np.split(units, 2, 1))
    return np.stack([low | BOX_SIDE << 24, high], 1).reshape(-1).astype(np.int32)


def _look_of(part: mob_models.Part) -> int:
    """`Tables.part_look` of a box."""
    flags = (0, FIRST_LEG, OTHER_LEG)[part.swing] | (0, WOOLLY, SHORN)[part.when]
    flags |= DYED if part.paint == "wool" else 0
    names = part.paint, part.face or part.paint
    sides, front = (len(TEXTURES) + mob_models.SKINS.index(name) for name in names)
    return flags | sides << 8 | front << 20


_TEXEL, _MEAN = _textures()
_CLOUDS = fractal_noise(np.random.default_rng(7), (64, 64), 9.0, 2) > 0.34
TABLES = Tables(
    block=_blocks(),
    surface=_surface(),
    face=FACES.reshape(-1),
    texel=_TEXEL,
    mean=_MEAN,
    box_first=BOX_FIRST,
    box=_boxes(),
    cracks=_draw_cracks().reshape(-1).astype(np.int32),
    clouds=_CLOUDS.reshape(-1).astype(np.int32),
    part_first=mob_models.FIRST,
    part_box=mob_models.BOX.reshape(-1),
    part_look=np.array([_look_of(part) for part in mob_models.PARTS], np.int32),
    mob_reach=mob_models.REACH,
)
assert (np.abs(BOX * BOX_UNITS - np.rint(BOX * BOX_UNITS)) < 1e-4).all()
assert ARM < 1 << 11 and (FACES[FIRST_WATER] == WATER_PICTURE).all()
