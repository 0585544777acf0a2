"""The host interpreter: numba, all lanes in parallel, a few ns per instruction.

The same functions run uncompiled (`NUMBA_DISABLE_JIT=1`) and are then the reference for
what each instruction means. `interpret_jax.py` gives the same bits.
"""

import numpy as np
from numba import prange

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import PLAIN_ACTIONS, TABLE, TURN_BASE
from rlgpt_jax.macros.bytecode import MacroSet, MacroState, MacroTick
from rlgpt_jax.macros.cells_host import (
    ZERO,
    binary,
    box,
    cell,
    element,
    equal,
    in_set,
    is_box,
    is_current,
    is_whole,
    length_of,
    number,
    operand,
    real,
    tag,
    truth,
    unary,
)
from rlgpt_jax.macros.heap_host import collect
from rlgpt_jax.macros.kernels import Cells, kernel
from rlgpt_jax.macros.sense_host import ask, attribute, camera_bin, item_code

PLAIN_CODES = np.array(list(PLAIN_ACTIONS.values()), np.int32)
NONE = v.NONE
ROUTINE_DEPTH = 4  # routines that call each other
RUNNING, YIELDED, ENDED, FAILED = range(4)


def init_state(num_lanes: int) -> MacroState:
    """Returns the state of lanes without a running macro (NumPy arrays)."""
    numbers = [np.zeros(num_lanes, np.int32) for _ in range(5)]
    return MacroState(np.zeros((num_lanes, bc.MEMORY_CELLS), np.int32), *numbers)


def cut(state: MacroState, done: np.ndarray) -> MacroState:
    """Drops the macros of lanes whose episode ended; `done` is bool[N]."""
    return state._replace(slot=np.where(done, 0, state.slot).astype(np.int32))


def tick(
    macro_set: MacroSet,
    state: MacroState,
    view: np.ndarray,
    chosen: np.ndarray,
    busy: np.ndarray,
    tick_limit: int = bc.TICK_LIMIT,
) -> tuple[MacroState, MacroTick]:
    """Runs the macros of all lanes for one tick.

    Args:
      macro_set: from `link`.
      state: is used up: its arrays are changed and returned.
      view: float32[N, VIEW_SIZE] from `pack_view`.
      chosen: int32[N] the policy's macro, 0 for a primitive, k for slot k.
      busy: bool[N] lanes that ignore actions in this tick; their macros wait.
      tick_limit: ticks after which a macro is ended.
    """
    lanes = len(view)
    action = np.zeros((lanes, 8), np.int32)
    flags = np.zeros((lanes, 2), np.bool_)
    ends = np.zeros((lanes, 4), np.int32)
    tick_lanes(
        *macro_set,
        *state,
        np.ascontiguousarray(view, np.float32),
        np.asarray(chosen, np.int32),
        np.asarray(busy, np.bool_),
        tick_limit,
        action,
        flags,
        ends,
    )
    return state, MacroTick(
        action, flags[:, 0], flags[:, 1], ends[:, 0], ends[:, 1], ends[:, 2], ends[:, 3]
    )


@kernel(parallel=True)
def tick_lanes(
    code: np.ndarray, lines: np.ndarray, constants: np.ndarray, valid: np.ndarray,
    memory: np.ndarray, pc: np.ndarray, frame: np.ndarray, heap: np.ndarray, slot: np.ndarray,
    ticks: np.ndarray, view: np.ndarray, chosen: np.ndarray, busy: np.ndarray, tick_limit: int,
    action: np.ndarray, flags: np.ndarray, ends: np.ndarray,
) -> None:  # fmt: skip
    """Runs all lanes; results go to `action`, `flags` and `ends`."""
    for lane in prange(len(view)):
        action[lane] = TABLE[0]
        if busy[lane]:
            continue
        answer = -1
        if slot[lane] > 0:
            answer = run_lane(code, lines, constants, memory, pc, frame, heap, slot, ticks,
                              view, tick_limit, ends, lane)  # fmt: skip
        if answer < 0:
            flags[lane, 1] = True
            wanted = chosen[lane]
            if 0 < wanted <= len(valid) and valid[wanted - 1]:
                slot[lane] = wanted
                pc[lane] = frame[lane] = ticks[lane] = 0
                heap[lane] = bc.STACK_CELLS
                memory[lane] = 0
                answer = run_lane(code, lines, constants, memory, pc, frame, heap, slot, ticks,
                                  view, tick_limit, ends, lane)  # fmt: skip
                flags[lane, 0] = True
        else:
            flags[lane, 0] = True
        if answer >= 0:
            action[lane] = TABLE[answer]


@kernel
def run_lane(
    code: np.ndarray, lines: np.ndarray, constants: np.ndarray, memory: np.ndarray,
    pc: np.ndarray, frame: np.ndarray, heap: np.ndarray, slot: np.ndarray, ticks: np.ndarray,
    view: np.ndarray, tick_limit: int, ends: np.ndarray, lane: int,
) -> int:  # fmt: skip
    """Runs one lane until it yields or ends. Returns the action's code, -1 at an end."""
    macro = slot[lane] - 1
    if ticks[lane] >= tick_limit:
        status, result, at = ENDED, 0, pc[lane]
        why = bc.TICK_LIMIT_REACHED
    else:
        status, result, at, frame[lane], heap[lane] = run(
            code[macro], constants[macro], memory[lane], int(pc[lane]), int(frame[lane]),
            int(heap[lane]), int(ticks[lane]), view[lane],
        )  # fmt: skip
        pc[lane] = at
        why = bc.RETURNED if status == ENDED else bc.TRAPPED
    if status == YIELDED:
        ticks[lane] += 1
        return result
    ends[lane, 0], ends[lane, 1] = why, macro + 1
    result = result if status == FAILED else 0
    ends[lane, 2] = result
    ends[lane, 3] = trap_line(lines[macro], memory[lane], frame[lane], at) if result > 0 else 0
    slot[lane] = 0
    return -1


@kernel
def trap_line(lines: Cells, memory: Cells, frame: int, at: int) -> int:
    """Returns the source line of a trap; in a routine, of the line that called it."""
    line = lines[at]
    for _ in range(ROUTINE_DEPTH):
        if line == 0 and frame > 0:
            link = int(memory[frame])
            frame -= link >> 20
            line = lines[(link & 0xFFFFF) - 1]
    return line


# --- the loop --------------------------------------------------------------------
@kernel
def run(
    code: Cells, constants: Cells, memory: Cells, pc: int, frame: int, heap: int, now: int,
    view: np.ndarray,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Runs instructions until a yield, an end or a trap.

    Returns (status, action code or trap code, pc, frame, heap); at a trap pc is the
    instruction that failed.
    """
    steps = 0
    while True:
        if steps >= bc.MAX_STEPS:
            return FAILED, bc.TRAP_STEPS, pc, frame, heap
        steps += 1
        op, a, b, c = int(code[pc, 0]), int(code[pc, 1]), int(code[pc, 2]), int(code[pc, 3])
        trap = 0
        following = pc + 1
        if op == bc.MOVE:
            memory[frame + a] = operand(memory, constants, frame, b)
        elif op <= bc.MAX and op >= bc.ADD:
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c)
            if is_box(x) or is_box(y):
                trap = bc.TRAP_KIND
            else:
                value, trap = binary(op, real(x), real(y))
                memory[frame + a] = number(value)
        elif op <= bc.JNLE and op >= bc.JLT:
            x = operand(memory, constants, frame, a)
            y = operand(memory, constants, frame, b)
            if is_box(x) or is_box(y):
                trap = bc.TRAP_KIND
            elif op <= bc.JNLT:
                if (real(x) < real(y)) == (op == bc.JLT):
                    following = c
            elif (real(x) <= real(y)) == (op == bc.JLE):
                following = c
        elif op == bc.JEQ or op == bc.JNE:
            x = operand(memory, constants, frame, a)
            y = operand(memory, constants, frame, b)
            result = equal(memory, constants, x, y)
            if result < 0:
                trap = -result
            elif (result == 1) == (op == bc.JEQ):
                following = c
        elif op == bc.JUMP:
            following = a
        elif op == bc.JT or op == bc.JF:
            x = operand(memory, constants, frame, a)
            if truth(memory, constants, x) == (op == bc.JT):
                following = b
        elif op == bc.FIELD:
            x = operand(memory, constants, frame, b)
            bits, trap = attribute(memory, view, x, c, now)
            memory[frame + a] = bits
        elif op == bc.EACH:
            x = int(memory[frame + a])
            position = int(real(int(memory[frame + a + 1])))
            length = length_of(memory, constants, x, now)
            if length < 0:
                trap = -length
            elif position < length:
                memory[frame + b] = element(memory, constants, x, position)
                memory[frame + a + 1] = number(np.float32(position + 1))
                following = c
        elif op == bc.RANGE:
            x, y = real(int(memory[frame + a])), real(int(memory[frame + a + 1]))
            step = real(int(memory[frame + a + 2]))
            if step == ZERO:
                trap = bc.TRAP_DOMAIN
            elif (step > ZERO and x < y) or (step < ZERO and x > y):
                memory[frame + b] = int(memory[frame + a])
                memory[frame + a] = number(np.float32(x + step))
                following = c
        elif op <= bc.WHOLE and op >= bc.NEG:
            x = operand(memory, constants, frame, b)
            if is_box(x):
                trap = bc.TRAP_KIND
            else:
                value, trap = unary(op, real(x))
                memory[frame + a] = number(value)
        elif op <= bc.LE and op >= bc.LT:
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c)
            if is_box(x) or is_box(y):
                trap = bc.TRAP_KIND
            else:
                holds = real(x) < real(y) if op == bc.LT else real(x) <= real(y)
                memory[frame + a] = number(np.float32(holds))
        elif op == bc.EQ or op == bc.NE or op == bc.IS:
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c)
            result = (1 if x == y else 0) if op == bc.IS else equal(memory, constants, x, y)
            if result < 0:
                trap = -result
            else:
                memory[frame + a] = number(np.float32((result == 1) == (op != bc.NE)))
        elif op == bc.TRUTH or op == bc.NOT:
            x = operand(memory, constants, frame, b)
            memory[frame + a] = number(
                np.float32(truth(memory, constants, x) == (op == bc.TRUTH))
            )
        elif op == bc.BLOCK or op == bc.RAYS or (op <= bc.NEAREST and op >= bc.COUNT):
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c) if op != bc.RAYS else NONE
            if tag(x) == v.T_OBS_RECORD or (tag(x) == v.T_OBS and not is_current(x, now)):
                trap = bc.TRAP_OLD
            elif tag(x) != v.T_OBS:
                trap = bc.TRAP_KIND
            elif op == bc.RAYS:
                memory[frame + a] = box(v.T_RAYS, now & v.AGE_MASK)
            elif op == bc.BLOCK:
                name = int(view[sensors.VOXELS + int(real(y))])
                memory[frame + a] = box(v.T_NAME, name)
            elif tag(y) != v.T_NAME:
                trap = bc.TRAP_KIND
            else:
                memory[frame + a] = ask(op, view, y & v.PAYLOAD, now)
        elif op == bc.OFFSET:
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c)
            if is_box(y):
                trap = bc.TRAP_KIND
            elif not (real(y) == -1 or real(y) == 0 or real(y) == 1):
                trap = bc.TRAP_INDEX
            else:
                memory[frame + a] = number(np.float32(int(real(x)) * 3 + int(real(y)) + 1))
        elif op == bc.INDEX:
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c)
            length = length_of(memory, constants, x, now)
            if length < 0:
                trap = -length
            elif is_box(y) or not is_whole(real(y)):
                trap = bc.TRAP_KIND if is_box(y) else bc.TRAP_WHOLE
            else:
                position = int(real(y))
                position += length if position < 0 else 0
                if position < 0 or position >= length:
                    trap = bc.TRAP_INDEX
                else:
                    memory[frame + a] = element(memory, constants, x, position)
        elif op == bc.IN:
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c)
            length = length_of(memory, constants, y, now)
            result, position = 0, 0
            if length < 0:
                trap = -length
            elif cell(memory, constants, y & v.PAYLOAD) & bc.NAME_SET and tag(y) == v.T_TUPLE:
                if tag(x) == v.T_NAME:
                    first = (y & v.PAYLOAD) - bc.NAME_WORDS
                    result = in_set(constants, first, x & v.PAYLOAD)
            else:
                while position < length and result == 0 and trap == 0:
                    if position > 0:  # every element costs one step
                        if steps >= bc.MAX_STEPS:
                            trap = bc.TRAP_STEPS
                            break
                        steps += 1
                    result = equal(memory, constants, x, element(memory, constants, y, position))
                    if result < 0:
                        trap = -result
                    position += 1
            memory[frame + a] = number(np.float32(result))
        elif op == bc.INSET:
            x = operand(memory, constants, frame, b)
            if tag(x) != v.T_NAME:
                trap = bc.TRAP_KIND
            else:
                memory[frame + a] = number(np.float32(in_set(constants, c, x & v.PAYLOAD)))
        elif op == bc.CALL:
            if frame + a + c > bc.STACK_CELLS:
                trap = bc.TRAP_DEPTH
            else:
                memory[frame + a] = following | a << 20
                frame += a
                following = b
        elif op == bc.RETURN:
            x = operand(memory, constants, frame, a)
            y = int(memory[frame])
            memory[frame] = x
            following = y & 0xFFFFF
            frame -= y >> 20
        elif op == bc.CALLV:
            x = operand(memory, constants, frame, b)
            payload = x & v.PAYLOAD
            if tag(x) != v.T_FUNCTION:
                trap = bc.TRAP_KIND
            elif payload < bc.FIRST_FUNCTION:
                action = int(PLAIN_CODES[payload])
                if 0 < action < TURN_BASE and action % 4 == 0:
                    if c & bc.CALL_JUMP:
                        action += 1
                    elif c & bc.CALL_SPRINT:
                        action += 3
                if c & bc.CALLED_FROM:
                    trap = bc.TRAP_KIND
                elif c & 255:
                    trap = bc.TRAP_SHAPE
                else:
                    memory[frame + a] = box(v.T_ACTION, action)
            else:
                row = payload - bc.FIRST_FUNCTION
                start, shape = int(constants[row]), int(constants[row + 1])
                if (c ^ shape) & bc.CALLED_FROM:
                    trap = bc.TRAP_KIND
                elif c & 255 != shape & 255:
                    trap = bc.TRAP_SHAPE
                elif frame + a + int(constants[row + 2]) > bc.STACK_CELLS:
                    trap = bc.TRAP_DEPTH
                else:
                    memory[frame + a] = following | a << 20
                    frame += a
                    following = start
        elif op == bc.YIELD:
            x = operand(memory, constants, frame, b)
            if x == NONE:
                x = box(v.T_ACTION, 0)
            if tag(x) != v.T_ACTION:
                trap = bc.TRAP_KIND
            else:
                memory[frame + a] = box(v.T_OBS, (now + 1) & v.AGE_MASK)
                return YIELDED, x & v.PAYLOAD, following, frame, heap
        elif op == bc.HALT:
            return ENDED, 0, pc, frame, heap
        elif op == bc.TURN:
            x = operand(memory, constants, frame, b)
            y = operand(memory, constants, frame, c)
            if is_box(x) or is_box(y):
                trap = bc.TRAP_KIND
            else:
                turned = TURN_BASE + camera_bin(real(x)) * 25 + camera_bin(real(y))
                memory[frame + a] = box(v.T_ACTION, turned)
        elif op == bc.ITEM:
            x = operand(memory, constants, frame, b)
            if tag(x) != v.T_NAME:
                trap = bc.TRAP_KIND
            else:
                memory[frame + a] = box(v.T_ACTION, item_code(view, x & v.PAYLOAD, c))
        elif op == bc.ALLOC:
            room = b >> 16
            if heap + 1 + room > bc.MEMORY_CELLS:
                heap = collect(memory, frame + (c >> 4), -1)
            if heap + 1 + room > bc.MEMORY_CELLS:
                trap = bc.TRAP_MEMORY
            else:
                memory[heap] = b
                memory[frame + a] = box(c & 15, bc.MAX_CONSTANTS + heap)
                heap += 1 + room
        elif op == bc.INIT:
            x = operand(memory, constants, frame, a)
            y = operand(memory, constants, frame, c)
            memory[(x & v.PAYLOAD) - bc.MAX_CONSTANTS + 1 + b] = y
        elif op == bc.STORE:
            x = operand(memory, constants, frame, a)
            y = operand(memory, constants, frame, b)
            value_bits = operand(memory, constants, frame, c)
            if tag(x) != v.T_LIST or is_box(y):
                trap = bc.TRAP_KIND
            elif not is_whole(real(y)):
                trap = bc.TRAP_WHOLE
            else:
                length = length_of(memory, constants, x, now)
                position = int(real(y))
                position += length if position < 0 else 0
                if position < 0 or position >= length:
                    trap = bc.TRAP_INDEX
                else:
                    memory[(x & v.PAYLOAD) - bc.MAX_CONSTANTS + 1 + position] = value_bits
        elif op == bc.APPEND:
            x = operand(memory, constants, frame, a)
            if tag(x) != v.T_LIST:
                trap = bc.TRAP_KIND
            else:
                at = (x & v.PAYLOAD) - bc.MAX_CONSTANTS
                length, room = int(memory[at]) & 0xFFFF, int(memory[at]) >> 16
                if length == room:
                    if at + 1 + room == heap and heap + bc.LIST_ROOM <= bc.MEMORY_CELLS:
                        heap += bc.LIST_ROOM
                        room += bc.LIST_ROOM
                    else:
                        heap = collect(memory, frame + c, at)
                        at = (operand(memory, constants, frame, a) & v.PAYLOAD) - bc.MAX_CONSTANTS
                        room = int(memory[at]) >> 16
                if length >= room:
                    trap = bc.TRAP_MEMORY
                else:
                    memory[at + 1 + length] = operand(memory, constants, frame, b)
                    memory[at] = (length + 1) | room << 16
        elif op == bc.LEN:
            length = length_of(memory, constants, operand(memory, constants, frame, b), now)
            if length < 0:
                trap = -length
            else:
                memory[frame + a] = number(np.float32(length))
        elif op == bc.SHAPE:
            length = length_of(memory, constants, operand(memory, constants, frame, a), now)
            if length < 0:
                trap = -length
            elif length != b:
                trap = bc.TRAP_SHAPE
        elif op == bc.JTAG:
            if tag(operand(memory, constants, frame, a)) == b:
                following = c
        elif op == bc.JFIXED:
            x = operand(memory, constants, frame, a)
            if not ((tag(x) == v.T_RAY or tag(x) == v.T_OBS) and is_current(x, now)):
                following = c
        elif op == bc.CHECK:
            if operand(memory, constants, frame, a) == v.UNBOUND:
                trap = bc.TRAP_NO_VALUE
        elif op == bc.RETAG:
            x = operand(memory, constants, frame, b)
            memory[frame + a] = box(c, x & v.PAYLOAD)
        if trap != 0:
            return FAILED, trap, pc, frame, heap
        pc = following
