"""Crafting and smelting recipes as arrays.

Source: `third_party/minecraft`, all 389 rows of `recipes.json` and 27 of
`smelting.json`. An agent names a product without its variant (MineDojo's craft
arguments), so the world uses the recipes whose product is an argument; among those of
one argument the first that fits is made. They are tried as the game sorts them: shaped
ones first, then larger grids first, then in the order of the tables. So no recipe hides
one that asks for more. The others have no argument: no action makes them.

An entry without a variant ("planks") accepts every variant, mixed as well; "planks:0"
accepts that one. No recipe asks for both kinds of one name (a test reads them all), so
no piece is wanted by two ingredients and counting pieces decides whether a recipe fits.
"""

import collections
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import CRAFT_LISTS, CRAFT_NAMES, NUM_HAND, NUM_TABLE, load
from rlgpt_jax.envs.voxel.rules.items.item_table import NUM_ITEMS, item_id, parse, variants_of

Grid = tuple[tuple[str, ...], ...]  # rows of entries, "" is an empty cell
NUM_CRAFT = NUM_HAND + NUM_TABLE  # arguments below this one craft, the others smelt
HAND, TABLE, FURNACE = range(3)  # where a recipe can be made


class Recipe(NamedTuple):
    """The pieces in `cells` give `quantity` pieces of `product`."""

    product: str  # an entry of `item_table`, for example "planks:2"
    quantity: int
    cells: Grid  # of a shapeless recipe and in the furnace: one row, in any order
    shaped: bool
    back: dict[str, int]  # what remains of the ingredients: the buckets of the milk
    place: int  # HAND, TABLE or FURNACE
    argument: int  # index into `CRAFT_NAMES`, -1 if no argument makes it

    @property
    def needs(self) -> dict[str, int]:
        """Pieces by entry."""
        return dict(collections.Counter(cell for row in self.cells for cell in row if cell))

    @property
    def order(self) -> tuple[int, bool, int]:
        """Where it stands among the others; equal ones keep the order of the table."""
        return self.argument, not self.shaped, -len(self.cells) * len(self.cells[0])


def _entry(entry: str) -> str:
    """The same entry with the item's right name, and without the star for any variant."""
    name, variant = parse(entry)
    return name if variant is None else f"{name}:{variant}"


def _argument(product: str, smelts: bool) -> int:
    name = parse(product)[0]
    if name not in CRAFT_NAMES or (CRAFT_NAMES.index(name) >= NUM_CRAFT) != smelts:
        return -1
    return CRAFT_NAMES.index(name)


def _crafted(row: dict) -> Recipe:
    shaped = "shape" in row
    cells = row["shape"] if shaped else [row["shapeless"]]
    small = len(cells) <= 2 and max(map(len, cells)) <= 2 if shaped else len(cells[0]) <= 4
    argument = _argument(row["out"], smelts=False)
    by_hand = small if argument < 0 else CRAFT_NAMES[argument] in CRAFT_LISTS["hand"]
    return Recipe(
        product=_entry(row["out"]),
        quantity=row["n"],
        cells=tuple(tuple(_entry(cell) for cell in line) for line in cells),
        shaped=shaped,
        back=dict(collections.Counter(c for line in row.get("back", ()) for c in line if c)),
        place=HAND if by_hand else TABLE,
        argument=argument,
    )


def _smelted(source: str, product: str, quantity: int) -> Recipe:
    cells = ((_entry(source),),)
    argument = _argument(product, smelts=True)
    return Recipe(_entry(product), quantity, cells, False, {}, FURNACE, argument)


CRAFTING: tuple[Recipe, ...] = tuple(_crafted(row) for row in load("recipes")["recipes"])
SMELTING: tuple[Recipe, ...] = tuple(
    _smelted(source, product, quantity)
    for source, (product, quantity, _) in load("smelting")["recipes"].items()
)
RECIPES: tuple[Recipe, ...] = tuple(
    sorted((r for r in CRAFTING + SMELTING if r.argument >= 0), key=lambda r: r.order)
)


def is_any(entry: str) -> bool:
    """The entry accepts several items."""
    name, variant = parse(entry)
    return variant is None and len(variants_of(name)) > 1


# Distinct (entry, pieces) demands; a recipe fits if all of its demands are met.
DEMANDS = sorted({need for recipe in RECIPES for need in recipe.needs.items()})
INGREDIENTS = sorted({entry for entry, _ in DEMANDS})
DEMAND_INGREDIENT = np.array([INGREDIENTS.index(entry) for entry, _ in DEMANDS], np.int32)
DEMAND_QUANTITY = np.array([quantity for _, quantity in DEMANDS], np.int32)


def _rows() -> np.ndarray:
    rows = np.full((NUM_ITEMS, 2), len(INGREDIENTS), np.int32)
    for i, entry in enumerate(INGREDIENTS):
        item = item_id(entry)
        if is_any(entry):
            rows[variants_of(parse(entry)[0]), 1] = i
        else:
            rows[item, 0] = i
    return rows


# int32[NUM_ITEMS, 2]: the ingredients that an item counts for, as itself and as one of
# several variants; `len(INGREDIENTS)` stands for none.
INGREDIENTS_OF = _rows()


def _padded(rows: list[list[int]], fill: int) -> np.ndarray:
    """int32[len(rows), longest], short rows filled up."""
    width = max(len(row) for row in rows)
    return np.array([row + [fill] * (width - len(row)) for row in rows], np.int32)


ARGUMENT = np.array([recipe.argument for recipe in RECIPES], np.int32)
PLACE = np.array([recipe.place for recipe in RECIPES], np.int32)
PRODUCT = np.array([item_id(recipe.product) for recipe in RECIPES], np.int32)
QUANTITY = np.array([recipe.quantity for recipe in RECIPES], np.int32)
# What comes back, at most one kind of item; only milk leaves anything.
BACK_ITEM = np.array([item_id(next(iter(r.back), "")) for r in RECIPES], np.int32)
BACK_QUANTITY = np.array([sum(r.back.values()) for r in RECIPES], np.int32)

# int32[recipes, K]: demands, `len(DEMANDS)` stands for none; then item ids, pieces, and
# whether any variant will do.
DEMANDS_OF = _padded(
    [[DEMANDS.index(need) for need in r.needs.items()] for r in RECIPES], len(DEMANDS)
)
NEED_ITEM = _padded([[item_id(entry) for entry in r.needs] for r in RECIPES], 0)
NEED_QUANTITY = _padded([list(r.needs.values()) for r in RECIPES], 0)
NEED_ANY = _padded([[is_any(entry) for entry in r.needs] for r in RECIPES], 0).astype(bool)
MAX_INGREDIENTS = NEED_ITEM.shape[1]
