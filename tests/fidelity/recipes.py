"""Crafting against the recipe table, read apart (`recipe_oracle.py`).

Lanes hold random items near a recipe; what the world makes of them, what it takes and what
its mask allows must be what the oracle says.
"""

import collections
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.rules.items import crafting
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, ITEMS
from rlgpt_jax.envs.voxel.rules.player import tools
from tests.fidelity.lanes import with_items
from tests.fidelity.recipe_oracle import (
    ARGUMENTS,
    VARIANTS,
    Items,
    Rule,
    first_that_fits,
    fits,
    ingredients,
    read_rules,
)
from tests.fidelity.row import Row

GROUP = "recipes"
CASES = 10_000


class Outcome(NamedTuple):
    """Of one lane: items before and after."""

    before: Items
    after: Items


_craft = jax.jit(crafting.craft)


def craft(lanes: list[Items], arguments: list[int]) -> list[Outcome]:
    """Makes one product in every lane; an earlier product left fuel for one smelting."""
    state = with_items(lanes, tools.STACK, burn_ticks=200)
    spot = jnp.asarray(np.array(arguments, np.int32))
    after, _, left = _craft(state, jnp.ones(len(lanes), bool), spot)
    assert not np.asarray(left).any()
    slots, quantity = np.asarray(after.inventory.item), np.asarray(after.inventory.quantity)
    result = []
    for before, row, pieces in zip(lanes, slots, quantity):
        now: Items = collections.Counter()
        for item, number in zip(row.tolist(), pieces.tolist()):
            now[item] += number
        result.append(Outcome(before, {item: n for item, n in now.items() if n}))
    return result


def agrees(outcome: Outcome, rule: Rule | None) -> bool:
    """What was taken and what was given is what the rule says; None gives and takes nothing."""
    change = collections.Counter(outcome.after)
    change.subtract(outcome.before)
    if rule is None:
        return not any(change.values())
    change[rule.product] -= rule.quantity
    change[ITEM_ID["bucket", 0]] -= rule.back
    for name, meta in rule.needs:
        items = [ITEM_ID[name, int(meta)]] if meta else [ITEM_ID[name, v] for v in VARIANTS[name]]
        taken = next((item for item in items if change[item] < 0), None)
        if taken is None:
            return False
        change[taken] += 1
    return not any(change.values())


def _exact_row(rules: list[Rule], random: np.random.Generator) -> Row:
    offered = [rule for rule in rules if rule.argument >= 0 for _ in range(3)]
    made = craft([ingredients(r, random) for r in offered], [r.argument for r in offered])
    good = sum(agrees(outcome, rule) for outcome, rule in zip(made, offered)) // 3
    total, known = len(offered) // 3, len(rules)
    return Row(
        GROUP,
        "a recipe is made of exactly its ingredients, with random variants where any will do",
        f"{good} of {total} ({known - total} more have no craft argument)",
        f"{total} of {total}",
        good == total,
    )


def _missing_row(rules: list[Rule], random: np.random.Generator) -> Row:
    lanes, arguments = [], []
    for rule in rules:
        if rule.argument >= 0:
            whole = ingredients(rule, random)
            for item in whole:
                lanes.append({i: n - (i == item) for i, n in whole.items() if n > (i == item)})
                arguments.append(rule.argument)
    expected = [first_that_fits(rules, a, items) for a, items in zip(arguments, lanes)]
    made = craft(lanes, arguments)
    good = sum(agrees(outcome, rule) for outcome, rule in zip(made, expected))
    nothing = sum(rule is None for rule in expected)
    return Row(
        GROUP,
        "with one piece missing it is not made",
        f"{good} of {len(lanes)} (in {nothing} nothing is made, in the others a smaller recipe)",
        f"{len(lanes)} of {len(lanes)}",
        good == len(lanes),
    )


def _random_items(rules: list[Rule], random: np.random.Generator) -> tuple[int, Items]:
    """The ingredients of one or two recipes of an argument with faults, or any items."""
    rule = rules[random.integers(len(rules))]
    pieces = collections.Counter(ingredients(rule, random))
    if random.random() < 0.3:
        pieces += collections.Counter(ingredients(rules[random.integers(len(rules))], random))
    for item in list(pieces):
        luck = random.random()
        if luck < 0.15:
            pieces[item] -= 1
        elif luck < 0.25:  # another variant, or another item
            same = [ITEM_ID[ITEMS[item][0], v] for v in VARIANTS[ITEMS[item][0]]]
            pieces[int(random.choice(same))] += pieces.pop(item)
        elif luck < 0.3:
            pieces[int(random.integers(1, len(ITEMS)))] += pieces.pop(item)
        elif luck < 0.45:
            pieces[item] += int(random.integers(1, 4))
    argument = rule.argument if random.random() < 0.8 else int(random.integers(len(ARGUMENTS)))
    return argument, {item: n for item, n in pieces.items() if n > 0}


def _random_row(rules: list[Rule], random: np.random.Generator, cases: int) -> Row:
    offered = [rule for rule in rules if rule.argument >= 0]
    drawn = [_random_items(offered, random) for _ in range(cases)]
    expected = [first_that_fits(rules, argument, items) for argument, items in drawn]
    made = craft([items for _, items in drawn], [argument for argument, _ in drawn])
    good = sum(agrees(outcome, rule) for outcome, rule in zip(made, expected))
    return Row(
        GROUP,
        "random items near a recipe: made, taken and refused as the table says",
        f"{good} of {cases} ({sum(rule is not None for rule in expected)} make something)",
        f"{cases} of {cases}",
        good == cases,
    )


def _mask_row(rules: list[Rule], random: np.random.Generator, cases: int) -> Row:
    offered = [rule for rule in rules if rule.argument >= 0]
    lanes = [_random_items(offered, random)[1] for _ in range(cases)]
    allowed = np.zeros((cases, len(ARGUMENTS)), bool)
    for lane, items in enumerate(lanes):
        names = {ITEMS[item][0] for item in items}
        for rule in offered:
            if all(name in names for name, _ in rule.needs) and fits(rule, items):
                allowed[lane, rule.argument] = True
    masks = jax.jit(crafting.masks)(with_items(lanes, tools.STACK, burn_ticks=200))
    same = int((np.asarray(masks["mask_craft"]) == allowed).sum())
    return Row(
        GROUP,
        "the craft mask: random items, all 244 arguments",
        f"{same} of {allowed.size} ({allowed.sum()} allowed)",
        f"{allowed.size} of {allowed.size}",
        same == allowed.size,
    )


def rows(cases: int = CASES) -> list[Row]:
    """All checks; `cases` random ones."""
    rules, random = read_rules(), np.random.default_rng(0)
    return [
        _exact_row(rules, random),
        _missing_row(rules, random),
        _random_row(rules, random, cases),
        _mask_row(rules, random, max(cases // 10, 1)),
    ]
