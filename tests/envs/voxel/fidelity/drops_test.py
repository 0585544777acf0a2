"""Drop rates; and that the comparison would see a wrong rate."""

import numpy as np
import pytest

from tests.fidelity import drops


def test_everything_holds():
    rows = drops.rows(draws=2000)
    assert len(rows) == 5
    assert [row for row in rows if not row.holds] == []


@pytest.mark.parametrize(
    ("shares", "rate"), [(drops.chance(0.05), 0.07), (drops.chance(0.125), 0.1)]
)
def test_a_wrong_rate_is_seen(shares, rate):
    pieces = (np.random.default_rng(0).random(drops.DRAWS) < rate).astype(int)
    assert drops.p_value(pieces, shares) < 1e-5


def test_quantities_out_of_range_or_uneven_are_seen():
    random = np.random.default_rng(0)
    assert drops.p_value(random.integers(4, 9, drops.DRAWS), drops.even(4, 8)) > 1e-3
    assert drops.p_value(random.integers(4, 10, drops.DRAWS), drops.even(4, 8)) == 0
    assert drops.p_value(random.integers(4, 8, drops.DRAWS), drops.even(4, 8)) < 1e-5
    assert drops._compare(np.array([[3]]), np.array([[1]]), {})[-1] == 0.0  # an item too many
