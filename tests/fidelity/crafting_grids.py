"""What a crafting grid makes, by shape: the table of recipes read as in the game.

MineDojo's arguments need no grid, so the world itself never asks; this is the statement
of the rule that the arrays of `recipes.py` are compared with.
"""

from rlgpt_jax.envs.voxel.rules.items.item_table import parse
from rlgpt_jax.envs.voxel.rules.items.recipes import CRAFTING, Grid

Item = tuple[str, int]  # name, variant
Cut = list[list[Item | None]]  # the part of a grid that is not empty


def match_grid(grid: list[list[str]]) -> tuple[str, int] | None:
    """What a crafting grid makes: (entry of the product, pieces), or None.

    A shape may lie anywhere in the grid and may be mirrored left to right; a recipe
    without shape takes its ingredients in any order.

    Args:
      grid: rows of one length; "" is an empty cell, "planks" means variant 0.
    """
    filled = [(y, x) for y, row in enumerate(grid) for x, cell in enumerate(row) if cell]
    if not filled:
        return None
    (top, bottom), (left, right) = ((min(axis), max(axis) + 1) for axis in zip(*filled))
    cut: Cut = [[_item(cell) for cell in row[left:right]] for row in grid[top:bottom]]
    for recipe in CRAFTING:
        fits = _fits_shape if recipe.shaped else _fits_any_order
        if fits(recipe.cells, cut):
            return recipe.product, recipe.quantity
    return None


def accepts(entry: str, item: Item) -> bool:
    """Whether an ingredient takes an item."""
    name, variant = parse(entry)
    return name == item[0] and variant in (None, item[1])


def _item(cell: str) -> Item | None:
    name, variant = parse(cell)
    return (name, variant or 0) if name else None


def _fits_shape(cells: Grid, cut: Cut) -> bool:
    width = max(len(row) for row in cells)
    if len(cells) != len(cut) or width != len(cut[0]):
        return False
    rows = [(*row, *[""] * (width - len(row))) for row in cells]
    return _agree(rows, cut) or _agree([row[::-1] for row in rows], cut)


def _agree(rows: list[tuple[str, ...]], cut: Cut) -> bool:
    pairs = [pair for row, line in zip(rows, cut) for pair in zip(row, line)]
    return all(accepts(entry, item) if item else not entry for entry, item in pairs)


def _fits_any_order(cells: Grid, cut: Cut) -> bool:
    """Ingredients of one recipe exclude each other, so taking them greedily is enough."""
    left = list(cells[0])
    for item in (item for row in cut for item in row if item):
        entry = next((entry for entry in left if accepts(entry, item)), None)
        if entry is None:
            return False
        left.remove(entry)
    return not left
