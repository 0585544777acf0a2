"""95 % intervals of rates that were measured with several seeds.

Three are told apart, since they answer different questions. Wilson's pools the episodes
of all seeds: how sure are we of these trained agents. `over_seeds` resamples seeds alone.
`over_both` resamples seeds and, within each, episodes: how sure are we of the method. Of
an evaluation only counts are kept, so an episode's resampling is a draw of the rate from
Beta(k + 1/2, n - k + 1/2) (Jeffreys): as the bootstrap of n single episodes, but not of
width zero where k is 0 or n.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlgpt_jax.rl.report import wilson

NUM_RESAMPLES = 10_000
LEVELS = (2.5, 97.5)  # percentiles
KINDS = {
    "wilson": "Wilson score interval over the pooled episodes of all seeds",
    "over_seeds": f"percentile bootstrap over seeds, {NUM_RESAMPLES} resamples",
    "over_both": f"percentile bootstrap over seeds and over episodes within a seed, "
    f"{NUM_RESAMPLES} resamples",
}

Pair = tuple[float, float]
Counts = Sequence[tuple[int, int]]  # (successes, episodes) of every seed


def counts_of(reports: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Counts of success of evaluations, one per seed."""
    return [(report["successes"], report["num_episodes"]) for report in reports]


def dead_loops_of(reports: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Episodes that ended in a dead loop, one pair per seed."""
    return [
        (round(report["dead_loop_rate"] * report["num_episodes"]), report["num_episodes"])
        for report in reports
    ]


def rate(counts: Counts) -> float:
    """Share over all episodes."""
    return sum(k for k, _ in counts) / sum(n for _, n in counts)


def pooled_wilson(counts: Counts) -> Pair:
    return wilson(sum(k for k, _ in counts), sum(n for _, n in counts))


def over_seeds(rates: Sequence[float]) -> Pair:
    """Interval of the mean over resampled seeds."""
    rng = np.random.default_rng(0)
    values = np.asarray(rates)
    drawn = values[rng.integers(0, len(values), (NUM_RESAMPLES, len(values)))]
    return _percentiles(drawn.mean(axis=1))


def over_both(counts: Counts) -> Pair:
    """Interval of the rate over resampled seeds and episodes; it holds the rate itself."""
    rng = np.random.default_rng(0)
    low, high = _percentiles(_means(counts, _indices(len(counts), rng), rng))
    return min(low, rate(counts)), max(high, rate(counts))


def difference(after: Counts, before: Counts, paired: bool) -> Pair:
    """Interval of rate(after) - rate(before) over resampled seeds and episodes.

    Args:
      paired: whether the i-th entries are of one run, so that its seed is drawn for both.
        Episodes are drawn apart for each even so: iterations meet the same worlds, which
        makes the interval a little wider than it has to be.
    """
    rng = np.random.default_rng(0)
    seeds = _indices(len(after), rng)
    other = seeds if paired else _indices(len(before), rng)
    return _percentiles(_means(after, seeds, rng) - _means(before, other, rng))


def _indices(num_seeds: int, rng: np.random.Generator) -> np.ndarray:
    """int[NUM_RESAMPLES, num_seeds] of resampled seeds."""
    return rng.integers(0, num_seeds, (NUM_RESAMPLES, num_seeds))


def _means(counts: Counts, seeds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """float[NUM_RESAMPLES]: mean rate over the drawn seeds with drawn episodes."""
    k, n = np.asarray(counts, float).T
    rates = rng.beta(k[seeds] + 0.5, n[seeds] - k[seeds] + 0.5)
    weights = n[seeds] / n[seeds].sum(axis=1, keepdims=True)
    return (rates * weights).sum(axis=1)


def _percentiles(values: np.ndarray) -> Pair:
    low, high = np.percentile(values, LEVELS)
    return float(low), float(high)


def verdict(interval: Pair) -> str:
    """What an interval of a difference says."""
    low, high = interval
    return "rises" if low > 0 else "falls" if high < 0 else "cannot be told"
