"""95 % intervals of rates that were measured with several seeds, in worlds of each seed's own.

Episodes in one world are alike, and seeds differ, so that neither counts as a sample of its
own. Two questions are told apart. `these_agents`: how sure are we of these trained agents in
other worlds; Wilson's interval with as many episodes as are worth what was measured, from the
variance that resampling whole worlds has. `over_seeds`: how sure are we of the method; Student's
t over the rates of the seeds, at every number of seeds: with two to four it is wide, as it has to
be, and at five and more a bootstrap over seeds still covers too little
(`tests/experiments/study/intervals_test.py` simulates both). A seed's rate holds the chance of
its worlds and episodes too. Equal seeds would give a point: no interval of the method is narrower
than that of the agents.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from rlgpt_jax.rl.evaluate.report import wilson

KINDS = {
    "these_agents": "Wilson score interval over the episodes of all seeds, their number reduced "
    "by how alike episodes of one world are (a design effect, by resampling worlds)",
    "over_seeds": "Student's t over seeds, which each have held-out worlds of their own, and at "
    "least as wide as that of these agents; with one seed that alone",
}

Pair = tuple[float, float]


class Count(NamedTuple):
    """Successes of one seed."""

    successes: int
    episodes: int
    by_world: Mapping[str, Sequence[int]] = {}  # -> (successes, episodes); {}: all apart

    @property
    def rate(self) -> float:
        return self.successes / self.episodes


Counts = Sequence[Count]  # of every seed


def counts_of(reports: Sequence[Mapping[str, Any]]) -> list[Count]:
    """Counts of success of evaluations, one per seed."""
    return [
        Count(report["successes"], report["num_episodes"], report.get("by_world") or {})
        for report in reports
    ]


def dead_loops_of(reports: Sequence[Mapping[str, Any]]) -> list[Count]:
    """Episodes that ended in a dead loop, one entry per seed."""
    return [
        Count(round(report["dead_loop_rate"] * report["num_episodes"]), report["num_episodes"])
        for report in reports
    ]


def rate(counts: Counts) -> float:
    """Share over all episodes."""
    return sum(c.successes for c in counts) / sum(c.episodes for c in counts)


def these_agents(counts: Counts) -> Pair:
    """Interval of the rate of these seeds in other worlds."""
    num = sum(c.episodes for c in counts)
    p = rate(counts)
    measured = sum((c.episodes / num) ** 2 * _variance(c) for c in counts)
    effect = measured * num / (p * (1 - p)) if 0 < p < 1 else 1.0
    worth = num / max(effect, 1.0)
    return wilson(p * worth, worth)


def _variance(count: Count) -> float:
    """Of a seed's rate over worlds like its own: the ratio estimator over clusters.

    Source: Cochran 1977, Sampling Techniques, section 11.
    """
    p = count.rate
    if len(count.by_world) < 2:
        return p * (1 - p) / count.episodes
    k, n = np.asarray(list(count.by_world.values()), float).T
    return float(len(k) / (len(k) - 1) * ((k - p * n) ** 2).sum() / count.episodes**2)


def over_seeds(counts: Counts) -> Pair:
    """Interval of the method's rate; it holds the rate itself."""
    low, high = _student([np.array([c.rate for c in counts])])
    inner = these_agents(counts)
    return max(0.0, min(low, inner[0])), min(1.0, max(high, inner[1]))


def over_tasks(tasks: Sequence[Counts]) -> tuple[float, Pair]:
    """Mean over tasks of a method's rate, with its interval over seeds, for these tasks.

    Student's t over the seeds of every task, whose runs err apart (Welch's degrees of freedom), and
    no narrower than what the agents' intervals of the tasks add up to; a task of one seed has
    these alone.
    """
    centre = sum(map(rate, tasks)) / len(tasks)
    spread = [np.array([c.rate for c in counts]) / len(tasks) for counts in tasks]
    low, high = _student([x for x in spread if len(x) > 1] or spread)
    ends = map(these_agents, tasks)
    inner = math.hypot(*((b - a) / 2 for a, b in ends)) / len(tasks)
    half = max((high - low) / 2, inner)
    return centre, (max(0.0, centre - half), min(1.0, centre + half))


def difference_over_tasks(pairs: Sequence[tuple[Counts, Counts]]) -> "Difference":
    """Mean over tasks of rate(first) - rate(second), with its interval for tasks like these.

    Student's t over the tasks' differences, and no narrower than what the agents' intervals of the
    tasks add up to, if they err apart.
    """
    each = [rate(ours) - rate(theirs) for ours, theirs in pairs]
    centre, (low, high) = sum(each) / len(each), _student([np.array(each)])
    ends = [these_agents(counts) for pair in pairs for counts in pair]
    inner = math.hypot(*((b - a) / 2 for a, b in ends)) / len(pairs)
    half = max((high - low) / 2, inner)
    return Difference(centre, max(-1.0, centre - half), min(1.0, centre + half), len(pairs) < 2)


class Difference(NamedTuple):
    """Of two rates, with its 95 % interval."""

    size: float
    low: float
    high: float
    of_one: bool  # whether a side has a single seed

    def __str__(self) -> str:
        """`+12.0 (+3.5 to +20.5)`, percentage points."""
        return f"{100 * self.size:+.1f} ({self.interval})"

    @property
    def interval(self) -> str:
        return f"{100 * self.low:+.1f} to {100 * self.high:+.1f}"

    @property
    def trend(self) -> str:
        """What the interval says of one run's change."""
        return "rises" if self.low > 0 else "falls" if self.high < 0 else "cannot be told"

    @property
    def verdict(self) -> str:
        """What it says of two methods."""
        words = {"rises": "better", "falls": "worse"}
        return "one seed" if self.of_one else words.get(self.trend, self.trend)


def difference(after: Counts, before: Counts, paired: bool = False) -> Difference:
    """rate(after) - rate(before) of the method, its interval no narrower than of the agents.

    Args:
      paired: whether the i-th entries are of one seed, so that its worlds are in both.

    Source: the agents' is Newcombe's hybrid of two score intervals (1998, Statistics in Medicine
    17, method 10), which takes worlds that both met as others: a little too wide. The method's is
    Student's, or Welch's where nothing is paired.
    """
    a, b = (np.array([c.rate for c in counts]) for counts in (after, before))
    low, high = _student([a - b] if paired else [a, b])
    (la, ua), (lb, ub) = these_agents(after), these_agents(before)
    pa, pb = rate(after), rate(before)
    low = max(-1.0, min(low, pa - pb - math.hypot(pa - la, ub - pb)))
    high = min(1.0, max(high, pa - pb + math.hypot(ua - pa, pb - lb)))
    return Difference(pa - pb, low, high, min(len(after), len(before)) < 2)


def _student(samples: Sequence[np.ndarray]) -> Pair:
    """Interval of the mean of one sample, or of the first's less the second's (Welch)."""
    centre = float(samples[0].mean() - sum(x.mean() for x in samples[1:]))
    parts = [x.var(ddof=1) / len(x) for x in samples if len(x) > 1]
    total = float(sum(parts))
    if len(parts) < len(samples) or not total:
        return centre, centre
    freedom = total**2 / sum(v**2 / (len(x) - 1) for v, x in zip(parts, samples, strict=True))
    half = float(stdtrit(freedom, 0.975)) * math.sqrt(total)
    return centre - half, centre + half
