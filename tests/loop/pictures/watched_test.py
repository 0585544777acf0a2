"""Simulators are drawn until a critic can be shown a success and a failure."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from rlgpt_jax.loop.pictures import watched
from tests import plane


class Drawn:
    """Counts pictures; each is of its lane."""

    num_envs, drawn = 16, 0

    def render(self, lanes, size):
        self.drawn += len(lanes)
        return [np.full((*size, 3), lane, np.uint8) for lane in lanes]


def play(watch: watched.Watch, failing: set[int]) -> None:
    """A batch in which lane `n` ends at tick `n + 1`."""
    watch.start(seed=0)
    obs: Any = SimpleNamespace(fields=np.zeros((16, len(plane.SPEC.fields))))
    for lane in range(16):
        watch.tick(obs, ["drive"] * 16, None, np.ones(16, bool))
        watch.end(lane, lane not in failing, False, obs)
    watch.finish()


def test_lanes_are_drawn_until_one_of_them_failed() -> None:
    world = Drawn()
    watch = watched.Watch(world, plane.SPEC, horizon=24)
    play(watch, {12})  # not watched
    assert watch.failure is None and watch.success and watch.num_watched == watched.LANES
    play(watch, {2, 5, 6})
    before = world.drawn
    play(watch, {0})
    assert world.drawn == before and watch.num_watched == 2 * watched.LANES
    assert watch.failure and (watch.failure.batch.number, watch.failure.lane) == (1, 5)
    moments, views = watch.shown(watch.failure, 4)
    assert [moment.tick for moment in moments] == [0, 2, 3, 5]
    assert {view[0, 0, 0] for view in views.values()} == {5}
