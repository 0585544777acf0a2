"""Intervals hold what they should, against numbers that are known or counted another way."""

import itertools

import numpy as np
import pytest

from experiments.study import intervals
from experiments.study.intervals import difference, over_both, over_seeds, pooled_wilson, verdict


def test_pooling_weighs_episodes_not_seeds() -> None:
    counts = [(1, 2), (6, 6)]
    assert intervals.rate(counts) == 7 / 8
    assert pooled_wilson(counts) == pooled_wilson([(7, 8)])


def test_wilson_is_that_of_the_textbook() -> None:
    # 8 of 10: Brown, Cai, DasGupta 2001, by the formula with z = 1.96.
    assert pooled_wilson([(5, 6), (3, 4)]) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_the_bootstrap_over_seeds_is_a_point_when_they_agree() -> None:
    assert over_seeds([0.5, 0.5, 0.5]) == (0.5, 0.5)


def test_the_bootstrap_over_seeds_has_the_percentiles_of_all_resamples() -> None:
    rates = [0.2, 0.5, 0.8]
    means = [np.mean(drawn) for drawn in itertools.product(rates, repeat=3)]  # all 27
    low, high = over_seeds(rates)
    exact = np.percentile(means, (2.5, 97.5), method="inverted_cdf")
    assert (low, high) == pytest.approx(tuple(exact), abs=0.02)


def test_both_sources_of_chance_are_in_the_interval() -> None:
    """With equal seeds only episodes are left: the width is that of one large sample. Seeds
    that differ widen it."""
    low, high = over_both([(100, 200)] * 3)
    half = 1.96 * np.sqrt(0.25 / 600)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.003)
    wide = over_both([(40, 200), (100, 200), (160, 200)])
    assert wide[0] < 0.25 and wide[1] > 0.75


def test_seeds_without_one_success_leave_room_for_some() -> None:
    low, high = over_both([(0, 200)] * 3)
    assert low == 0.0 and 0.003 < high < 0.01
    low, high = over_both([(200, 200)] * 3)
    assert high == 1.0 and 0.99 < low < 0.997


def test_few_episodes_give_a_wide_interval_and_many_a_narrow_one() -> None:
    few, many = over_both([(5, 10)] * 3), over_both([(500, 1000)] * 3)
    assert few[1] - few[0] > 5 * (many[1] - many[0])


def test_a_difference_is_paired_by_seed() -> None:
    """Seeds far apart that all rise by the same: pairing sees the rise, else it drowns."""
    before, after = [(20, 200), (100, 200), (160, 200)], [(50, 200), (130, 200), (190, 200)]
    paired, apart = difference(after, before, True), difference(after, before, False)
    assert 0.05 < paired[0] < 0.15 < paired[1] < 0.25
    assert apart[0] < 0 < apart[1]
    assert (verdict(paired), verdict(apart)) == ("rises", "cannot be told")


def test_a_difference_turns_its_sign_with_its_order() -> None:
    a, b = [(150, 200)] * 3, [(50, 200)] * 3
    up, down = difference(a, b, True), difference(b, a, True)
    assert up == pytest.approx((-down[1], -down[0]), abs=0.01)
    assert verdict(up) == "rises" and verdict(down) == "falls"


def test_nothing_against_nothing_cannot_be_told() -> None:
    low, high = difference([(0, 200)] * 3, [(0, 200)] * 3, True)
    assert low < 0 < high and high - low < 0.02


def test_an_interval_of_95_percent_misses_about_one_rate_in_twenty() -> None:
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(100):
        counts = [(int(k), 200) for k in rng.binomial(200, 0.7, 3)]
        low, high = difference(counts, [(int(k), 200) for k in rng.binomial(200, 0.7, 3)], False)
        missed += not low <= 0.0 <= high
    assert missed <= 10  # of 100; 5 are expected
