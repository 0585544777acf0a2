"""The loop over instructions, host version: what each instruction means.

Every test below compares `op` with one constant, which makes one jump table of them all;
instructions that seldom run are in `rare_host.py`. `rarely` keeps a jump a jump: without
it the next place is computed, and the processor cannot run ahead. What the compiler has
checked, that operands are inside their frame, pool or code, is not checked again.
"""

import numpy as np

from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.host.cells_host import (
    ZERO,
    bits_of,
    box,
    cell,
    element,
    equal,
    flag,
    get,
    in_set,
    is_a,
    is_box,
    is_current,
    length_of,
    number,
    offset,
    operand,
    put,
    real,
    settle,
    settle_whole,
    tag,
    truth,
)
from rlgpt_jax.macros.vm.host.kernels import Cells, lean, rarely
from rlgpt_jax.macros.vm.host.rare_host import position_in, rare, search
from rlgpt_jax.macros.vm.host.sense_host import attribute, block_name

NONE = v.NONE
RUNNING, YIELDED, ENDED, FAILED = range(4)
MADE = 1 << v.TAG_SHIFT


@lean
def run(
    code: Cells, constants: Cells, memory: Cells, pc: int, frame: int, heap: int, now: int,
    view: np.ndarray, scratch: Cells,
) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """Runs instructions until a yield, an end or a trap.

    Returns (status, result, pc, frame, heap, steps left). The result is an action's code, or MADE
    and its address; or a trap code, and pc is the instruction that failed.
    """
    # The place where the steps run out if there is no more jump: a jump moves it, so that
    # instructions between jumps are counted by their place alone.
    limit = pc + bc.MAX_STEPS
    while True:
        if rarely(pc == limit):
            return FAILED, bc.TRAP_STEPS, pc, frame, heap, 0
        at = pc << 2
        op, a, b, c = get(code, at), get(code, at + 1), get(code, at + 2), get(code, at + 3)
        pc += 1
        if op == bc.MOVE:
            put(memory, frame + a, operand(memory, constants, frame, b))
        # --- arithmetic ---
        elif op == bc.ADD:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            trap = settle(memory, frame + a, x, y, np.float32(real(x) + real(y)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.SUB:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            trap = settle(memory, frame + a, x, y, np.float32(real(x) - real(y)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.MUL:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            trap = settle(memory, frame + a, x, y, np.float32(real(x) * real(y)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.DIV:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            if rarely(y == 0):
                trap = bc.TRAP_KIND if is_box(x) else bc.TRAP_DIVIDE
                return FAILED, trap, pc - 1, frame, heap, limit - pc
            trap = settle(memory, frame + a, x, y, np.float32(real(x) / real(y)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.MIN:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            if rarely(is_box(x) or is_box(y)):
                return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, y if real(y) < real(x) else x)
        elif op == bc.MAX:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            if rarely(is_box(x) or is_box(y)):
                return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, y if real(y) > real(x) else x)
        elif op == bc.NEG:
            x = operand(memory, constants, frame, b)
            trap = settle(memory, frame + a, x, x, np.float32(-real(x)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.ABS:
            x = operand(memory, constants, frame, b)
            trap = settle(memory, frame + a, x, x, np.abs(real(x)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.ROUND:
            x = operand(memory, constants, frame, b)
            trap = settle_whole(memory, frame + a, x, np.rint(real(x)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.FLOOR:
            x = operand(memory, constants, frame, b)
            trap = settle_whole(memory, frame + a, x, np.floor(real(x)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.TRUNC:
            x = operand(memory, constants, frame, b)
            trap = settle_whole(memory, frame + a, x, np.trunc(real(x)))
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        # --- jumps ---
        elif op == bc.JUMP:
            limit += a - pc
            pc = a
        elif op == bc.JT:
            if rarely(truth(memory, constants, operand(memory, constants, frame, a))):
                limit += b - pc
                pc = b
        elif op == bc.JF:
            if rarely(not truth(memory, constants, operand(memory, constants, frame, a))):
                limit += b - pc
                pc = b
        elif op == bc.JLT:
            x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, b)
            if rarely(real(x) < real(y)):
                limit += c - pc
                pc = c
            elif rarely(is_box(x) or is_box(y)):
                return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
        elif op == bc.JNLT:
            x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, b)
            if rarely(not real(x) < real(y)):
                if rarely(is_box(x) or is_box(y)):
                    return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
                limit += c - pc
                pc = c
        elif op == bc.JLE:
            x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, b)
            if rarely(real(x) <= real(y)):
                limit += c - pc
                pc = c
            elif rarely(is_box(x) or is_box(y)):
                return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
        elif op == bc.JNLE:
            x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, b)
            if rarely(not real(x) <= real(y)):
                if rarely(is_box(x) or is_box(y)):
                    return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
                limit += c - pc
                pc = c
        elif op == bc.JEQ:
            x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, b)
            result = equal(memory, constants, x, y)
            if rarely(result < 0):
                return FAILED, -result, pc - 1, frame, heap, limit - pc
            elif rarely(result == 1):
                limit += c - pc
                pc = c
        elif op == bc.JNE:
            x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, b)
            result = equal(memory, constants, x, y)
            if rarely(result < 0):
                return FAILED, -result, pc - 1, frame, heap, limit - pc
            elif rarely(result == 0):
                limit += c - pc
                pc = c
        elif op == bc.JTAG:
            if rarely(tag(operand(memory, constants, frame, a)) == b):
                limit += c - pc
                pc = c
        # --- loops ---
        elif op == bc.EACH:
            x = get(memory, frame + a)
            position = int(real(get(memory, frame + a + 1)))
            length = length_of(memory, constants, x, now)
            if 0 <= position < length:
                put(memory, frame + b, element(memory, constants, x, position))
                put(memory, frame + a + 1, bits_of(np.float32(position + 1)))
                limit += c - pc
                pc = c
            elif rarely(length < 0):
                return FAILED, -length, pc - 1, frame, heap, limit - pc
        elif op == bc.RANGE:
            x, y = real(get(memory, frame + a)), real(get(memory, frame + a + 1))
            step = real(get(memory, frame + a + 2))
            if rarely(step == ZERO):
                return FAILED, bc.TRAP_DOMAIN, pc - 1, frame, heap, limit - pc
            elif (step > ZERO and x < y) or (step < ZERO and x > y):
                put(memory, frame + b, get(memory, frame + a))
                put(memory, frame + a, number(np.float32(x + step)))
                limit += c - pc
                pc = c
        # --- calls ---
        elif op == bc.CALL:
            if rarely(frame + a + c > bc.STACK_CELLS):
                return FAILED, bc.TRAP_DEPTH, pc - 1, frame, heap, limit - pc
            frame += a
            put(memory, frame, pc | a << 20)
            limit += b - pc
            pc = b
        elif op == bc.RETURN:
            x, y = operand(memory, constants, frame, a), get(memory, frame)
            put(memory, frame, x)
            limit += (y & 0xFFFFF) - pc
            pc = y & 0xFFFFF
            frame -= y >> 20
        elif op == bc.YIELD:
            x = operand(memory, constants, frame, b)
            if x == NONE:
                x = box(v.T_ACTION, 0)
            if rarely(not is_a(x, v.T_ACTION)) and not is_a(x, v.T_MADE):
                return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, box(v.T_OBS, (now + 1) & v.AGE_MASK))
            # With the last bit of the tag, which is 1 of a made action.
            return YIELDED, x & (MADE | v.PAYLOAD), pc, frame, heap, limit - pc
        elif op == bc.HALT:
            return ENDED, 0, pc, frame, heap, limit - pc
        # --- observations and sequences ---
        elif op == bc.FIELD:
            bits, trap = attribute(memory, view, operand(memory, constants, frame, b), c, now)
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, bits)
        elif op == bc.BLOCK:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            if is_a(x, v.T_OBS) and is_current(x, now):
                put(memory, frame + a, block_name(view, int(real(y))))
            else:
                is_old = is_a(x, v.T_OBS) or is_a(x, v.T_OBS_RECORD)
                trap = bc.TRAP_OLD if is_old else bc.TRAP_KIND
                return FAILED, trap, pc - 1, frame, heap, limit - pc
        elif op == bc.OFFSET:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            result = offset(x, y)
            if rarely(result < 0):
                return FAILED, -result, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, bits_of(np.float32(result)))
        elif op == bc.INDEX:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            position = position_in(length_of(memory, constants, x, now), y)
            if rarely(position < 0):
                return FAILED, -position, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, element(memory, constants, x, position))
        elif op == bc.IN:
            x, y = operand(memory, constants, frame, b), operand(memory, constants, frame, c)
            if is_a(y, v.T_TUPLE) and cell(memory, constants, y & v.PAYLOAD) & bc.NAME_SET:
                first = (y & v.PAYLOAD) - bc.NAME_WORDS
                result = in_set(constants, first, x & v.PAYLOAD) if is_a(x, v.T_NAME) else 0
            else:
                result, cost = search(memory, constants, x, y, now, limit - pc)
                limit -= cost
            if rarely(result < 0):
                return FAILED, -result, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, flag(result == 1))
        elif op == bc.INSET:
            x = operand(memory, constants, frame, b)
            if rarely(not is_a(x, v.T_NAME)):
                return FAILED, bc.TRAP_KIND, pc - 1, frame, heap, limit - pc
            put(memory, frame + a, flag(in_set(constants, c, x & v.PAYLOAD) == 1))
        elif op == bc.INIT:
            x, y = operand(memory, constants, frame, a), operand(memory, constants, frame, c)
            put(memory, (x & v.PAYLOAD) - bc.MAX_CONSTANTS + 1 + b, y)
        else:
            trap, target, frame, heap = rare(
                op, a, b, c, constants, memory, pc, frame, heap, now, view, scratch
            )
            limit += target - pc
            pc = target
            if rarely(trap > 0):
                return FAILED, trap, pc - 1, frame, heap, limit - pc
