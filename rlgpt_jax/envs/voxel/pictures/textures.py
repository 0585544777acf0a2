"""Textures of the blocks as arrays, their tints, and their shapes in pictures.

Blocks without a recipe show noise in a colour made from their name. White parts that
`TINT` marks take the colour of the biome's grass or leaves.
"""

import numpy as np

from rlgpt_jax.envs.voxel.blocks import AIR_CODE, BLOCK_ID, BLOCKS
from rlgpt_jax.envs.voxel.pictures.block_art import RECIPES, hashed

NO_TINT, GRASS_TINT, LEAF_TINT = 0, 1, 2

# Blocks drawn as two crossed pictures.
PLANTS = (
    "sapling", "tallgrass", "deadbush", "yellow_flower", "red_flower", "brown_mushroom",
    "red_mushroom", "wheat", "reeds", "web", "fire",
)  # fmt: skip
# Blocks that are not whole cubes in pictures: x, y, z low and high in sixteenths.
SHAPES: dict[str, tuple[int, ...]] = {
    "torch": (7, 0, 7, 9, 10, 9), "snow_layer": (0, 0, 0, 16, 2, 16),
    "stone_slab": (0, 0, 0, 16, 8, 16), "wooden_slab": (0, 0, 0, 16, 8, 16),
    "bed": (0, 0, 0, 16, 9, 16), "cake": (1, 0, 1, 15, 8, 15),
    "chest": (1, 0, 1, 15, 14, 15), "cactus": (1, 0, 1, 15, 16, 15),
    "farmland": (0, 0, 0, 16, 15, 16), "grass_path": (0, 0, 0, 16, 15, 16),
    "fence": (6, 0, 6, 10, 16, 10), "fence_gate": (0, 3, 7, 16, 16, 9),
    "trapdoor": (0, 0, 0, 16, 3, 16), "rail": (0, 0, 0, 16, 1, 16),
    "redstone_wire": (0, 0, 0, 16, 1, 16), "ladder": (0, 0, 15, 16, 16, 16),
    "wooden_door": (0, 0, 0, 16, 16, 3), "iron_door": (0, 0, 0, 16, 16, 3),
    "standing_sign": (1, 8, 7, 15, 16, 9), "anvil": (2, 0, 2, 14, 16, 14),
}  # fmt: skip


def _draw_all() -> tuple[np.ndarray, np.ndarray]:
    """The pictures of all blocks uint8[T, 16, 16, 4], and which faces show which.

    Faces int32[AIR_CODE, 6] are axis * 2 + (1 on the + side), axes x, y, z.
    """
    pictures, index = [np.zeros((16, 16, 4))], {}
    for block in dict.fromkeys(BLOCKS[1:]):
        for name in (block, f"{block}_top", f"{block}_bottom", f"{block}_front"):
            if name in RECIPES or name == block:
                index[name] = len(pictures)
                pictures.append(RECIPES[name]() if name in RECIPES else hashed(name))
    faces = np.zeros((AIR_CODE, 6), np.int32)
    for i, block in enumerate(BLOCKS[1:], 1):
        side = index[block]
        top = index.get(f"{block}_top", side)
        bottom = index.get(f"{block}_bottom", top)
        front = index.get(f"{block}_front", side)
        faces[i] = side, side, bottom, top, front, front
    return np.clip(np.stack(pictures), 0, 255).astype(np.uint8), faces


def _draw_tints() -> np.ndarray:
    """uint8[T, 16, 16]: which pixels take which colour of the biome."""
    tints = np.zeros(TEXTURES.shape[:3], np.uint8)
    grass, plants = FACES[BLOCK_ID["grass"]], FACES[BLOCK_ID["tallgrass"]]
    tints[grass[3]] = tints[plants[0]] = GRASS_TINT
    # On the side of turf only the white rim.
    side = TEXTURES[grass[0]].astype(int)
    tints[grass[0]][np.ptp(side[..., :3], -1) < 4] = GRASS_TINT
    tints[grass[0]][6:] = NO_TINT
    for name in ("leaves", "leaves2", "vine"):
        tints[FACES[BLOCK_ID[name]][0]] = LEAF_TINT
    return tints


def _means() -> np.ndarray:
    """float32[T, 3]: the mean colour of what is no hole."""
    solid = TEXTURES[..., 3:] > 0
    return ((TEXTURES[..., :3] * solid).sum((1, 2)) / np.maximum(1, solid.sum((1, 2)))).astype(
        np.float32
    )


TEXTURES, FACES = _draw_all()
TINT = _draw_tints()
MEAN = _means()

# Shapes by block id, 0..127.
_WHOLE = (0, 0, 0, 16, 16, 16)
_NAMES = (*BLOCKS, *[""] * (AIR_CODE - len(BLOCKS)))
IS_PLANT = np.array([name in PLANTS for name in _NAMES])
BOXES = np.array([SHAPES.get(name, _WHOLE) for name in _NAMES], np.float32) / 16.0
IS_CUBE = np.array([name not in ("air", "", *PLANTS, *SHAPES) for name in _NAMES])
