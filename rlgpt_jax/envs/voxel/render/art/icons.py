"""Pictures of items for the hotbar, the hand and the ground: `items.png`, in the order of ids."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art.textures import sheet
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF, METAS
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEMS, NUM_ITEMS

_ICONS = sheet("items")[:NUM_ITEMS]


def block_of(item: int) -> int:
    """The byte of the block that looks like an item, 0 if none does."""
    name, variant = ITEMS[item]
    return BYTE_OF.get((name, variant), BLOCK_ID.get(name, 0) if name in METAS else 0)


def icon(item: int) -> np.ndarray:
    """The picture uint8[16, 16, 4] of an item given by its item id; 0 is empty."""
    return _ICONS[item]


def stamp(image: np.ndarray, picture: np.ndarray, row: int, column: int) -> None:
    """Puts uint8[h, w, 4] on an image from a row and column on; what sticks out is cut off."""
    rows, columns = (np.arange(n) + first for n, first in zip(picture.shape, (row, column)))
    keep_r, keep_c = ((i >= 0) & (i < n) for i, n in zip((rows, columns), image.shape))
    picture = picture[keep_r][:, keep_c]
    where = np.ix_(rows[keep_r], columns[keep_c])
    image[where] = np.where(picture[..., 3:] > 0, picture[..., :3], image[where])
