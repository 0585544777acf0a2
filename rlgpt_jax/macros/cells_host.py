"""Values in the cells of a lane, host version: kinds, sequences, equality, arithmetic.

`values.py` says how a value fits into 32 bits. In plain Python all numbers here are
NumPy float32, so that each operation rounds as it does when compiled.
"""

import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS
from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.kernels import Cells, Real, kernel

ZERO, HALF, ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
MAX_FLAT = 8  # sequences up to this length can be compared with ==


# --- values ----------------------------------------------------------------------
@kernel
def operand(memory: Cells, constants: Cells, frame: int, x: int) -> int:
    return int(memory[frame + x]) if x >= 0 else int(constants[-1 - x])


@kernel
def cell(memory: Cells, constants: Cells, address: int) -> int:
    if address < bc.MAX_CONSTANTS:
        return int(constants[address])
    return int(memory[address - bc.MAX_CONSTANTS])


@kernel
def is_box(bits: int) -> bool:
    return v.FIRST_BOX <= bits < 0


@kernel
def tag(bits: int) -> int:
    return (bits - v.BOX) >> v.TAG_SHIFT if v.FIRST_BOX <= bits < 0 else 0


@kernel
def box(kind: int, payload: int) -> int:
    return v.BOX + (kind << v.TAG_SHIFT) + payload


@kernel
def real(bits: int) -> Real:
    return np.int32(bits).view(np.float32)


@kernel
def number(value: Real) -> int:
    """Returns the bits of a float32 in the one form that `values.canonical` defines."""
    bits = int(np.float32(value).view(np.int32))
    exponent = bits & 0x7F800000
    if exponent == 0:
        return 0
    if exponent == 0x7F800000 and bits & 0x007FFFFF != 0:
        return v.NAN_BITS
    return bits


@kernel
def is_whole(x: Real) -> bool:
    return np.floor(x) == x and np.abs(x) < np.float32(1e9)


@kernel
def is_current(bits: int, now: int) -> bool:
    """Says whether an observation, obs.rays or a ray belongs to this tick."""
    age = bits & v.PAYLOAD
    if tag(bits) == v.T_RAY:
        age = age >> 7
    return age == now & v.AGE_MASK


@kernel
def length_of(memory: Cells, constants: Cells, bits: int, now: int) -> int:
    """Returns the length of a sequence, or minus a trap code."""
    kind = tag(bits)
    if kind == v.T_TUPLE or kind == v.T_LIST:
        return cell(memory, constants, bits & v.PAYLOAD) & 0xFFFF
    if kind == v.T_RAYS:
        return NUM_RAYS if is_current(bits, now) else -bc.TRAP_OLD
    return -bc.TRAP_KIND


@kernel
def element(memory: Cells, constants: Cells, bits: int, position: int) -> int:
    if tag(bits) == v.T_RAYS:
        return box(v.T_RAY, position | (bits & v.AGE_MASK) << 7)
    return cell(memory, constants, (bits & v.PAYLOAD) + 1 + position)


@kernel
def same(a: int, b: int) -> int:
    """Returns 1 if two values are equal, 0 if not, -1 if they are two sequences."""
    if is_box(a) or is_box(b):
        kind = tag(a)
        if a != b and kind == tag(b) and (kind == v.T_TUPLE or kind == v.T_LIST):
            return -1
        return 1 if a == b else 0
    return 1 if real(a) == real(b) else 0


@kernel
def equal(memory: Cells, constants: Cells, a: int, b: int) -> int:
    """Returns 1 or 0, or minus a trap code: only short flat sequences are compared."""
    result = same(a, b)
    if result >= 0:
        return result
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


@kernel
def truth(memory: Cells, constants: Cells, bits: int) -> bool:
    if not is_box(bits):
        return bits != 0
    kind = tag(bits)
    if kind == v.T_NONE:
        return False
    if kind == v.T_NAME:
        return bits & v.PAYLOAD != 0
    if kind == v.T_TUPLE or kind == v.T_LIST:
        return length_of(memory, constants, bits, 0) > 0
    return True


@kernel
def in_set(constants: Cells, first: int, name: int) -> int:
    return (int(constants[first + (name >> 5)]) >> (name & 31)) & 1


# --- arithmetic ------------------------------------------------------------------
@kernel
def modulo(x: Real, y: Real) -> Real:
    """Python's %: exact, with the sign of y."""
    rest = np.fmod(x, y)
    if rest != ZERO and (y < ZERO) != (rest < ZERO):
        rest = np.float32(rest + y)
    return np.float32(rest)


@kernel
def floor_divide(x: Real, y: Real) -> Real:
    """Python's // for floats: (x - x % y) / y, to the nearest whole number."""
    quotient = np.float32(np.float32(x - modulo(x, y)) / y)
    whole = np.floor(quotient)
    if np.float32(quotient - whole) > HALF:
        whole = np.float32(whole + ONE)
    return np.float32(whole)


@kernel
def binary(op: int, x: Real, y: Real) -> tuple[Real, int]:
    """Returns (result, trap code) of an operation on two numbers."""
    if op == bc.ADD:
        return np.float32(x + y), 0
    if op == bc.SUB:
        return np.float32(x - y), 0
    if op == bc.MUL:
        return np.float32(x * y), 0
    if op == bc.MIN:
        return (y if y < x else x), 0
    if op == bc.MAX:
        return (y if y > x else x), 0
    if y == ZERO:
        return ZERO, bc.TRAP_DIVIDE
    if op == bc.DIV:
        return np.float32(x / y), 0
    if op == bc.MOD:
        return modulo(x, y), 0
    return floor_divide(x, y), 0


@kernel
def unary(op: int, x: Real) -> tuple[Real, int]:
    """Returns (result, trap code) of an operation on one number."""
    if op == bc.NEG:
        return np.float32(-x), 0
    if op == bc.ABS:
        return np.float32(np.abs(x)), 0
    if op == bc.NUMBER:
        return x, 0
    if op == bc.SQRT:
        return np.float32(np.sqrt(np.abs(x))), (bc.TRAP_DOMAIN if x < ZERO else 0)
    if not np.isfinite(x):
        return ZERO, bc.TRAP_WHOLE
    if op == bc.ROUND:
        return np.float32(np.rint(x)), 0
    if op == bc.FLOOR:
        return np.float32(np.floor(x)), 0
    if op == bc.CEIL:
        return np.float32(np.ceil(x)), 0
    if op == bc.WHOLE:
        return x, (0 if is_whole(x) else bc.TRAP_WHOLE)
    return np.float32(np.trunc(x)), 0
