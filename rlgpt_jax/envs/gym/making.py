"""Environments by task name; ids of the gymnasium registry."""

import functools
import os
from pathlib import Path

import gymnasium

from rlgpt_jax.envs.gym.single import VoxelGymEnv
from rlgpt_jax.envs.gym.vector import VoxelVectorEnv
from rlgpt_jax.envs.tasks.tasks import TASKS, get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.envs.voxel.terrain.pool import load_pool

# A few worlds, so that making an environment is quick; training wants more.
SMALL = WorldParams(num_worlds=8)


def cache_folder() -> Path:
    """Where generated worlds are kept: $RLGPT_CACHE, else ~/.cache/rlgpt_jax/worlds."""
    given = os.environ.get("RLGPT_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "rlgpt_jax" / "worlds"


def make(
    task: str,
    image_size: tuple[int, int] | None = (160, 256),
    seed: int | None = None,
    split: str = "train",
    world: WorldParams = SMALL,
    cache_dir: Path | str | None = None,
    minedojo_time: bool = False,
    render_mode: str | None = None,
) -> VoxelGymEnv:
    """One world of a task.

    Args:
      task: a name in `envs.tasks.tasks`.
      image_size: (height, width) of `rgb`; None leaves it out, which is faster: the time of
        a picture grows with its pixels.
      seed: of the first `reset` that is given none.
      split: "train", "validation" or "eval"; their worlds are disjoint.
      world: sizes of the worlds, and how many there are.
      cache_dir: folder of generated worlds; None is `cache_folder()`.
      minedojo_time: a slow functional action takes its 3 ticks in one step; the reward
        is their sum.
      render_mode: "rgb_array" or None.

    Raises:
      ValueError: a name, a split, a size or a mode that there is not.
    """
    lanes = _world(task, split, world, cache_dir, 1, image_size)
    return VoxelGymEnv(lanes, seed, minedojo_time, render_mode)


def make_vec(
    task: str,
    num_envs: int = 1,
    image_size: tuple[int, int] | None = (160, 256),
    seed: int | None = None,
    split: str = "train",
    world: WorldParams = SMALL,
    cache_dir: Path | str | None = None,
    minedojo_time: bool = False,
    render_mode: str | None = None,
) -> VoxelVectorEnv:
    """N worlds of a task in one program; arguments as those of `make`.

    Raises:
      ValueError: as `make`, or `minedojo_time`, or no lanes.
    """
    if minedojo_time:
        raise ValueError(
            "minedojo_time is for single environments: the lanes of a vector tick together. "
            "Use one step per tick and skip decisions where info['busy'] is true."
        )
    if num_envs < 1:
        raise ValueError(f"num_envs must be 1 or more, got {num_envs}.")
    lanes = _world(task, split, world, cache_dir, num_envs, image_size)
    return VoxelVectorEnv(lanes, seed, render_mode)


def register() -> None:
    """Registers every task as "rlgpt/<task>-v0"; twice does no harm."""
    for name in TASKS:
        env_id = f"rlgpt/{name}-v0"
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="rlgpt_jax.envs.gym:make",
                vector_entry_point="rlgpt_jax.envs.gym:make_vec",
                kwargs={"task": name},
            )


def _world(
    task: str, split: str, params: WorldParams, cache_dir: Path | str | None, num_envs: int,
    image_size: tuple[int, int] | None,
) -> HostVoxel:  # fmt: skip
    row = get_task(task)
    folder = Path(cache_dir) if cache_dir is not None else cache_folder()
    pool = _pool(row.biome, split, params, folder)
    return HostVoxel(VoxelEnv(row, params, num_envs, pool), image_size=image_size)


@functools.lru_cache(maxsize=4)
def _pool(biome: str, split: str, params: WorldParams, folder: Path) -> WorldPool:
    return load_pool(biome, split, params, folder)
