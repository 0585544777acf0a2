"""One world as a `gymnasium.Env`."""

from typing import Any

import gymnasium
import numpy as np

from rlgpt_jax.envs.base import FUNCTION, NOOP, SLOW_FUNCTIONS, Observation
from rlgpt_jax.envs.gym.eyes import Eyes
from rlgpt_jax.envs.gym.spaces import action_space, checked_actions, observation_space
from rlgpt_jax.envs.view.observation import View, lane
from rlgpt_jax.envs.voxel.host import HostVoxel

METADATA: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}
_NOOPS = np.array([NOOP], np.int32)


class VoxelGymEnv(gymnasium.Env[View, np.ndarray]):
    """One lane of one task; a step is one tick of 50 ms.

    Slow functional actions (drop, craft, equip, place, destroy) keep the agent busy for
    3 ticks; `info["busy"]` tells that the next action will be ignored. With
    `minedojo_time` a step with such an action takes all 3 ticks, as MineDojo's wrapper
    does, but its reward is the sum over them: there the reward of the first two is lost.
    """

    metadata = METADATA

    def __init__(
        self, world: HostVoxel, seed: int | None, minedojo_time: bool, render_mode: str | None
    ):
        """Wraps a world of one lane; see `making.make`.

        Raises:
          ValueError: an unknown render mode.
        """
        self.render_mode = checked_render_mode(render_mode)
        self.observation_space = observation_space(world.image_size)
        self.action_space = action_space()
        self.world, self._eyes = world, Eyes(world)
        self._first_seed, self._minedojo_time = seed, minedojo_time
        self._obs: Observation | None = None
        self._seen: Observation | None = None  # also after the last tick of an episode
        self._busy, self._tick = False, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Starts an episode; equal seeds start equal ones. There are no options."""
        seed, self._first_seed = (self._first_seed if seed is None else seed), None
        super().reset(seed=seed)
        self._obs = self._seen = self.world.reset(int(self.np_random.integers(2**31)))
        self._busy, self._tick = False, 0
        info = {"success": False, "busy": False, "tick": 0}
        return lane(self._eyes.first(self._obs), 0), info

    def step(self, action: np.ndarray) -> tuple[View, float, bool, bool, dict[str, Any]]:
        """One tick, or three (see the class).

        Raises:
          ValueError: an action outside of the action space.
          RuntimeError: no episode runs.
        """
        if self._obs is None:
            raise RuntimeError("no episode runs: call reset() first, and after each end.")
        asked = checked_actions(np.asarray(action)[None], 1)
        taken = _NOOPS if self._busy else asked
        before, reward, action_now = self._obs, 0.0, asked
        more = self._minedojo_time and int(taken[0, FUNCTION]) in SLOW_FUNCTIONS
        while True:
            tick = self.world.advance(action_now)
            reward += float(tick.reward[0])
            self._tick += 1
            terminated, truncated = bool(tick.terminated[0]), bool(tick.truncated[0])
            self._busy = bool(tick.info["busy"][0])
            if terminated or truncated or not (more and self._busy):
                break
            action_now = _NOOPS
        self._seen, self._obs = tick.obs, None if terminated or truncated else tick.obs
        seen = lane(self._eyes.after(tick.obs, before, taken), 0)
        info = {"success": bool(tick.info["success"][0]), "busy": self._busy, "tick": self._tick}
        return seen, reward, terminated, truncated, info

    def render(self) -> np.ndarray | None:  # type: ignore[override]
        """uint8[height, width, 3] with `render_mode="rgb_array"`."""
        return self._eyes.picture(0, self._seen) if self.render_mode == "rgb_array" else None


def checked_render_mode(render_mode: str | None) -> str | None:
    """The mode itself.

    Raises:
      ValueError: it is neither None nor "rgb_array".
    """
    modes = METADATA["render_modes"]
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"no render_mode {render_mode!r}. Try: rgb_array, or None.")
    return render_mode
