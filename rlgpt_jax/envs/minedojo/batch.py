"""Observations of single lanes as one of K lanes; pictures of another size."""

import functools
from typing import Any

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.names import CRAFT_NAMES


def stack(lanes: list[Observation]) -> Observation:
    """Observations of K lanes as one with a leading axis K."""
    return Observation(*(None if parts[0] is None else np.stack(parts) for parts in zip(*lanes)))


# dtype: fields of a number, and shapes of the others.
_NO_LANES: dict[Any, tuple[str, dict[str, tuple[int, ...]]]] = {
    np.float32: (
        "yaw pitch life food saturation oxygen armor xp damage time_of_day",
        {"position": (3,), "ray_block_distance": (base.NUM_RAYS,),
         "ray_entity_distance": (base.NUM_RAYS,), "slot_durability": (base.NUM_SLOTS,)},
    ),
    np.int32: (
        "light_level sky_light damage_kind biome",
        {"voxels": (3, 3, 3), "ray_block": (base.NUM_RAYS,), "ray_entity": (base.NUM_RAYS,),
         "slot_name": (base.NUM_SLOTS,), "slot_variant": (base.NUM_SLOTS,),
         "slot_quantity": (base.NUM_SLOTS,), "equipment": (base.NUM_EQUIPMENT,)},
    ),
    np.bool_: (
        "on_ground in_water can_see_sky near_table near_furnace",
        {"mask_function": (8,), "mask_craft": (len(CRAFT_NAMES),),
         "mask_equip": (base.NUM_SLOTS,), "mask_place": (base.NUM_SLOTS,),
         "mask_destroy": (base.NUM_SLOTS,)},
    ),
}  # fmt: skip


def of_no_lanes(image_size: tuple[int, int] | None) -> Observation:
    """An observation of K = 0 lanes, with the shapes and dtypes of any other."""
    fields: dict[str, Any] = {}
    for dtype, (numbers, arrays) in _NO_LANES.items():
        shapes: dict[str, tuple[int, ...]] = {**dict.fromkeys(numbers.split(), ()), **arrays}
        fields |= {name: np.zeros((0, *shape), dtype) for name, shape in shapes.items()}
    if image_size is not None:
        fields["rgb"] = np.zeros((0, *image_size, 3), np.uint8)
    return Observation(**fields)


def resized(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """uint8[H, W, 3] at another height and width, each pixel the mean of what it covers."""
    if image.shape[:2] == tuple(size):
        return image
    rows, columns = (_shares(old, new) for old, new in zip(image.shape[:2], size))
    mean = np.einsum("ih,hwc,jw->ijc", rows, image, columns, optimize=True)
    return np.rint(mean).astype(np.uint8)


@functools.cache
def _shares(old: int, new: int) -> np.ndarray:
    """float32[new, old]: how much each old pixel counts for each new one; rows sum to 1."""
    edges = np.linspace(0, old, new + 1)
    cell = np.arange(old)
    overlap = np.minimum(edges[1:, None], cell + 1) - np.maximum(edges[:-1, None], cell)
    return (np.maximum(overlap, 0) * new / old).astype(np.float32)
