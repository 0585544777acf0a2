"""What a pool of worlds costs: seconds to make, bytes in memory and on disk, seconds to load."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import jax

from experiments.bench.table import Row
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.terrain.pool import cache_name, load_pool
from rlgpt_jax.envs.voxel.terrain.worldgen import BIOMES


def measure(params: WorldParams) -> Iterator[Row]:
    """One row per biome, for a pool of `params.num_worlds` worlds.

    The first pool of a process also compiles the kernels: one world is made beforehand.
    """
    for biome in BIOMES:
        load_pool(biome.name, "train", WorldParams(num_worlds=1))
        with tempfile.TemporaryDirectory() as folder:
            seconds = []
            for _ in range(2):
                began = time.perf_counter()
                pool = load_pool(biome.name, "train", params, Path(folder))
                seconds.append(time.perf_counter() - began)
            file = Path(folder) / cache_name(biome.name, "train", params)
            numbers = {
                "worlds": params.num_worlds,
                "seconds_to_make": seconds[0],
                "milliseconds_per_world": 1000 * seconds[0] / params.num_worlds,
                "seconds_to_load": seconds[1],
                "megabytes_in_memory": sum(a.nbytes for a in jax.tree.leaves(pool)) / 1e6,
                "megabytes_on_disk": file.stat().st_size / 1e6,
            }
        yield Row("pool", biome.name, numbers)
