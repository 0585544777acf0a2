"""MountainCarContinuous-v0: all lanes in one pool of envpool's, in this process."""

import warnings
from typing import Any

import envpool
import numpy as np

from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.control.host import FILM_SIZE, SpecLanes
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.minedojo.batch import resized
from rlgpt_jax.envs.minedojo.making import world_seed
from rlgpt_jax.envs.spec import Sensed

# gymnasium says so of every pool; nothing here reads the bounds.
warnings.filterwarnings("ignore", message=".*precision lowered by casting")


class MountainCars(SpecLanes):
    """A `base.HostEnvironment`.

    envpool's own reset comes with the step after an episode's end and eats its action; here ended
    lanes are reset at once, so that no step is lost. Its state cannot be read or set: what is
    saved are each lane's seed, how many episodes it has begun and the actions of the one that
    runs, and `load` does them again, which gives the same bits.
    """

    def __init__(
        self,
        task: ControlTask,
        num_envs: int,
        workers: int,
        image_size: tuple[int, int] | None,
        split: str,
    ):
        """See `making.make`; `workers` is the number of threads."""
        super().__init__(task, num_envs, image_size, split)
        self._threads, self._horizon = min(workers, num_envs), task.horizon
        self._steps = np.zeros(num_envs, np.int64)  # of the episode
        self._forces = np.zeros((num_envs, task.horizon), np.float32)  # of the episode
        self._pool: Any = None

    def reset(self, seed: int) -> Sensed:
        """Starts N episodes."""
        return self._sensed(self._begin(int(seed)))

    def step(self, action: np.ndarray) -> Step:
        """One step of every lane, with auto-reset. `action` is float32[N, 2].

        `reward` is 1 in the step of success.

        Raises:
          RuntimeError: before the first `reset` or `load`.
          ValueError: an action that is none.
        """
        force = self._bounded(action)[:, 1:]
        lanes = np.arange(self.num_envs)
        final, success, truncated = self._advance(lanes, force)
        last = self._sensed(final)
        done = success | truncated
        obs = last
        if done.any():
            fields = final.copy()
            fields[done] = self._restart(np.flatnonzero(done))
            obs = self._sensed(fields)
        no = np.zeros(self.num_envs, bool)
        info = {"success": success, "busy": no, "lost": no.copy()}
        return Step(obs, success.astype(np.float32), success, truncated, last, info)  # type: ignore[arg-type]

    def save(self) -> dict[str, Any]:
        """All that changes, as a tree of NumPy arrays."""
        forces = self._forces[:, : self._steps.max()].copy()
        return {"seed": np.int64(self._seed), "drawn": self._drawn.copy(),
                "steps": self._steps.copy(), "forces": forces}  # fmt: skip

    def load(self, saved: dict[str, Any]) -> Sensed:
        """Restores what `save` returned, so that the same actions give the same bits.

        Raises:
          ValueError: it was saved with another number of lanes.
        """
        drawn, steps = np.asarray(saved["drawn"]), np.asarray(saved["steps"])
        self._check_saved(drawn)
        fields = self._begin(int(saved["seed"]))
        while (self._drawn < drawn).any():
            lanes = np.flatnonzero(self._drawn < drawn)
            fields[lanes] = self._restart(lanes)
        for tick in range(steps.max()):
            lanes = np.flatnonzero(steps > tick)
            fields[lanes], *_ = self._advance(lanes, saved["forces"][lanes, tick][:, None])
        return self._sensed(fields)

    def render(self, lanes: Any, size: tuple[int, int] = FILM_SIZE) -> np.ndarray:
        """Pictures of some lanes now, uint8[K, height, width, 3]; needs no OpenGL."""
        pictures = self._open.render(np.asarray(lanes, np.int32))
        return np.stack([resized(picture, size) for picture in pictures])

    def close(self) -> None:
        """Ends the pool's threads."""
        if self._pool is not None:
            self._pool.close()

    @property
    def _open(self) -> Any:
        if self._pool is None:
            raise RuntimeError("no episode has been started: call reset(seed) or load(saved).")
        return self._pool

    def _begin(self, seed: int) -> np.ndarray:
        """A new pool, whose lanes have begun their first episodes."""
        self.close()
        self._seed = seed
        seeds = [world_seed(seed, self._split, lane, 0) % 2**31 for lane in range(self.num_envs)]
        height, width = self.image_size or FILM_SIZE
        self._pool = envpool.make(
            "MountainCarContinuous-v0", "gymnasium", num_envs=self.num_envs, seed=seeds,
            num_threads=self._threads, max_episode_steps=self._horizon, render_mode="rgb_array",
            render_width=width, render_height=height,
        )  # fmt: skip
        self._drawn[:], self._steps[:] = 0, 0
        return self._restart(np.arange(self.num_envs))

    def _restart(self, lanes: np.ndarray) -> np.ndarray:
        """Begins the next episode of some lanes. Returns float32[K, 2]."""
        self._drawn[lanes] += 1
        self._steps[lanes] = 0
        obs, info = self._open.reset(lanes)
        return obs[np.argsort(info["env_id"])]

    def _advance(
        self, lanes: np.ndarray, force: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A step of some lanes: float32[K, 2], success and truncated bool[K]."""
        self._forces[lanes, self._steps[lanes]] = force[:, 0]
        self._steps[lanes] += 1
        obs, _, success, truncated, info = self._open.step(np.asarray(force, np.float32), lanes)
        order = np.argsort(info["env_id"])
        return obs[order], success[order], truncated[order] & ~success[order]
