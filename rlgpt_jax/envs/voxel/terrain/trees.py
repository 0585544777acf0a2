"""Trees of a generated world, by the rules of Minecraft 1.11.2.

Oak, birch and jungle tree: a trunk of 4-6 (birch 5-7, jungle 4-12), leaves in four layers
of radius 2, 2, 1, 1 whose corners are cut at random and always at the top. Jungle bush:
one log under a heap of oak leaves. `conifers.py` has spruce and pine, `big_oak.py` the
big oak. The jungle's giants of 2 x 2 trunks are left out. Trunks are upright logs, also
the branches of the big oak.
"""

import numpy as np

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF, IS_SOLID
from rlgpt_jax.envs.voxel.terrain.big_oak import grow_big_oak
from rlgpt_jax.envs.voxel.terrain.conifers import grow_pine, grow_spruce
from rlgpt_jax.envs.voxel.terrain.tree_parts import VINES, has_room, layer, trunk

kernel = make_kernel("terrain/trees.py", "terrain/tree_parts.py")

KINDS = ("oak", "birch", "big_oak", "spruce", "pine", "jungle", "jungle_bush")
_SOIL = (BLOCK_ID["grass"], BLOCK_ID["dirt"])
# (log, leaves) by kind of wood
_OAK, _SPRUCE, _BIRCH, _JUNGLE = ((BYTE_OF["log", m], BYTE_OF["leaves", m]) for m in range(4))
_BUSH = (_JUNGLE[0], _OAK[1])


def grow_trees(
    rng: np.random.Generator,
    blocks: np.ndarray,
    height: np.ndarray,
    tries: int,
    kinds: tuple[tuple[str, float], ...],
) -> None:
    """In place: tries to grow trees at random columns; they need earth and room.

    Args:
      rng: drawn from.
      blocks: uint8[X, Z, Y], air is 0.
      height: int32[X, Z], y of the ground.
      tries: how many.
      kinds: (kind in `KINDS`, share).
    """
    if not kinds:
        return
    names, shares = zip(*kinds)
    chosen = rng.choice(len(names), tries, p=np.array(shares) / sum(shares))
    columns = rng.integers(0, blocks.shape[:2], (tries, 2))
    for kind, (x, z) in zip(chosen, columns):
        ground = int(height[x, z])
        if blocks[x, z, ground] in _SOIL:
            _grow(rng, blocks, names[kind], int(x), int(z), ground)
    if "jungle" in names:
        _drop_loose_vines(blocks, IS_SOLID)


def _grow(
    rng: np.random.Generator, blocks: np.ndarray, kind: str, x: int, z: int, ground: int
) -> None:
    at = (rng, blocks, x, z, ground)
    if kind == "oak":
        _round_tree(*at, 4 + rng.integers(3), *_OAK, False)
    elif kind == "birch":
        _round_tree(*at, 5 + rng.integers(3), *_BIRCH, False)
    elif kind == "jungle":
        _round_tree(*at, 4 + rng.integers(7) + rng.integers(3), *_JUNGLE, True)
    elif kind == "jungle_bush":
        _bush(*at, *_BUSH)
    elif kind == "spruce":
        grow_spruce(*at, *_SPRUCE)
    elif kind == "pine":
        grow_pine(*at, *_SPRUCE)
    elif kind == "big_oak":
        grow_big_oak(*at, *_OAK)
    else:
        raise ValueError(f"no tree {kind!r}. Try: {', '.join(KINDS)}.")


@kernel
def _round_tree(rng, blocks, x, z, ground, height, log, leaves, vines):
    top = ground + height + 1  # of the leaves
    if not has_room(blocks, x, z, ground + 2, top, 1) or not has_room(
        blocks, x, z, top - 1, top + 1, 2
    ):
        return
    for down, radius in enumerate((1, 1, 2, 2)):
        layer(rng, blocks, x, z, top - down, radius, leaves, 0.0 if down == 0 else 0.5)
    trunk(blocks, x, z, ground, height, log)
    if vines:
        _hang_vines(rng, blocks, x, z, ground, height, leaves)


@kernel
def _hang_vines(rng, blocks, x, z, ground, height, leaves):
    """Vines on a trunk, and curtains of up to 5 from the rim of its leaves."""
    size_x, size_z, _ = blocks.shape
    for side in range(4):
        dx, dz, vine = VINES[side]
        beside = blocks[(x + dx) % size_x, (z + dz) % size_z]
        for y in range(ground + 2, ground + height + 1):
            if rng.random() < 2.0 / 3.0 and beside[y] == 0:
                beside[y] = vine
        for across in range(-2, 3):
            rim = blocks[(x + 3 * dx + across * dz) % size_x, (z + 3 * dz + across * dx) % size_z]
            leaf = blocks[(x + 2 * dx + across * dz) % size_x, (z + 2 * dz + across * dx) % size_z]
            for y in range(ground + height - 1, ground + height + 1):
                if rng.random() >= 0.25 or leaf[y] != leaves:
                    continue
                for drop in range(y, max(ground + 1, y - 5), -1):
                    if rim[drop] != 0:
                        break
                    rim[drop] = vine


@kernel
def _drop_loose_vines(blocks, solid):
    """Vines whose hold another tree took: neither a block beside nor the same vine above."""
    size_x, size_z, size_y = blocks.shape
    for x in range(size_x):
        for z in range(size_z):
            for y in range(size_y - 2, 0, -1):
                for side in range(4):
                    dx, dz, vine = VINES[side]
                    if blocks[x, z, y] != vine or blocks[x, z, y + 1] == vine:
                        continue
                    if not solid[blocks[(x - dx) % size_x, (z - dz) % size_z, y]]:
                        blocks[x, z, y] = 0


@kernel
def _bush(rng, blocks, x, z, ground, log, leaves):
    if not has_room(blocks, x, z, ground + 1, ground + 4, 0):
        return
    trunk(blocks, x, z, ground, 1, log)
    for up in range(3):
        layer(rng, blocks, x, z, ground + 1 + up, 2 - up, leaves, 0.5)
