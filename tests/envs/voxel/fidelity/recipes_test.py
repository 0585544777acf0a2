"""Recipes against the table read apart; and that the comparison would see a wrong world."""

import numpy as np
import pytest

from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from tests.fidelity import recipes


@pytest.fixture(scope="module")
def rules():
    return recipes.read_rules()


def test_everything_holds():
    rows = recipes.rows(cases=1000)
    assert len(rows) == 4
    assert [row for row in rows if not row.holds] == []


def test_pieces_that_two_ingredients_want_are_not_counted_twice():
    rule = recipes.Rule(0, 1, (("planks", ""), ("planks", "1")), 0, 0, ())
    assert not recipes.fits(rule, {item_id("planks:1"): 1})
    assert recipes.fits(rule, {item_id("planks:1"): 2})
    assert recipes.fits(rule, {item_id("planks:1"): 1, item_id("planks:3"): 1})


def test_a_wrong_product_and_a_wrong_price_are_seen(rules):
    table = next(rule for rule in rules if rule.product == item_id("crafting_table"))
    before = {item_id("planks"): 5}
    good = {item_id("planks"): 1, item_id("crafting_table"): 1}
    assert recipes.agrees(recipes.Outcome(before, good), table)
    for item, number in (("planks", 2), ("crafting_table", 2), ("stick", 1)):
        assert not recipes.agrees(recipes.Outcome(before, good | {item_id(item): number}), table)
    assert not recipes.agrees(recipes.Outcome(before, good), None)


def test_random_items_make_something_about_half_the_time(rules):
    random = np.random.default_rng(1)
    offered = [rule for rule in rules if rule.argument >= 0]
    drawn = [recipes._random_items(offered, random) for _ in range(300)]
    made = [recipes.first_that_fits(rules, argument, items) for argument, items in drawn]
    assert 0.3 < np.mean([rule is not None for rule in made]) < 0.8
