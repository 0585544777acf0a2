"""How a macro's values fit into 32 bits.

A cell is the bits of a float32. Numbers and booleans are themselves. Everything else
(None, names, functions, actions, observations, rays, sequences) is a NaN with the sign
bit and a tag of 4 bits and a payload of 18 bits: `0xFFC00000 | tag << 18 | payload`.
Arithmetic never makes such a NaN: results are put into one form (`canonical`), where
the only NaN is 0x7FC00000 and the only zero, which also stands for numbers too small
for full precision, is +0. So hardware that flushes such numbers, or has another NaN,
gives the same bits.

Functions here take and return plain integers and are used by the compiler and as the
definition that the interpreter follows.
"""

import struct

BOX = -4194304  # 0xFFC00000 as int32
TAG_SHIFT = 18
PAYLOAD = (1 << TAG_SHIFT) - 1
FIRST_BOX = BOX + (1 << TAG_SHIFT)  # boxed values are FIRST_BOX .. -1
NAN_BITS = 0x7FC00000

# Tags; 0 is a number.
(
    T_NUMBER,
    T_NONE,
    T_NAME,  # payload: name id; ids above NUM_NAMES are the program's own strings
    T_FUNCTION,  # payload: an action's number, or FIRST_FUNCTION + address of its row
    T_ACTION,  # payload: see `actions.py`
    T_OBS,  # payload: how many ticks had passed when it was current
    T_RAYS,  # payload: the same
    T_RAY,  # payload: ray index | ticks << 7
    T_TUPLE,  # payload: address
    T_LIST,  # payload: address
    T_DICT,  # payload: address of key, value, key, value, ...
    T_SET,  # payload: address
    T_RAY_RECORD,  # payload: address of (block, entity, distance, yaw, pitch)
    T_OBS_RECORD,  # payload: address of the numbers that the program reads of old obs
    T_UNBOUND,  # a variable without a value
    T_MADE,  # payload: address of an action of a world with a spec: its index, its arguments
) = range(16)
TAG_NAMES = (
    "a number",
    "None",
    "a name",
    "a function",
    "an action",
    "an observation",
    "obs.rays",
    "a ray",
    "a tuple",
    "a list",
    "a dictionary",
    "a set",
    "a ray",
    "an old observation",
    "no value",
    "an action",
)
AGE_MASK = 2047  # ticks are kept modulo 2048 in an observation or a ray
NO_RAY = 127  # ray index of "nothing found": distance 999


def box(tag: int, payload: int = 0) -> int:
    """Returns the int32 bits of a value that is not a number."""
    return BOX + (tag << TAG_SHIFT) + payload


def tag_of(bits: int) -> int:
    """Returns the tag of int32 bits; 0 for numbers."""
    return (bits - BOX) >> TAG_SHIFT if FIRST_BOX <= bits < 0 else T_NUMBER


def payload_of(bits: int) -> int:
    return bits & PAYLOAD


def canonical(bits: int) -> int:
    """Returns the one form of a number's int32 bits."""
    exponent = bits & 0x7F800000
    if exponent == 0:
        return 0
    if exponent == 0x7F800000 and bits & 0x007FFFFF:
        return NAN_BITS
    return bits


def number(value: float) -> int:
    """Returns the int32 bits of a number, rounded to float32."""
    try:
        bits = struct.unpack("<i", struct.pack("<f", value))[0]
    except OverflowError:
        bits = 0x7F800000 if value > 0 else -0x800000
    return canonical(bits)


def as_float(bits: int) -> float:
    """Returns the float32 that int32 bits stand for."""
    return struct.unpack("<f", struct.pack("<i", bits))[0]


NONE = box(T_NONE)
UNBOUND = box(T_UNBOUND)
