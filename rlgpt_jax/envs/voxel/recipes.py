"""Crafting recipes as arrays: everything that can be made of what this world yields.

Source: `third_party/minecraft/recipes.json`. Variants of an item (metadata) do not
exist here: a recipe that asks for a special variant is left out, one that asks for any
or for variant 0 is kept, and the variant of its product is dropped.
"""

import collections
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import (
    CRAFT_LISTS,
    CRAFT_NAMES,
    NAME_ID,
    NUM_HAND,
    NUM_TABLE,
    load,
)

# What mining, mobs and smelting give; recipes are kept if they can start from here.
BASE = (
    "log", "cobblestone", "stone", "dirt", "sand", "gravel", "flint", "clay_ball", "coal",
    "iron_ingot", "gold_ingot", "diamond", "redstone", "wool", "leather", "feather",
    "string", "bone",
)  # fmt: skip
MAX_INGREDIENTS = 4  # different items in one recipe
# minecraft-data lists this item under its number only.
_REPAIRED = {"?452": "iron_nugget"}


class Recipe(NamedTuple):
    """`needs` (item -> pieces) give `quantity` pieces of `product`."""

    product: str
    quantity: int
    needs: dict[str, int]
    at_table: bool


def _plain(entry: str) -> str | None:
    """The item of a recipe cell without its variant; None if the variant matters."""
    name, _, variant = _REPAIRED.get(entry, entry).partition(":")
    return name if variant in ("", "0") else None


def _read(row: dict) -> Recipe | None:
    cells = row.get("shapeless") or [c for line in row["shape"] for c in line]
    names = [_plain(c) for c in cells if c]
    plain = [name for name in names if name is not None]
    product = _REPAIRED.get(row["out"], row["out"]).partition(":")[0]
    offered = product in NAME_ID and product in CRAFT_NAMES[: NUM_HAND + NUM_TABLE]
    if len(plain) < len(names) or not offered or "back" in row:
        return None
    needs = dict(collections.Counter(plain))
    return Recipe(product, row["n"], needs, product in CRAFT_LISTS["table"])


def _reachable(recipes: list[Recipe]) -> list[Recipe]:
    """Keeps the recipes whose ingredients can be had, in the order of the table."""
    have = set(BASE)
    while True:
        kept = [r for r in recipes if have.issuperset(r.needs)]
        found = have.union(r.product for r in kept)
        if found == have:
            return kept
        have = found


RECIPES: tuple[Recipe, ...] = tuple(
    _reachable([r for row in load("recipes")["recipes"] if (r := _read(row))])
)
# Distinct (item, pieces) demands; a recipe is open if all of its demands are met.
DEMANDS = sorted({demand for r in RECIPES for demand in r.needs.items()})
INGREDIENTS = sorted({item for item, _ in DEMANDS})
INGREDIENT_ID = np.array([NAME_ID[item] for item in INGREDIENTS], np.int32)
DEMAND_INGREDIENT = np.array([INGREDIENTS.index(item) for item, _ in DEMANDS], np.int32)
DEMAND_QUANTITY = np.array([quantity for _, quantity in DEMANDS], np.int32)

AT_TABLE = np.array([r.at_table for r in RECIPES])
PRODUCT = np.array([NAME_ID[r.product] for r in RECIPES], np.int32)
QUANTITY = np.array([r.quantity for r in RECIPES], np.int32)


def _padded(rows: list[list[int]], fill: int) -> np.ndarray:
    """int32[len(rows), longest], short rows filled up."""
    width = max(len(row) for row in rows)
    return np.array([row + [fill] * (width - len(row)) for row in rows], np.int32)


# int32[recipes, K] indices of demands; `len(DEMANDS)` stands for none.
DEMANDS_OF = _padded(
    [[DEMANDS.index(need) for need in r.needs.items()] for r in RECIPES], len(DEMANDS)
)
# int32[craft arguments, K] indices of recipes, in the order in which they are tried;
# `len(RECIPES)` stands for none. Smelting is not in this world.
RECIPES_OF = _padded(
    [
        [i for i, r in enumerate(RECIPES) if r.product == name and index < NUM_HAND + NUM_TABLE]
        for index, name in enumerate(CRAFT_NAMES)
    ],
    len(RECIPES),
)


def _needs() -> tuple[np.ndarray, np.ndarray]:
    name, quantity = np.zeros((2, len(RECIPES), MAX_INGREDIENTS), np.int32)
    for i, recipe in enumerate(RECIPES):
        for k, (item, pieces) in enumerate(recipe.needs.items()):
            name[i, k], quantity[i, k] = NAME_ID[item], pieces
    return name, quantity


NEED_NAME, NEED_QUANTITY = _needs()  # int32[recipes, MAX_INGREDIENTS]
