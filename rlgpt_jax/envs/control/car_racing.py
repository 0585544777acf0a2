"""CarRacing-v3 with numbers for senses; its picture is drawn only when asked for."""

import os

# Read when pygame opens what it draws on; there may be no display.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

from typing import Any

import numpy as np
from gymnasium.envs.box2d import car_racing
from PIL import Image

from rlgpt_jax.envs.control.car_racing_spec import AHEAD, LAP
from rlgpt_jax.envs.control.simulator import Outcome, State


class _Silent(car_racing.CarRacing):
    """Steps without the 96x96 picture that the environment observes, which takes most of a step."""

    def _render(self, mode: str) -> Any:
        return None if mode == "state_pixels" else super()._render(mode)


class CarRacing:
    """A `simulator.Simulator`.

    Box2D's contacts cannot be set: what is saved are the actions of the episode, and `load` does
    them again.
    """

    def __init__(self) -> None:
        self._actions: list[np.ndarray] = []  # of this episode
        # The lap's share is ours, below; theirs must not end an episode before it.
        self._env = _Silent(render_mode="rgb_array", continuous=True, lap_complete_percent=1.0)

    def reset(self, seed: int) -> np.ndarray:
        """Begins an episode on the seed's track."""
        self._actions = []
        self._env.reset(seed=seed)
        track = np.array(self._env.track)
        self._middle, self._beta = track[:, 2:4], np.unwrap(track[:, 1])
        return self._fields()

    def step(self, action: np.ndarray) -> Outcome:
        """One step of 0.02 s; a lap ends the episode, and so does leaving the field."""
        self._actions.append(np.array(action, np.float32))
        _, _, terminated, _, _ = self._env.step(np.asarray(action[1:4], np.float64))
        fields = self._fields()
        success = self._tiles() >= LAP
        return Outcome(fields, success, success or bool(terminated))

    def save(self) -> State:
        return {"actions": np.array(self._actions, np.float32)}  # float32[steps, 4]

    def load(self, saved: State) -> None:
        for action in saved["actions"]:
            self.step(action)

    def render(self, size: tuple[int, int]) -> np.ndarray:
        height, width = size
        picture = Image.fromarray(np.ascontiguousarray(self._env.render()))
        return np.asarray(picture.resize((width, height), Image.Resampling.BOX))

    def _tiles(self) -> float:
        return self._env.tile_visited_count / len(self._middle)

    def _fields(self) -> np.ndarray:
        """As `car_racing_spec.SPEC`."""
        car: Any = self._env.car
        hull, wheels = car.hull, car.wheels
        forward = hull.GetWorldVector((0, 1))
        speed = forward[0] * hull.linearVelocity[0] + forward[1] * hull.linearVelocity[1]
        on_road = sum(bool(wheel.tiles) for wheel in wheels)
        return np.array(
            [speed, hull.angularVelocity, wheels[0].joint.angle, *(w.omega for w in wheels),
             self._tiles(), on_road, *self._road(np.array(hull.position), hull.angle)],
            np.float32,
        )  # fmt: skip

    def _road(self, at: np.ndarray, angle: float) -> list[float]:
        """Offset, heading and the turns ahead, seen from the nearest tile."""
        apart = at - self._middle
        here = int(np.argmin((apart**2).sum(axis=1)))
        beta = self._beta[here]
        right = np.array([np.cos(beta), np.sin(beta)])
        ahead = [self._turn(here, n) for n in AHEAD]
        return [float(apart[here] @ right), _wrapped(beta - angle), *ahead]

    def _turn(self, here: int, tiles: int) -> float:
        return _wrapped(self._beta[(here + tiles) % len(self._beta)] - self._beta[here])


def _wrapped(angle: float) -> float:
    """To -pi..pi."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
