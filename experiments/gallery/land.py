"""Every biome by day and by night, from places where one can stand."""

import argparse
from collections.abc import Iterator

import numpy as np

from experiments.gallery.sheet import Sheet
from experiments.gallery.stage import DUSK, MIDNIGHT, NOON, state_of
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.render import for_people
from rlgpt_jax.envs.voxel.render.art.textures import IS_PLANT
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.terrain.pool import load_pool
from rlgpt_jax.envs.voxel.terrain.worldgen import BIOMES

NUM_WORLDS = 2
SIDES = np.array([[-1.5, 1.5], [1.5, -1.5]])
_HOURS = {"day": NOON, "dusk": DUSK, "night": MIDNIGHT}


def draw(options: argparse.Namespace) -> Iterator[Sheet | int | None]:
    """One sheet a biome: a row an hour."""
    yield len(BIOMES) * options.views * len(_HOURS)
    for biome in BIOMES:
        pool = load_pool(biome.name, "eval", WorldParams(num_worlds=NUM_WORLDS))
        sheet = Sheet(f"biome_{biome.name}", biome.name, options.views)
        rng = np.random.default_rng(options.seed)
        places = []
        for view in range(options.views):
            world = view % NUM_WORLDS
            blocks, surface, free = (
                np.asarray(a[world]) for a in (pool.blocks, pool.surface, pool.spawnable)
            )
            places.append((blocks, *open_view(rng, blocks, surface, free)))
        for hour, time in _HOURS.items():
            for blocks, position, yaw in places:
                state = state_of(
                    blocks, biome.name, position=position, yaw=yaw, pitch=6.0, world_time=time
                )
                sheet.add(for_people.first_person(state, 0), f"{biome.name}, {hour}")
                yield None
        yield sheet


def open_view(
    rng: np.random.Generator, blocks: np.ndarray, surface: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, float]:
    """A place to stand and the direction in which one sees far but not only sky.

    Of some places and eight directions each: the longest way that is free at the height of
    the eyes, up to 24 blocks, with ground about as high as the feet.
    """
    clear = (blocks >= AIR_CODE) | np.pad(IS_PLANT, (0, 256 - AIR_CODE))[blocks]
    x, z = np.nonzero(free)
    best: tuple[float, np.ndarray, float] = (-1.0, np.zeros(3), 0.0)
    for i in rng.choice(len(x), min(60, len(x)), replace=False):
        feet = np.array([x[i] + 0.5, surface[x[i], z[i]], z[i] + 0.5])
        for yaw in np.arange(8) * 45.0 - 180.0:
            way = np.array([-np.sin(np.radians(yaw)), np.cos(np.radians(yaw))])
            steps = np.arange(0, 25)[:, None] * way + feet[[0, 2]]
            across, along = (np.floor(steps).astype(int) % blocks.shape[0]).T
            eye = min(int(feet[1]) + 1, blocks.shape[2] - 2)
            length = np.argmin(np.append(clear[across, along, eye], False))
            # Beside the way too: nothing close to the face.
            near = np.floor(steps[1:4, None] + SIDES * way[::-1]).astype(int) % blocks.shape[0]
            length -= 6 * (~clear[near[..., 0], near[..., 1], eye]).sum()
            rise = np.abs(surface[across, along] - feet[1])[: max(1, length)].mean()
            score = length - 1.2 * rise + rng.uniform(0, 8)
            if score > best[0]:
                best = score, feet, yaw
    return best[1], best[2]
