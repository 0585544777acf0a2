"""One instruction of one lane in a kernel, with real branches as `interpret_host.run` has.

A handler of an operation returns an `Effect`. What all have in common (the cell that is
written, the next place, the trap) is done once, behind the branches, which form a
balanced tree because a kernel tests the cases of a `switch` one after the other.
"""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import flow_pallas as flow
from rlgpt_jax.macros import operations_pallas as does
from rlgpt_jax.macros.lane_pallas import FAILED, Effect, Instruction, Lane, Machine

Array = jax.Array
Handler = Callable[[Lane, Machine, Instruction], Effect]

# The handler of each operation from the given one on, up to the next line.
HANDLERS: tuple[tuple[int, Handler], ...] = (
    (bc.HALT, flow.halt),
    (bc.MOVE, does.move),
    (bc.ADD, does.arithmetic),
    (bc.NEG, does.single),
    (bc.TRUTH, does.truth_or_not),
    (bc.LT, does.less),
    (bc.EQ, does.equality),
    (bc.JUMP, flow.jump),
    (bc.JT, flow.jump_truth),
    (bc.JLT, flow.jump_less),
    (bc.JEQ, flow.jump_equal),
    (bc.JTAG, flow.jump_kind),
    (bc.CHECK, flow.check),
    (bc.CALL, flow.call),
    (bc.CALLV, flow.call_value),
    (bc.RETURN, flow.leave),
    (bc.YIELD, flow.hand_out),
    (bc.ALLOC, does.alloc),
    (bc.INIT, does.init),
    (bc.INDEX, does.index),
    (bc.STORE, does.store),
    (bc.APPEND, does.append),
    (bc.LEN, does.len_or_shape),
    (bc.RANGE, flow.count_on),
    (bc.EACH, flow.each),
    (bc.IN, does.inside),
    (bc.RETAG, does.retag),
    (bc.INSET, does.among_names),
    (bc.FIELD, does.field),
    (bc.RAYS, does.rays),
    (bc.COUNT, does.question),
    (bc.OFFSET, does.offset),
    (bc.BLOCK, does.block),
    (bc.TURN, does.turn),
    (bc.ITEM, does.item),
)


def dispatch(
    handlers: Sequence[tuple[int, Handler]], lane: Lane, m: Machine, o: Instruction
) -> Effect:
    """Runs the handler of the instruction."""
    if len(handlers) == 1:
        return handlers[0][1](lane, m, o)
    half = len(handlers) // 2
    return jax.lax.cond(
        o.op < handlers[half][0],
        lambda: dispatch(handlers[:half], lane, m, o),
        lambda: dispatch(handlers[half:], lane, m, o),
    )


def fetch(lane: Lane, m: Machine) -> Instruction:
    op, a, b, c = (lane.code[lane.macro, m.pc, i] for i in range(4))
    return Instruction(op, a, b, c, *(lane.operand(m.frame, x) for x in (a, b, c)))


def one_instruction(lane: Lane, m: Machine) -> Machine:
    """Executes the present instruction; the lane is running."""
    spent = m.steps >= bc.MAX_STEPS
    now = m._replace(steps=m.steps + 1)
    o = fetch(lane, m)
    e = dispatch(HANDLERS, lane, now, o)
    trap = jnp.where(spent, bc.TRAP_STEPS, e.trap)
    fails = trap != 0

    @pl.when(~fails & (e.place >= 0))
    def _() -> None:
        lane.write(e.place, e.bits)

    def kept(new: Array, old: Array) -> Array:
        return jnp.where(fails, old, new)

    return Machine(
        pc=kept(e.following, m.pc),
        frame=kept(e.frame, m.frame),
        heap=kept(e.heap, m.heap),
        steps=e.steps,
        status=kept(e.status, jnp.int32(FAILED)),
        result=kept(e.result, trap),
    )
