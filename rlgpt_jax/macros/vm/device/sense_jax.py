"""What macros read of their lanes' views, and actions on items: `sense_host.py` in JAX."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import FN_CRAFT, NUM_RAYS, NUM_SLOTS, RAY_PITCHES, RAY_YAWS
from rlgpt_jax.envs.names import NUM_NAMES
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import CRAFT_OF_NAME, FUNCTION_BASE
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.device.cells_jax import box, number
from rlgpt_jax.macros.vm.host.sense_host import (
    AIR,
    FAR,
    FURNACE_NAME,
    NO_ENTITY,
    PER_BIN,
    TABLE_NAME,
)

Array = jax.Array


def camera_bin(degrees: Array) -> Array:
    bins = jnp.clip(jnp.rint(degrees * PER_BIN), -12, 12)
    return jnp.where(jnp.isnan(degrees), 0, bins).astype(jnp.int32) + 12


def ask(op: Array, view: Array, name: Array, now: Array, function: Array) -> Array:
    """Answers count, near, sees, nearest and builds actions on items."""
    slots = view[:, sensors.SLOT_NAMES : sensors.SLOT_NAMES + NUM_SLOTS].astype(jnp.int32)
    held = view[:, sensors.SLOT_QUANTITIES : sensors.SLOT_QUANTITIES + NUM_SLOTS]
    here = slots == name[:, None]
    count = number(jnp.sum(jnp.where(here, held, 0), axis=1))
    near = ((name == TABLE_NAME) & (view[:, sensors.NEAR_TABLE] > 0)) | (
        (name == FURNACE_NAME) & (view[:, sensors.NEAR_FURNACE] > 0)
    )
    distances = view[:, sensors.RAY_DISTANCES : sensors.RAY_DISTANCES + NUM_RAYS]
    blocks = view[:, sensors.RAY_BLOCKS : sensors.RAY_BLOCKS + NUM_RAYS].astype(jnp.int32)
    entities = view[:, sensors.RAY_ENTITIES : sensors.RAY_ENTITIES + NUM_RAYS].astype(jnp.int32)
    hits = (blocks == name[:, None]) | (entities == name[:, None])
    far = jnp.where(hits, distances, np.float32(np.inf))
    best = jnp.argmin(far, axis=1).astype(jnp.int32)
    sees = jnp.any(far < np.float32(np.inf), axis=1)
    ray = jnp.where(sees, best, v.NO_RAY) | (now & v.AGE_MASK) << 7

    usable = here & (held > 0)
    argument = jnp.argmax(usable, axis=1).astype(jnp.int32)
    found = jnp.any(usable, axis=1)
    craft = jnp.where(
        name < NUM_NAMES, jnp.asarray(CRAFT_OF_NAME)[jnp.minimum(name, NUM_NAMES - 1)], -1
    )
    argument = jnp.where(function == FN_CRAFT, craft, argument)
    found = jnp.where(function == FN_CRAFT, craft >= 0, found)
    code = jnp.where(found, FUNCTION_BASE + function * 256 + argument, 0)
    return jnp.select(
        [op == o for o in (bc.COUNT, bc.NEAR, bc.SEES, bc.NEAREST)],
        [count, number(near), number(sees), box(v.T_RAY, ray)],
        box(v.T_ACTION, code),
    )


def ray_field(field: Array, ray: Array, read: Array) -> Array:
    """Returns field 0..4 of a ray; `read` is what the view has for fields 0 to 2."""
    none = ray == v.NO_RAY
    ray = jnp.minimum(ray, NUM_RAYS - 1)
    yaw = jnp.asarray(RAY_YAWS, jnp.float32)[ray % len(RAY_YAWS)]
    pitch = jnp.asarray(RAY_PITCHES, jnp.float32)[ray // len(RAY_YAWS)]
    name = read.astype(jnp.int32)
    return jnp.select(
        [field == 0, field == 1, field == 2, field == 3],
        [
            box(v.T_NAME, jnp.where(none, AIR, name)),
            box(v.T_NAME, jnp.where(none, NO_ENTITY, name)),
            number(jnp.where(none, FAR, read)),
            number(jnp.where(none, 0, yaw)),
        ],
        number(jnp.where(none, 0, pitch)),
    )
