"""Worlds from seeds: terrain, ores, caves, lakes, trees and plants of one biome.

A world is a height map of periodic noise filled with layers, as in Minecraft 1.11.2
in its proportions (sea level, layers, caves, trees a chunk, veins), not in its noise.
Worlds come settled: no sand or gravel hangs over a hole, no liquid can flow.
"""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, IS_LIQUID, IS_SOLID, is_one_of
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.blocks.light import flood
from rlgpt_jax.envs.voxel.terrain.biomes import BIOME_INDEX, BIOMES, Biome, get_biome
from rlgpt_jax.envs.voxel.terrain.caves import dig_caves, ground_of
from rlgpt_jax.envs.voxel.terrain.lakes import dig_lakes
from rlgpt_jax.envs.voxel.terrain.land import lay_ground, lay_shores, make_heights, near
from rlgpt_jax.envs.voxel.terrain.plants import grow_plants
from rlgpt_jax.envs.voxel.terrain.trees import grow_trees
from rlgpt_jax.envs.voxel.terrain.veins import lay_bedrock, lay_emeralds, lay_veins

__all__ = ["BIOMES", "BIOME_INDEX", "Biome", "World", "generate", "get_biome"]

HEADROOM = 14  # blocks above the sea level that a world needs at least
# What a player or an animal may start on.
_NATURAL = is_one_of("grass", "dirt", "stone", "sand", "sandstone", "gravel", "clay")
_CACTUS = is_one_of("cactus")
_LOG = is_one_of("log", "log2")
TREE_TRIES = 200  # to grow the one tree that a world with trees has at least
_AROUND = tuple((dx, dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1) if dx or dz)
_OPEN = 4  # of these must be free to walk to where one may start


class World(NamedTuple):
    """One generated world; the arrays are those of `WorldPool` without its axis P."""

    blocks: np.ndarray  # uint8[X, Z, Y]  air with clearance
    light: np.ndarray  # uint8[X, Z, Y]  see `light.flood`
    surface: np.ndarray  # int32[X, Z]  y of the first free cell above the ground
    spawnable: np.ndarray  # bool[X, Z]  dry, open, natural ground outside of caves


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
    blocks, height, dug = _land(rng, row, params)
    chunks = height.size / 256.0
    grow_trees(rng, blocks, height, rng.poisson(row.trees * chunks), row.tree_kinds)
    # A world goes round and has no neighbour to fetch wood from.
    tries = TREE_TRIES if row.trees > 0 else 0
    while tries > 0 and not _LOG[blocks].any():
        grow_trees(rng, blocks, height, 1, row.tree_kinds)
        tries -= 1
    grow_plants(rng, row, blocks, height)
    return World(encode_clearance(blocks), flood(blocks), *_ground(blocks, height, dug))


def _land(
    rng: np.random.Generator, row: Biome, params: WorldParams
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The world without plants: blocks, y of its ground, and where a cave opens it."""
    sea_level = params.sea_level
    height = make_heights(rng, row, params)
    blocks = lay_ground(rng, row, height, params)
    lay_veins(rng, blocks, sea_level)
    if row.emeralds:
        lay_emeralds(rng, blocks, sea_level)
    lay_bedrock(rng, blocks)
    if not row.sandy:
        lay_shores(rng, blocks, height, sea_level)
    dig_lakes(rng, blocks, height, sea_level, rng.poisson(row.lakes * height.size / 256.0))
    dig_caves(rng, blocks, height, sea_level)
    ground = ground_of(blocks)
    dug = ground < height
    x, z = np.nonzero(dug)
    soil = blocks[x, z, ground[x, z]] == BLOCK_ID["dirt"]
    blocks[x[soil], z[soil], ground[x, z][soil]] = BLOCK_ID["grass"]
    return blocks, ground, dug


def _ground(
    blocks: np.ndarray, height: np.ndarray, dug: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first free cell above the ground, and where a body fits on open dry land."""
    x, z = np.indices(height.shape)
    above = [blocks[x, z, height + 1 + i] for i in range(3)]
    free = [~IS_SOLID[byte] & ~IS_LIQUID[byte] for byte in above]
    dry = _NATURAL[blocks[x, z, height]] & free[0] & free[1] & free[2]
    safe = ~near(_CACTUS[blocks].any(2), 1) & ~dug
    surface = height + 1
    # Up through water and trunks to the first cell that is free.
    for _ in range(blocks.shape[2]):
        cell = blocks[x, z, np.minimum(surface, blocks.shape[2] - 1)]
        taken = (IS_SOLID[cell] | IS_LIQUID[cell]) & (surface < blocks.shape[2])
        if not taken.any():
            break
        surface = surface + taken
    return surface.astype(np.int32), dry & safe & (_ways_on(dry, height) >= _OPEN)


def _ways_on(dry: np.ndarray, height: np.ndarray) -> np.ndarray:
    """int[X, Z]: how many of the 8 columns around are dry and at most a step away."""
    ways = np.zeros(height.shape, np.int8)
    for dx, dz in _AROUND:
        level, fits = (np.roll(a, (dx, dz), (0, 1)) for a in (height, dry))
        ways += fits & (np.abs(level - height) <= 1)
    return ways
