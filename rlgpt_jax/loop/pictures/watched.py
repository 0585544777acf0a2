"""Pictures of simulators, drawn while an evaluation is played, for a critic with eyes.

Drawing is slow there, and what is seen depends on more than the actions, so a few lanes are drawn
at a few ticks as they go by; a success and a failure of them are shown.
"""

from typing import Any

import numpy as np

from rlgpt_jax.envs.spec import Sensed, WorldSpec
from rlgpt_jax.rl.evaluate.keyframes import Batch, Episode, median_in_ticks
from rlgpt_jax.rl.evaluate.moments import Moment

LANES = 4  # that are watched, of the first batch
PICTURES = 24  # of an episode that takes all its time
VIEW_SIZE = (200, 320)  # height and width in pixels
NO_END: Any = None  # rows are of worlds that are drawn afterwards


class Watch:
    """Listens to `evaluate`, as `keyframes.Recorder` does."""

    def __init__(self, world: Any, spec: WorldSpec, horizon: int):
        self._world, self._spec = world, spec
        self._every = max(1, horizon // PICTURES)
        self._batch = Batch(-1, 0)
        self._tick = 0
        self._views: dict[int, dict[int, np.ndarray]] = {}  # lane -> tick -> uint8[H, W, 3]
        self._moments: dict[int, dict[int, Moment]] = {}
        self._open: list[int] = []
        self._ended: list[Episode] = []

    def start(self, seed: int) -> None:
        """A batch of lanes begins; the first one is watched."""
        self._batch = Batch(self._batch.number + 1, seed)
        is_first = self._batch.number == 0
        self._open = list(range(min(LANES, self._world.num_envs))) if is_first else []
        self._tick = 0
        self._draw([""] * self._world.num_envs, None)

    def tick(self, obs: Sensed, labels: list[str], act: Any, takes: np.ndarray) -> None:
        """One tick: what was seen before it, and what every lane did."""
        del act, takes
        self._tick += 1
        if self._tick % self._every == 0:
            self._draw(labels, obs)

    def end(self, lane: int, success: bool, dead_loop: bool, final: Sensed) -> None:
        """The episode of a lane ended with the last tick: what it shows now is another one."""
        if lane not in self._open:
            return
        self._open.remove(lane)
        self._views[lane].pop(self._tick, None)
        self._moments[lane].pop(self._tick, None)
        self._ended.append(Episode(self._batch, lane, self._tick, success, dead_loop, NO_END))

    def finish(self) -> None:
        """A batch of lanes is over."""
        self._open = []

    @property
    def success(self) -> Episode | None:
        return median_in_ticks([e for e in self._ended if e.success])

    @property
    def failure(self) -> Episode | None:
        return median_in_ticks([e for e in self._ended if not e.success])

    def shown(self, episode: Episode, num: int) -> tuple[list[Moment], dict[int, np.ndarray]]:
        """At most `num` moments of an episode, evenly spread, and the views by tick."""
        ticks = sorted(self._views[episode.lane])
        at = np.unique(np.linspace(0, len(ticks) - 1, min(num, len(ticks))).round().astype(int))
        moments = [self._moments[episode.lane][ticks[i]] for i in at]
        return moments, self._views[episode.lane]

    def _draw(self, labels: list[str], obs: Sensed | None) -> None:
        if not self._open:
            return
        views = self._world.render(self._open, VIEW_SIZE)
        for lane, view in zip(self._open, views, strict=True):
            self._views.setdefault(lane, {})[self._tick] = view
            told = "" if obs is None else self._told(obs.fields[lane])
            moment = Moment(self._tick, "", labels[lane], "", False, "", told)
            self._moments.setdefault(lane, {})[self._tick] = moment

    def _told(self, fields: np.ndarray) -> str:
        """The fields that reports sum up, a tick ago."""
        names = [field.name for field in self._spec.fields]
        return ", ".join(f"{name} {fields[names.index(name)]:.2f}" for name in self._spec.facts[:3])
