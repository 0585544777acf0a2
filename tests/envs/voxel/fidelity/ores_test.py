"""Ores against the stored table; and that the comparison would see a wrong world."""

import numpy as np
import pytest

from rlgpt_jax.envs.names import load
from tests.fidelity import ores


@pytest.fixture(scope="module")
def rows():
    return {row.rule: row for row in ores.rows(chunks=80, worlds=2)}


def test_ores_are_those_of_the_table(rows):
    assert len(rows) == 11 + 6 + 3
    assert [row for row in rows.values() if not row.holds] == []


def test_a_tenth_less_iron_is_seen(rows):
    counts = ores.count_chunks(80)
    kept = np.random.default_rng(0).random(counts["iron"].shape) < 0.9
    counts["iron"] = counts["iron"] * kept
    assert not ores._mean_row("iron", counts, load("ores")).holds


def test_iron_four_layers_too_high_is_seen():
    counts = ores.count_chunks(80)
    counts["iron"] = np.roll(counts["iron"], 4, axis=1)
    assert not ores._height_row("iron", counts, load("ores")).holds
