"""Observations of a `HostVoxel` in MineDojo's form, pictures included."""

import numpy as np

from rlgpt_jax.envs.base import NOOP, Observation
from rlgpt_jax.envs.minedojo_view import Sight, View, look
from rlgpt_jax.envs.voxel import render
from rlgpt_jax.envs.voxel.host import HostVoxel

RENDER_SIZE = (160, 256)  # height, width of `render` where observations have no image


class Eyes:
    """Turns what N lanes saw into what gymnasium's users see."""

    def __init__(self, world: HostVoxel, image_size: tuple[int, int] | None):
        self.world, self.image_size = world, image_size
        # The top layer of still water is `sea_level`; Minecraft counts the one above it.
        self._sea_level = world.env.params.sea_level + 1
        self._noops = np.tile(np.array(NOOP, np.int32), (world.num_envs, 1))

    def first(self, obs: Observation) -> View:
        """The observation [N, ...] at the start of an episode."""
        return self.after(obs, obs, self._noops)

    def after(self, obs: Observation, before: Observation, action: np.ndarray) -> View:
        """The observation [N, ...] after an action int32[N, 8]."""
        seen = look(Sight(obs, before, action, self.world, self._sea_level))
        if self.image_size is None:
            return seen
        lanes = range(self.world.num_envs)
        rgb = np.stack([self.picture(lane).transpose(2, 0, 1) for lane in lanes])
        return {"rgb": rgb, **seen}

    def picture(self, lane: int) -> np.ndarray:
        """uint8[height, width, 3]: what the agent of one lane sees now."""
        height, width = self.image_size or RENDER_SIZE
        return render.first_person(self.world.lane_state(lane), 0, height, width)
