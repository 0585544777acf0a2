"""Spruces and pines, by the rules of Minecraft 1.11.2.

Spruce: 6-9 high, 1-2 of bare trunk, and from the top down waves of leaves, each wider at
its end, up to a radius of 2 or 3. Pine: 7-11 high, a crown of 3-4 layers that widens
downwards and closes below.
"""

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.terrain.tree_parts import has_room, layer, trunk

kernel = make_kernel("terrain/conifers.py", "terrain/tree_parts.py")


@kernel
def grow_spruce(rng, blocks, x, z, ground, log, leaves):
    height = 6 + rng.integers(0, 4)
    bare = 1 + rng.integers(0, 2)
    widest = 2 + rng.integers(0, 2)
    top = ground + 1 + height
    if not has_room(blocks, x, z, ground + 1, ground + 1 + bare, 0) or not has_room(
        blocks, x, z, ground + 1 + bare, top + 1, widest
    ):
        return
    radius, end, start = rng.integers(0, 2), 1, 0
    for y in range(top, ground + bare, -1):
        layer(rng, blocks, x, z, y, radius, leaves, 0.0)
        radius += 1
        if radius > end:  # a new wave
            radius, start, end = start, 1, min(end + 1, widest)
    trunk(blocks, x, z, ground, height - rng.integers(0, 3), log)


@kernel
def grow_pine(rng, blocks, x, z, ground, log, leaves):
    height = 7 + rng.integers(0, 5)
    crown = 3 + rng.integers(0, 2)
    widest = 1 + rng.integers(0, crown + 1)
    top = ground + 1 + height
    if not has_room(blocks, x, z, ground + 1, top - crown, 0) or not has_room(
        blocks, x, z, top - crown, top + 1, widest
    ):
        return
    radius = 0
    for y in range(top, top - crown - 1, -1):
        layer(rng, blocks, x, z, y, radius, leaves, 0.0)
        if radius >= 1 and y == top - crown + 1:
            radius -= 1
        elif radius < widest:
            radius += 1
    trunk(blocks, x, z, ground, height - 1, log)
