"""The picture of every item."""

import argparse
from collections.abc import Iterator

import numpy as np

from experiments.gallery.sheet import Sheet
from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.render.art.icons import icon
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEMS

_SCALE, _COLUMNS, _PER_SHEET = 3, 16, 208
_BACK = (139, 139, 139)


def draw(options: argparse.Namespace) -> Iterator[Sheet | int | None]:
    """Sheets of all items but names of mobs and air, in the order of their ids."""
    items = [(i, item) for i, item in enumerate(ITEMS) if item[0] not in ("", "air", *MOBS)
             or item[0] == "chicken"]  # fmt: skip
    yield len(items)
    for first in range(0, len(items), _PER_SHEET):
        number = first // _PER_SHEET + 1
        sheet = Sheet(f"items_{number}", f"items, sheet {number}", _COLUMNS, font_size=8)
        for i, (name, variant) in items[first : first + _PER_SHEET]:
            sheet.add(tile(i), f"{name}:{variant}" if variant else name)
            yield None
        yield sheet


def tile(item: int) -> np.ndarray:
    """uint8[54, 64, 3]: an icon three times as large on gray."""
    picture = icon(item).repeat(_SCALE, 0).repeat(_SCALE, 1)
    out = np.full((54, 64, 3), _BACK, np.uint8)
    part = out[3:51, 8:56]
    part[picture[..., 3] > 0] = picture[picture[..., 3] > 0][:, :3]
    return out
