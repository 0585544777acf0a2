"""Worlds of one run that have the machine's games in turns.

A run trains in one world, tries macros in another and is judged in a third. Each has a game per
lane, and the games of one fill the machine. So a world has games from when episodes are begun in
it until they are begun in another, which takes them over: what is the same game goes on, what is
not is ended and launched anew.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from rlgpt_jax.envs.base import AsyncEnvironment, Observation, Step


class Closable(AsyncEnvironment, Protocol):
    """A world that launches nothing when it is made, and whose games can be taken over."""

    def take_over(self, other: Any) -> None: ...

    def close(self) -> None: ...


class Turns:
    """Whose turn it is."""

    now: "OnTurn | None" = None


class OnTurn:
    """An `AsyncEnvironment` that takes its turn at `reset`, `start` and `load`."""

    def __init__(self, make: Callable[[], Closable], turns: Turns):
        """Makes the world, which tells what is wrong with its settings.

        Args:
          make: makes it, and makes it anew after a turn of another one.
          turns: what it shares with the other worlds.
        """
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

    def receive(self) -> tuple[np.ndarray, Step]:
        return self._open.receive()

    def save(self) -> Any:
        """What the world has to save, also after its turn."""
        return self._saved if self._env is None else self._env.save()

    def close(self) -> None:
        """Ends the games; the next episodes launch others."""
        env = self._given()
        if env is not None:
            env.close()

    def _given(self) -> Closable | None:
        """Gives the world away; what it has to save is kept."""
        env, self._env = self._env, None
        if env is not None:
            self._saved = env.save()
        return env

    def _begun(self) -> Closable:
        if self._env is None:
            self._env = self._make()
        before, self._turns.now = self._turns.now, self
        games = before._given() if before is not None and before is not self else None
        if games is not None:
            self._env.take_over(games)
        return self._env
