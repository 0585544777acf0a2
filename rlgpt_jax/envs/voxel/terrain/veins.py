"""Veins of ore, earth, gravel and other stone.

Sizes, tries and heights are those of `third_party/minecraft/ores.json`, whose sampling rule
is followed to the letter, also where veins meet bedrock: at y 1 to 4 a ball of a vein takes
a block with probability y / 5, whatever was tried before, and what it leaves may become
bedrock afterwards.
"""

import numpy as np

from rlgpt_jax.envs.names import load
from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF

kernel = make_kernel("terrain/veins.py")

SEA_LEVEL = 62  # that heights in the table belong to
FLOOR = 5  # layers that hold bedrock
_STONE_META = {"granite": 1, "diorite": 3, "andesite": 5}
# By byte: stone that came with the land. Polished stone is not among it.
NATURAL_STONE = np.zeros(256, bool)
NATURAL_STONE[[BYTE_OF["stone", meta] for meta in (0, *_STONE_META.values())]] = True


def _byte(name: str) -> int:
    if name in _STONE_META:
        return BYTE_OF["stone", _STONE_META[name]]
    return BLOCK_ID.get(f"{name}_ore", BLOCK_ID.get(name, 0))


def _vein_table() -> tuple[tuple[int, int, int, int, int, bool], ...]:
    """Rows (block, size, tries a chunk, lowest y, end of y, triangular), as laid in turn."""
    rows = []
    for name, size, tries, *span in load("ores")["spec"]:
        triangular = span[0] == "tri"
        low, end = (0, span[1]) if triangular else span
        rows.append((_byte(name), size, tries, low, end, triangular))
    return tuple(rows)


VEINS = _vein_table()
EMERALDS = (3, 9, 4, 32)  # least and end of the number a chunk, lowest y and end of y


def lay_veins(
    rng: np.random.Generator,
    blocks: np.ndarray,
    sea_level: int = SEA_LEVEL,
    area: tuple[int, int] | None = None,
) -> None:
    """In place: veins in the stone, each kind at its own height.

    Args:
      rng: drawn from.
      blocks: uint8[X, Z, Y], periodic in x and z.
      sea_level: heights and numbers are scaled by it / 62, so that a low test world
        holds every ore.
      area: columns in x and z that veins start in, from the corner (0, 0); None is all.
        They may leave it by half their length.
    """
    area = area or blocks.shape[:2]
    chunks = area[0] * area[1] / 256.0
    scale = sea_level / SEA_LEVEL
    for block, size, tries, low, end, triangular in VEINS:
        count = round(tries * chunks * scale)
        y = rng.integers(low, end, count)
        if triangular:
            y = y + rng.integers(low, end, count)
        at = np.floor(rng.uniform(0, area, (count, 2)))
        slant = rng.integers(-2, 1, (count, 2))
        ends = np.column_stack([at, y[:, None] * scale + slant])
        _lay(rng, blocks, NATURAL_STONE, block, size, ends)


def lay_emeralds(rng: np.random.Generator, blocks: np.ndarray, sea_level: int = SEA_LEVEL) -> None:
    """In place: single blocks of emerald ore, 3 to 8 tries a chunk, at y 4 to 31."""
    chunks = blocks.shape[0] * blocks.shape[1] // 256
    least, end, low, high = EMERALDS
    count = rng.integers(least, end, chunks).sum()
    x, z = rng.integers(0, blocks.shape[:2], (count, 2)).T
    y = rng.integers(low, high, count) * sea_level // SEA_LEVEL
    stone = NATURAL_STONE[blocks[x, z, y]]
    blocks[x[stone], z[stone], y[stone]] = BLOCK_ID["emerald_ore"]


def lay_bedrock(rng: np.random.Generator, blocks: np.ndarray) -> None:
    """In place: bedrock at y 0, and at y 1 to 4 in the stone with probability 1 - y / 5."""
    floor = rng.integers(0, FLOOR, (*blocks.shape[:2], FLOOR)) >= np.arange(FLOOR)
    lowest = blocks[..., :FLOOR]
    lowest[floor & NATURAL_STONE[lowest]] = BLOCK_ID["bedrock"]
    lowest[..., 0] = BLOCK_ID["bedrock"]


@kernel
def _lay(rng, blocks, replaced, block, size, ends):
    """Veins of one kind: balls along slanted lines, thickest in the middle.

    `ends` float64[V, 4] is x and z of the middle, y of one end and of the other.
    """
    for vein in range(len(ends)):
        angle = np.pi * rng.random()
        along_x, along_z = np.sin(angle) * size / 8.0, np.cos(angle) * size / 8.0
        for i in range(size):
            part = i / size
            x = ends[vein, 0] + along_x * (1.0 - 2.0 * part)
            z = ends[vein, 1] + along_z * (1.0 - 2.0 * part)
            y = ends[vein, 2] + (ends[vein, 3] - ends[vein, 2]) * part
            swell = (np.sin(np.pi * part) + 1.0) * rng.random() * size / 16.0
            _ball(rng, blocks, replaced, block, x, y, z, (swell + 1.0) / 2.0)


@kernel
def _ball(rng, blocks, replaced, block, x, y, z, radius):
    size_x, size_z, size_y = blocks.shape
    low, high = max(1, int(np.floor(y - radius))), min(size_y - 1, int(np.floor(y + radius)))
    for bx in range(int(np.floor(x - radius)), int(np.floor(x + radius)) + 1):
        for bz in range(int(np.floor(z - radius)), int(np.floor(z + radius)) + 1):
            column = blocks[bx % size_x, bz % size_z]
            for by in range(low, high + 1):
                away = (bx + 0.5 - x) ** 2 + (by + 0.5 - y) ** 2 + (bz + 0.5 - z) ** 2
                if away >= radius * radius or not replaced[column[by]]:
                    continue
                if by >= FLOOR or rng.random() * FLOOR < by:
                    column[by] = block
