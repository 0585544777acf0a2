"""Intervals hold what they should, against numbers that are known or counted another way."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import betaincinv

from experiments.study import intervals
from experiments.study.intervals import Count, difference, over_seeds, these_agents

NUM_WORLDS, NUM_EPISODES = 48, 200  # of a seed's evaluation


def of(*pairs: tuple[int, int]) -> list[Count]:
    return [Count(k, n) for k, n in pairs]


def test_pooling_weighs_episodes_not_seeds() -> None:
    counts = of((1, 2), (6, 6))
    assert intervals.rate(counts) == 7 / 8
    assert these_agents(of((4, 8), (4, 8))) == pytest.approx(these_agents(of((8, 16))))


def test_wilson_is_that_of_the_textbook_where_no_worlds_are_shared() -> None:
    # 8 of 10: Brown, Cai, DasGupta 2001, by the formula with z = 1.96.
    assert these_agents(of((8, 10))) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    apart = Count(8, 10, {str(i): (int(i < 8), 1) for i in range(10)})
    assert these_agents([apart])[0] == pytest.approx(0.4902, abs=0.03)  # n/(n-1) is its width


def test_episodes_of_one_world_that_are_all_alike_count_as_one() -> None:
    alike = Count(80, 100, {str(i): (4 * (i < 20), 4) for i in range(25)})
    assert these_agents([alike]) == pytest.approx(these_agents(of((20, 25))), abs=0.01)
    shared = Count(80, 100, {str(i): (4, 5) for i in range(20)})
    assert these_agents([shared]) == these_agents(of((80, 100)))  # never more than there were


def test_the_variance_is_that_of_resampling_worlds() -> None:
    rng = np.random.default_rng(0)
    n = rng.integers(2, 8, 40)
    k = rng.binomial(n, rng.beta(2, 1, 40))
    count = Count(int(k.sum()), int(n.sum()), {str(i): p for i, p in enumerate(zip(k, n))})
    drawn = rng.integers(0, 40, (20_000, 40))
    resampled = k[drawn].sum(axis=1) / n[drawn].sum(axis=1)
    assert intervals._variance(count) == pytest.approx(resampled.var(), rel=0.08)


def test_over_seeds_is_student_s_of_the_textbook() -> None:
    # 0.2, 0.5, 0.8: mean 0.5, standard deviation 0.3, t(2) = 4.3027.
    half = 4.3027 * 0.3 / math.sqrt(3)
    low, high = over_seeds(of((40, 200), (100, 200), (160, 200)))
    assert (low, high) == (0.0, 1.0) and half > 0.5  # cut to what a rate can be
    low, high = over_seeds(of((90, 200), (100, 200), (110, 200)))
    assert (low, high) == pytest.approx((0.5 - half / 6, 0.5 + half / 6), abs=1e-4)


def test_seeds_that_agree_leave_the_chance_of_episodes() -> None:
    assert over_seeds(of(*[(100, 200)] * 3)) == these_agents(of((300, 600)))
    assert over_seeds(of((50, 200))) == these_agents(of((50, 200)))
    low, high = over_seeds(of(*[(0, 200)] * 3))
    assert low == 0.0 and 0.003 < high < 0.01


def test_a_difference_is_paired_by_seed() -> None:
    """Seeds far apart that all rise by the same: pairing sees the rise, else it drowns."""
    before, after = of((20, 200), (100, 200), (160, 200)), of((50, 200), (130, 200), (190, 200))
    paired, apart = difference(after, before, True), difference(after, before, False)
    assert 0.05 < paired.low < 0.15 < paired.high < 0.25
    assert apart.low < 0 < apart.high
    assert (paired.trend, apart.trend) == ("rises", "cannot be told")


def test_a_difference_without_pairs_is_welch_s() -> None:
    # Deviations 0.05 and 0.1 of three each: 3.79 degrees of freedom (Welch 1947).
    from scipy.stats import ttest_ind

    a, b = of((150, 200), (160, 200), (170, 200)), of((80, 200), (100, 200), (120, 200))
    told = ttest_ind([c.rate for c in a], [c.rate for c in b], equal_var=False)
    assert difference(a, b, False)[1:3] == pytest.approx(tuple(told.confidence_interval(0.95)))


def test_a_difference_is_no_more_than_there_can_be() -> None:
    apart = of((100, 200), (160, 200)), of((20, 200), (140, 200))
    assert difference(*apart)[1:3] == (-1.0, 1.0)


def test_a_difference_turns_its_sign_with_its_order() -> None:
    a, b = of(*[(150, 200)] * 3), of(*[(50, 200)] * 3)
    up, down = difference(a, b, True), difference(b, a, True)
    assert up[:3] == pytest.approx((-down.size, -down.high, -down.low))
    assert up.trend == "rises" and down.trend == "falls"


def test_nothing_against_nothing_cannot_be_told() -> None:
    _, low, high, _ = difference(of(*[(0, 200)] * 3), of(*[(0, 200)] * 3), True)
    assert low < 0 < high and high - low < 0.02


# --- coverage, by simulation: seeds differ, worlds differ, episodes are drawn in worlds ------
def seed_of(rng: np.random.Generator, p: float, alike: float, worlds: np.ndarray) -> Count:
    """One seed's evaluation: world w has the rate at quantile `worlds[w]` of a beta law with
    mean p and correlation `alike` between episodes of one world."""
    s = 1 / alike - 1
    rates = betaincinv(p * s, (1 - p) * s, worlds)
    n = rng.multinomial(NUM_EPISODES, np.full(NUM_WORLDS, 1 / NUM_WORLDS))
    k = rng.binomial(n, rates)
    by_world = {str(w): (int(k[w]), int(n[w])) for w in np.flatnonzero(n)}
    return Count(int(k.sum()), NUM_EPISODES, by_world)


def evaluated(
    rng: np.random.Generator, num: int, mean: float, deviation: float, alike: float, fresh: bool
) -> list[Count]:
    """`num` seeds whose own rates are beta; with held-out worlds of their own, or one pool."""
    s = mean * (1 - mean) / deviation**2 - 1
    pool = rng.random(NUM_WORLDS)
    return [
        seed_of(rng, p, alike, rng.random(NUM_WORLDS) if fresh else pool)
        for p in np.clip(rng.beta(mean * s, (1 - mean) * s, num), 0.001, 0.999)
    ]


def percentile_bootstrap(counts: list[Count]) -> tuple[float, float]:
    """What stood here before: seeds resampled, and episodes within them."""
    rng = np.random.default_rng(0)
    k, n = np.array([c[:2] for c in counts], float).T
    drawn = rng.integers(0, len(k), (1000, len(k)))
    rates = rng.beta(k[drawn] + 0.5, n[drawn] - k[drawn] + 0.5).mean(axis=1)
    low, high = np.percentile(rates, (2.5, 97.5))
    return float(low), float(high)


def coverage(
    method: Callable, num: int, law: tuple[float, float, float], fresh: bool, times: int
) -> float:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(times):
        low, high = method(evaluated(rng, num, *law, fresh))
        held += low <= law[0] <= high
    return held / times


@pytest.mark.parametrize("num", [2, 3, 5])
@pytest.mark.parametrize("law", [(0.8, 0.05, 0.1), (0.95, 0.02, 0.1), (0.5, 0.08, 0.2)])
def test_the_method_s_interval_holds_its_rate_in_95_of_100_studies(num: int, law) -> None:
    assert coverage(over_seeds, num, law, True, 600) > 0.93


def test_the_interval_before_held_it_too_seldom() -> None:
    """Above all where all seeds had the same worlds."""
    law = (0.8, 0.05, 0.2)
    assert coverage(percentile_bootstrap, 3, law, False, 300) < 0.86
    assert coverage(percentile_bootstrap, 5, law, True, 300) < 0.93


def test_the_agents_interval_holds_their_rate_in_other_worlds() -> None:
    rng, held, plain = np.random.default_rng(0), 0, 0
    for _ in range(600):
        counts = [seed_of(rng, p, 0.3, rng.random(NUM_WORLDS)) for p in (0.75, 0.85)]
        low, high = these_agents(counts)
        held += low <= 0.8 <= high
        low, high = these_agents([c._replace(by_world={}) for c in counts])
        plain += low <= 0.8 <= high
    assert held / 600 > 0.93 and plain / 600 < 0.90


@pytest.mark.parametrize("num", [2, 3, 5])
def test_a_difference_of_nothing_is_called_one_in_at_most_one_study_of_twenty(num: int) -> None:
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(500):
        a, b = (evaluated(rng, num, 0.7, 0.05, 0.2, True) for _ in range(2))
        wrong += difference(a, b, False).trend != "cannot be told"
    assert wrong / 500 < 0.07
