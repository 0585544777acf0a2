"""Builds the boxes of a recorded trajectory as a block array."""

import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_STATES, LIQUIDS, WATERS
from rlgpt_jax.envs.voxel.rules.bodies import shapes
from tests.fidelity.trajectories import Trajectory

AIR = AIR_CODE + 1
MARGIN = 6  # cells around everything that is built or visited
MAX_EXTENT = 512  # blocks
# Ground at y 63 stays there: float32 is as coarse as in the game.
LOW, HIGH = 0, 128


def extent(case: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and one past the highest cell, int[3], of all that matters in a case."""
    ends = [fill.low for fill in case.fills] + [fill.high for fill in case.fills]
    points = np.concatenate([np.floor(case.path), [np.floor(case.position)], ends])
    low, high = points.min(0) - MARGIN, points.max(0) + MARGIN + 1
    if (high - low).max() > MAX_EXTENT:
        raise ValueError(
            f"{case.source}: {case.name} spans {(high - low).max():.0f} blocks; "
            f"{MAX_EXTENT} fit at most."
        )
    if low[1] >= LOW and high[1] <= HIGH:
        low[1] = LOW
    return low.astype(int), high.astype(int)


def build(
    case: Trajectory, lowest: int, size: np.ndarray, states: dict[tuple[str, int], int]
) -> np.ndarray:
    """The case's boxes in one periodic world uint8[X, Z, Y] that starts at y `lowest`."""
    world = np.full((size[0], size[2], size[1]), AIR, np.uint8)
    for fill in case.fills:
        xs, ys, zs = (np.arange(a, b + 1) for a, b in zip(fill.low, fill.high))
        byte = AIR if fill.block == "air" else _byte(fill.block, fill.meta, case, states)
        world[np.ix_(xs % size[0], zs % size[2], ys - lowest)] = byte
    return world


def _byte(name: str, meta: int, case: Trajectory, states: dict[tuple[str, int], int]) -> int:
    """The byte of a block; what the world lacks gets a spare one (added to `states`)."""
    if (name, meta) in states:
        return states[name, meta]
    if name in LIQUIDS and 0 <= meta <= 15:
        # The world has one state for each level of water, and lava does not push.
        level = min(meta, 8) if name in WATERS else 0
        return states["flowing_water" if name in WATERS else "flowing_lava", level]
    try:
        known = shapes.boxes_of(name, meta)
    except ValueError as error:
        raise ValueError(f"{case.source}: {case.name}: {error}") from error
    same = ((own, m) for own, m in states if own == name and shapes.boxes_of(own, m) == known)
    state = next(same, None)
    if state is not None:
        return states[state]
    spare = len(states)
    if spare >= AIR_CODE:
        raise ValueError(
            f"{case.source}: {case.name}: no room for {name}:{meta}; only "
            f"{AIR_CODE - len(BLOCK_STATES)} blocks besides the world's own fit in one run."
        )
    states[name, meta] = spare
    return spare
