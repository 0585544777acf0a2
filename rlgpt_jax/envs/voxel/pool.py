"""Pools of worlds that resets copy from, generated once and kept on disk."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.blocks import BLOCKS, MAX_CLEARANCE
from rlgpt_jax.envs.voxel.decorate import VEINS
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.envs.voxel.worldgen import World, generate, get_biome

# To be raised when generated worlds change other than by their tables.
VERSION = 3
SPLITS = ("train", "eval", "validation")


def world_seed(biome: str, split: str, index: int) -> int:
    """The 64-bit seed of one world of a pool.

    The two lowest bits are the split (0 train, 1 eval, 2 validation) and the others are a
    hash, so no world is in two splits, whatever the sizes of the pools.

    Raises:
      ValueError: unknown split.
    """
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}. Try: {', '.join(SPLITS)}.")
    digest = hashlib.blake2b(f"{biome}/{split}/{index}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") & ~3 | SPLITS.index(split)


def load_pool(
    biome: str,
    split: str,
    params: WorldParams,
    cache_dir: Path | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> WorldPool:
    """Loads a pool from the cache, or generates it and fills the cache.

    Args:
      biome: a name in `worldgen.BIOMES`.
      split: "train", "validation" or "eval"; their worlds are disjoint.
      params: sizes of the worlds, and how many (`num_worlds`).
      cache_dir: folder for the generated worlds; None keeps nothing.
      on_progress: called with (worlds done, worlds in all).
    """
    get_biome(biome)
    world_seed(biome, split, 0)
    path = cache_dir and Path(cache_dir) / cache_name(biome, split, params)
    worlds = _read(path) if path else None
    if worlds is None:
        worlds = _generate(biome, split, params, on_progress)
        if path:
            _write(path, worlds)
    elif on_progress:
        on_progress(params.num_worlds, params.num_worlds)
    return WorldPool(*(jnp.asarray(array) for array in worlds))


def cache_name(biome: str, split: str, params: WorldParams) -> str:
    """File name that tells pools of different content apart.

    It ends with a hash of the tables that worlds are made from: ids of blocks, the row
    of the biome, and veins.
    """
    tables = repr((VERSION, BLOCKS, MAX_CLEARANCE, get_biome(biome), VEINS))
    mark = hashlib.blake2b(tables.encode(), digest_size=4).hexdigest()
    size = f"{params.size_x}x{params.size_z}x{params.size_y}"
    sea, number = params.sea_level, params.num_worlds
    return f"{biome}_{split}_{size}_sea{sea}_n{number}_v{VERSION}_{mark}.npz"


def _generate(
    biome: str,
    split: str,
    params: WorldParams,
    on_progress: Callable[[int, int], None] | None,
) -> World:
    """Worlds stacked along a new first axis P."""
    worlds = []
    for index in range(params.num_worlds):
        worlds.append(generate(world_seed(biome, split, index), biome, params))
        if on_progress:
            on_progress(index + 1, params.num_worlds)
    return World(*(np.stack(arrays) for arrays in zip(*worlds)))


def _read(path: Path) -> World | None:
    """None if there is no such file or it was cut off: it is then made anew."""
    try:
        with np.load(path) as file:
            return World(*(file[name] for name in World._fields))
    except (FileNotFoundError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        return None


def _write(path: Path, worlds: World) -> None:
    """Writes beside the file and renames, so that readers see all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=".npz", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **worlds._asdict())
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
