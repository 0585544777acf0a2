"""The checks of combat hold."""

import pytest

from tests.fidelity import combat


@pytest.mark.slow
def test_every_row_holds():
    broken = [row for row in combat.rows() if not row.holds]
    assert not broken
