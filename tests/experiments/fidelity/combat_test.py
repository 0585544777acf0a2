"""The checks of combat hold."""

from experiments.fidelity import combat


def test_every_row_holds():
    broken = [row for row in combat.rows() if not row.holds]
    assert not broken
