"""A host world whose lanes see what a test has written down, whatever they do."""

import jax
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.names import MOBS, NAME_ID
from tests.corridor import Corridor


def press(function: int = 0, **columns: int) -> np.ndarray:
    """int32[8]: a no-op with a function and turns, for example `yaw=14`."""
    action = np.array(base.NOOP, np.int32)
    action[base.FUNCTION] = function
    for name, value in columns.items():
        action[getattr(base, name.upper())] = value
    return action


class Scripted:
    """Row t of the script is what the centre rays of all lanes meet before tick t.

    The episode ends after the last row; `wins` are the lanes that succeed then.
    """

    goal_names = ("cow",)

    def __init__(self, script, wins=()):
        self.script, self.wins = script, wins
        self.num_envs = len(script[0])
        self.blank = Corridor(num_envs=self.num_envs).reset((), jax.random.key(0))[1]
        self.at = 0

    def observation(self, at: int, **changes: float) -> Observation:
        obs = jax.tree.map(np.array, self.blank)
        obs.ray_entity[:] = NAME_ID["none"]
        obs.ray_entity_distance[:] = base.RAY_RANGE
        for lane, (name, distance) in enumerate(self.script[min(at, len(self.script) - 1)]):
            is_mob = name in MOBS
            field = "ray_entity" if is_mob else "ray_block"
            getattr(obs, field)[lane, base.CENTRE_RAY] = NAME_ID[name]
            getattr(obs, f"{field}_distance")[lane, base.CENTRE_RAY] = distance
            if not is_mob:
                obs.ray_entity_distance[lane, base.CENTRE_RAY] = distance
        for name, value in changes.items():
            getattr(obs, name)[:] = value
        return obs

    def reset(self, seed: int) -> Observation:
        self.at = 0
        return self.observation(0)

    def step(self, action: np.ndarray) -> Step:
        self.at += 1
        done = np.full(self.num_envs, self.at == len(self.script))
        success = done & np.isin(np.arange(self.num_envs), self.wins)
        obs = self.observation(self.at)
        info = {"success": success, "busy": np.zeros(self.num_envs, bool)}
        return Step(obs, success.astype(np.float32), success, done & ~success, obs, info)

    def save(self):
        return self.at
