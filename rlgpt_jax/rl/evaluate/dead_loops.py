"""How the episode of each lane ends, and whether it does in a dead loop.

A dead loop is an episode that failed and whose last 100 actions (ticks in which the agent was
free to act) gained no item, reached no new cell and were, on average, made at least twice in the
same cell, view direction and form. Shorter episodes are never dead loops.
"""

import collections
from collections.abc import Sequence

import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.rl.evaluate.failures import WINDOW, Trace, goal_distance


class LoopWatch:
    """Finds dead loops in one lane, and keeps how its episode ends."""

    def __init__(self):
        self.trace = Trace()
        self.cells: set[tuple] = set()
        self.recent: collections.deque[tuple] = collections.deque(maxlen=WINDOW)
        self.since_news = 0  # actions since something was gained or a new cell was reached
        self.items = 0

    def see(self, cell: tuple, view: tuple, action: bytes, items: int) -> None:
        """One action of the agent, and where it stood when it acted."""
        news = cell not in self.cells or items > self.items
        self.cells.add(cell)
        self.items = items
        self.since_news = 0 if news else self.since_news + 1
        self.recent.append((cell, view, action))

    def is_dead(self) -> bool:
        full = len(self.recent) == WINDOW
        repeated = len(set(self.recent)) <= WINDOW // 2
        return full and repeated and self.since_news >= WINDOW


def watch(
    watches: list[LoopWatch],
    goal_names: Sequence[str],
    obs: Observation,
    action: np.ndarray,
    labels: list[str],
    counts: np.ndarray,
) -> None:
    """Shows what the lanes `counts` bool[N] do, and where they do it, to their `LoopWatch`."""
    cells = np.floor(np.asarray(obs.position)).astype(int)
    views = np.round(np.stack([obs.yaw, obs.pitch], axis=1) / 15.0).astype(int)
    items = np.asarray(obs.slot_quantity).sum(axis=1)
    distance = goal_distance(obs, goal_names)
    for lane in np.flatnonzero(counts):
        watches[lane].see(
            tuple(cells[lane]), tuple(views[lane]), action[lane].tobytes(), int(items[lane])
        )
        watches[lane].trace.see(labels[lane], float(distance[lane]))
