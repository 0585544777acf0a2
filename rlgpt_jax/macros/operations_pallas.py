"""What instructions of a kernel's lane do, part one: values, sequences, observations."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import TURN_BASE
from rlgpt_jax.macros.cells_jax import box, is_box, number, real, tag
from rlgpt_jax.macros.cells_pallas import (
    binary,
    element,
    equal,
    in_set,
    length_of,
    place_of,
    truth,
    unary,
)
from rlgpt_jax.macros.heap_pallas import collect
from rlgpt_jax.macros.lane_pallas import (
    Effect,
    Instruction,
    Lane,
    Machine,
    constant,
    effect,
    pick,
    trap_if,
)
from rlgpt_jax.macros.sense_pallas import ask, attribute, camera_bin, is_current, item_code

Array = jax.Array


def gives(m: Machine, o: Instruction, bits: Array, trap: Array | int = 0) -> Effect:
    """The effect of writing a value to register a, unless there is a trap."""
    return effect(m, place=m.frame + o.a, bits=bits, trap=trap)


def unless_box(test: Array, trap: Array | None = None) -> Array:
    return jnp.where(test, bc.TRAP_KIND, jnp.int32(0) if trap is None else trap)


# --- numbers and tests -----------------------------------------------------------
def move(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return gives(m, o, o.B)


def arithmetic(lane: Lane, m: Machine, o: Instruction) -> Effect:
    bits, trap = binary(o.op, real(o.B), real(o.C))
    return gives(m, o, bits, unless_box(is_box(o.B) | is_box(o.C), trap))


def single(lane: Lane, m: Machine, o: Instruction) -> Effect:
    bits, trap = unary(o.op, real(o.B))
    return gives(m, o, bits, unless_box(is_box(o.B), trap))


def truth_or_not(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return gives(m, o, number(truth(lane, o.B) == (o.op == bc.TRUTH)))


def less(lane: Lane, m: Machine, o: Instruction) -> Effect:
    x, y = real(o.B), real(o.C)
    holds = jnp.where(o.op == bc.LT, x < y, x <= y)
    return gives(m, o, number(holds), unless_box(is_box(o.B) | is_box(o.C)))


def equality(lane: Lane, m: Machine, o: Instruction) -> Effect:
    is_same = (o.B == o.C).astype(jnp.int32)
    result = jax.lax.cond(o.op == bc.IS, lambda: is_same, lambda: equal(lane, o.B, o.C))
    holds = number((result == 1) == (o.op != bc.NE))
    return gives(m, o, holds, jnp.maximum(-result, 0))


# --- sequences -------------------------------------------------------------------
def alloc(lane: Lane, m: Machine, o: Instruction) -> Effect:
    size = 1 + (o.b >> 16)

    def lacks(heap: Array) -> Array:
        return heap + size > bc.MEMORY_CELLS

    heap = jax.lax.cond(
        lacks(m.heap),
        lambda: collect(lane, m.frame + (o.c >> 4), jnp.int32(-1)),
        lambda: m.heap,
    )

    def made() -> Effect:
        lane.write(heap, o.b)
        made = gives(m, o, box(o.c & 15, bc.MAX_CONSTANTS + heap))
        return made._replace(heap=heap + size)

    return jax.lax.cond(lacks(heap), lambda: effect(m, trap=bc.TRAP_MEMORY), made)


def init(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return effect(m, place=(o.A & v.PAYLOAD) - bc.MAX_CONSTANTS + 1 + o.b, bits=o.C)


def index(lane: Lane, m: Machine, o: Instruction) -> Effect:
    length = length_of(lane, o.B)
    position, trap = place_of(o.C, length)
    return gives(m, o, element(lane, o.B, position), jnp.where(length < 0, -length, trap))


def store(lane: Lane, m: Machine, o: Instruction) -> Effect:
    position, trap = place_of(o.B, length_of(lane, o.A))
    place = (o.A & v.PAYLOAD) - bc.MAX_CONSTANTS + 1 + position
    trap = unless_box(tag(o.A) != v.T_LIST, trap)
    return effect(m, place=place, bits=o.C, trap=trap)


def append(lane: Lane, m: Machine, o: Instruction) -> Effect:
    at = (o.A & v.PAYLOAD) - bc.MAX_CONSTANTS
    header, is_list = lane.recall(at), tag(o.A) == v.T_LIST
    length, room = header & 0xFFFF, header >> 16
    full = is_list & (length == room)
    is_last = (at + 1 + room == m.heap) & (m.heap + bc.LIST_ROOM <= bc.MEMORY_CELLS)

    def stays() -> tuple[Array, Array, Array, Array]:
        more = pick(full, bc.LIST_ROOM, 0)
        return m.heap + more, at, room + more, o.B

    def moves() -> tuple[Array, Array, Array, Array]:
        heap = collect(lane, m.frame + o.c, at)
        to = (lane.operand(m.frame, o.a) & v.PAYLOAD) - bc.MAX_CONSTANTS
        return heap, to, lane.recall(to) >> 16, lane.operand(m.frame, o.b)

    heap, at, room, bits = jax.lax.cond(full & ~is_last, moves, stays)

    def put() -> Effect:
        lane.write(at, (length + 1) | room << 16)
        return effect(m, place=at + 1 + length, bits=bits, heap=heap)

    trap = trap_if(length >= room, bc.TRAP_MEMORY)
    trap = unless_box(~is_list, trap)
    return jax.lax.cond(trap == 0, put, lambda: effect(m, trap=trap))


def len_or_shape(lane: Lane, m: Machine, o: Instruction) -> Effect:
    is_len = o.op == bc.LEN
    length = length_of(lane, jnp.where(is_len, o.B, o.A))
    trap = trap_if(~is_len & (length != o.b), bc.TRAP_SHAPE)
    trap = jnp.where(length < 0, -length, trap)
    place = jnp.where(is_len, m.frame + o.a, -1)
    return effect(m, place=place, bits=number(length), trap=trap)


def inside(lane: Lane, m: Machine, o: Instruction) -> Effect:
    """`in`: every element but the first costs one more step."""
    length = length_of(lane, o.C)
    first = o.C & v.PAYLOAD
    is_set = (tag(o.C) == v.T_TUPLE) & (lane.cell(first) & bc.NAME_SET != 0)

    def in_names() -> tuple[Array, Array, Array]:
        held = in_set(lane, first - bc.NAME_WORDS, o.B & v.PAYLOAD)
        return jnp.where(tag(o.B) == v.T_NAME, held, 0), constant(m, 0), m.steps

    def search() -> tuple[Array, Array, Array]:
        def goes_on(carry: tuple) -> Array:
            position, result, trap, _ = carry
            return (position < length) & (result == 0) & (trap == 0)

        def look(carry: tuple) -> tuple:
            position, _, _, steps = carry
            spent = (position > 0) & (steps >= bc.MAX_STEPS)
            result = equal(lane, o.B, element(lane, o.C, position))
            trap = jnp.where(spent, bc.TRAP_STEPS, jnp.maximum(-result, 0))
            return position + 1, result, trap, steps + (position > 0)

        zero = jnp.int32(0)
        _, result, trap, steps = jax.lax.while_loop(goes_on, look, (zero, zero, zero, m.steps))
        return result, trap, steps

    result, trap, steps = jax.lax.cond(is_set, in_names, search)
    trap = jnp.where(length < 0, -length, trap)
    return gives(m, o, number(result), trap)._replace(steps=steps)


def retag(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return gives(m, o, box(o.c, o.B & v.PAYLOAD))


def among_names(lane: Lane, m: Machine, o: Instruction) -> Effect:
    held = number(in_set(lane, o.c, o.B & v.PAYLOAD))
    return gives(m, o, held, unless_box(tag(o.B) != v.T_NAME))


# --- observations and actions ----------------------------------------------------
def field(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return gives(m, o, *attribute(lane, o.B, o.c))


def of_observation(lane: Lane, o: Instruction) -> Array:
    """Returns why B is no observation of this tick, or 0."""
    is_obs = tag(o.B) == v.T_OBS
    is_old = (tag(o.B) == v.T_OBS_RECORD) | (is_obs & ~is_current(o.B, lane.now))
    return jnp.where(is_old, bc.TRAP_OLD, trap_if(~is_obs, bc.TRAP_KIND))


def rays(lane: Lane, m: Machine, o: Instruction) -> Effect:
    bits = box(v.T_RAYS, lane.now & v.AGE_MASK)
    return gives(m, o, bits, of_observation(lane, o))


def question(lane: Lane, m: Machine, o: Instruction) -> Effect:
    trap = of_observation(lane, o)
    trap = jnp.where((trap == 0) & (tag(o.C) != v.T_NAME), bc.TRAP_KIND, trap)
    return gives(m, o, ask(lane, o.op, o.C & v.PAYLOAD), trap)


def whole_of(bits: Array) -> Array:
    """Returns the whole number that a cell holds, 0 if it holds none."""
    return jnp.where(is_box(bits), np.float32(0.0), real(bits)).astype(jnp.int32)


def offset(lane: Lane, m: Machine, o: Instruction) -> Effect:
    step = real(o.C)
    inside = (step == -1) | (step == 0) | (step == 1)
    trap = unless_box(is_box(o.C), trap_if(~inside, bc.TRAP_INDEX))
    return gives(m, o, number(whole_of(o.B) * 3 + whole_of(o.C) + 1), trap)


def block(lane: Lane, m: Machine, o: Instruction) -> Effect:
    name = lane.seen(sensors.VOXELS + jnp.clip(whole_of(o.C), 0, 26)).astype(jnp.int32)
    return gives(m, o, box(v.T_NAME, name), of_observation(lane, o))


def turn(lane: Lane, m: Machine, o: Instruction) -> Effect:
    code = TURN_BASE + camera_bin(real(o.B)) * 25 + camera_bin(real(o.C))
    return gives(m, o, box(v.T_ACTION, code), unless_box(is_box(o.B) | is_box(o.C)))


def item(lane: Lane, m: Machine, o: Instruction) -> Effect:
    code = item_code(lane, o.B & v.PAYLOAD, o.c)
    return gives(m, o, box(v.T_ACTION, code), unless_box(tag(o.B) != v.T_NAME))
