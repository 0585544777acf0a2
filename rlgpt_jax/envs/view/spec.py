"""MineDojo's observation as a table: key, shape, dtype, range and unit of every entry.

Keys, shapes and units are those that `minedojo.make` returns by default, with lidar and
with 3x3x3 voxels. Names are ids of `envs.names` here, strings on request (`strings.py`).

Source: MineDojo (MIT), https://github.com/MineDojo/MineDojo, `sim/handlers` and
`sim/wrappers`; its documentation, https://docs.minedojo.org.
"""

from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.base import NUM_EQUIPMENT, NUM_RAYS, NUM_SLOTS, RAY_RANGE
from rlgpt_jax.envs.names import CRAFT_NAMES, NUM_NAMES

FAR = 30_000_000.0  # blocks; Minecraft's worlds end there
NUM_FUNCTIONS = 8
NUM_INCREASED, NUM_DECREASED = 1, 4  # entries of `delta_inv`


class Field(NamedTuple):
    """One array of one lane."""

    shape: tuple[int, ...]
    dtype: type
    low: float
    high: float
    is_name: bool = False  # an id of `envs.names`


Spec = dict[str, Any]  # of `Field`s, or of further dicts of them


def _name(*shape: int) -> Field:
    return Field(shape, np.int32, 0, NUM_NAMES - 1, is_name=True)


def _flag(*shape: int) -> Field:
    return Field(shape, np.bool_, 0, 1)


def _real(low: float, high: float, *shape: int) -> Field:
    return Field(shape, np.float32, low, high)


def _whole(low: int, high: int, *shape: int) -> Field:
    return Field(shape, np.int64, low, high)


def _items(slots: int) -> Spec:
    return {
        "name": _name(slots),
        "variant": _whole(0, 120, slots),
        "quantity": _real(0, 64, slots),
        "cur_durability": _real(-1, 2000, slots),  # uses left; -1 does not wear
        "max_durability": _real(-1, 2000, slots),
    }


_VOXELS = (3, 3, 3)  # axes x, y, z ascending; the middle is the block of the feet
_BLOCK_FLAGS = ("is_tool_not_required", "blocks_movement", "is_liquid", "is_solid", "can_burn")

SPEC: Spec = {
    "inventory": _items(NUM_SLOTS),  # slot 0 is the main hand
    "equipment": _items(NUM_EQUIPMENT),  # main hand, feet, legs, chest, head, off hand
    "life_stats": {
        "life": _real(0, 20, 1),
        "food": _real(0, 20, 1),
        "saturation": _real(0, 20, 1),
        "oxygen": _real(0, 300, 1),  # ticks of air
        "armor": _real(0, 20, 1),
        "xp": _real(0, 1e6, 1),  # points
        "is_sleeping": _flag(),
    },
    "location_stats": {
        "pos": _real(-FAR, FAR, 3),  # blocks, x y z of the feet
        "yaw": _real(-180, 180, 1),  # degrees, 0 = +z, 90 = -x
        "pitch": _real(-90, 90, 1),  # degrees, +90 down
        "biome_id": _whole(0, 167),
        "rainfall": _real(0, 1, 1),
        "temperature": _real(-1, 2, 1),
        "can_see_sky": _flag(),
        "is_raining": _flag(),
        "light_level": _real(0, 15, 1),
        "sky_light_level": _real(0, 1, 1),  # brightness of the sky, 0.2 at night
        "sun_brightness": _real(0, 1, 1),
        "sea_level": _real(0, 255, 1),  # blocks
    },
    "voxels": {
        "block_name": _name(*_VOXELS),
        "block_meta": _whole(0, 120, *_VOXELS),
        "is_collidable": _flag(*_VOXELS),
        **{name: _flag(*_VOXELS) for name in _BLOCK_FLAGS},
        "blocks_light": _flag(*_VOXELS),
        "cos_look_vec_angle": _real(-1, 1, *_VOXELS),  # of the block's low corner
    },
    "rays": {
        "entity_name": _name(NUM_RAYS),  # "none" ("null" as a string) without an entity
        "entity_distance": _real(0, RAY_RANGE, NUM_RAYS),  # blocks from the eye
        "block_name": _name(NUM_RAYS),
        "block_distance": _real(0, RAY_RANGE, NUM_RAYS),
        "block_meta": _whole(0, 120, NUM_RAYS),
        "harvest_level": _whole(-1, 4, NUM_RAYS),  # 0 wood .. 3 diamond, -1 no tool's
        **{name: _flag(NUM_RAYS) for name in _BLOCK_FLAGS},
        "ray_pitch": _real(-4, 4, NUM_RAYS),  # radians from the view, + is up
        "ray_yaw": _real(-4, 4, NUM_RAYS),  # radians from the view, + is to the left
        **{f"traced_block_{axis}": _real(-FAR, FAR, NUM_RAYS) for axis in "xyz"},
    },
    "nearby_tools": {"table": _flag(), "furnace": _flag()},
    "damage_source": {
        "damage_amount": _real(0, 40, 1),
        "damage_distance": _real(0, 1000, 1),  # blocks to the mob that hit, else 0
        "damage_pitch": _real(-90, 90, 1),  # degrees towards it, + is up
        "damage_yaw": _real(-180, 180, 1),  # degrees from +z towards +x
        "hunger_damage": _real(0, 20, 1),  # exhaustion that the hit cost
        "is_explosion": _flag(),
        "is_fire_damage": _flag(),
        "is_magic_damage": _flag(),
        "is_projectile": _flag(),
        "is_unblockable": _flag(),
    },
    "masks": {
        "action_type": _flag(NUM_FUNCTIONS),
        "action_arg": _flag(NUM_FUNCTIONS, 1),
        "equip": _flag(NUM_SLOTS),
        "place": _flag(NUM_SLOTS),
        "destroy": _flag(NUM_SLOTS),
        "craft_smelt": _flag(len(CRAFT_NAMES)),
    },
    "delta_inv": {
        "inc_name_by_craft": _name(NUM_INCREASED),
        "inc_quantity_by_craft": _real(0, 64 * NUM_SLOTS, NUM_INCREASED),
        "inc_name_by_other": _name(NUM_INCREASED),
        "inc_quantity_by_other": _real(0, 64 * NUM_SLOTS, NUM_INCREASED),
        "dec_name_by_craft": _name(NUM_DECREASED),
        "dec_quantity_by_craft": _real(0, 64 * NUM_SLOTS, NUM_DECREASED),
        "dec_name_by_other": _name(NUM_DECREASED),
        "dec_quantity_by_other": _real(0, 64 * NUM_SLOTS, NUM_DECREASED),
    },
}


def with_image(image_size: tuple[int, int] | None) -> Spec:
    """The table with `rgb` uint8[3, height, width] in front; None leaves it out.

    Raises:
      ValueError: a size that is not two positive numbers.
    """
    if image_size is None:
        return SPEC
    if len(image_size) != 2 or min(image_size) < 1:
        raise ValueError(f"image_size is (height, width) in pixels, got {image_size!r}.")
    height, width = image_size
    return {"rgb": Field((3, height, width), np.uint8, 0, 255), **SPEC}
