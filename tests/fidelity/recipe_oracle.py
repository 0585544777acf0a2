"""The tables of recipes, read a second time and apart from the world's arrays.

It splits entries, sorts recipes and counts pieces by itself; with the world it shares the
numbers of items alone.
"""

import collections
import json
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import CRAFT_LISTS, DATA
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, ITEMS

ARGUMENTS = CRAFT_LISTS["hand"] + CRAFT_LISTS["table"] + CRAFT_LISTS["smelt"]
NUM_CRAFT = len(CRAFT_LISTS["hand"]) + len(CRAFT_LISTS["table"])
Need = tuple[str, str]  # name, metadata in digits or "" for any
Items = dict[int, int]  # pieces by item id
VARIANTS: dict[str, list[int]] = collections.defaultdict(list)
for _name, _variant in ITEMS:
    VARIANTS[_name].append(_variant)


class Rule(NamedTuple):
    """One line of the tables."""

    product: int  # item id
    quantity: int
    needs: tuple[Need, ...]  # one for each piece
    back: int  # empty buckets
    argument: int  # -1 if there is none
    order: tuple[int, ...]


def split(text: str) -> Need:
    name, _, meta = text.replace("?452", "iron_nugget").partition(":")
    return name, "" if meta == "*" else meta


def read_rules() -> list[Rule]:
    """Both tables, in the order in which the game tries them."""
    rules = []
    for number, row in enumerate(json.loads((DATA / "recipes.json").read_text())["recipes"]):
        shape = row.get("shape")
        cells = row["shapeless"] if shape is None else [cell for line in shape for cell in line]
        area = len(cells) if shape is None else len(shape) * max(len(line) for line in shape)
        name, meta = split(row["out"])
        spot = ARGUMENTS.index(name) if name in ARGUMENTS[:NUM_CRAFT] else -1
        back = sum(cell == "bucket" for line in row.get("back", []) for cell in line)
        needs = tuple(split(cell) for cell in cells if cell)
        order = (0 if shape else 1, -area, number)
        rules.append(Rule(ITEM_ID[name, int(meta or 0)], row["n"], needs, back, spot, order))
    table = json.loads((DATA / "smelting.json").read_text())["recipes"]
    for number, (source, (product, count, _)) in enumerate(table.items()):
        name, meta = split(product)
        smelted = ARGUMENTS[NUM_CRAFT:]
        spot = NUM_CRAFT + smelted.index(name) if name in smelted else -1
        item = ITEM_ID[name, int(meta or 0)]
        rules.append(Rule(item, count, (split(source),), 0, spot, (2, 0, number)))
    return sorted(rules, key=lambda rule: rule.order)


def fits(rule: Rule, items: Items) -> bool:
    """The pieces are there; special variants are served before those that any will serve."""
    left = dict(items)
    for name, meta in sorted(rule.needs, key=lambda need: need[1] == ""):
        metas = [int(meta)] if meta else VARIANTS[name]
        found = [ITEM_ID[name, m] for m in metas if left.get(ITEM_ID[name, m], 0) > 0]
        if not found:
            return False
        left[found[0]] -= 1
    return True


def first_that_fits(rules: list[Rule], argument: int, items: Items) -> Rule | None:
    return next((r for r in rules if r.argument == argument and fits(r, items)), None)


def ingredients(rule: Rule, random: np.random.Generator) -> Items:
    """Exactly what a recipe takes, with random variants where any will do."""
    pieces: Items = collections.Counter()
    for name, meta in rule.needs:
        pieces[ITEM_ID[name, int(meta) if meta else int(random.choice(VARIANTS[name]))]] += 1
    return pieces
