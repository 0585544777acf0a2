"""When episodes saw the goal, and what failed ones were doing when they ended.

Totals over all episodes hide them: a policy that succeeds in most episodes and turns on the
spot for the rest of a few shows many turns, and nothing says whose they are.
"""

import collections
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlgpt_jax.rl.evaluate.dead_loops import WINDOW, Watch

NUM_TOLD = 4  # most frequent of the last actions


def sights_of(episodes: Mapping[str, Sequence[Watch]]) -> dict[str, Any]:
    """When the episodes of an evaluation saw the goal, those that "succeeded" and that "failed"
    apart: for each that happened plain data, episodes, in how many the goal was seen at all and at
    the end, and medians over those: actions before the first sight, blocks at the end."""
    acted = {name: [e for e in some if e.actions] for name, some in episodes.items()}
    return {name: _sights(some) for name, some in acted.items() if some}


def _sights(episodes: Sequence[Watch]) -> dict[str, Any]:
    first = [e.first_sight for e in episodes if e.first_sight is not None]
    ends = [e.distance for e in episodes if e.is_in_sight]
    return {
        "episodes": len(episodes), "seen": len(first), "seen_at_end": len(ends),
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


def failures_of(failed: Sequence[Watch]) -> dict[str, Any]:
    """Counts over the failed episodes of an evaluation as plain data, {} if none failed."""
    failed = [e for e in failed if e.actions]
    if not failed:
        return {}
    kinds = {
        "dead_loop": [e for e in failed if e.is_dead()],
        "other": [e for e in failed if not e.is_dead()],
    }
    last = {kind: [label for e in some for label in e.last] for kind, some in kinds.items()}
    return {
        "episodes": {kind: len(some) for kind, some in kinds.items()},
        "last": {k: dict(collections.Counter(x).most_common()) for k, x in last.items()},
        "never_seen": sum(e.in_sight == 0 for e in failed),
        "actions": sum(e.actions for e in failed),
        "in_sight": sum(e.in_sight for e in failed),
    }


def describe(
    failures: Mapping[str, Any], goal_names: Sequence[str], loops: bool = True
) -> list[str]:
    """The same in words, one sentence each.

    Args:
      failures: of `failures_of`.
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
    ):
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
