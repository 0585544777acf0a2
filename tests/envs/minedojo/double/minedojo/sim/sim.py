from copy import deepcopy

import numpy as np

from minedojo.sim.bridge import BridgeEnv

NOOP = np.array([0, 0, 0, 12, 12, 0, 0, 0])


class WorldGenerator:
    def __init__(self, world_seed):
        self.force_reset, self.world_seed = False, world_seed


class SimSpec:
    def __init__(self, world_seed):
        self._world_generator_handlers = [WorldGenerator(world_seed)]


class MineDojoSim:
    """The innermost layer: missions, ticks and chat."""

    def __init__(
        self, *, image_size, seed=None, world_seed="", initial_inventory=(), specified_biome=None,
        generate_world_type="default", break_speed_multiplier=1.0, initial_weather=None,
        use_voxel=False, voxel_size=None, use_lidar=False, lidar_rays=None,
    ):  # fmt: skip
        assert use_voxel and use_lidar and len(lidar_rays) == 120 and len(voxel_size) == 6
        del generate_world_type, break_speed_multiplier, initial_weather
        self.image_size, self.items, self.biome = image_size, initial_inventory, specified_biome
        self._sim_spec = SimSpec(world_seed)
        self._bridge_env = BridgeEnv()
        self._prev_obs = self._prev_info = None
        self.seed(seed)

    unwrapped = property(lambda self: self)
    prev_obs = property(lambda self: self._prev_obs)
    prev_info = property(lambda self: self._prev_info)
    is_terminated = property(lambda self: self._bridge_env.is_terminated)

    def seed(self, seed=None):
        self._rng = np.random.default_rng(seed)

    def reset(self):
        world = self._sim_spec._world_generator_handlers[0]
        mission = {
            "seed": world.world_seed, "new": world.force_reset, "biome": self.biome,
            "items": [list(item) for item in self.items], "image_size": list(self.image_size),
        }  # fmt: skip
        return self._keep(*self._bridge_env.reset(mission))[0]

    def _keep(self, obs, info):
        self._now = obs, info
        self._prev_obs, self._prev_info = deepcopy(obs), deepcopy(info)
        return obs, info

    def last(self):
        return self._now

    def step(self, action, begins=True, chat=""):
        raw = self._bridge_env.step(np.asarray(action), chat, begins)
        if raw is None:
            self._now = self._prev_obs, self._prev_info
            return self._prev_obs, 0, True, self._prev_info
        obs, info = self._keep(*raw)
        return obs, 0, self.is_terminated, info

    def execute_cmd(self, command):
        return self.step(NOOP, chat=command)

    def close(self):
        self._bridge_env.close()
