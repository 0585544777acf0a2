"""Pools of worlds that resets copy from, generated once and kept on disk."""

import functools
import hashlib
import io
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_STATES, MAX_CLEARANCE
from rlgpt_jax.envs.voxel.rules.blocks.light import EMISSION, OPACITY
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.envs.voxel.terrain.biomes import get_biome
from rlgpt_jax.envs.voxel.terrain.veins import VEINS
from rlgpt_jax.envs.voxel.terrain.worldgen import World, generate

# To be raised when generated worlds change other than by what `_mark` looks at.
VERSION = 3
SPLITS = ("train", "eval", "validation")
# Files, from this folder, that say what a world is like.
_SOURCES = (
    "worldgen", "land", "lakes", "caves", "veins", "trees", "tree_parts", "big_oak",
    "conifers", "plants", "noise", "../rules/blocks/clearance", "../rules/blocks/light",
)  # fmt: skip
_DTYPES = {"blocks": "uint8", "light": "uint8", "surface": "int32", "spawnable": "bool"}
_CHECK_BYTES = 32  # of the checksum at the end of a file


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
    cache_dir: Path | str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    number: int = 0,
) -> WorldPool:
    """Loads a pool from the cache, or generates it and fills the cache.

    Args:
      biome: a name in `worldgen.BIOMES`.
      split: "train", "validation" or "eval"; their worlds are disjoint.
      params: sizes of the worlds, and how many (`num_worlds`).
      cache_dir: folder for the generated worlds; None keeps nothing.
      on_progress: called with (worlds done, worlds in all).
      number: which pool of this split; pools of equal size have no world in common.
    """
    get_biome(biome)
    world_seed(biome, split, 0)
    path = cache_dir and Path(cache_dir) / cache_name(biome, split, params, number)
    worlds = _read(path, params) if path else None
    if worlds is None:
        worlds = _generate(biome, split, params, on_progress, number)
        if path:
            _write(path, worlds)
    elif on_progress:
        on_progress(params.num_worlds, params.num_worlds)
    return WorldPool(*(jnp.asarray(array) for array in worlds))


def cache_name(biome: str, split: str, params: WorldParams, number: int = 0) -> str:
    """File name that tells pools of different content apart.

    It ends with a hash of what worlds are made from: block states, the row of the biome,
    veins, light, and the sources of the generator.
    """
    size = f"{params.size_x}x{params.size_z}x{params.size_y}"
    name = f"{biome}_{split}{number or ''}_{size}_sea{params.sea_level}_n{params.num_worlds}"
    return f"{name}_v{VERSION}_{_mark(biome)}.npz"


@functools.cache
def _mark(biome: str) -> str:
    """Eight digits of the state of the generator."""
    tables = (VERSION, BLOCK_STATES, AIR_CODE, MAX_CLEARANCE, get_biome(biome), VEINS)
    state = hashlib.blake2b(repr(tables).encode(), digest_size=4)
    state.update(OPACITY.tobytes() + EMISSION.tobytes())
    for name in _SOURCES:
        state.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return state.hexdigest()


def _generate(
    biome: str,
    split: str,
    params: WorldParams,
    on_progress: Callable[[int, int], None] | None,
    number: int,
) -> World:
    """Worlds stacked along a new first axis P."""
    worlds = []
    for index in range(params.num_worlds):
        seed = world_seed(biome, split, number * params.num_worlds + index)
        worlds.append(generate(seed, biome, params))
        if on_progress:
            on_progress(index + 1, params.num_worlds)
    return World(*(np.stack(arrays) for arrays in zip(*worlds)))


def _read(path: Path, params: WorldParams) -> World | None:
    """The worlds of a file; None if it is missing, damaged or of other sizes.

    A file is an npz with a checksum after it, so that no damage gets as far as numpy.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    body, check = data[:-_CHECK_BYTES], data[-_CHECK_BYTES:]
    if _checksum(body) != check:
        return None
    with np.load(io.BytesIO(body)) as file:
        arrays = {name: file[name] for name in file.files}
    shape = (params.num_worlds, params.size_x, params.size_z, params.size_y)
    shapes = {name: shape if name in ("blocks", "light") else shape[:3] for name in _DTYPES}
    if {name: str(array.dtype) for name, array in arrays.items()} != _DTYPES:
        return None
    if {name: array.shape for name, array in arrays.items()} != shapes:
        return None
    return World(**arrays)


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECK_BYTES).digest()


def _write(path: Path, worlds: World) -> None:
    """Writes beside the file and renames, so that readers see all of it or nothing.

    A cache that cannot be written, for example on a full disk, is only warned about.
    """
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **worlds._asdict())
    name = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".part", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(buffer.getvalue())
            file.write(_checksum(buffer.getvalue()))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError as error:
        warnings.warn(f"worlds are not kept in {path.parent}: {error}", stacklevel=2)
    finally:
        if name:
            Path(name).unlink(missing_ok=True)
