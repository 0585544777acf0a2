"""Worlds from seeds: terrain, water, ores, trees and plants of one biome.

A world is a height map of periodic noise filled with layers, as in Minecraft 1.11.2
in its proportions (sea level, layers, trees a chunk, veins), not in its noise.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.blocks import BLOCK_ID, IS_LIQUID, IS_SOLID
from rlgpt_jax.envs.voxel.clearance import encode_clearance
from rlgpt_jax.envs.voxel.decorate import grow_plants, grow_trees, lay_veins
from rlgpt_jax.envs.voxel.light import flood
from rlgpt_jax.envs.voxel.noise import fractal_noise
from rlgpt_jax.envs.voxel.params import WorldParams

HEADROOM = 14  # blocks kept free above the highest ground: the tallest tree and more


@dataclasses.dataclass(frozen=True)
class Biome:
    """One kind of land. Heights in blocks, amounts per chunk (16 x 16 columns)."""

    name: str
    ground: float  # mean height of the ground above the sea level
    relief: float  # height of hills above that mean, and depth of valleys
    scale: float  # width of a hill
    octaves: int
    ponds: float  # depth that ponds are dug to, 0 for none
    trees: float
    birches: float  # share of birches among the trees
    grass: float  # tallgrass
    flowers: float


BIOMES: tuple[Biome, ...] = (
    Biome("plains", ground=2.6, relief=3.6, scale=44, octaves=2, ponds=5.0,
          trees=0.05, birches=0.0, grass=9.0, flowers=1.2),
    Biome("forest", ground=5.0, relief=6.5, scale=40, octaves=3, ponds=2.5,
          trees=10.0, birches=0.2, grass=5.0, flowers=1.0),
    Biome("forest_hills", ground=10.0, relief=14.0, scale=36, octaves=3, ponds=0.0,
          trees=10.0, birches=0.2, grass=5.0, flowers=1.0),
    Biome("extreme_hills", ground=11.0, relief=19.0, scale=32, octaves=4, ponds=0.0,
          trees=0.6, birches=0.0, grass=3.0, flowers=0.4),
)
BIOME_INDEX: dict[str, int] = {biome.name: i for i, biome in enumerate(BIOMES)}


class World(NamedTuple):
    """One generated world; the arrays are those of `WorldPool` without its axis P."""

    blocks: np.ndarray  # uint8[X, Z, Y]  air with clearance
    light: np.ndarray  # uint8[X, Z, Y]  see `light.flood`
    surface: np.ndarray  # int32[X, Z]  y of the first free cell above the ground
    spawnable: np.ndarray  # bool[X, Z]  dry, open ground


def get_biome(name: str) -> Biome:
    """Looks a biome up by name.

    Raises:
      ValueError: if there is none, naming those that there are.
    """
    if name not in BIOME_INDEX:
        raise ValueError(f"no biome {name!r}. Try: {', '.join(BIOME_INDEX)}.")
    return BIOMES[BIOME_INDEX[name]]


def generate(seed: int, biome: str, params: WorldParams) -> World:
    """Makes one world. Equal arguments give equal worlds.

    Args:
      seed: 64 bits, see `pool.world_seed`.
      biome: a name in `BIOMES`.
      params: its sizes; `size_y` must leave room above the sea level.

    Raises:
      ValueError: unknown biome, or a world too low for its sea level.
    """
    row = get_biome(biome)
    if params.sea_level < 6 or params.size_y < params.sea_level + HEADROOM + 4:
        raise ValueError(
            f"size_y={params.size_y} with sea_level={params.sea_level}: need a sea level of "
            f"at least 6 and size_y >= sea_level + {HEADROOM + 4}. Try size_y="
            f"{max(params.sea_level, 6) + HEADROOM + 10}."
        )
    rng = np.random.default_rng(seed)
    height = _heights(rng, row, params)
    blocks = _layers(rng, height, params)
    lay_veins(rng, blocks, params.sea_level)
    _shores(rng, blocks, height, params.sea_level)
    chunks = params.size_x * params.size_z / 256.0
    grow_trees(rng, blocks, height, rng.poisson(row.trees * chunks), row.birches)
    grow_plants(rng, blocks, height, round(row.grass * chunks), round(row.flowers * chunks))
    return World(encode_clearance(blocks), flood(blocks), *_ground(blocks, height))


def _heights(rng: np.random.Generator, row: Biome, params: WorldParams) -> np.ndarray:
    """int32[X, Z]: y of the highest block of stone, earth or sand."""
    shape = (params.size_x, params.size_z)
    hills = fractal_noise(rng, shape, row.scale, row.octaves)
    dips = fractal_noise(rng, shape, 32.0, 2)
    # Ponds: only the deep valleys of a second noise, with soft rims.
    pond = np.clip((-dips - 0.42) / 0.4, 0.0, 1.0)
    pond = pond * pond * (3.0 - 2.0 * pond)
    height = params.sea_level + row.ground + row.relief * hills
    if row.ponds > 0:
        bottom = np.minimum(height, params.sea_level - row.ponds)
        height = height * (1.0 - pond) + bottom * pond
    return np.clip(np.rint(height), 4, params.size_y - HEADROOM).astype(np.int32)


def _layers(rng: np.random.Generator, height: np.ndarray, params: WorldParams) -> np.ndarray:
    """uint8[X, Z, Y]: bedrock, stone, earth, grass, and water up to the sea level."""
    y = np.arange(params.size_y, dtype=np.int32)
    top = height[..., None]
    earth = rng.integers(3, 5, height.shape)[..., None]
    blocks = np.zeros((*height.shape, params.size_y), np.uint8)
    blocks[y <= top] = BLOCK_ID["dirt"]
    blocks[y <= top - earth] = BLOCK_ID["stone"]
    blocks[(y == top) & (top >= params.sea_level)] = BLOCK_ID["grass"]
    blocks[(y > top) & (y <= params.sea_level)] = BLOCK_ID["water"]
    # Bedrock at y 0 to 4 with probability (5 - y) / 5.
    floor = rng.integers(0, 5, (*height.shape, 5)) >= np.arange(5)
    blocks[..., :5][floor & (blocks[..., :5] == BLOCK_ID["stone"])] = BLOCK_ID["bedrock"]
    blocks[..., 0] = BLOCK_ID["bedrock"]
    return blocks


def _near(mask: np.ndarray, reach: int) -> np.ndarray:
    """bool[X, Z]: columns within `reach` blocks, diagonals included, of the mask."""
    for axis in (0, 1):
        shifts = range(-reach, reach + 1)
        mask = np.any([np.roll(mask, shift, axis) for shift in shifts], axis=0)
    return mask


def _shores(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, sea_level: int
) -> None:
    """In place: sand and gravel, two deep, under water and beside it."""
    wet = height < sea_level
    shore = _near(wet, 2) & (height <= sea_level + 1)
    kind = fractal_noise(rng, height.shape, 16.0, 2)
    # Earth stays at the bottom of most ponds and at the green part of the shore.
    sand = shore & (kind > -0.1) & (height > sea_level - 4)
    gravel = (shore & (kind < -0.5)) | (wet & (height <= sea_level - 4) & (kind > 0.1))
    for mask, name in ((sand, "sand"), (gravel, "gravel")):
        x, z = np.nonzero(mask)
        for depth in range(2):
            blocks[x, z, height[x, z] - depth] = BLOCK_ID[name]


def _ground(blocks: np.ndarray, height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first free cell above the ground, and where a body fits on dry land."""
    x, z = np.indices(height.shape)
    above = [blocks[x, z, height + 1 + i] for i in range(3)]
    free = [~IS_SOLID[byte] & ~IS_LIQUID[byte] for byte in above]
    dry = IS_SOLID[blocks[x, z, height]] & free[0] & free[1] & free[2]
    surface = height + 1
    # Up through water and trunks to the first cell that is free.
    for _ in range(blocks.shape[2]):
        cell = blocks[x, z, np.minimum(surface, blocks.shape[2] - 1)]
        taken = (IS_SOLID[cell] | IS_LIQUID[cell]) & (surface < blocks.shape[2])
        if not taken.any():
            break
        surface = surface + taken
    return surface.astype(np.int32), dry
