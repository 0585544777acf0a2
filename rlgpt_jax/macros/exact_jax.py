"""Float32 division, square root and remainder with the bits that IEEE 754 asks for.

Kernels on a GPU may divide with an error of two units in the last place, and take
remainders by a division. Here an estimate of any quality is corrected with the rest of
the integer division of the significands, which needs nothing but integers of 32 bits:
the rest is small, so that its low 32 bits are all of it. Arguments are numbers in the
form of `values.canonical`: neither -0 nor numbers too small for full precision, and
such results are 0.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.macros.cells_jax import real
from rlgpt_jax.macros.values import NAN_BITS

Array = jax.Array
ONE = 1 << 23  # the leading bit of a significand
INFINITE = 0x7F800000
SIGN = -(1 << 31)
SCALE = np.float32(ONE)


def bits_of(x: Array) -> Array:
    return jax.lax.bitcast_convert_type(x, jnp.int32)


def magnitude(bits: Array) -> Array:
    return bits & 0x7FFFFFFF


def significand(bits: Array) -> Array:
    """Returns the 24 bits of a number that is neither 0 nor infinite."""
    return bits & (ONE - 1) | ONE


def corrected(quotient: Array, rest: Array, divisor: Array) -> tuple[Array, Array]:
    """Moves an estimated quotient until 0 <= rest < divisor."""

    def lower(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        return pair[0] - 1, pair[1] + divisor

    def higher(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        return pair[0] + 1, pair[1] - divisor

    pair = jax.lax.while_loop(lambda p: p[1] < 0, lower, (quotient, rest))
    return jax.lax.while_loop(lambda p: p[1] >= divisor, higher, pair)


def divide(x: Array, y: Array) -> Array:
    """Returns x / y, rounded to the nearest, for y other than 0."""
    a, b = bits_of(x), bits_of(y)
    one, other = significand(a), significand(b)
    shift = jnp.where(one >= other, np.int32(23), np.int32(24))
    estimate = one.astype(jnp.float32) / other.astype(jnp.float32)
    quotient = (estimate * SCALE).astype(jnp.int32) << (shift - 23)
    quotient, rest = corrected(quotient, (one << shift) - quotient * other, other)
    up = (2 * rest > other) | ((2 * rest == other) & (quotient & 1 == 1))
    exponent = (magnitude(a) >> 23) - (magnitude(b) >> 23) + 150 - shift
    # A carry out of the significand rightly goes into the exponent.
    bits = (jnp.clip(exponent, 0, 255) << 23) + quotient - ONE + up
    # Below the least number of full precision only what is nearest to it is not 0.
    least = jnp.where((exponent == 0) & (bits >= ONE - 1), np.int32(ONE), np.int32(0))
    bits = jnp.where(exponent <= 0, least, jnp.where(exponent >= 255, INFINITE, bits))
    by_zero, by_infinity = magnitude(a) == 0, magnitude(b) == INFINITE
    bits = jnp.where(by_zero | by_infinity, 0, bits)
    bits = jnp.where(magnitude(a) == INFINITE, INFINITE, bits)
    none = (magnitude(a) > INFINITE) | (magnitude(b) > INFINITE)
    none |= (magnitude(a) == INFINITE) & by_infinity
    return real(jnp.where(none, NAN_BITS, bits | (a ^ b) & SIGN))


def square_root(x: Array) -> Array:
    """Returns the square root of x >= 0, rounded to the nearest."""
    bits = bits_of(x)
    exponent = (bits >> 23) - 127
    odd = exponent & 1
    value = significand(bits) << odd  # x = value * 2 ** (exponent - odd - 23)
    root = jnp.sqrt(value.astype(jnp.float32) * SCALE).astype(jnp.int32)
    rest = (value << 23) - root * root

    def lower(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        return pair[0] - 1, pair[1] + 2 * pair[0] - 1

    def higher(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        return pair[0] + 1, pair[1] - 2 * pair[0] - 1

    pair = jax.lax.while_loop(lambda p: p[1] < 0, lower, (root, rest))
    root, rest = jax.lax.while_loop(lambda p: p[1] > 2 * p[0], higher, pair)
    result = ((((exponent - odd) >> 1) + 127) << 23) + root - ONE + (rest > root)
    return real(jnp.where((bits == 0) | (bits >= INFINITE), bits, result))


def remainder(x: Array, y: Array) -> Array:
    """Returns what C's fmod(x, y) returns, with the sign of x, for y other than 0."""
    a, b = bits_of(x), bits_of(y)
    exponent, least = magnitude(a) >> 23, magnitude(b) >> 23
    divisor = significand(b)
    usual = (magnitude(a) < INFINITE) & (magnitude(b) < INFINITE) & (magnitude(a) != 0)
    turns = jnp.where(usual, exponent - least, 0)

    def turn(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        rest = pair[0]
        return 2 * jnp.where(rest >= divisor, rest - divisor, rest), pair[1] - 1

    start = (significand(a), turns)
    rest, _ = jax.lax.while_loop(lambda p: p[1] > 0, turn, start)
    rest = jnp.where(rest >= divisor, rest - divisor, rest)

    def shifted(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        return 2 * pair[0], pair[1] - 1

    def wide(pair: tuple[Array, Array]) -> Array:
        return (pair[0] > 0) & (pair[0] < ONE) & (pair[1] > 0)

    rest, place = jax.lax.while_loop(wide, shifted, (rest, least))
    bits = jnp.where((rest == 0) | (place <= 0), 0, (place << 23) + rest - ONE | a & SIGN)
    same = (magnitude(a) < INFINITE) & ((turns < 0) | (magnitude(b) >= INFINITE))
    bits = jnp.where(same | (magnitude(a) == 0), a, bits)
    none = (magnitude(a) >= INFINITE) | (magnitude(b) > INFINITE)
    return real(jnp.where(none, NAN_BITS, bits))


def rounded(x: Array) -> Array:
    """Returns the nearest whole number, of two the even one, for |x| < 2 ** 30."""
    size = jnp.abs(x)
    whole = size.astype(jnp.int32)
    rest = size - whole.astype(jnp.float32)
    half = np.float32(0.5)
    up = (rest > half) | ((rest == half) & (whole & 1 == 1))
    value = (whole + up).astype(jnp.float32)
    return jnp.where(x < 0, -value, value)
