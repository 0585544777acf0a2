"""A configuration as it is measured: its worlds, driver and lanes."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from experiments.config_files import of_minecraft
from experiments.configs import base
from experiments.wiring import env_maker, uses_device
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.rl.config import RLConfig


@dataclasses.dataclass(frozen=True)
class Setting:
    """Loads pools of worlds once."""

    name: str
    config: base.Config

    @functools.cached_property
    def _make(self) -> Callable[..., Any]:
        return env_maker(self.config)

    @property
    def driver(self) -> str:
        """host or device."""
        return "device" if uses_device(self.config) else "host"

    def world(self, lanes: int, split: str = "train") -> Any:
        """What training is given: a `HostVoxel`, or a `VoxelEnv` on the device."""
        return self._make(split, lanes, 0)

    def env(self, lanes: int) -> VoxelEnv:
        """The pure environment of either driver."""
        world = self.world(lanes)
        return world.env if isinstance(world, HostVoxel) else world

    def rl(self, lanes: int) -> RLConfig:
        ppo = dataclasses.replace(self.config.ppo, num_envs=lanes)
        return dataclasses.replace(self.config.rl, ppo=ppo)


def load(name: str, driver: str) -> Setting:
    """Raises `ConfigError` for an unknown configuration, or one of a simulator."""
    config = of_minecraft(name, "--config")
    return Setting(name, dataclasses.replace(config, driver=driver))  # type: ignore[arg-type]
