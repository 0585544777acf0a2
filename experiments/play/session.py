"""A person's episodes in one lane: ticks, rewards, ends."""

import dataclasses

import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.render import for_people
from rlgpt_jax.envs.voxel.state import WorldPool

VIEW_HEIGHT, VIEW_WIDTH = 160, 256


@dataclasses.dataclass(frozen=True)
class Tick:
    """What one tick did."""

    reward: float
    before: Observation
    after: Observation


class Session:
    """One world, from its seed on. An ended episode stays in view until `next_episode`."""

    def __init__(self, task: Task, params: WorldParams, pool: WorldPool, seed: int):
        self.task, self.seed = task, seed
        self._world = HostVoxel(VoxelEnv(task, params, 1, pool))
        self.obs: Observation = self._world.reset(seed)
        self.episode = 1
        self.total, self.tick, self.is_busy, self.end = 0.0, 0, False, ""

    @property
    def is_success(self) -> bool:
        return self.end == "success"

    def step(self, row: np.ndarray) -> Tick:
        """One tick of int32[8].

        Raises:
          RuntimeError: the episode has ended.
        """
        if self.end:
            raise RuntimeError(f"episode {self.episode} has ended: {self.end}.")
        before = self.obs
        step = self._world.advance(np.asarray(row, np.int32)[None])
        self.obs, self.is_busy = step.obs, bool(step.info["busy"][0])
        self.tick += 1
        reward = float(step.reward[0])
        self.total += reward
        if step.terminated[0]:
            self.end = "success" if step.info["success"][0] else "died"
        elif step.truncated[0]:
            self.end = "time is up"
        return Tick(reward, before, self.obs)

    def next_episode(self) -> None:
        """Begins anew in another world of the pool."""
        self.obs = self._world.restart(np.ones(1, bool))
        self.episode += 1
        self.total, self.tick, self.is_busy, self.end = 0.0, 0, False, ""

    def picture(self) -> np.ndarray:
        """uint8[160, 256, 3]: what the agent sees."""
        state = self._world.lane_state(0)
        return for_people.first_person(state, 0, VIEW_HEIGHT, VIEW_WIDTH)
