"""The bare land: a height map of periodic noise, filled with layers and shores."""

import numpy as np

from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.terrain.biomes import Biome
from rlgpt_jax.envs.voxel.terrain.noise import fractal_noise


def make_heights(rng: np.random.Generator, row: Biome, params: WorldParams) -> np.ndarray:
    """int32[X, Z]: y of the highest block of stone, earth or sand."""
    shape = (params.size_x, params.size_z)
    hills = fractal_noise(rng, shape, row.scale, row.octaves)
    dips = fractal_noise(rng, shape, 32.0, 2)
    # Ponds: only the deep valleys of a second noise, with soft rims.
    pond = np.clip((-dips - 0.32) / 0.55, 0.0, 1.0)
    pond = pond * pond * (3.0 - 2.0 * pond)
    height = params.sea_level + row.ground + row.relief * hills
    # Peaks flatten towards the highest ground that leaves headroom.
    room = params.size_y - row.headroom - height
    height = height - np.log1p(np.exp(np.clip(1.0 - room, -50.0, 50.0)))
    if row.ponds > 0:
        bottom = np.minimum(height, params.sea_level - row.ponds)
        height = height * (1.0 - pond) + bottom * pond
    else:  # valleys end above the sea
        height = np.maximum(height, params.sea_level + 1 + 1.5 * (1.0 + dips))
    return np.clip(np.rint(height), 4, params.size_y - row.headroom).astype(np.int32)


def lay_ground(
    rng: np.random.Generator, row: Biome, height: np.ndarray, params: WorldParams
) -> np.ndarray:
    """uint8[X, Z, Y]: stone, earth, grass or sand, and water up to the sea level."""
    sea_level = params.sea_level
    y = np.arange(params.size_y, dtype=np.int32)
    top = height[..., None]
    bare, gravel = _bare(rng, row, height, sea_level)
    earth = top - np.where(bare, 0, rng.integers(3, 5, height.shape))[..., None]
    blocks = np.zeros((*height.shape, params.size_y), np.uint8)
    blocks[y <= top] = BLOCK_ID["sand" if row.sandy else "dirt"]
    if row.sandy:
        below = rng.integers(1, 5, height.shape) + np.clip(height - sea_level, 0, 4)
        blocks[y <= earth] = BLOCK_ID["sandstone"]
        earth = earth - below[..., None]
    else:
        blocks[(y == top) & (top >= sea_level)] = BLOCK_ID["grass"]
    blocks[y <= earth] = BLOCK_ID["stone"]
    blocks[(y > top - 2) & (y <= top) & gravel[..., None]] = BLOCK_ID["gravel"]
    blocks[(y > top) & (y <= sea_level)] = BLOCK_ID["water"]
    return blocks


def _bare(
    rng: np.random.Generator, row: Biome, height: np.ndarray, sea_level: int
) -> tuple[np.ndarray, np.ndarray]:
    """bool[X, Z] twice: columns of naked stone, and those with gravel on it."""
    if not np.isfinite(row.bare):
        none = np.zeros(height.shape, bool)
        return none, none
    patches = fractal_noise(rng, height.shape, 18.0, 3)
    bare = patches + (height - sea_level - row.bare) / 12.0 > 0.5
    gravel = bare & (fractal_noise(rng, height.shape, 14.0, 2) > 0.45)
    return bare, gravel


def near(mask: np.ndarray, reach: int) -> np.ndarray:
    """bool[X, Z]: columns within `reach` blocks, diagonals included, of the mask."""
    for axis in (0, 1):
        shifts = range(-reach, reach + 1)
        mask = np.any([np.roll(mask, shift, axis) for shift in shifts], axis=0)
    return mask


def lay_shores(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, sea_level: int
) -> None:
    """In place: sand, gravel and clay, two deep, under water and beside it."""
    wet = height < sea_level
    shore = near(wet, 2) & (height <= sea_level + 1)
    kind, other = (fractal_noise(rng, height.shape, scale, 2) for scale in (16.0, 10.0))
    # Earth stays at the bottom of most ponds and at the green part of the shore.
    sand = shore & (kind > -0.1) & (height > sea_level - 4)
    gravel = (shore & (kind < -0.5)) | (wet & (height <= sea_level - 4) & (kind > 0.1))
    clay = wet & (other > 0.6)
    for mask, name in ((sand, "sand"), (gravel, "gravel"), (clay, "clay")):
        x, z = np.nonzero(mask)
        for depth in range(2):
            blocks[x, z, height[x, z] - depth] = BLOCK_ID[name]
