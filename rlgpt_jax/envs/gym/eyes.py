"""Observations of a `HostVoxel` in MineDojo's form, pictures included."""

import numpy as np

from rlgpt_jax.envs.base import NOOP, Observation
from rlgpt_jax.envs.view.observation import Sight, View, look
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.render import for_people

RENDER_SIZE = (160, 256)  # height, width of `render` where observations have no picture


class Eyes:
    """Turns what N lanes saw into what gymnasium's users see."""

    def __init__(self, world: HostVoxel):
        self.world = world
        # The top layer of still water is `sea_level`; Minecraft counts the one above it.
        self._sea_level = world.env.sizes.sea_level + 1
        self._noops = np.tile(np.array(NOOP, np.int32), (world.num_envs, 1))

    def first(self, obs: Observation) -> View:
        """The observation [N, ...] at the start of an episode."""
        return self.after(obs, obs, self._noops)

    def after(self, obs: Observation, before: Observation, action: np.ndarray) -> View:
        """The observation [N, ...] after an action int32[N, 8]."""
        seen = look(Sight(obs, before, action, self.world, self._sea_level))
        if obs.rgb is None:
            return seen
        return {"rgb": np.ascontiguousarray(obs.rgb.transpose(0, 3, 1, 2)), **seen}

    def picture(self, lane: int, obs: Observation | None) -> np.ndarray:
        """uint8[height, width, 3]: what the agent of one lane sees now.

        Where observations have no picture it is one for people, with the hotbar.
        """
        if obs is not None and obs.rgb is not None:
            return obs.rgb[lane].copy()
        return for_people.first_person(self.world.lane_state(lane), 0, *RENDER_SIZE)
