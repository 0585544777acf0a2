"""What instructions of a kernel's lane do, part two: jumps, loops, calls, yields."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import TURN_BASE
from rlgpt_jax.macros.cells_jax import box, is_box, number, real, tag
from rlgpt_jax.macros.cells_pallas import element, equal, length_of, truth
from rlgpt_jax.macros.lane_pallas import (
    ENDED,
    PLAIN,
    YIELDED,
    Effect,
    Instruction,
    Lane,
    Machine,
    effect,
    pick,
    trap_if,
)
from rlgpt_jax.macros.machine_jax import PLAIN_CODES
from rlgpt_jax.macros.sense_pallas import is_current

Array = jax.Array


def goes_if(m: Machine, test: Array, target: Array, trap: Array | int = 0) -> Effect:
    return effect(m, following=jnp.where(test, target, m.pc + 1), trap=trap)


# --- jumps -----------------------------------------------------------------------
def jump(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return effect(m, following=o.a)


def jump_truth(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return goes_if(m, truth(lane, o.A) == (o.op == bc.JT), o.b)


def jump_less(lane: Lane, m: Machine, o: Instruction) -> Effect:
    x, y = real(o.A), real(o.B)
    less = (x < y) == (o.op == bc.JLT)
    less_or_equal = (x <= y) == (o.op == bc.JLE)
    test = jnp.where(o.op <= bc.JNLT, less, less_or_equal)
    return goes_if(m, test, o.c, trap_if(is_box(o.A) | is_box(o.B), bc.TRAP_KIND))


def jump_equal(lane: Lane, m: Machine, o: Instruction) -> Effect:
    result = equal(lane, o.A, o.B)
    return goes_if(m, (result == 1) == (o.op == bc.JEQ), o.c, jnp.maximum(-result, 0))


def jump_kind(lane: Lane, m: Machine, o: Instruction) -> Effect:
    kind = tag(o.A)
    fixed = ~(((kind == v.T_RAY) | (kind == v.T_OBS)) & is_current(o.A, lane.now))
    return goes_if(m, jnp.where(o.op == bc.JTAG, kind == o.b, fixed), o.c)


def check(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return effect(m, trap=trap_if(o.A == v.UNBOUND, bc.TRAP_NO_VALUE))


# --- loops -----------------------------------------------------------------------
def count_on(lane: Lane, m: Machine, o: Instruction) -> Effect:
    """`range`."""
    start = lane.recall(m.frame + o.a)
    x, y = real(start), real(lane.recall(m.frame + o.a + 1))
    step = real(lane.recall(m.frame + o.a + 2))
    goes = ((step > 0) & (x < y)) | ((step < 0) & (x > y))

    def on() -> Effect:
        lane.write(m.frame + o.b, start)
        return effect(m, place=m.frame + o.a, bits=number(x + step), following=o.c)

    trap = trap_if(step == 0, bc.TRAP_DOMAIN)
    return jax.lax.cond(goes, on, lambda: effect(m, trap=trap))


def each(lane: Lane, m: Machine, o: Instruction) -> Effect:
    row, position = lane.recall(m.frame + o.a), lane.recall(m.frame + o.a + 1)
    at = jnp.where(is_box(position), np.float32(0.0), real(position)).astype(jnp.int32)
    length = length_of(lane, row)

    def on() -> Effect:
        lane.write(m.frame + o.b, element(lane, row, at))
        return effect(m, place=m.frame + o.a + 1, bits=number(at + 1), following=o.c)

    trap = jnp.maximum(-length, 0)
    return jax.lax.cond(at < length, on, lambda: effect(m, trap=trap))


# --- calls -----------------------------------------------------------------------
def entered(m: Machine, o: Instruction, size: Array, start: Array) -> Effect:
    """The effect of a call of a function whose frame has `size` cells."""
    too_deep = m.frame + o.a + size > bc.STACK_CELLS
    return effect(
        m,
        place=m.frame + o.a,
        bits=(m.pc + 1) | o.a << 20,
        trap=trap_if(too_deep, bc.TRAP_DEPTH),
        frame=m.frame + o.a,
        following=start,
    )


def call(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return entered(m, o, o.c, o.b)


def call_value(lane: Lane, m: Machine, o: Instruction) -> Effect:
    payload = o.B & v.PAYLOAD

    def of_action() -> Effect:
        action = lane.tables[PLAIN + jnp.minimum(payload, len(PLAIN_CODES) - 1)]
        moves = (action > 0) & (action < TURN_BASE) & (action & 3 == 0)
        way = pick(o.c & bc.CALL_SPRINT != 0, 3, 0)
        way = jnp.where(o.c & bc.CALL_JUMP != 0, 1, way)
        trap = trap_if(o.c & 255 != 0, bc.TRAP_SHAPE)
        trap = jnp.where(o.c & bc.CALLED_FROM != 0, bc.TRAP_KIND, trap)
        bits = box(v.T_ACTION, action + jnp.where(moves, way, 0))
        return effect(m, place=m.frame + o.a, bits=bits, trap=trap)

    def of_function() -> Effect:
        row = payload - bc.FIRST_FUNCTION
        start, shape, size = (lane.constant(row + i) for i in range(3))
        made = entered(m, o, size, start)
        trap = jnp.where(o.c & 255 != shape & 255, bc.TRAP_SHAPE, made.trap)
        trap = jnp.where((o.c ^ shape) & bc.CALLED_FROM != 0, bc.TRAP_KIND, trap)
        return made._replace(trap=trap)

    made = jax.lax.cond(payload < bc.FIRST_FUNCTION, of_action, of_function)
    return made._replace(trap=jnp.where(tag(o.B) != v.T_FUNCTION, bc.TRAP_KIND, made.trap))


def leave(lane: Lane, m: Machine, o: Instruction) -> Effect:
    """`return`."""
    link = lane.recall(m.frame)
    frame = m.frame - (link >> 20)
    return effect(m, place=m.frame, bits=o.A, frame=frame, following=link & 0xFFFFF)


def hand_out(lane: Lane, m: Machine, o: Instruction) -> Effect:
    """`yield`; None is a noop."""
    trap = trap_if((o.B != v.NONE) & (tag(o.B) != v.T_ACTION), bc.TRAP_KIND)
    return effect(
        m,
        place=m.frame + o.a,
        bits=box(v.T_OBS, (lane.now + 1) & v.AGE_MASK),
        trap=trap,
        status=YIELDED,
        result=jnp.where(o.B == v.NONE, 0, o.B & v.PAYLOAD),
    )


def halt(lane: Lane, m: Machine, o: Instruction) -> Effect:
    return effect(m, status=ENDED, following=m.pc)
