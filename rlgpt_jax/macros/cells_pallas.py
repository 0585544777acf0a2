"""Values in the cells of one lane, kernel version of `cells_host.py`."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS
from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.cells_host import MAX_FLAT
from rlgpt_jax.macros.cells_jax import box, is_box, is_whole, number, real, same, tag
from rlgpt_jax.macros.exact_jax import divide, remainder, rounded, square_root
from rlgpt_jax.macros.lane_pallas import Lane, pick, trap_if
from rlgpt_jax.macros.sense_pallas import is_current

Array = jax.Array
LARGE = np.float32(1 << 23)  # from here on all numbers are whole


# --- sequences -------------------------------------------------------------------
def is_stored(bits: Array) -> Array:
    kind = tag(bits)
    return (kind == v.T_TUPLE) | (kind == v.T_LIST)


def length_of(lane: Lane, bits: Array) -> Array:
    """Returns the length of a sequence, or minus a trap code."""
    held = lane.cell(bits & v.PAYLOAD) & 0xFFFF
    rays = pick(is_current(bits, lane.now), NUM_RAYS, -bc.TRAP_OLD)
    other = jnp.where(tag(bits) == v.T_RAYS, rays, -bc.TRAP_KIND)
    return jnp.where(is_stored(bits), held, other)


def element(lane: Lane, bits: Array, position: Array) -> Array:
    ray = box(v.T_RAY, position | (bits & v.AGE_MASK) << 7)
    return jnp.where(tag(bits) == v.T_RAYS, ray, lane.element(bits, position))


def equal(lane: Lane, a: Array, b: Array) -> Array:
    """Returns 1 or 0, or minus a trap code: only short flat sequences are compared."""

    def rows() -> Array:
        length, other = (lane.cell(x & v.PAYLOAD) & 0xFFFF for x in (a, b))

        def compare(i: Array, result: Array) -> Array:
            return jnp.minimum(result, same(lane.element(a, i), lane.element(b, i)))

        short = jnp.minimum(length, MAX_FLAT)
        result = jax.lax.fori_loop(0, short, compare, jnp.int32(1))
        nested = (result < 0) | (length > MAX_FLAT)
        result = jnp.where(nested, -bc.TRAP_KIND, result)
        return jnp.where(length != other, 0, result)

    result = same(a, b)
    return jax.lax.cond(result < 0, rows, lambda: result)


def truth(lane: Lane, bits: Array) -> Array:
    kind = tag(bits)
    holds = jnp.where(kind == v.T_NUMBER, bits != 0, kind != v.T_NONE)
    holds = jnp.where(kind == v.T_NAME, bits & v.PAYLOAD != 0, holds)
    filled = lane.cell(bits & v.PAYLOAD) & 0xFFFF > 0
    return jnp.where(is_stored(bits), filled, holds)


def in_set(lane: Lane, first: Array, name: Array) -> Array:
    return (lane.constant(first + (name >> 5)) >> (name & 31)) & 1


def place_of(y: Array, length: Array) -> tuple[Array, Array]:
    """Returns the place that an index means, and why it is none, or 0."""
    boxed = is_box(y)
    value = real(jnp.where(boxed, 0, y))
    whole = is_whole(value)
    position = jnp.where(whole, value, np.float32(0.0)).astype(jnp.int32)
    position = position + jnp.where(position < 0, length, 0)
    outside = trap_if((position < 0) | (position >= length), bc.TRAP_INDEX)
    wrong = jnp.where(whole, outside, bc.TRAP_WHOLE)
    return position, jnp.where(boxed, bc.TRAP_KIND, wrong)


# --- arithmetic ------------------------------------------------------------------
def modulo(x: Array, y: Array) -> Array:
    """Python's %: exact, with the sign of y."""
    rest = remainder(x, y)
    return jnp.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def quotients(op: Array, x: Array, y: Array) -> Array:
    """Returns x / y, x // y or x % y, for y other than 0."""

    def floor_divide() -> Array:
        quotient = divide(x - modulo(x, y), y)
        whole = jnp.floor(quotient)
        return jnp.where(quotient - whole > np.float32(0.5), whole + np.float32(1.0), whole)

    def whole_or_rest() -> Array:
        return jax.lax.cond(op == bc.MOD, lambda: modulo(x, y), floor_divide)

    return jax.lax.cond(op == bc.DIV, lambda: divide(x, y), whole_or_rest)


def binary(op: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Returns (bits, trap code) of the operations `add` to `max`."""
    divides = (op >= bc.DIV) & (op <= bc.MOD)
    by_zero = divides & (y == 0)

    def quick() -> Array:
        lower, higher = jnp.where(y < x, y, x), jnp.where(y > x, y, x)
        value = jnp.where(op == bc.MIN, lower, higher)
        value = jnp.where(op == bc.MUL, x * y, value)
        return jnp.where(op == bc.SUB, x - y, jnp.where(op == bc.ADD, x + y, value))

    value = jax.lax.cond(divides & ~by_zero, lambda: quotients(op, x, y), quick)
    return number(value), trap_if(by_zero, bc.TRAP_DIVIDE)


def unary(op: Array, x: Array) -> tuple[Array, Array]:
    """Returns (bits, trap code) of the operations `neg` to `whole`."""
    size = jnp.abs(x)
    rounds = (op >= bc.ROUND) & (op <= bc.TRUNC)
    infinite = ~(size < np.float32(np.inf))
    small = jnp.where(size < LARGE, x, np.float32(0.0))

    def nearest() -> Array:
        down, up = jnp.floor(small), jnp.ceil(small)
        value = jnp.where(op == bc.FLOOR, down, jnp.where(op == bc.CEIL, up, rounded(small)))
        value = jnp.where(op == bc.TRUNC, jnp.where(small < 0, up, down), value)
        return jnp.where(size < LARGE, value, x)

    def other() -> Array:
        value = jnp.where(op == bc.NEG, -x, jnp.where(op == bc.ABS, size, x))
        return jax.lax.cond(op == bc.SQRT, lambda: square_root(size), lambda: value)

    value = jax.lax.cond(rounds, nearest, other)
    not_whole = (rounds & infinite) | ((op == bc.WHOLE) & ~is_whole(x))
    trap = trap_if(not_whole, bc.TRAP_WHOLE)
    return number(value), jnp.where((op == bc.SQRT) & (x < 0), bc.TRAP_DOMAIN, trap)
