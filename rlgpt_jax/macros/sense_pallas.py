"""What macros read of their lane's view, and actions on items: `sense_host.py` in a kernel."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import FN_CRAFT, NUM_RAYS, NUM_SLOTS, RAY_YAWS
from rlgpt_jax.envs.names import NUM_NAMES
from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import FUNCTION_BASE
from rlgpt_jax.macros.cells_jax import box, number, real, tag
from rlgpt_jax.macros.exact_jax import rounded
from rlgpt_jax.macros.lane_pallas import CRAFTS, PITCHES, YAWS, Lane, pick, trap_if
from rlgpt_jax.macros.sense_host import (
    AIR,
    FAR,
    FURNACE_NAME,
    NO_ENTITY,
    PER_BIN,
    TABLE_NAME,
)

Array = jax.Array
RAY_BLOCK = 128  # vectors in a kernel have a power of two of elements
SLOT_BLOCK = 1 << (NUM_SLOTS - 1).bit_length()
MANY = 1 << 20


def is_current(bits: Array, now: Array) -> Array:
    age = jnp.where(tag(bits) == v.T_RAY, (bits & v.PAYLOAD) >> 7, bits & v.PAYLOAD)
    return age == now & v.AGE_MASK


def columns(lane: Lane, first: int, size: int, block: int) -> tuple[Array, Array]:
    """Reads `size` numbers of the view into a vector of `block`, and which are of them."""
    offsets = jnp.arange(block, dtype=jnp.int32)
    return lane.seen(first + jnp.minimum(offsets, size - 1)), offsets < size


def first_of(hits: Array) -> Array:
    """Returns the position of the first hit; MANY if there is none."""
    return jnp.min(jnp.where(hits, jnp.arange(len(hits), dtype=jnp.int32), MANY))


def camera_bin(degrees: Array) -> Array:
    bins = degrees * PER_BIN
    bins = jnp.where(bins > 12, 12, jnp.where(bins < -12, -12, bins)).astype(jnp.float32)
    bins = rounded(jnp.where(degrees == degrees, bins, np.float32(0.0)))
    return bins.astype(jnp.int32) + 12


def slots_with(lane: Lane, name: Array) -> tuple[Array, Array]:
    """Returns quantities of the slots, and which of them hold the item."""
    names, exist = columns(lane, sensors.SLOT_NAMES, NUM_SLOTS, SLOT_BLOCK)
    held, _ = columns(lane, sensors.SLOT_QUANTITIES, NUM_SLOTS, SLOT_BLOCK)
    return held, exist & (names.astype(jnp.int32) == name)


def count(lane: Lane, name: Array) -> Array:
    """Quantities are whole numbers, so that the order of the sum does not matter."""
    held, here = slots_with(lane, name)
    return number(jnp.sum(jnp.where(here, held, np.float32(0.0))))


def near(lane: Lane, name: Array) -> Array:
    at_table = (name == TABLE_NAME) & (lane.seen(sensors.NEAR_TABLE) > 0)
    at_furnace = (name == FURNACE_NAME) & (lane.seen(sensors.NEAR_FURNACE) > 0)
    return number(at_table | at_furnace)


def nearest_ray(lane: Lane, name: Array) -> Array:
    """Returns the ray on which the name is nearest, or NO_RAY."""
    blocks, exist = columns(lane, sensors.RAY_BLOCKS, NUM_RAYS, RAY_BLOCK)
    entities, _ = columns(lane, sensors.RAY_ENTITIES, NUM_RAYS, RAY_BLOCK)
    distances, _ = columns(lane, sensors.RAY_DISTANCES, NUM_RAYS, RAY_BLOCK)
    far = np.float32(np.inf)
    hits = (blocks.astype(jnp.int32) == name) | (entities.astype(jnp.int32) == name)
    hits = hits & exist & (distances < far)
    best = jnp.min(jnp.where(hits, distances, far))
    return jnp.minimum(first_of(hits & (distances == best)), v.NO_RAY)


def ask(lane: Lane, op: Array, name: Array) -> Array:
    """Answers count, near, sees and nearest about a name."""

    def of_rays() -> Array:
        ray = nearest_ray(lane, name)
        found = number(ray != v.NO_RAY)
        return jnp.where(
            op == bc.SEES, found, box(v.T_RAY, ray | (lane.now & v.AGE_MASK) << 7)
        )

    def of_inventory() -> Array:
        return jax.lax.cond(op == bc.COUNT, lambda: count(lane, name), lambda: near(lane, name))

    return jax.lax.cond(op >= bc.SEES, of_rays, of_inventory)


def item_code(lane: Lane, name: Array, function: Array) -> Array:
    """Returns the code of a functional action on a named item; noop if it cannot be."""

    def crafts() -> Array:
        place = CRAFTS + jnp.clip(name, 0, NUM_NAMES - 1)
        return jnp.where(name < NUM_NAMES, lane.tables[place], -1)

    def uses() -> Array:
        held, here = slots_with(lane, name)
        slot = first_of(here & (held > 0))
        return jnp.where(slot == MANY, -1, slot)

    argument = jax.lax.cond(function == FN_CRAFT, crafts, uses)
    return jnp.where(argument >= 0, FUNCTION_BASE + function * 256 + argument, 0)


def ray_field(lane: Lane, ray: Array, field: Array) -> Array:
    """Returns field 0..4 (block, entity, distance, yaw, pitch) of a ray."""
    none, yaws = ray == v.NO_RAY, len(RAY_YAWS)
    ray = jnp.minimum(ray, NUM_RAYS - 1)
    column = pick(field == 0, sensors.RAY_BLOCKS, sensors.RAY_ENTITIES)
    column = jnp.where(field >= 2, sensors.RAY_DISTANCES, column) + ray
    read = lane.seen(column)
    nothing = pick(field == 0, AIR, NO_ENTITY)
    name = box(v.T_NAME, jnp.where(none, nothing, read.astype(jnp.int32)))
    yaw = lane.tables[YAWS + jax.lax.rem(ray, yaws)]
    pitch = lane.tables[PITCHES + jax.lax.div(ray, yaws)]
    angle = number(real(jnp.where(none, 0, jnp.where(field == 3, yaw, pitch))))
    distance = number(jnp.where(none, FAR, read))
    return jnp.where(field < 2, name, jnp.where(field == 2, distance, angle))


def attribute(lane: Lane, bits: Array, which: Array) -> tuple[Array, Array]:
    """Returns (value, trap code) of a field; `which` packs its three places."""
    kind, at = tag(bits), bits & v.PAYLOAD
    of_obs, of_ray, kept = which & 255, (which >> 8) & 255, which >> 16
    of_record = (kind == v.T_RAY_RECORD) & (of_ray > 0)
    is_record = of_record | ((kind == v.T_OBS_RECORD) & (kept > 0))
    is_obs, is_ray = (kind == v.T_OBS) & (of_obs > 0), (kind == v.T_RAY) & (of_ray > 0)

    def from_record() -> Array:
        return lane.recall(at - bc.MAX_CONSTANTS + jnp.where(of_record, of_ray, kept))

    def from_view() -> Array:
        read = lane.seen(jnp.clip(of_obs - 1, 0, sensors.VIEW_SIZE - 1))
        name = box(v.T_NAME, read.astype(jnp.int32))
        return jnp.where(of_obs - 1 == sensors.HELD, name, number(read))

    def from_ray() -> Array:
        return ray_field(lane, at & 127, of_ray - 1)

    def of_this_tick() -> Array:
        return jax.lax.cond(is_ray, from_ray, from_view)

    value = jax.lax.cond(is_record, from_record, of_this_tick)
    trap = trap_if(~is_current(bits, lane.now), bc.TRAP_OLD)
    trap = jnp.where(is_obs | is_ray, trap, bc.TRAP_KIND)
    return value, jnp.where(is_record, 0, trap)
