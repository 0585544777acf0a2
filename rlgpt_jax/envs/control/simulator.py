"""One lane of a simulated world, as a worker drives it."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

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
        """The view now, uint8[height, width, 3].

        Raises:
          CannotDraw: of `rendering`, where there is nothing to draw with. After any other error
            the worker is replaced, and its episodes are lost.
        """
        ...
