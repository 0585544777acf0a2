"""When episodes saw the goal, and what failed ones were doing when they ended.

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


def goal_distance(obs: Observation, goal_names: Sequence[str]) -> np.ndarray:
    """float32[N]: blocks to the nearest block or mob that the task is about and that a ray meets,
    inf if none does."""
    ids = [NAME_ID[name] for name in goal_names]
    met = (
        (obs.ray_block, obs.ray_block_distance), (obs.ray_entity, obs.ray_entity_distance)
    )  # fmt: skip
    near = [np.where(np.isin(names, ids), distances, np.inf) for names, distances in met]
    return np.minimum(*near).min(axis=1).astype(np.float32)


class Trace:
    """What one lane's episode saw of the goal, and its end."""

    def __init__(self) -> None:
        self.last: collections.deque[str] = collections.deque(maxlen=WINDOW)
        self.actions = 0  # ticks in which the agent was free to act
        self.in_sight = 0  # of these, ticks in which a goal was in sight
        self.first_sight: int | None = None  # of these, how many were before the first of them
        self.distance = np.inf  # blocks to the nearest goal in the last of these, inf: not in sight
        # Whether a goal was in sight when the macro that runs was started; None if none runs.
        self.start_in_sight: bool | None = None

    def see(self, label: str, distance: float) -> None:
        """One action, by the name of its macro or primitive, `distance` blocks from a goal."""
        self.last.append(label)
        self.distance = distance
        if self.is_in_sight:
            self.in_sight += 1
            self.first_sight = self.actions if self.first_sight is None else self.first_sight
        self.actions += 1

    @property
    def is_in_sight(self) -> bool:
        """Whether a goal was in sight in the last action."""
        return bool(np.isfinite(self.distance))


class Sights:
    """When the episodes of an evaluation saw the goal, successes and failures apart."""

    def __init__(self) -> None:
        self.traces: dict[str, list[Trace]] = {"succeeded": [], "failed": []}

    def add(self, trace: Trace, success: bool) -> None:
        """One episode."""
        self.traces["succeeded" if success else "failed"].append(trace)

    def to_json(self) -> dict[str, Any]:
        """Plain data for each that happened: episodes, in how many the goal was seen at all and
        at the end, and medians over those: actions before the first sight, blocks at the end."""
        return {name: _sights(traces) for name, traces in self.traces.items() if traces}


def _sights(traces: Sequence[Trace]) -> dict[str, Any]:
    first = [t.first_sight for t in traces if t.first_sight is not None]
    ends = [t.distance for t in traces if t.is_in_sight]
    return {
        "episodes": len(traces), "seen": len(first), "seen_at_end": len(ends),
        "first_sight": float(np.median(first)) if first else None,
        "distance": round(float(np.median(ends)), 2) if ends else None,
    }  # fmt: skip


def describe_sights(sights: Mapping[str, Any], goal_names: Sequence[str]) -> list[str]:
    """The same in words, one sentence for successes and one for failures."""
    goal, sentences = " or ".join(goal_names), []
    for name, s in sights.items() if goal_names else ():
        words = f"Of the {s['episodes']} episodes that {name}, {s['seen']} saw a {goal}"
        if s["seen"]:
            words += f", the median one for the first time after {s['first_sight']:.0f} ticks"
        words += f"; at the end one was in sight in {s['seen_at_end']}"
        if s["seen_at_end"]:
            words += f", {s['distance']:.1f} blocks away (median)"
        sentences.append(words + ".")
    return sentences


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


def describe(
    failures: Mapping[str, Any], goal_names: Sequence[str], loops: bool = True
) -> list[str]:
    """The same in words, one sentence each.

    Args:
      failures: of `Failures.to_json`.
      goal_names: what the task is about; without any nothing is said about sight.
      loops: whether dead loops are known in this world.
    """
    if not failures:
        return []
    words = []
    dead, others = failures["episodes"]["dead_loop"], failures["episodes"]["other"]
    if goal_names:
        goal = " or ".join(goal_names)
        words.append(
            f"Of the {dead + others} failed episodes, in {failures['never_seen']} no {goal} ever "
            f"came into sight; over all of them one was in sight in "
            f"{failures['in_sight'] / max(failures['actions'], 1):.0%} of the ticks."
        )
    for number, kind, name in (
        (dead, "dead_loop", " that ended in a dead loop"),
        (others, "other", " that did not" * loops),
    ):  # fmt: skip
        if number:
            words.append(
                f"Last {WINDOW} actions of the {number} failed episodes{name}: "
                f"{_shares(failures['last'][kind])}."
            )
    return words


def _shares(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    most = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:NUM_TOLD]
    return ", ".join(f"{name} {count / total:.0%}" for name, count in most)
