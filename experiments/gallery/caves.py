"""Caves: in the dark, by a torch, and by the glow of lava."""

import argparse
from collections.abc import Iterator

import numpy as np

from experiments.gallery.sheet import Sheet
from experiments.gallery.stage import state_of, with_clearance
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.render import for_people
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BYTE_OF, IS_SOLID
from rlgpt_jax.envs.voxel.terrain.pool import load_pool

BIOME = "forest_hills"
NUM_DARK, NUM_LAVA = 3, 2


def draw(options: argparse.Namespace) -> Iterator[Sheet | int | None]:
    """One sheet: a row a dark place, with and without a torch ahead, and a row at lava."""
    yield 2 * NUM_DARK + NUM_LAVA
    pool = load_pool(BIOME, "eval", WorldParams(num_worlds=2))
    sheet = Sheet("caves", "caves", 2)
    for place in range(NUM_DARK + NUM_LAVA):
        world, by_lava = place % 2, place >= NUM_DARK
        blocks, light = np.asarray(pool.blocks[world]), np.asarray(pool.light[world])
        rng = np.random.default_rng((options.seed, place))
        found = hollow(rng, blocks, (light >= 9) & (light < 13) if by_lava else light == 0)
        if found is None:
            yield None
            continue
        position, yaw, floor = found
        lit = np.where(blocks >= AIR_CODE, 0, blocks)
        lit[floor[0] % lit.shape[0], floor[2] % lit.shape[1], floor[1]] = BYTE_OF["torch", 5]
        worlds = {"no torch": blocks, "a torch": with_clearance(lit)}
        for label, shown in {"lava": blocks}.items() if by_lava else worlds.items():
            state = state_of(shown, BIOME, position=position, yaw=yaw, pitch=12.0)
            sheet.add(for_people.first_person(state, 0), f"y {position[1]:.0f}, {label}")
            yield None
    yield sheet


def hollow(
    rng: np.random.Generator, blocks: np.ndarray, wanted: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """A wanted place to stand underground with the longest free way, and a cell on that way.

    `wanted` is bool[X, Z, Y]. None if there is no such place.
    """
    air, size = blocks >= AIR_CODE, blocks.shape[0]
    y = np.arange(blocks.shape[2])
    stand = air & np.roll(air, -1, 2) & np.roll(IS_SOLID[blocks], 1, 2)
    stand &= wanted & (y > 6) & (y < 58)
    x, z, y = np.nonzero(stand)
    if not len(x):
        return None
    best: tuple[int, np.ndarray, float, np.ndarray] | None = None
    for i in rng.choice(len(x), min(200, len(x)), replace=False):
        for yaw in np.arange(8) * 45.0 - 180.0:
            way = np.array([-np.sin(np.radians(yaw)), np.cos(np.radians(yaw))])
            steps = np.arange(0, 16)[:, None] * way + np.array([x[i] + 0.5, z[i] + 0.5])
            across, along = (np.floor(steps).astype(int) % size).T
            free = air[across, along, y[i] + 1] & air[across, along, min(y[i] + 2, 90)]
            length = int(np.argmin(np.append(free, False)))
            ahead = next((k for k in range(4, 8) if k < length and
                          stand[across[k], along[k], y[i]]), None)  # fmt: skip
            if ahead is not None and (best is None or length > best[0]):
                feet = np.array([x[i] + 0.5, y[i], z[i] + 0.5])
                best = length, feet, float(yaw), np.array([across[ahead], y[i], along[ahead]])
    return best and best[1:]
