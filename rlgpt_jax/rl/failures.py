"""What failed episodes were doing when they ended, and whether they ever saw the goal.

Totals over all episodes hide them: a policy that succeeds in most episodes and turns on the
spot for the rest of a few shows many turns, and nothing says whose they are.
"""

import collections
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.names import NAME_ID

WINDOW = 100  # last actions of an episode that are told
NUM_TOLD = 4  # most frequent of them


def sees_goal(obs: Observation, goal_names: Sequence[str]) -> np.ndarray:
    """bool[N]: a ray meets a block or a mob that the task is about."""
    ids = [NAME_ID[name] for name in goal_names]
    hits = np.isin(obs.ray_block, ids) | np.isin(obs.ray_entity, ids)
    return np.asarray(hits.any(axis=1))


class Trace:
    """The end of one lane's episode."""

    def __init__(self) -> None:
        self.last: collections.deque[str] = collections.deque(maxlen=WINDOW)
        self.actions = 0  # ticks in which the agent was free to act
        self.in_sight = 0  # of these, ticks in which a goal was in sight

    def see(self, label: str, in_sight: bool) -> None:
        """One action, by the name of its macro or primitive."""
        self.last.append(label)
        self.actions += 1
        self.in_sight += in_sight


class Failures:
    """Counts over the failed episodes of an evaluation."""

    def __init__(self) -> None:
        self.episodes = {"dead_loop": 0, "other": 0}
        self.last = {kind: collections.Counter[str]() for kind in self.episodes}
        self.never_seen = self.actions = self.in_sight = 0

    def add(self, trace: Trace, is_dead_loop: bool) -> None:
        """One failed episode."""
        kind = "dead_loop" if is_dead_loop else "other"
        self.episodes[kind] += 1
        self.last[kind].update(trace.last)
        self.never_seen += trace.in_sight == 0
        self.actions += trace.actions
        self.in_sight += trace.in_sight

    def to_json(self) -> dict[str, Any]:
        """Plain data, {} if no episode failed."""
        if not any(self.episodes.values()):
            return {}
        return {
            "episodes": dict(self.episodes),
            "last": {kind: dict(counts.most_common()) for kind, counts in self.last.items()},
            "never_seen": self.never_seen, "actions": self.actions, "in_sight": self.in_sight,
        }  # fmt: skip


def describe(failures: Mapping[str, Any], goal_names: Sequence[str]) -> list[str]:
    """The same in words, one sentence each.

    Args:
      failures: of `Failures.to_json`.
      goal_names: what the task is about; without any nothing is said about sight.
    """
    if not failures:
        return []
    words = []
    loops, others = failures["episodes"]["dead_loop"], failures["episodes"]["other"]
    if goal_names:
        goal = " or ".join(goal_names)
        words.append(
            f"Of the {loops + others} failed episodes, in {failures['never_seen']} no {goal} ever "
            f"came into sight; over all of them one was in sight in "
            f"{failures['in_sight'] / max(failures['actions'], 1):.0%} of the ticks."
        )
    for number, kind, name in (
        (loops, "dead_loop", "that ended in a dead loop"), (others, "other", "that did not")
    ):  # fmt: skip
        if number:
            words.append(
                f"Last {WINDOW} actions of the {number} failed episodes {name}: "
                f"{_shares(failures['last'][kind])}."
            )
    return words


def _shares(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    most = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:NUM_TOLD]
    return ", ".join(f"{name} {count / total:.0%}" for name, count in most)
