"""Values in the cells of all lanes, JAX version of `cells_host.py`."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.host.cells_host import TINY

Array = jax.Array


# --- values ----------------------------------------------------------------------
def is_box(bits: Array) -> Array:
    return (bits >= v.FIRST_BOX) & (bits < 0)


def tag(bits: Array) -> Array:
    return jnp.where(is_box(bits), (bits - v.BOX) >> v.TAG_SHIFT, 0)


def box(kind: int | Array, payload: int | Array) -> Array:
    return jnp.asarray(v.BOX + (kind << v.TAG_SHIFT) + payload, jnp.int32)


def real(bits: Array) -> Array:
    return jax.lax.bitcast_convert_type(bits, jnp.float32)


def number(value: Array) -> Array:
    bits = jax.lax.bitcast_convert_type(value.astype(jnp.float32), jnp.int32)
    exponent = bits & 0x7F800000
    is_nan = (exponent == 0x7F800000) & (bits & 0x007FFFFF != 0)
    return jnp.where(exponent == 0, 0, jnp.where(is_nan, v.NAN_BITS, bits))


def is_whole(x: Array) -> Array:
    return (jnp.floor(x) == x) & (jnp.abs(x) < np.float32(1e9))


def same(a: Array, b: Array) -> Array:
    """Returns 1 if two values are equal, 0 if not, -1 if they are two sequences."""
    kind = tag(a)
    rows = (a != b) & (kind == tag(b)) & ((kind == v.T_TUPLE) | (kind == v.T_LIST))
    boxed = is_box(a) | is_box(b)
    return jnp.where(rows, -1, jnp.where(boxed, a == b, real(a) == real(b)).astype(jnp.int32))


def among(op: Array, *operations: int) -> Array:
    found = op == operations[0]
    for other in operations[1:]:
        found |= op == other
    return found


def between(op: Array, first: int, last: int) -> Array:
    return (op >= first) & (op <= last)


# --- arithmetic ------------------------------------------------------------------
def modulo(x: Array, y: Array) -> Array:
    rest = jax.lax.rem(x, y)
    rest = jnp.where(jnp.abs(rest) < TINY, np.float32(0.0), rest)
    return jnp.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def floor_divide(x: Array, y: Array) -> Array:
    quotient = (x - modulo(x, y)) / y
    whole = jnp.floor(quotient)
    return jnp.where(quotient - whole > np.float32(0.5), whole + np.float32(1.0), whole)


def binary(op: Array, x: Array, y: Array) -> Array:
    """Returns the float32 result of the operations `add` to `max`."""
    return jnp.select(
        [op == o for o in (bc.ADD, bc.SUB, bc.MUL, bc.DIV, bc.FLOORDIV, bc.MOD, bc.MIN)],
        [x + y, x - y, x * y, x / y, floor_divide(x, y), modulo(x, y), jnp.where(y < x, y, x)],
        jnp.where(y > x, y, x),
    )


def unary(op: Array, x: Array) -> Array:
    """Returns the float32 result of the operations `neg` to `whole`."""
    return jnp.select(
        [op == o for o in (bc.NEG, bc.ABS, bc.ROUND, bc.FLOOR, bc.CEIL, bc.TRUNC, bc.SQRT)],
        [-x, jnp.abs(x), jnp.rint(x), jnp.floor(x), jnp.ceil(x), jnp.trunc(x),
         jnp.sqrt(jnp.abs(x))],
        x,
    )  # fmt: skip
