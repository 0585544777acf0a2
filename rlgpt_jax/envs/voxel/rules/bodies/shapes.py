"""What a block is to a body: its collision boxes, and how it changes motion.

Boxes depend on the metadata and not on the neighbours: a fence is a post 1.5 high
without arms, a pane is a post, stairs have no corners, and the upper half of a door
takes its shape from its own metadata. These are the shapes that the golden runs of
`third_party/minecraft/trajectories` were made with.

Source: `third_party/minecraft/collision_shapes.json` (minecraft-data, Minecraft 1.11).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import load
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_STATES, LIQUIDS, WATERS

_SHAPES = load("collision_shapes")["blocks"]
_ALL = load("blocks_all")["blocks"]  # id, hardness, material, harvest tools, solid
_CUBE = [[0, 0, 0, 1, 1, 1]]

# Bits of `Shapes.flags`.
FULL = 1  # one cube that fills the cell
BOXED = 2  # at least one box
BLOCKING = 4  # solid to a current, whatever its boxes
OPAQUE = 8  # a head in it suffocates
PARTIAL = 16  # boxes other than a full cube
WEB = 32
SOUL_SAND = 64
CLIMBABLE = 128
SLIME = 256
CACTUS = 512
FIRE = 1024
# What the motion among full cubes does not know of.
SPECIAL = PARTIAL | WEB | SOUL_SAND | CLIMBABLE | SLIME

_BITS = {
    "web": WEB, "soul_sand": SOUL_SAND, "ladder": CLIMBABLE, "vine": CLIMBABLE, "slime": SLIME,
    "cactus": CACTUS, "fire": FIRE,
}  # fmt: skip
# Full cubes that one can breathe in: the game counts neither glass nor leaves.
_AIRY = {"glass", "stained_glass", "leaves", "leaves2"}
_SLIPPERY = {"ice": 0.98, "packed_ice": 0.98, "frosted_ice": 0.98, "slime": 0.8}
_NOWHERE = -1000.0  # a box here is met by nothing


class Shapes(NamedTuple):
    """Tables by the byte of the world array."""

    low: np.ndarray  # float32[256, B, 3]  x, y, z in the cell; unused boxes lie far away
    high: np.ndarray  # float32[256, B, 3]
    used: np.ndarray  # int32[256]  how many boxes
    flags: np.ndarray  # uint16[256]
    slipperiness: np.ndarray  # float32[256]
    water_level: np.ndarray  # int32[256]  0 source or falling, 7 farthest, -1 no water
    falls: np.ndarray  # bool[256]  water that falls down


def boxes_of(name: str, meta: int) -> list[list[float]]:
    """The boxes [x0, y0, z0, x1, y1, z1] of a block of Minecraft 1.11 in its cell.

    Raises:
      ValueError: there is no such block or no such metadata.
    """
    if name not in _SHAPES:
        raise ValueError(f"{name!r} is no block of Minecraft 1.11.")
    if not 0 <= meta <= 15:
        raise ValueError(f"Metadata of {name} must be 0..15, not {meta}.")
    shape = _SHAPES[name]
    return shape["by_meta"][meta] if isinstance(shape, dict) else shape


def table(states: Sequence[tuple[str, int]]) -> Shapes:
    """The tables of worlds whose byte i is `states[i]`; `states[0]` is air, as codes are."""
    boxes = [boxes_of(*state) for state in states]
    most = max(map(len, boxes))
    low, high = np.full((2, 256, most, 3), _NOWHERE, np.float32)
    used, level = np.zeros(256, np.int32), np.full(256, -1, np.int32)
    flags, falls = np.zeros(256, np.uint16), np.zeros(256, bool)
    slipperiness = np.full(256, 0.6, np.float32)
    for byte, ((name, meta), own) in enumerate(zip(states, boxes)):
        for k, box in enumerate(own):
            low[byte, k], high[byte, k] = box[:3], box[3:]
        used[byte] = len(own)
        flags[byte] = _flags(name, own)
        slipperiness[byte] = _SLIPPERY.get(name, 0.6)
        if name in WATERS:
            level[byte], falls[byte] = (meta if meta < 8 else 0), meta >= 8
    return Shapes(low, high, used, flags, slipperiness, level, falls)


def _flags(name: str, boxes: list[list[float]]) -> int:
    is_full = boxes == _CUBE
    flags = _BITS.get(name, 0)
    if boxes:
        flags |= BOXED | (FULL if is_full else PARTIAL)
    if name != "air" and name not in LIQUIDS and _ALL[name][4]:
        flags |= BLOCKING
    if is_full and name not in _AIRY:
        flags |= OPAQUE
    return flags


SHAPES = table(BLOCK_STATES)
assert not SHAPES.flags[AIR_CODE:].any()
# Height of the highest box in its cell, 0 where there is none, up to 1.5.
TOP = np.where(SHAPES.used > 0, SHAPES.high[..., 1].max(-1), 0.0).astype(np.float32)
