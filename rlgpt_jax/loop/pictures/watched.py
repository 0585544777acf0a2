"""Pictures of simulators, drawn while an evaluation is played, for a critic with eyes.

Drawing is slow there, and what is seen depends on more than the actions, so some lanes are drawn
at a few ticks as they go by, until a success and a failure have been seen.
"""

from typing import Any

import numpy as np

from rlgpt_jax.envs.spec import Sensed, WorldSpec
from rlgpt_jax.rl.evaluate.keyframes import Batch, Episode, Recorder, median_in_ticks
from rlgpt_jax.rl.evaluate.moments import Moment

LANES = 8  # of a batch that are watched
PICTURES = 24  # of an episode that takes all its time
VIEW_SIZE = (200, 320)  # height and width in pixels
NO_END: Any = None  # rows are of worlds that are drawn afterwards
Seen = dict[int, tuple[Moment, np.ndarray]]  # tick, ascending -> its moment and uint8[H, W, 3]


class Watch(Recorder):
    """Listens to `evaluate` and keeps pictures in the place of rows."""

    def __init__(self, world: Any, spec: WorldSpec, horizon: int):
        super().__init__((), spec)
        self._world = world
        self._every = max(1, horizon // PICTURES)
        self._tick = 0
        self._drawn: dict[int, Seen] = {}  # by lane
        self._open: list[int] = []
        self._kept: dict[bool, tuple[Episode, Seen]] = {}
        self.num_watched = 0  # episodes

    def start(self, seed: int) -> None:
        """A batch of lanes begins."""
        self._number += 1
        self._batch = Batch(self._number, seed)
        self._tick = 0
        if len(self._kept) < 2:
            self._open = list(range(min(LANES, self._world.num_envs)))
        self._draw([""] * self._world.num_envs, None)

    def tick(self, obs: Any, labels: list[str], act: Any, takes: np.ndarray) -> None:
        """One tick: what was seen before it, and what every lane did."""
        del act, takes
        self._tick += 1
        if self._tick % self._every == 0:
            self._draw(labels, obs)

    def end(self, lane: int, success: bool, dead_loop: bool, final: Any) -> None:
        """The episode of a lane ended with the last tick: what it shows now is another one."""
        if lane not in self._open:
            return
        self._open.remove(lane)
        self._drawn[lane].pop(self._tick, None)
        assert self._batch is not None
        self.ended.append(Episode(self._batch, lane, self._tick, success, dead_loop, NO_END))

    def finish(self) -> None:
        """A batch of lanes is over: its median success and failure are kept, if none was before."""
        for is_success in (True, False):
            ended = [e for e in self.ended if e.success == is_success]
            if (episode := median_in_ticks(ended)) and is_success not in self._kept:
                self._kept[is_success] = episode, self._drawn[episode.lane]
        self.success, self.failure = (self._kept.get(key, (None,))[0] for key in (True, False))
        self.num_watched += len(self.ended)
        self._open, self.ended, self._drawn = [], [], {}

    def shown(self, episode: Episode, num: int) -> tuple[list[Moment], dict[int, np.ndarray]]:
        """At most `num` moments of an episode, evenly spread, and the views by tick."""
        _, seen = self._kept[episode.success]
        moments, last = [moment for moment, _ in seen.values()], len(seen) - 1
        at = np.unique(np.linspace(0, last, min(num, last + 1)).round().astype(int))
        return [moments[i] for i in at], {tick: view for tick, (_, view) in seen.items()}

    def _draw(self, labels: list[str], obs: Sensed | None) -> None:
        if not self._open:
            return
        views = self._world.render(self._open, VIEW_SIZE)
        for lane, view in zip(self._open, views, strict=True):
            told = "" if obs is None else self._told(obs.fields[lane])
            moment = Moment(self._tick, "", labels[lane], "", False, "", told)
            self._drawn.setdefault(lane, {})[self._tick] = moment, view

    def _told(self, fields: np.ndarray) -> str:
        """The fields that reports sum up, a tick ago."""
        spec = self._spec
        assert spec is not None
        names = [field.name for field in spec.fields]
        return ", ".join(f"{name} {fields[names.index(name)]:.2f}" for name in spec.facts[:3])
