"""One lane of a simulated world, as a worker drives it."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

State = Mapping[str, np.ndarray]


class Outcome(NamedTuple):
    """What a step came to."""

    fields: np.ndarray  # float32[F], as `WorldSpec.fields`
    success: bool
    terminated: bool  # by success or for good; the time limit is the worker's


class Simulator(Protocol):
    """One episode after the other; made with a task's `options`."""

    def reset(self, seed: int) -> np.ndarray:
        """Begins the episode of a seed, whatever was before. Returns float32[F]."""
        ...

    def step(self, action: np.ndarray) -> Outcome:
        """One step with a row of `WorldSpec`'s actions, float32[columns], within its bounds."""
        ...

    def save(self) -> State:
        """What has changed since `reset(seed)`."""
        ...

    def load(self, saved: State) -> None:
        """Goes on from what `save` returned, right after `reset` with the same seed."""
        ...

    def render(self, size: tuple[int, int]) -> np.ndarray:
        """The view now, uint8[height, width, 3]. Raises ValueError: nothing can be drawn."""
        ...


class Replayed:
    """Saves the actions of the episode and does them again, for simulators whose state cannot be
    set; `step` must begin with `note`."""

    def __init__(self) -> None:
        self._actions: list[np.ndarray] = []

    def note(self, action: np.ndarray) -> None:
        """Keeps an action of this episode."""
        self._actions.append(np.array(action, np.float32))

    def forget(self) -> None:
        """A new episode begins."""
        self._actions = []

    def save(self) -> State:
        """float32[steps, columns]."""
        return {"actions": np.array(self._actions, np.float32)}

    def load(self, saved: State) -> None:
        """Does every action again."""
        for action in saved["actions"]:
            self.step(action)

    def step(self, action: np.ndarray) -> Any:
        raise NotImplementedError
