"""The big oak: branches that end in balls of leaves.

Rules of Minecraft 1.11.2: 5-16 high, lower where it is roofed; the trunk is 0.618 of it;
from 0.3 of the height up, one or two branches start a layer and reach as far as half of
a ball whose diameter is the height; a ball of leaves is 5 layers of radius 2 and 3.
"""

import numpy as np

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.terrain.tree_parts import has_room, put, put_leaf, trunk

kernel = make_kernel("terrain/big_oak.py", "terrain/tree_parts.py")

_LOWEST = 6  # free layers that it needs
_BALL = 5  # layers of a ball of leaves


@kernel
def grow_big_oak(rng, blocks, x, z, ground, log, leaves):
    base = ground + 1
    height = 5 + rng.integers(0, 12)
    free = 0
    while free < height and has_room(blocks, x, z, base + free, base + free + 1, 0):
        free += 1
    if free < min(height, _LOWEST) or not has_room(blocks, x, z, base, base + free + 1, 0):
        return
    height = free
    stem = min(int(height * 0.618), height - 1)
    _ball(blocks, x, z, base + height - _BALL, leaves)
    _branch(blocks, x, base + stem, z, x, max(base + stem, base + height - _BALL), z, log)
    number = max(1, int(1.382 + (height / 13.0) ** 2))
    for up in range(height - _BALL, int(np.ceil(height * 0.3)) - 1, -1):
        reach = 0.5 * np.sqrt(max(0.0, (height / 2.0) ** 2 - (height / 2.0 - up) ** 2))
        for _ in range(number):
            far, angle = reach * (rng.random() + 0.328), 2.0 * np.pi * rng.random()
            end_x = x + int(np.floor(far * np.sin(angle) + 0.5))
            end_z = z + int(np.floor(far * np.cos(angle) + 0.5))
            away = np.sqrt((end_x - x) ** 2 + (end_z - z) ** 2)
            start = min(base + up - 1 - int(away * 0.381), base + stem)
            if not _is_free(blocks, end_x, end_z, base + up - 1):
                continue
            _ball(blocks, end_x, end_z, base + up - 1, leaves)
            if start - base >= height * 0.2:
                _branch(blocks, x, start, z, end_x, base + up - 1, end_z, log)
    trunk(blocks, x, z, ground, stem + 1, log)


@kernel
def _is_free(blocks, x, z, y):
    """Whether a column has room for a ball of leaves."""
    size_x, size_z, _ = blocks.shape
    return has_room(blocks, x % size_x, z % size_z, y, y + _BALL, 0)


@kernel
def _ball(blocks, x, z, y, leaves):
    for up in range(_BALL):
        radius = 2.0 if up in (0, _BALL - 1) else 3.0
        for dx in range(-3, 4):
            for dz in range(-3, 4):
                if (abs(dx) + 0.5) ** 2 + (abs(dz) + 0.5) ** 2 <= radius * radius:
                    put_leaf(blocks, x + dx, z + dz, y + up, leaves)


@kernel
def _branch(blocks, x, y, z, end_x, end_y, end_z, log):
    steps = max(abs(end_x - x), abs(end_y - y), abs(end_z - z), 1)
    for i in range(steps + 1):
        part = i / steps
        at_x = int(np.floor(x + (end_x - x) * part + 0.5))
        at_z = int(np.floor(z + (end_z - z) * part + 0.5))
        put(blocks, at_x, at_z, int(np.floor(y + (end_y - y) * part + 0.5)), log)
