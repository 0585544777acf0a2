"""What an observation in MineDojo's form is made of: facts of N lanes at one tick."""

from typing import NamedTuple, Protocol

import numpy as np

from rlgpt_jax.envs.base import Observation


class Lanes(Protocol):
    """Worlds that can be looked into from the host; `voxel.host.HostVoxel` is one."""

    def field(self, path: str) -> np.ndarray:
        """A field of `WorldState`, [N, ...]."""
        ...

    def bytes_at(self, cell: np.ndarray) -> np.ndarray:
        """uint8[N, K]: bytes of unwrapped cells int[N, K, 3]."""
        ...


class Sight(NamedTuple):
    """N lanes now, and before the last action."""

    obs: Observation
    before: Observation  # of the tick before; `obs` itself in the first of an episode
    action: np.ndarray  # int[N, 8]  that led here; no-ops where a lane did not listen
    lanes: Lanes
    sea_level: int  # blocks, of the first free layer above still water
