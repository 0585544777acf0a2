"""The embedded worlds that missions are started in: one lane each, by kind of land."""

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path

from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.envs.voxel.terrain.biomes import BIOMES
from rlgpt_jax.envs.voxel.terrain.pool import load_pool

SUMMONED = 8  # places for mobs that commands summon
ENDLESS = 1_000_000_000  # ticks; only the client knows of a time limit


class Lands:
    """Makes worlds of one lane. Worlds that differ in their data alone share a program."""

    def __init__(
        self,
        task: Task,
        params: WorldParams,
        split: str = "train",
        cache_dir: Path | None = None,
        load: Callable[[str], WorldPool] | None = None,
    ):
        """Sets what all worlds have in common.

        Args:
          task: the life of the land (animals, zombies), and the land where a mission asks
            for none of ours; its start and goal are the client's affair.
          params: sizes of the worlds.
          split: whose worlds they are: "train", "validation" or "eval".
          cache_dir: folder of generated worlds; None keeps none.
          load: pools by biome, instead of generated ones.

        Raises:
          ValueError: if `params.max_mobs` leaves no place for a summoned mob.
        """
        self.params = params
        room = min(SUMMONED, params.max_mobs - task.wild - task.hostile)
        if room < 1:
            raise ValueError(
                f"task {task.name!r} has {task.wild + task.hostile} mobs of its own and max_mobs "
                f"is {params.max_mobs}: no mob could be summoned. Raise WorldParams.max_mobs."
            )
        self.summoned = room
        # Mobs called "none" are empty places.
        self._task = dataclasses.replace(
            task, mobs=("none",) * room, start_items=(), horizon=ENDLESS, nearby=False
        )
        self._load = load or functools.cache(
            lambda biome: load_pool(biome, split, params, cache_dir)
        )

    def biome_of(self, number: int | None) -> str:
        """The land for Minecraft's biome number; the task's where there is none like it."""
        known = {biome.biome_id: biome.name for biome in BIOMES}
        return self._task.biome if number is None else known.get(number, self._task.biome)

    def world(self, biome: str, break_speed: float = 1.0) -> HostVoxel:
        """A world of one lane; it draws pictures once its `image_size` is set."""
        task = dataclasses.replace(self._task, biome=biome, break_speed=break_speed)
        return HostVoxel(VoxelEnv(task, self.params, 1, self._load(biome)))
