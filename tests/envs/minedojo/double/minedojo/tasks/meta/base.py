from copy import deepcopy

import numpy as np

from minedojo.sim import FastResetWrapper, MineDojoSim, Wrapper


class MetaTaskBase(Wrapper):
    """A task around the game: reward is what the last tick gained."""

    def __init__(self, *, fast_reset, biome, seed=None, **kwargs):
        sim = MineDojoSim(specified_biome=biome, seed=seed, **kwargs)
        super().__init__(FastResetWrapper(sim) if fast_reset else sim)
        self._is_successful = False
        self._rng = np.random.default_rng(seed)

    def reset(self):
        self.env.reset()
        self._after_sim_reset_hook()
        obs, info = self.unwrapped.last()
        self._first = self._before = deepcopy(info)
        self._is_successful = False
        return obs

    def step(self, action, begins=True):
        obs, _, done, info = self.env.step(action, begins)
        if obs is self.unwrapped.prev_obs:
            return obs, 0, True, info
        gained = self._count(info) - self._count(self._before)
        self._before = deepcopy(info)
        self._is_successful = self._determine_success_hook(info)
        return obs, gained, done or self._is_successful, info

    def _determine_success_hook(self, info):
        return all([self._count(info) - self._count(self._first) >= self._quantity])
