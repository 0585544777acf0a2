"""How the episode of each lane goes and ends, and whether it does in a dead loop.

A dead loop is an episode that failed and whose last 100 actions (ticks in which the agent was
free to act) gained no item, reached no new cell and were, on average, made at least twice in the
same cell, view direction and form. Shorter episodes are never dead loops. In worlds with a spec,
which have no cells, there are none.
"""

import collections
from collections.abc import Sequence

import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.names import NAME_ID

WINDOW = 100  # last actions of an episode that are told


class Watch:
    """What one lane's episode saw of the goal, where it was, and its end."""

    def __init__(self) -> None:
        self.last: collections.deque[str] = collections.deque(maxlen=WINDOW)
        self.actions = 0  # ticks in which the agent was free to act
        self.in_sight = 0  # of these, ticks in which a goal was in sight
        self.first_sight: int | None = None  # of these, how many were before the first of them
        self.distance = np.inf  # blocks to the nearest goal in the last of these, inf: not in sight
        # Whether a goal was in sight when the macro that runs was started; None if none runs.
        self.start_in_sight: bool | None = None
        self.cells: set[tuple] = set()
        self.recent: collections.deque[tuple] = collections.deque(maxlen=WINDOW)
        self.since_news = 0  # actions since something was gained or a new cell was reached
        self.items = 0
        self.values: list[np.ndarray] = []  # float32[facts] each, in a world with a spec

    def see(self, label: str, distance: float) -> None:
        """One action, by the name of its macro or primitive, `distance` blocks from a goal."""
        self.last.append(label)
        self.distance = distance
        if self.is_in_sight:
            self.in_sight += 1
            self.first_sight = self.actions if self.first_sight is None else self.first_sight
        self.actions += 1

    def stand(self, cell: tuple, view: tuple, action: bytes, items: int) -> None:
        """The same action, and where it was made."""
        news = cell not in self.cells or items > self.items
        self.cells.add(cell)
        self.items = items
        self.since_news = 0 if news else self.since_news + 1
        self.recent.append((cell, view, action))

    @property
    def is_in_sight(self) -> bool:
        """Whether a goal was in sight in the last action."""
        return bool(np.isfinite(self.distance))

    def is_dead(self) -> bool:
        full = len(self.recent) == WINDOW
        repeated = len(set(self.recent)) <= WINDOW // 2
        return full and repeated and self.since_news >= WINDOW


def goal_distance(obs: Observation, goal_names: Sequence[str]) -> np.ndarray:
    """float32[N]: blocks to the nearest block or mob that the task is about and that a ray meets,
    inf if none does."""
    ids = [NAME_ID[name] for name in goal_names]
    met = ((obs.ray_block, obs.ray_block_distance), (obs.ray_entity, obs.ray_entity_distance))
    near = [np.where(np.isin(names, ids), distances, np.inf) for names, distances in met]
    return np.minimum(*near).min(axis=1).astype(np.float32)


def watch(
    watches: list[Watch],
    goal_names: Sequence[str],
    obs: Observation,
    action: np.ndarray,
    labels: list[str],
    counts: np.ndarray,
) -> None:
    """Shows what the lanes `counts` bool[N] do, and where they do it, to their `Watch`."""
    cells = np.floor(np.asarray(obs.position)).astype(int)
    views = np.round(np.stack([obs.yaw, obs.pitch], axis=1) / 15.0).astype(int)
    items = np.asarray(obs.slot_quantity).sum(axis=1)
    distance = goal_distance(obs, goal_names)
    for lane in np.flatnonzero(counts):
        where = tuple(cells[lane]), tuple(views[lane])
        watches[lane].stand(*where, action[lane].tobytes(), int(items[lane]))
        watches[lane].see(labels[lane], float(distance[lane]))
