"""Meta-World's assembly-v3 and peg-insert-side-v3, with a goal that is seen."""

import math

import numpy as np
from metaworld.env_dict import ALL_V3_ENVIRONMENTS

from rlgpt_jax.envs.control import mujoco_state
from rlgpt_jax.envs.control.rendering import Camera
from rlgpt_jax.envs.control.simulator import Outcome, State

PARTS = {"ring": "RoundNut", "head": "pegHead"}  # sites of the objects
GRIP = 3  # index into an action of Meta-World's


class Assembly:
    """A `simulator.Simulator`."""

    def __init__(self, env: str, part: str):
        """Args: Meta-World's name, and which of `PARTS` must come to the goal."""
        self._env = ALL_V3_ENVIRONMENTS[env]()
        # As its benchmarks do: a goal that is seen, and places drawn anew at each reset.
        self._env._partially_observable = False
        self._env.__dict__.pop("sawyer_observation_space", None)  # cached, with the goal hidden
        self._env._freeze_rand_vec = False
        self._env.seeded_rand_vec = True
        self._env._set_task_called = True
        self._site = self._env.model.site(PARTS[part]).id
        self._camera = Camera(self._env.model, "corner2")
        self._grip = 0.0

    def reset(self, seed: int) -> np.ndarray:
        """Begins an episode; the seed draws the places of object and goal."""
        self._grip = 0.0
        self._env.seed(seed)
        obs, _ = self._env.reset()
        return self._fields(obs)

    def step(self, action: np.ndarray) -> Outcome:
        """One step of 0.0125 s; success ends the episode."""
        move = np.asarray(action[1:], np.float32)
        self._grip = float(move[GRIP])
        obs, _, _, _, info = self._env.step(move)
        success = bool(info["success"])
        return Outcome(self._fields(obs), success, success)

    def save(self) -> State:
        env = self._env
        return {
            "physics": mujoco_state.saved(env.model, env.data),
            "before": env._prev_obs.copy(),
            "numbers": np.array([env.curr_path_length, self._grip]),
        }

    def load(self, saved: State) -> None:
        mujoco_state.restore(self._env.model, self._env.data, saved["physics"])
        self._env._prev_obs = np.array(saved["before"])
        length, self._grip = np.asarray(saved["numbers"]).tolist()
        self._env.curr_path_length = int(length)

    def render(self, size: tuple[int, int]) -> np.ndarray:
        return self._camera.draw(self._env.data, size)[::-1, ::-1]  # that camera hangs upside down

    def _fields(self, obs: np.ndarray) -> np.ndarray:
        """As `assembly_spec`; `obs` is Meta-World's own, float64[39]."""
        hand, thing = obs[:3], obs[4:7]
        part = np.asarray(self._env.data.site_xpos[self._site])  # typed only where mujoco is
        goal = self._env._target_pos
        numbers = [math.dist(thing, hand), math.dist(part, goal)]
        return np.concatenate([hand, [obs[3], self._grip], thing, part, goal, numbers]).astype(
            np.float32
        )
