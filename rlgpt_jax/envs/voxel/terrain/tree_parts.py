"""What trees are made of: room to grow, leaves, trunks, vines."""

import numpy as np

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF, is_one_of

kernel = make_kernel("terrain/tree_parts.py")

# By byte: what a tree may grow through, and what its wood and leaves replace.
_ROOM = is_one_of("air", "leaves", "log", "vine", "grass", "dirt")
_SOFT = is_one_of("air", "leaves", "vine")
_DIRT = BLOCK_ID["dirt"]
# By side: step in x, step in z, byte of a vine that hangs at the block on the other side.
VINES = np.array(
    [[1, 0, BYTE_OF["vine", 2]], [-1, 0, BYTE_OF["vine", 8]],
     [0, 1, BYTE_OF["vine", 4]], [0, -1, BYTE_OF["vine", 1]]]
)  # fmt: skip


@kernel
def has_room(blocks, x, z, low, end, radius):
    """Whether nothing hard is within `radius` columns at the layers `low` to `end` - 1."""
    size_x, size_z, size_y = blocks.shape
    if end > size_y:
        return False
    for dx in range(-radius, radius + 1):
        for dz in range(-radius, radius + 1):
            for y in range(low, end):
                if not _ROOM[blocks[(x + dx) % size_x, (z + dz) % size_z, y]]:
                    return False
    return True


@kernel
def put(blocks, x, z, y, byte):
    """Wood: in place of air, leaves and vines."""
    size_x, size_z, size_y = blocks.shape
    if y < size_y and _SOFT[blocks[x % size_x, z % size_z, y]]:
        blocks[x % size_x, z % size_z, y] = byte


@kernel
def put_leaf(blocks, x, z, y, byte):
    """Leaves: in place of air and vines."""
    size_x, size_z, size_y = blocks.shape
    here = blocks[x % size_x, z % size_z, y]
    if here == 0 or VINES[:, 2].min() <= here <= VINES[:, 2].max():
        blocks[x % size_x, z % size_z, y] = byte


@kernel
def layer(rng, blocks, x, z, y, radius, byte, corners):
    """A square of leaves; each corner stays with probability `corners`."""
    for dx in range(-radius, radius + 1):
        for dz in range(-radius, radius + 1):
            corner = radius > 0 and abs(dx) == radius and abs(dz) == radius
            if not corner or rng.random() < corners:
                put_leaf(blocks, x + dx, z + dz, y, byte)


@kernel
def trunk(blocks, x, z, ground, height, byte):
    """A trunk on earth: the grass below it dies."""
    blocks[x, z, ground] = _DIRT
    for y in range(ground + 1, ground + 1 + height):
        put(blocks, x, z, y, byte)
