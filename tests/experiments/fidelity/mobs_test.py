"""The checks of mobs hold."""

from experiments.fidelity import mobs


def test_every_row_holds():
    broken = [row for row in mobs.rows() if not row.holds]
    assert not broken
