"""Plants of a generated world: grass, ferns, flowers, mushrooms, gourds, cane, cactus."""

import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF, is_one_of
from rlgpt_jax.envs.voxel.terrain.biomes import Biome, Plant
from rlgpt_jax.envs.voxel.terrain.noise import fractal_noise

_LEAVES = is_one_of("leaves")
_WATER = is_one_of("water")
_CANE_SOIL = is_one_of("grass", "dirt", "sand")
_SPREAD = 3.3  # blocks, standard deviation of a patch


def grow_plants(
    rng: np.random.Generator, row: Biome, blocks: np.ndarray, height: np.ndarray
) -> None:
    """In place: everything that grows after the trees.

    Args:
      rng: drawn from.
      row: says what grows and how much of it.
      blocks: uint8[X, Z, Y], air is 0.
      height: int32[X, Z], y of the ground.
    """
    chunks = height.size / 256.0
    for plant in row.plants:
        _scatter(rng, blocks, height, plant, int(rng.poisson(plant.amount * chunks)))
    _grow_cactuses(rng, blocks, height, int(rng.poisson(row.cactuses * chunks)))
    _grow_reeds(rng, blocks, height, row.reeds)


def _scatter(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, plant: Plant, count: int
) -> None:
    """In place: `count` tries in patches, one state in each, on open soil."""
    patches = -(-count // plant.patch)
    states = np.array([BYTE_OF[state] for state in plant.states], np.uint8)
    kind = np.repeat(rng.choice(states, patches), plant.patch)[:count]
    middle = np.repeat(rng.integers(0, height.shape, (patches, 2)), plant.patch, axis=0)[:count]
    at = (middle + np.rint(rng.normal(0, _SPREAD, (count, 2))).astype(int)) % height.shape
    x, z = at.T
    y = height[x, z]
    fits = (blocks[x, z, y] == BLOCK_ID[plant.soil]) & (blocks[x, z, y + 1] == 0)
    if plant.shade:
        above = np.arange(blocks.shape[2]) > y[:, None]
        fits &= (_LEAVES[blocks[x, z]] & above).any(1)
    blocks[x[fits], z[fits], y[fits] + 1] = kind[fits]


def _grow_cactuses(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, tries: int
) -> None:
    """In place: cactuses of 1 to 3 on sand, with nothing beside them."""
    for x, z in rng.integers(0, height.shape, (tries, 2)):
        y = height[x, z]
        tall = slice(y + 1, y + 2 + rng.integers(rng.integers(3) + 1))
        here = blocks[x, z]
        beside = [
            blocks[(x + dx) % height.shape[0], (z + dz) % height.shape[1], tall]
            for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1))
        ]
        if here[y] == BLOCK_ID["sand"] and not here[tall].any() and not np.any(beside):
            here[tall] = BLOCK_ID["cactus"]


def _grow_reeds(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, share: float
) -> None:
    """In place: sugar cane of 2 to 4 in clumps on soil that touches water."""
    x, z = np.indices(height.shape)
    watered = np.zeros(height.shape, bool)
    for axis in (0, 1):
        for step in (1, -1):
            watered |= _WATER[np.roll(blocks, step, axis)[x, z, height]]
    clumps = fractal_noise(rng, height.shape, 8.0, 1) > 0.1
    open_soil = _CANE_SOIL[blocks[x, z, height]] & (blocks[x, z, height + 1] == 0)
    grows = watered & open_soil & clumps & (rng.random(height.shape) < 3.0 * share)
    for column in zip(*np.nonzero(grows)):
        y = height[column]
        tall = slice(y + 1, y + 3 + rng.integers(rng.integers(3) + 1))
        if not blocks[column][tall].any():
            blocks[column][tall] = BLOCK_ID["reeds"]
