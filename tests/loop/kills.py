"""Runs that are killed at chosen events, and started again."""

from collections.abc import Callable, Iterable

import pytest

from rlgpt_jax.loop.events import Event, OnEvent

Point = Callable[[Event], bool]


class Killed(BaseException):
    """Nothing in the loop may catch this."""


def at(point: Point) -> OnEvent:
    """A listener that stops a run by the first event that `point` accepts."""

    def listen(event: Event) -> None:
        if point(event):
            raise Killed

    return listen


def kill_at_each(points: Iterable[Point], start: Callable[[OnEvent], object]) -> None:
    """Starts a run with its listener again and again; each start is killed at its point."""
    for point in points:
        with pytest.raises(Killed):
            start(at(point))
