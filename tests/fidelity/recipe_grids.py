"""The shapes of recipes against the table: every place in a 3 x 3 grid, and faulty grids."""

import collections
import json

import numpy as np

from rlgpt_jax.envs.names import DATA
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, ITEMS
from tests.fidelity.crafting_grids import match_grid
from tests.fidelity.recipe_oracle import VARIANTS, Need, Rule, fits, split
from tests.fidelity.row import Row

GROUP = "recipes"


def grids_of(row: dict) -> list[list[list[str]]]:
    """All places of a recipe in a 3 x 3 grid, plain and mirrored, any variant as the last one."""
    if "shapeless" in row:
        cells = [*row["shapeless"], *[""] * (9 - len(row["shapeless"]))]
        shapes = [[line[k : k + 3] for k in (0, 3, 6)] for line in (cells, cells[::-1])]
    else:
        width = max(len(line) for line in row["shape"])
        plain = [[*line, *[""] * (width - len(line))] for line in row["shape"]]
        shapes = [plain, [line[::-1] for line in plain]]
    grids = []
    for shape in shapes:
        height, width = len(shape), len(shape[0])
        for top in range(4 - height):
            for left in range(4 - width):
                grid = [[""] * 3 for _ in range(3)]
                for y, line in enumerate(shape):
                    for x, cell in enumerate(line):
                        name, meta = split(cell)
                        grid[top + y][left + x] = name and f"{name}:{meta or VARIANTS[name][-1]}"
                grids.append(grid)
    return grids


def placed_row() -> Row:
    good = total = 0
    for row in json.loads((DATA / "recipes.json").read_text())["recipes"]:
        name, meta = split(row["out"])
        for grid in grids_of(row):
            found = match_grid(grid)
            product = found and (*split(found[0]), found[1])
            good += product is not None and (product[0], int(product[1] or 0), product[2]) == (
                name, int(meta or 0), row["n"],
            )  # fmt: skip
            total += 1
    return Row(
        GROUP,
        "grids: all 389 recipes, shifted and mirrored in 3 x 3",
        f"{good} of {total}",
        f"{total} of {total}",
        good == total,
    )


def random_row(random: np.random.Generator, cases: int) -> Row:
    """Grids with one fault, against all placed shapes compared cell by cell."""
    table = json.loads((DATA / "recipes.json").read_text())["recipes"]
    placed: dict[int, list] = collections.defaultdict(list)  # by the number of full cells
    loose: dict[int, list] = collections.defaultdict(list)
    for row in table:
        size = sum(bool(cell) for line in row.get("shape", [row.get("shapeless")]) for cell in line)
        if "shapeless" in row:
            loose[size].append((row, Rule(0, 0, tuple(map(split, row["shapeless"])), 0, 0, ())))
        for mask in _masks_of(row) if "shape" in row else []:
            placed[size].append((row, mask))
    good = found = 0
    for _ in range(cases):
        grids = grids_of(table[random.integers(len(table))])
        cells = [cell for line in grids[random.integers(len(grids))] for cell in line]
        luck, spot = random.random(), int(random.integers(9))
        if luck < 0.3:
            other = int(random.integers(9))
            cells[spot], cells[other] = cells[other], cells[spot]
        elif luck < 0.6:
            name, variant = ITEMS[random.integers(len(ITEMS))]
            cells[spot] = f"{name}:{variant}" if name and luck < 0.5 else ""
        full = [split(cell) for cell in cells]
        size = sum(bool(name) for name, _ in full)
        same = lambda need, cell: need[0] == cell[0] and need[1] in ("", cell[1])  # noqa: E731
        hits = [row for row, mask in placed[size] if all(map(same, mask, full))]
        have = collections.Counter(ITEM_ID[name, int(meta)] for name, meta in full if name)
        hits += [row for row, rule in loose[size] if fits(rule, have)]
        made = match_grid([cells[k : k + 3] for k in (0, 3, 6)])
        outs = {(row["out"].replace("?452", "iron_nugget"), row["n"]) for row in hits}
        good += made in outs if outs else made is None
        found += bool(outs)
    return Row(
        GROUP,
        "random grids near a recipe: the product, or nothing",
        f"{good} of {cases} ({found} make something)",
        f"{cases} of {cases}",
        good == cases,
    )


def _masks_of(row: dict) -> list[list[Need]]:
    """The 9 demands of every place of a shape; an empty cell wants nothing in it."""
    width = max(len(line) for line in row["shape"])
    plain = [[split(c) for c in [*line, *[""] * (width - len(line))]] for line in row["shape"]]
    masks = []
    for shape in (plain, [line[::-1] for line in plain]):
        for top in range(4 - len(shape)):
            for left in range(4 - width):
                cells = [("", "")] * 9
                for y, line in enumerate(shape):
                    cells[3 * (top + y) + left : 3 * (top + y) + left + width] = line
                masks.append(cells)
    return masks
