"""The checks of mobs hold."""

import pytest

from tests.fidelity import mobs


@pytest.mark.slow
def test_every_row_holds():
    broken = [row for row in mobs.rows() if not row.holds]
    assert not broken
