"""Worlds of one run that have the machine's games in turns.

A run trains in one world, tries macros in another and is judged in a third. Each has a game per
lane, and the games of one fill the machine. So a world launches its games when episodes are
begun in it, and those of the world before are ended first; that takes as long as a launch does.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from rlgpt_jax.envs.base import AsyncEnvironment, Observation, Step


class Closable(AsyncEnvironment, Protocol):
    """A world that launches nothing when it is made, and can be ended."""

    def close(self) -> None: ...


class Turns:
    """Whose turn it is."""

    def __init__(self) -> None:
        self._now: OnTurn | None = None

    def world(self, make: Callable[[], Closable]) -> "OnTurn":
        """The world that `make` makes, whenever it is its turn."""
        return OnTurn(make, self)

    def take(self, world: "OnTurn") -> None:
        """Ends the games of the world before."""
        if self._now is not None and self._now is not world:
            self._now.close()
        self._now = world


class OnTurn:
    """An `AsyncEnvironment` that takes its turn at `reset`, `start` and `load`."""

    def __init__(self, make: Callable[[], Closable], turns: Turns):
        """Makes the world, which tells what is wrong with its settings."""
        self._make, self._turns = make, turns
        self._env: Closable | None = make()
        self.num_envs, self.goal_names = self._env.num_envs, self._env.goal_names
        self._saved = self._env.save()

    @property
    def _open(self) -> Closable:
        if self._env is None:
            raise RuntimeError("another world has the games: begin episodes with reset(seed).")
        return self._env

    def reset(self, seed: int) -> Observation:
        return self._begun().reset(seed)

    def start(self, seed: int) -> None:
        self._begun().start(seed)

    def load(self, saved: Any) -> Observation:
        return self._begun().load(saved)

    def step(self, action: np.ndarray) -> Step:
        return self._open.step(action)

    def send(self, lanes: np.ndarray, action: np.ndarray) -> None:
        self._open.send(lanes, action)

    def receive(self, timeout: float | None = None) -> tuple[np.ndarray, Step]:
        return self._open.receive(timeout)

    def save(self) -> Any:
        """What the world has to save, also after its turn."""
        return self._saved if self._env is None else self._env.save()

    def close(self) -> None:
        """Ends the games; the next episodes launch others."""
        if self._env is not None:
            self._saved = self._env.save()
            self._env.close()
            self._env = None

    def _begun(self) -> Closable:
        self._turns.take(self)
        if self._env is None:
            self._env = self._make()
        return self._env
