"""Instructions on sequences and calls of values, host version: the less frequent ones.

They are functions of their own so that the loop over instructions stays small.
"""

import numpy as np

from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import PLAIN_ACTIONS, TURN_BASE
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.host.cells_host import (
    ZERO,
    at_most,
    box,
    element,
    equal,
    flag,
    floor_divide,
    get,
    is_a,
    is_box,
    is_current,
    is_whole,
    length_of,
    less,
    modulo,
    number,
    operand,
    put,
    real,
    settle_whole,
    truth,
)
from rlgpt_jax.macros.vm.host.heap_host import collect
from rlgpt_jax.macros.vm.host.kernels import Cells, lean, small
from rlgpt_jax.macros.vm.host.sense_host import ask, camera_bin, item_code

PLAIN_CODES = np.array(list(PLAIN_ACTIONS.values()), np.int32)


@small
def position_in(length: int, bits: int) -> int:
    """Returns the place in a sequence that an index means, or minus a trap code."""
    if length < 0:
        return length
    if is_box(bits):
        return -bc.TRAP_KIND
    if not is_whole(real(bits)):
        return -bc.TRAP_WHOLE
    position = int(real(bits))
    position += length if position < 0 else 0
    return position if 0 <= position < length else -bc.TRAP_INDEX


@lean
def store(memory: Cells, constants: Cells, x: int, y: int, value: int) -> int:
    """Sets x[y] of a list. Returns the trap code."""
    if not is_a(x, v.T_LIST):
        return bc.TRAP_KIND
    position = position_in(length_of(memory, constants, x, 0), y)
    if position < 0:
        return -position
    put(memory, (x & v.PAYLOAD) - bc.MAX_CONSTANTS + 1 + position, value)
    return 0


@lean
def search(memory: Cells, constants: Cells, x: int, y: int, now: int, left: int) -> tuple[int, int]:
    """Looks for x in the sequence y, with so many steps left.

    Every element but the first costs one step. Returns (1, 0 or minus a trap code, steps
    left).
    """
    length = length_of(memory, constants, y, now)
    if length < 0:
        return length, 0
    for position in range(length):
        if position > left:
            return -bc.TRAP_STEPS, left
        result = equal(memory, constants, x, element(memory, constants, y, position))
        if result != 0:
            return result, position
    return 0, max(length - 1, 0)


@lean
def allocate(memory: Cells, scratch: Cells, header: int, end: int, heap: int) -> int:
    """Makes room for a sequence. Returns its first cell, or minus a trap code."""
    room = header >> 16
    if heap + 1 + room > bc.MEMORY_CELLS:
        heap = collect(memory, scratch, end, -1)
    if heap + 1 + room > bc.MEMORY_CELLS:
        return -bc.TRAP_MEMORY
    put(memory, heap, header)
    return heap


@lean
def append(
    memory: Cells, constants: Cells, scratch: Cells, frame: int, a: int, b: int, c: int, heap: int
) -> int:
    """Appends the value of b to the list a. Returns the new heap, or minus a trap code."""
    x = operand(memory, constants, frame, a)
    if not is_a(x, v.T_LIST):
        return -bc.TRAP_KIND
    at = (x & v.PAYLOAD) - bc.MAX_CONSTANTS
    length, room = get(memory, at) & 0xFFFF, get(memory, at) >> 16
    if length == room:
        if at + 1 + room == heap and heap + bc.LIST_ROOM <= bc.MEMORY_CELLS:
            heap += bc.LIST_ROOM
            room += bc.LIST_ROOM
        else:
            heap = collect(memory, scratch, frame + c, at)
            at = (operand(memory, constants, frame, a) & v.PAYLOAD) - bc.MAX_CONSTANTS
            room = get(memory, at) >> 16
    if length >= room:
        return -bc.TRAP_MEMORY
    put(memory, at + 1 + length, operand(memory, constants, frame, b))
    put(memory, at, (length + 1) | room << 16)
    return heap


@lean
def call_action(payload: int, c: int) -> int:
    """Returns the code of a simple action that is called as a value, or minus a trap code."""
    if c & bc.CALLED_FROM:
        return -bc.TRAP_KIND
    if c & 255:
        return -bc.TRAP_SHAPE
    action = int(PLAIN_CODES[payload])
    if 0 < action < TURN_BASE and action % 4 == 0:
        if c & bc.CALL_JUMP:
            return action + 1
        if c & bc.CALL_SPRINT:
            return action + 3
    return action


@lean
def ask_obs(op: int, view: np.ndarray, x: int, y: int, now: int) -> tuple[int, int]:
    if is_a(x, v.T_OBS_RECORD) or (is_a(x, v.T_OBS) and not is_current(x, now)):
        return 0, bc.TRAP_OLD
    if not is_a(x, v.T_OBS):
        return 0, bc.TRAP_KIND
    if op == bc.RAYS:
        return box(v.T_RAYS, now & v.AGE_MASK), 0
    if not is_a(y, v.T_NAME):
        return 0, bc.TRAP_KIND
    return ask(op, view, y & v.PAYLOAD, now), 0


@lean
def rare(
    op: int, a: int, b: int, c: int, constants: Cells, memory: Cells, following: int, frame: int,
    heap: int, now: int, view: np.ndarray, scratch: Cells,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Runs one instruction. Returns (trap code, next instruction, frame, heap)."""
    trap = 0
    if op == bc.LT or op == bc.LE:
        x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
        result = less(x, y) if op == bc.LT else at_most(x, y)
        if result < 0:
            trap = bc.TRAP_KIND
        else:
            put(memory, frame + a, flag(result == 1))
    elif op == bc.EQ or op == bc.NE:
        x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
        result = equal(memory, constants, x, y)
        if result < 0:
            trap = -result
        else:
            put(memory, frame + a, flag((result == 1) == (op == bc.EQ)))
    elif op == bc.IS:
        x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
        put(memory, frame + a, flag(x == y))
    elif op == bc.TRUTH or op == bc.NOT:
        x = operand(memory, constants, frame, b)
        put(memory, frame + a, flag(truth(memory, constants, x) == (op == bc.TRUTH)))
    elif op == bc.FLOORDIV or op == bc.MOD:
        x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
        if is_box(x) or is_box(y):
            trap = bc.TRAP_KIND
        elif y == 0:
            trap = bc.TRAP_DIVIDE
        elif op == bc.MOD:
            put(memory, frame + a, number(modulo(real(x), real(y))))
        else:
            put(memory, frame + a, number(floor_divide(real(x), real(y))))
    elif op == bc.CEIL:
        x = operand(memory, constants, frame, b)
        trap = settle_whole(memory, frame + a, x, np.ceil(real(x)))
    elif op == bc.SQRT:
        x = operand(memory, constants, frame, b)
        if is_box(x):
            trap = bc.TRAP_KIND
        elif real(x) < ZERO:
            trap = bc.TRAP_DOMAIN
        else:
            put(memory, frame + a, number(np.float32(np.sqrt(real(x)))))
    elif op == bc.NUMBER or op == bc.WHOLE:
        x = operand(memory, constants, frame, b)
        if is_box(x):
            trap = bc.TRAP_KIND
        elif op == bc.WHOLE and not is_whole(real(x)):
            trap = bc.TRAP_WHOLE
        else:
            put(memory, frame + a, x)
    elif op == bc.JFIXED:
        x = operand(memory, constants, frame, a)
        if not ((is_a(x, v.T_RAY) or is_a(x, v.T_OBS)) and is_current(x, now)):
            following = c
    elif op == bc.CHECK:
        if operand(memory, constants, frame, a) == v.UNBOUND:
            trap = bc.TRAP_NO_VALUE
    elif op == bc.CALLV:
        x = operand(memory, constants, frame, b)
        payload = x & v.PAYLOAD
        if not is_a(x, v.T_FUNCTION):
            trap = bc.TRAP_KIND
        elif payload < bc.FIRST_FUNCTION:
            result = call_action(payload, c)
            if result < 0:
                trap = -result
            else:
                put(memory, frame + a, box(v.T_ACTION, result))
        else:
            row = payload - bc.FIRST_FUNCTION
            shape = get(constants, row + 1)
            if (c ^ shape) & bc.CALLED_FROM:
                trap = bc.TRAP_KIND
            elif c & 255 != shape & 255:
                trap = bc.TRAP_SHAPE
            elif frame + a + get(constants, row + 2) > bc.STACK_CELLS:
                trap = bc.TRAP_DEPTH
            else:
                frame += a
                put(memory, frame, following | a << 20)
                following = get(constants, row)
    elif op == bc.ALLOC:
        first = allocate(memory, scratch, b, frame + (c >> 4), heap)
        if first < 0:
            trap = -first
        else:
            put(memory, frame + a, box(c & 15, bc.MAX_CONSTANTS + first))
            heap = first + 1 + (b >> 16)
    elif op == bc.APPEND:
        result = append(memory, constants, scratch, frame, a, b, c, heap)
        if result < 0:
            trap = -result
        else:
            heap = result
    elif op == bc.STORE:
        x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, b)
        trap = store(memory, constants, x, y, operand(memory, constants, frame, c))
    elif op == bc.LEN or op == bc.SHAPE:
        x = operand(memory, constants, frame, b if op == bc.LEN else a)
        length = length_of(memory, constants, x, now)
        if length < 0:
            trap = -length
        elif op == bc.LEN:
            put(memory, frame + a, number(np.float32(length)))
        elif length != b:
            trap = bc.TRAP_SHAPE
    elif op == bc.RETAG:
        put(memory, frame + a, box(c, operand(memory, constants, frame, b) & v.PAYLOAD))
    elif op == bc.TURN:
        x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
        if is_box(x) or is_box(y):
            trap = bc.TRAP_KIND
        else:
            turned = TURN_BASE + camera_bin(real(x)) * 25 + camera_bin(real(y))
            put(memory, frame + a, box(v.T_ACTION, turned))
    elif op == bc.ITEM:
        x = operand(memory, constants, frame, b)
        if not is_a(x, v.T_NAME):
            trap = bc.TRAP_KIND
        else:
            put(memory, frame + a, box(v.T_ACTION, item_code(view, x & v.PAYLOAD, c)))
    else:
        x = operand(memory, constants, frame, b)
        y = operand(memory, constants, frame, c) if op != bc.RAYS else v.NONE
        bits, trap = ask_obs(op, view, x, y, now)
        put(memory, frame + a, bits)
    return trap, following, frame, heap
