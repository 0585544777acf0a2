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
