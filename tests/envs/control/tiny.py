"""A simulator without packages that can also die, hang, raise and refuse to draw."""

import os
import time

import numpy as np

from rlgpt_jax.envs.control.rendering import CannotDraw
from rlgpt_jax.envs.control.simulator import Outcome, State
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.spec import Action, Argument, Field, WorldSpec

GO, DIE, HANG, RAISE = range(4)
GOAL = 5.0


class Tiny:
    """Adds numbers up; 5 is success."""

    def __init__(self, draws: bool):
        self._draws, self._sum, self._seed = draws, 0.0, 0

    def reset(self, seed: int) -> np.ndarray:
        self._seed, self._sum = seed, 0.0
        return self._fields()

    def step(self, action: np.ndarray) -> Outcome:
        if action[0] == DIE:
            os._exit(3)
        if action[0] == HANG:
            time.sleep(600)
        if action[0] == RAISE:
            raise RuntimeError("a joint broke")
        self._sum += float(action[1])
        return Outcome(self._fields(), self._sum >= GOAL, self._sum >= GOAL)

    def save(self) -> State:
        return {"sum": np.float64(self._sum)}

    def load(self, saved: State) -> None:
        self._sum = float(saved["sum"])

    def render(self, size: tuple[int, int]) -> np.ndarray:
        if not self._draws:
            raise CannotDraw("no pictures here")
        return np.full((*size, 3), int(self._sum), np.uint8)

    def _fields(self) -> np.ndarray:
        return np.array([self._sum, self._seed % 2**20, os.getpid()], np.float32)


class Pool:
    """Stands for a world of all lanes."""

    def __init__(self, *given: object):
        self.given = given


class Broken(Tiny):
    """Cannot begin an episode."""

    def reset(self, seed: int) -> np.ndarray:
        raise RuntimeError("no model file")


SPEC = WorldSpec(
    name="tiny",
    fields=(Field("sum", "", 0, 5), Field("seed", "", 0, 1e6), Field("pid", "", 0, 1e6)),
    actions=(
        Action("go", "", (Argument("by", -1.0, 1.0, 0.0),)),
        *(Action(name, "") for name in ("die", "hang", "fail")),
    ),
    primitive="go",
)


def tiny_task(kind: str = "Tiny", draws: bool = True, patience: float = 20.0) -> ControlTask:
    return ControlTask(
        name="tiny", words="count to 5", spec=SPEC, horizon=8, success="a sum of 5",
        simulator=f"tests.envs.control.tiny.{kind}", packages=("numpy",),
        options=(("draws", draws),), patience=patience,
    )  # fmt: skip
