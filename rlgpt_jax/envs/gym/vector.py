"""N worlds as a `gymnasium.vector.VectorEnv`: one program for all lanes."""

from typing import Any

import gymnasium
import jax
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from rlgpt_jax.envs.base import NOOP, Observation
from rlgpt_jax.envs.gym.eyes import Eyes
from rlgpt_jax.envs.gym.single import METADATA, checked_render_mode
from rlgpt_jax.envs.gym.spaces import action_space, checked_actions, observation_space
from rlgpt_jax.envs.view.observation import View, lane
from rlgpt_jax.envs.voxel.host import HostVoxel

Arrays = dict[str, np.ndarray]
VECTOR_METADATA = {**METADATA, "autoreset_mode": AutoresetMode.SAME_STEP}


class VoxelVectorEnv(gymnasium.vector.VectorEnv[View, np.ndarray, np.ndarray]):
    """N lanes of one task, a tick of 50 ms each step.

    A lane whose episode ends starts the next one in the same step: its observation is
    the new episode's first one, and `info["final_obs"]` and `info["final_info"]` hold
    what the ended episode left, in the form of `gymnasium.vector.SyncVectorEnv`.
    """

    metadata = VECTOR_METADATA

    def __init__(self, world: HostVoxel, seed: int | None, render_mode: str | None):
        """Wraps a world of N lanes; see `making.make_vec`.

        Raises:
          ValueError: an unknown render mode.
        """
        self.render_mode = checked_render_mode(render_mode)
        self.num_envs = world.num_envs
        self.single_observation_space = observation_space(world.image_size)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.world, self._eyes, self._first_seed = world, Eyes(world), seed
        self._obs: Observation | None = None
        self._busy = np.zeros(self.num_envs, bool)
        self._tick = np.zeros(self.num_envs, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Starts N episodes; one seed decides all of them. There are no options.

        Raises:
          ValueError: a list of seeds.
        """
        seed, self._first_seed = (self._first_seed if seed is None else seed), None
        if seed is not None and not isinstance(seed, int | np.integer):
            raise ValueError(f"one integer seeds all lanes, got {seed!r}.")
        super().reset(seed=seed)
        self._obs = self.world.reset(int(self.np_random.integers(2**31)))
        self._busy[:], self._tick[:] = False, 0
        return self._eyes.first(self._obs), self._info(np.zeros(self.num_envs, bool))

    def step(
        self, actions: np.ndarray
    ) -> tuple[View, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One tick of every lane. `actions` is int[N, 8].

        Raises:
          ValueError: an action outside of the action space.
          RuntimeError: before the first `reset`.
        """
        if self._obs is None:
            raise RuntimeError("no episode runs: call reset() first.")
        asked = checked_actions(actions, self.num_envs)
        taken = np.where(self._busy[:, None], np.array(NOOP, np.int32), asked)
        before, tick = self._obs, self.world.advance(asked)
        self._busy = np.array(tick.info["busy"])
        self._tick += 1
        info = self._info(tick.info["success"])
        self._obs, done = tick.obs, tick.terminated | tick.truncated
        if done.any():
            info |= self._final(tick.obs, before, taken, info, done)
            self._obs = self.world.restart(done)
            self._tick[done] = 0
            info["tick"], info["success"] = self._tick.copy(), tick.info["success"] & ~done
            before = _choose(done, self._obs, before)
            taken = np.where(done[:, None], np.array(NOOP, np.int32), taken)
        seen = self._eyes.after(self._obs, before, taken)
        ends = (np.array(tick.terminated), np.array(tick.truncated))
        return seen, tick.reward.astype(np.float64), *ends, info

    def render(self) -> tuple[np.ndarray, ...] | None:  # type: ignore[override]
        """A picture of each lane with `render_mode="rgb_array"`."""
        if self.render_mode is None:
            return None
        return tuple(self._eyes.picture(index, self._obs) for index in range(self.num_envs))

    def _info(self, success: np.ndarray) -> dict[str, Any]:
        values = {
            "success": np.array(success), "busy": self._busy.copy(), "tick": self._tick.copy(),
        }  # fmt: skip
        everywhere = {f"_{key}": np.ones(self.num_envs, bool) for key in values}
        return {**values, **everywhere}

    def _final(
        self,
        obs: Observation,
        before: Observation,
        taken: np.ndarray,
        info: Arrays,
        done: np.ndarray,
    ) -> dict[str, Any]:
        """What ended episodes leave; the worlds still hold them."""
        seen = self._eyes.after(obs, before, taken)
        final_obs = np.full(self.num_envs, None, object)
        for index in np.flatnonzero(done):
            final_obs[index] = lane(seen, int(index))
        final_info = {key: np.where(done, x, np.zeros_like(x)) for key, x in info.items()}
        return {
            "final_obs": final_obs, "_final_obs": done.copy(),
            "final_info": final_info, "_final_info": done.copy(),
        }  # fmt: skip


def _choose(done: np.ndarray, new: Observation, old: Observation) -> Observation:
    """The fields of `new` in the done lanes, else of `old`."""

    def pick(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.where(done.reshape((-1,) + (1,) * (a.ndim - 1)), a, b)

    return jax.tree.map(pick, new, old)
