"""Smelting, fuel, food, durability and stacks, row by row."""

import pytest

from tests.fidelity import tables


@pytest.mark.parametrize(
    "check",
    [tables.smelting_row, tables.fuel_row, tables.food_row, tables.durability_row,
     tables.stack_row],
)  # fmt: skip
def test_every_row_of_the_table_holds(check):
    row = check()
    assert row.holds, row


@pytest.mark.slow
def test_a_missing_fuel_is_seen(monkeypatch):
    from rlgpt_jax.envs.voxel.rules.items import crafting, smelting

    without = smelting.FUEL_TICKS.copy()
    without[tables.NAME_ID["ladder"]] = 0
    monkeypatch.setattr(smelting, "FUEL_TICKS", without)
    # Without the compiled function of the other checks, which holds the right table.
    monkeypatch.setattr(tables, "_craft", crafting.craft)
    assert not tables.fuel_row().holds
