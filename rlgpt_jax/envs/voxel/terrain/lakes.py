"""Small lakes of water or lava above the sea level."""

import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, IS_LIQUID
from rlgpt_jax.envs.voxel.terrain.land import near

LAVA_LAKES = 0.12  # share of the lakes
_DEEPEST = 3  # blocks


def dig_lakes(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, sea_level: int, tries: int
) -> None:
    """In place: lakes where the ground is nearly level.

    A lake lies no higher than the lowest column round it, and away from other liquids.

    Args:
      rng: drawn from.
      blocks: uint8[X, Z, Y], air is 0.
      height: int32[X, Z], y of the ground; lowered to the bottom of the lakes.
      sea_level: lakes lie above it.
      tries: how many.
    """
    for _ in range(tries):
        depth = _bowl(rng, height.shape)
        lava = rng.random() < LAVA_LAKES
        shore = near(depth > 0, 1)
        level = height[shore].min()
        flat = height[shore].max() - level <= 2 and level > max(sea_level, _DEEPEST + 5)
        if flat and not (near(shore, 3) & IS_LIQUID[blocks].any(2)).any():
            _fill(blocks, height, depth, level, lava)


def _bowl(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """int32[X, Z]: the depth of a lake somewhere, a few overlapping half balls."""
    step = np.arange(16)
    depth = np.zeros(shape)
    for _ in range(rng.integers(4, 8)):
        radius = rng.uniform(1.5, 4.5, 2)
        middle = radius + 1 + rng.random(2) * (14 - 2 * radius)
        away = [((step + 0.5 - m) / r) ** 2 for m, r in zip(middle, radius)]
        ball = np.maximum(1.0 - away[0][:, None] - away[1][None, :], 0.0)
        depth[:16, :16] = np.maximum(depth[:16, :16], _DEEPEST * np.sqrt(ball))
    return np.roll(np.ceil(depth), rng.integers(0, shape), (0, 1)).astype(np.int32)


def _fill(
    blocks: np.ndarray, height: np.ndarray, depth: np.ndarray, level: int, lava: bool
) -> None:
    """In place: takes the ground above `level` away and fills what is below."""
    y = np.arange(blocks.shape[2])
    inside = depth > 0
    bottom = level - depth[inside]
    columns = blocks[inside]
    columns[:, y > level] = 0
    columns[(y > bottom[:, None]) & (y <= level)] = BLOCK_ID["lava" if lava else "water"]
    blocks[inside] = columns
    height[inside] = bottom
    if lava:  # in a bed of stone
        bed = near(inside, 1)
        around = blocks[bed, level - _DEEPEST : level + 1]
        around[np.isin(around, (BLOCK_ID["dirt"], BLOCK_ID["grass"]))] = BLOCK_ID["stone"]
        blocks[bed, level - _DEEPEST : level + 1] = around
