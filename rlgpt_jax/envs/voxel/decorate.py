"""Ore veins, trees and plants of a generated world.

Source of sizes and numbers: `third_party/minecraft/ores.json` (veins) and the rules of
Minecraft 1.11.2's oak and birch: trunk of 4-6 (birch 5-7), leaves in four layers of
radius 2, 2, 1, 1 whose corners are cut at random and always at the top. The big oak
is left out; wood and leaves of both trees are the blocks `log` and `leaves`.
"""

import numpy as np

from rlgpt_jax.envs.names import load
from rlgpt_jax.envs.voxel.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.kernels import make_kernel

kernel = make_kernel("decorate.py")

GRASS, DIRT, STONE = (BLOCK_ID[b] for b in ("grass", "dirt", "stone"))
LOG, LEAVES = BLOCK_ID["log"], BLOCK_ID["leaves"]
FLOWERS = np.array([BLOCK_ID["yellow_flower"], BLOCK_ID["red_flower"]], np.uint8)
TALLGRASS = BLOCK_ID["tallgrass"]


def _vein_table() -> list[tuple[int, int, int, int, int, bool]]:
    """Rows (block, size, tries a chunk, lowest y, end of y, triangular)."""
    rows = []
    for name, size, tries, *span in load("ores")["spec"]:
        block = BLOCK_ID.get(name, BLOCK_ID.get(f"{name}_ore"))
        if block is None:  # granite, diorite, andesite: stone in this world
            continue
        triangular = span[0] == "tri"
        low, end = (0, 2 * span[1]) if triangular else span
        rows.append((block, size, tries, low, end, triangular))
    return rows


VEINS = _vein_table()


def lay_veins(rng: np.random.Generator, blocks: np.ndarray, sea_level: int) -> None:
    """In place: veins in the stone, each kind at its own depth.

    Depths are scaled by `sea_level` / 62, so that low test worlds hold every ore.
    """
    chunks = blocks.shape[0] * blocks.shape[1] / 256.0
    scale = sea_level / 62.0
    for block, size, tries, low, end, triangular in VEINS:
        count = round(tries * chunks * scale)
        y = rng.uniform(low, end, count)
        if triangular:
            y = (y + rng.uniform(low, end, count)) / 2.0
        at = rng.uniform(0, blocks.shape[:2], (count, 2))
        angle = rng.uniform(0, np.pi, count)
        tilt = rng.uniform(-2.0, 2.0, (count, 2)) * min(1.0, scale)
        for i in np.nonzero(y * scale < blocks.shape[2] - 4)[0]:
            grow = rng.uniform(size=size)
            _vein(blocks, block, at[i], y[i] * scale, angle[i], tilt[i], grow)


@kernel
def _vein(blocks, block, at, y, angle, tilt, grow):
    """One vein: balls along a slanted line, thickest in the middle."""
    size = len(grow)
    along_x, along_z = np.sin(angle) * size / 8.0, np.cos(angle) * size / 8.0
    for i in range(size):
        part = i / size
        x = at[0] + along_x * (1.0 - 2.0 * part)
        z = at[1] + along_z * (1.0 - 2.0 * part)
        level = y + tilt[0] * (1.0 - part) + tilt[1] * part
        radius = ((np.sin(np.pi * part) + 1.0) * grow[i] * size / 16.0 + 1.0) / 2.0
        _ball(blocks, block, x, level, z, radius)


@kernel
def _ball(blocks, block, x, y, z, radius):
    size_x, size_z, size_y = blocks.shape
    for bx in range(int(np.floor(x - radius)), int(np.floor(x + radius)) + 1):
        for bz in range(int(np.floor(z - radius)), int(np.floor(z + radius)) + 1):
            for by in range(
                max(1, int(np.floor(y - radius))), min(size_y - 1, int(np.floor(y + radius))) + 1
            ):
                away = (bx + 0.5 - x) ** 2 + (by + 0.5 - y) ** 2 + (bz + 0.5 - z) ** 2
                if away < radius * radius and blocks[bx % size_x, bz % size_z, by] == STONE:
                    blocks[bx % size_x, bz % size_z, by] = block


def grow_trees(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, tries: int, birches: float
) -> None:
    """In place: tries to grow trees at random columns; they need grass and room."""
    x = rng.integers(0, blocks.shape[0], tries)
    z = rng.integers(0, blocks.shape[1], tries)
    trunk = rng.integers(4, 7, tries) + (rng.uniform(size=tries) < birches)
    corners = rng.integers(0, 2, (tries, 4, 4)) > 0
    for i in range(tries):
        _tree(blocks, x[i], z[i], height[x[i], z[i]], trunk[i], corners[i])


@kernel
def _tree(blocks, x, z, ground, trunk, corners):
    """One tree on the block at `ground`, if there is grass and the crown has room."""
    size_x, size_z, size_y = blocks.shape
    if blocks[x, z, ground] != GRASS or ground + trunk + 2 >= size_y:
        return
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            for y in range(ground + 1 + (dx != 0 or dz != 0), ground + trunk + 2):
                byte = blocks[(x + dx) % size_x, (z + dz) % size_z, y]
                if byte != 0 and byte != LEAVES:
                    return
    for layer in range(4):  # from below
        radius = 2 if layer < 2 else 1
        y = ground + trunk - 2 + layer
        for dx in range(-radius, radius + 1):
            for dz in range(-radius, radius + 1):
                if abs(dx) == radius and abs(dz) == radius:
                    if layer == 3 or corners[layer, (dx > 0) * 2 + (dz > 0)]:
                        continue
                column = blocks[(x + dx) % size_x, (z + dz) % size_z]
                if column[y] == 0:
                    column[y] = LEAVES
    blocks[x, z, ground] = DIRT
    blocks[x, z, ground + 1 : ground + 1 + trunk] = LOG


def grow_plants(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, grass: int, flowers: int
) -> None:
    """In place: scatters tallgrass and flowers in small patches on open grass."""
    _scatter(rng, blocks, height, grass, np.full(1, TALLGRASS, np.uint8))
    _scatter(rng, blocks, height, flowers, FLOWERS)


def _scatter(
    rng: np.random.Generator,
    blocks: np.ndarray,
    height: np.ndarray,
    count: int,
    kinds: np.ndarray,
    patch: int = 6,
) -> None:
    """In place: `count` tries in patches of `patch`, one kind of plant in each."""
    patches = -(-count // patch)
    kind = np.repeat(rng.choice(kinds, patches), patch)[:count]
    shape = np.array(blocks.shape[:2])
    centre = np.repeat(rng.integers(0, shape, (patches, 2)), patch, axis=0)[:count]
    at = (centre + np.rint(rng.normal(0, 2.5, (count, 2))).astype(int)) % shape
    x, z = at[:, 0], at[:, 1]
    y = height[x, z]
    open_grass = (blocks[x, z, y] == GRASS) & (blocks[x, z, y + 1] == 0)
    blocks[x[open_grass], z[open_grass], y[open_grass] + 1] = kind[open_grass]
