"""Values in the cells of a lane, host version: kinds, sequences, equality, arithmetic.

`values.py` says how a value fits into 32 bits. In plain Python all numbers here are
NumPy float32, so that each operation rounds as it does when compiled. Numbers in cells
have one form each (`number`), so two of them are equal if their bits are, NaN apart.
"""

import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.host.kernels import Cells, Real, lean, rarely, small

ZERO, HALF, ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
ONE_BITS = v.number(1.0)
TINY = np.float32(2.0**-126)  # smaller numbers are 0
MAX_FLAT = 8  # sequences up to this length can be compared with ==
EXPONENT, FRACTION = 0x7F800000, 0x007FFFFF
EXACT = 2.0**29  # quotients below it times a float32 are exact in a float64


# --- cells -----------------------------------------------------------------------
@small
def get(cells: Cells, place: int) -> int:
    """Returns a cell; the compiler of the macro has checked the place (`bc.verify`)."""
    return int(cells[np.uint64(place)])  # unsigned: no test for places from the end


@small
def put(cells: Cells, place: int, bits: int) -> None:
    cells[np.uint64(place)] = bits


@small
def operand(memory: Cells, constants: Cells, frame: int, x: int) -> int:
    """Returns the value of a register or of a constant."""
    return get(memory, frame + x) if x >= 0 else get(constants, -1 - x)


@small
def cell(memory: Cells, constants: Cells, address: int) -> int:
    if address < bc.MAX_CONSTANTS:
        return get(constants, address)
    return get(memory, address - bc.MAX_CONSTANTS)


# --- values ----------------------------------------------------------------------
@small
def is_box(bits: int) -> bool:
    return v.FIRST_BOX <= bits < 0


@small
def is_a(bits: int, kind: int) -> bool:
    """Says whether a value has a tag (not T_NUMBER)."""
    return (bits - v.BOX) >> v.TAG_SHIFT == kind


@small
def tag(bits: int) -> int:
    return (bits - v.BOX) >> v.TAG_SHIFT if is_box(bits) else v.T_NUMBER


@small
def is_sequence(bits: int) -> bool:
    return is_a(bits, v.T_TUPLE) or is_a(bits, v.T_LIST)


@small
def box(kind: int, payload: int) -> int:
    return v.BOX + (kind << v.TAG_SHIFT) + payload


@small
def real(bits: int) -> Real:
    return np.int32(bits).view(np.float32)


@small
def bits_of(value: Real) -> int:
    return int(np.float32(value).view(np.int32))


@small
def is_usual(bits: int) -> bool:
    """Says whether bits are a number that is not 0, tiny, infinite or NaN."""
    return 0 < bits & EXPONENT < EXPONENT


@lean
def canonical(bits: int) -> int:
    """Returns the one form of a number's bits that `values.canonical` defines."""
    if bits & EXPONENT == 0:
        return 0
    if bits & EXPONENT == EXPONENT and bits & FRACTION != 0:
        return v.NAN_BITS
    return bits


@small
def number(value: Real) -> int:
    """Returns the bits of a float32 in their one form."""
    bits = bits_of(value)
    return bits if is_usual(bits) else canonical(bits)


@small
def flag(holds: bool) -> int:
    """Returns the bits of 1 or 0."""
    return ONE_BITS if holds else 0


@small
def is_whole(x: Real) -> bool:
    return np.floor(x) == x and np.abs(x) < np.float32(1e9)


@small
def is_current(bits: int, now: int) -> bool:
    """Says whether an observation, obs.rays or a ray belongs to this tick."""
    age = bits & v.PAYLOAD
    if is_a(bits, v.T_RAY):
        age = age >> 7
    return age == now & v.AGE_MASK


@small
def length_of(memory: Cells, constants: Cells, bits: int, now: int) -> int:
    """Returns the length of a sequence, or minus a trap code."""
    if is_a(bits, v.T_RAYS):
        return NUM_RAYS if is_current(bits, now) else -bc.TRAP_OLD
    if is_sequence(bits):
        return cell(memory, constants, bits & v.PAYLOAD) & 0xFFFF
    return -bc.TRAP_KIND


@small
def element(memory: Cells, constants: Cells, bits: int, position: int) -> int:
    if is_a(bits, v.T_RAYS):
        return box(v.T_RAY, position | (bits & v.AGE_MASK) << 7)
    return cell(memory, constants, (bits & v.PAYLOAD) + 1 + position)


@small
def same(a: int, b: int) -> int:
    """Returns 1 if two values are equal, 0 if not, -1 if they are two sequences."""
    if a == b:
        return 1 if a != v.NAN_BITS else 0
    return -1 if is_sequence(a) and (a ^ b) >> v.TAG_SHIFT == 0 else 0


@small
def equal(memory: Cells, constants: Cells, a: int, b: int) -> int:
    """Returns 1 or 0, or minus a trap code: only short flat sequences are compared."""
    result = same(a, b)
    return result if result >= 0 else equal_rows(memory, constants, a, b)


@lean
def equal_rows(memory: Cells, constants: Cells, a: int, b: int) -> int:
    length = length_of(memory, constants, a, 0)
    if length != length_of(memory, constants, b, 0):
        return 0
    if length > MAX_FLAT:
        return -bc.TRAP_KIND
    result = 1
    for i in range(length):
        one = same(element(memory, constants, a, i), element(memory, constants, b, i))
        if one < 0:
            return -bc.TRAP_KIND
        result = min(result, one)
    return result


@small
def truth(memory: Cells, constants: Cells, bits: int) -> bool:
    if not is_box(bits):
        return bits != 0
    if is_sequence(bits):
        return length_of(memory, constants, bits, 0) > 0
    return not (is_a(bits, v.T_NONE) or bits == box(v.T_NAME, 0))


@small
def in_set(constants: Cells, first: int, name: int) -> int:
    return (get(constants, first + (name >> 5)) >> (name & 31)) & 1


# --- arithmetic ------------------------------------------------------------------
@lean
def remainder(x: Real, y: Real) -> Real:
    """The exact rest of a division, with the sign of x: `fmod`, which is slow."""
    if np.abs(x) < np.abs(y):
        return x
    quotient = np.float64(x) / np.float64(y)
    if not np.abs(quotient) < EXACT:
        return np.fmod(x, y)
    # The product and the difference are exact; the quotient may be rounded up.
    rest = np.float64(x) - np.trunc(quotient) * np.float64(y)
    if rest != 0.0 and (rest < 0.0) != (x < ZERO):
        rest += np.abs(np.float64(y)) if x >= ZERO else -np.abs(np.float64(y))
    return np.float32(rest)


@lean
def modulo(x: Real, y: Real) -> Real:
    """Python's %: exact, with the sign of y."""
    rest = remainder(x, y)
    if np.abs(rest) < TINY:  # no number, see `values.py`
        return ZERO
    if (y < ZERO) != (rest < ZERO):
        rest = np.float32(rest + y)
    return np.float32(rest)


@lean
def floor_divide(x: Real, y: Real) -> Real:
    """Python's // for floats: (x - x % y) / y, to the nearest whole number."""
    quotient = np.float32(np.float32(x - modulo(x, y)) / y)
    whole = np.floor(quotient)
    if np.float32(quotient - whole) > HALF:
        whole = np.float32(whole + ONE)
    return np.float32(whole)


# --- results ---------------------------------------------------------------------
@small
def settle(memory: Cells, place: int, x: int, y: int, result: Real) -> int:
    """Writes the result of an operation on x and y. Returns the trap code.

    An operand that is no number is a NaN, and then so is the result.
    """
    bits = bits_of(result)
    if rarely(not is_usual(bits)):
        if is_box(x) or is_box(y):
            return bc.TRAP_KIND
        bits = canonical(bits)
    put(memory, place, bits)
    return 0


@small
def settle_whole(memory: Cells, place: int, x: int, result: Real) -> int:
    """Writes x rounded in some way. Returns the trap code."""
    bits = bits_of(result)
    if rarely(not is_usual(bits)):
        if is_box(x):
            return bc.TRAP_KIND
        if not np.isfinite(real(x)):
            return bc.TRAP_WHOLE
        bits = canonical(bits)
    put(memory, place, bits)
    return 0


@small
def less(x: int, y: int) -> int:
    """Returns 1 if x < y, 0 if not, -1 if one is no number (it is a NaN then)."""
    if real(x) < real(y):
        return 1
    return -1 if is_box(x) or is_box(y) else 0


@small
def at_most(x: int, y: int) -> int:
    """Returns 1 if x <= y, 0 if not, -1 if one is no number."""
    if real(x) <= real(y):
        return 1
    return -1 if is_box(x) or is_box(y) else 0


@small
def offset(x: int, y: int) -> int:
    """Returns x * 3 + y + 1, or minus a trap code unless y is -1, 0 or 1."""
    if is_box(y):
        return -bc.TRAP_KIND
    if not (real(y) == -ONE or real(y) == ZERO or real(y) == ONE):
        return -bc.TRAP_INDEX
    return int(real(x)) * 3 + int(real(y)) + 1
