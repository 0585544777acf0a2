"""Ores against the stored table; and that the comparison would see a wrong world."""

import numpy as np

from rlgpt_jax.envs.names import load
from tests.fidelity import ores


def test_ores_are_those_of_the_table():
    rows = ores.rows(chunks=80, worlds=2)
    assert len({row.rule for row in rows}) == 11 + 6 + 3
    assert [row for row in rows if not row.holds] == []


def test_a_tenth_less_iron_is_seen():
    iron = ores.count_chunks(80)["iron"]
    kept = np.random.default_rng(0).random(iron.shape) < 0.9
    assert not ores._mean_row("iron", {"iron": iron * kept}, load("ores")).holds


def test_iron_four_layers_too_high_is_seen():
    iron = np.roll(ores.count_chunks(80)["iron"], 4, axis=1)
    assert not ores._height_row("iron", {"iron": iron}, load("ores")).holds
