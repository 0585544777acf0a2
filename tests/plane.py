"""A point in a plane that must come to a goal: a world with a spec that PPO solves in seconds."""

import numpy as np

from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.spec import Action, Argument, Field, Sensed, WorldSpec

SPEED = 0.25  # of a step at full speed; the plane reaches from -1 to 1
FIELDS = ("x", "y", "goal_x", "goal_y", "distance")
MOVE = Action("move", "Moves by dx and dy.", (Argument("dx", -1.0, 1.0), Argument("dy", -1.0, 1.0)))
STEPS = (("right", 1, 0), ("left", -1, 0), ("up", 0, 1), ("down", 0, -1))
SPEC = WorldSpec(
    name="plane",
    fields=(
        *(Field(name, f"{name} of the plane") for name in FIELDS[:-1]),
        Field("distance", "to the goal", 0.0, 3.0),
    ),
    actions=(
        Action("stay", "Does nothing."), MOVE, *(Action(name, "One step.") for name, *_ in STEPS)
    ),
    primitive="move", progress=(("distance", -1.0),), facts=("distance",),
)  # fmt: skip


class Plane:
    """N planes on the host. Success is to be within `near` of the goal; x and y at the start and
    the goal depend on the seed."""

    goal_names = ()

    def __init__(self, num_envs: int = 16, horizon: int = 20, near: float = 0.25, spec=SPEC):
        self.num_envs, self.horizon, self.near, self.spec = num_envs, horizon, near, spec
        self.reset(0)

    def reset(self, seed: int) -> Sensed:
        rng = np.random.default_rng(seed)
        self.seed = rng.integers(2**31, size=self.num_envs)
        self.at, self.goal = np.zeros((2, self.num_envs, 2), np.float32)
        self.tick = np.zeros(self.num_envs, int)
        self._begin(np.ones(self.num_envs, bool))
        return self._observe()

    def _begin(self, lanes: np.ndarray) -> None:
        for lane in np.flatnonzero(lanes):
            rng = np.random.default_rng(self.seed[lane])
            self.at[lane], self.goal[lane] = rng.uniform(-1, 1, (2, 2))
            self.seed[lane], self.tick[lane] = rng.integers(2**31), 0

    def _observe(self) -> Sensed:
        distance = np.linalg.norm(self.at - self.goal, axis=1, keepdims=True)
        return Sensed(np.concatenate([self.at, self.goal, distance], 1, dtype=np.float32))

    def step(self, action: np.ndarray) -> Step:
        name = np.array([a.name for a in self.spec.actions])[action[:, 0].astype(int)]
        move = np.where((name == "move")[:, None], action[:, 1:3], 0)
        for step, *way in STEPS:
            move = np.where((name == step)[:, None], way, move)
        self.at = np.clip(self.at + SPEED * move, -1, 1).astype(np.float32)
        self.tick = self.tick + 1
        final = self._observe()
        success = final.fields[:, 4] < self.near
        late = (self.tick >= self.horizon) & ~success
        self._begin(success | late)
        info = {"success": success, "busy": np.zeros(self.num_envs, bool)}
        reward = success.astype(np.float32)
        return Step(self._observe(), reward, success, late, final, info)

    def save(self) -> dict[str, np.ndarray]:
        return {k: getattr(self, k).copy() for k in ("at", "goal", "seed", "tick")}

    def load(self, saved: dict[str, np.ndarray]) -> Sensed:
        vars(self).update({k: np.array(v) for k, v in saved.items()})
        return self._observe()
