"""What a macro may read: one float32 row per lane, cut from an `Observation`.

Level `paper` is what the paper's agent sees (compass, gps, 3x3x3 voxels, inventory,
equipment, life, tools nearby); level `full` adds the lidar rays. The row has the same
layout at both levels. The level is checked when a macro is parsed, so that a macro at
level `paper` simply has no way to name a ray.

Every value is an integer id, a flag or a float32 of the observation, so that the NumPy
and the JAX version give the same bits.
"""

from types import ModuleType
from typing import Any

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_EQUIPMENT, NUM_RAYS, NUM_SLOTS, Observation

SENSOR_LEVELS = ("paper", "full")

# Scalars that a macro reads as `obs.<name>`; the position in this tuple is the offset.
SCALARS = (
    "x",
    "y",
    "z",
    "yaw",
    "pitch",
    "life",
    "food",
    "oxygen",
    "time",
    "on_ground",
    "in_water",
    "held",  # name id of the item in the main hand
    "near_table",  # read as obs.near("crafting_table")
    "near_furnace",
)
NEAR_TABLE, NEAR_FURNACE = SCALARS.index("near_table"), SCALARS.index("near_furnace")
HELD = SCALARS.index("held")

VOXELS = len(SCALARS)  # 27 name ids, axes x, y, z ascending, z fastest
SLOT_NAMES = VOXELS + 27
SLOT_QUANTITIES = SLOT_NAMES + NUM_SLOTS
EQUIPMENT = SLOT_QUANTITIES + NUM_SLOTS
RAY_BLOCKS = EQUIPMENT + NUM_EQUIPMENT
RAY_ENTITIES = RAY_BLOCKS + NUM_RAYS
RAY_DISTANCES = RAY_ENTITIES + NUM_RAYS  # to the first thing the ray meets
VIEW_SIZE = RAY_DISTANCES + NUM_RAYS


def pack_view(obs: Observation) -> Any:
    """Packs what macros can read into float32[N, VIEW_SIZE].

    NumPy observations give a NumPy array, all others a JAX array.
    """
    xp: ModuleType = np if isinstance(obs.position, np.ndarray) else jnp

    def columns(x: Any) -> Any:
        return xp.asarray(x).reshape((len(obs.position), -1)).astype(xp.float32)

    parts = (
        obs.position,
        obs.yaw,
        obs.pitch,
        obs.life,
        obs.food,
        obs.oxygen,
        obs.time_of_day,
        obs.on_ground,
        obs.in_water,
        obs.equipment[:, 0],
        obs.near_table,
        obs.near_furnace,
        obs.voxels,
        obs.slot_name,
        obs.slot_quantity,
        obs.equipment,
        obs.ray_block,
        obs.ray_entity,
        xp.minimum(obs.ray_block_distance, obs.ray_entity_distance),
    )
    return xp.concatenate([columns(part) for part in parts], axis=1)
