"""One instruction of every running lane, for all operations at once.

The groups of `parts_jax.py` are computed, then the trap, the next place and the written
cells are selected by operation. All reads of the memory come before its one scatter.
`interpret_host.run` says what each operation means.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import TURN_BASE
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.device.cells_jax import (
    among,
    between,
    binary,
    box,
    is_box,
    is_whole,
    number,
    real,
    tag,
    unary,
)
from rlgpt_jax.macros.vm.device.machine_jax import (
    ENDED,
    FAILED,
    RUNNING,
    UNKNOWN,
    WAITING,
    YIELDED,
    Code,
    Machine,
)
from rlgpt_jax.macros.vm.device.parts_jax import LOOPS, Parts, parts_of
from rlgpt_jax.macros.vm.device.sense_jax import camera_bin

Array = jax.Array


def trap_of(p: Parts) -> Array:
    """Returns the trap code of every lane, 0 if the instruction succeeds."""
    o, row, op = p.o, p.row, p.o.op
    box_a, box_b, box_c = is_box(o.A), is_box(o.B), is_box(o.C)
    xb, xc = real(o.B), real(o.C)
    two_numbers = between(op, bc.ADD, bc.MAX) | between(op, bc.LT, bc.LE) | (op == bc.TURN)
    rounds = among(op, bc.ROUND, bc.FLOOR, bc.CEIL, bc.TRUNC)
    not_whole = (rounds & ~jnp.isfinite(xb)) | ((op == bc.WHOLE) & ~is_whole(xb))
    places = among(op, bc.INDEX, bc.STORE)
    asks = between(op, bc.COUNT, bc.NEAREST)
    cases = [
        (two_numbers & (box_b | box_c), bc.TRAP_KIND),
        (among(op, bc.DIV, bc.FLOORDIV, bc.MOD) & (xc == 0), bc.TRAP_DIVIDE),
        (between(op, bc.NEG, bc.WHOLE) & box_b, bc.TRAP_KIND),
        ((op == bc.SQRT) & (xb < 0), bc.TRAP_DOMAIN),
        (not_whole, bc.TRAP_WHOLE),
        (between(op, bc.JLT, bc.JNLE) & (box_a | box_b), bc.TRAP_KIND),
        (among(op, bc.EQ, bc.NE, bc.JEQ, bc.JNE), p.equality.trap),
        ((op == bc.CHECK) & (o.A == v.UNBOUND), bc.TRAP_NO_VALUE),
        ((op == bc.CALL) & p.call.too_deep, bc.TRAP_DEPTH),
        (op == bc.CALLV, p.call.trap),
        ((op == bc.YIELD) & (o.B != v.NONE) & (o.B_tag != v.T_ACTION), bc.TRAP_KIND),
        (p.room.trap, bc.TRAP_MEMORY),
        (among(op, bc.STORE, bc.APPEND) & (row.tag != v.T_LIST), bc.TRAP_KIND),
        (among(op, bc.EACH, bc.LEN, bc.SHAPE, bc.INDEX, bc.IN) & (row.trap != 0), row.trap),
        (places & (row.position_trap != 0), row.position_trap),
        (places & ~row.inside, bc.TRAP_INDEX),
        ((op == bc.SHAPE) & (row.length != o.b), bc.TRAP_SHAPE),
        (op == bc.IN, p.search.trap),
        ((op == bc.RANGE) & (real(o.A2) == 0), bc.TRAP_DOMAIN),
        (among(op, bc.INSET, bc.ITEM) & (o.B_tag != v.T_NAME), bc.TRAP_KIND),
        (op == bc.FIELD, p.seen.field_trap),
        ((asks | among(op, bc.RAYS, bc.BLOCK)) & (p.seen.trap != 0), p.seen.trap),
        (asks & (tag(o.C) != v.T_NAME), bc.TRAP_KIND),
        ((op == bc.OFFSET) & box_c, bc.TRAP_KIND),
        ((op == bc.OFFSET) & ~((xc == -1) | (xc == 0) | (xc == 1)), bc.TRAP_INDEX),
    ]
    return select(cases, 0)


def select(cases: list[tuple[Array, Any]], otherwise: Any) -> Array:
    """Returns the value of the first case that holds."""
    return jnp.select([test for test, _ in cases], [value for _, value in cases], otherwise)


def has_next(p: Parts) -> Array:
    """Says whether a loop goes on."""
    o, step = p.o, real(p.o.A2)
    upward = (step > 0) & (real(o.A0) < real(o.A1))
    downward = (step < 0) & (real(o.A0) > real(o.A1))
    return jnp.where(o.op == bc.EACH, p.row.inside, upward | downward)


def next_place(p: Parts, pc: Array) -> Array:
    """Returns the instruction that follows if this one succeeds."""
    o, op = p.o, p.o.op
    xa, xb = real(o.A), real(o.B)
    jumps = select(
        [
            (op == bc.JLT, xa < xb),
            (op == bc.JNLT, ~(xa < xb)),
            (op == bc.JLE, xa <= xb),
            (op == bc.JNLE, ~(xa <= xb)),
            (op == bc.JEQ, p.equality.equal == 1),
            (op == bc.JNE, p.equality.equal == 0),
            (op == bc.JTAG, tag(o.A) == o.b),
            (op == bc.JFIXED, p.seen.fixed),
            (among(op, *LOOPS), has_next(p)),
        ],
        False,
    )
    tested = ((op == bc.JT) & p.row.truth) | ((op == bc.JF) & ~p.row.truth)
    return select(
        [
            (op == bc.JUMP, o.a),
            (jumps, o.c),
            (tested, o.b),
            (p.call.enters, p.call.start),
            (op == bc.RETURN, o.link & 0xFFFFF),
            (p.search.goes_on | (op == bc.HALT), pc),
        ],
        pc + 1,
    )


def value_of(p: Parts, m: Machine, now: Array) -> Array:
    """Returns the bits that an instruction writes to its first cell."""
    o, row, op = p.o, p.row, p.o.op
    xb, xc = real(o.B), real(o.C)
    position = jnp.where(is_box(o.B), 0, xb).astype(jnp.int32) * 3
    turned = TURN_BASE + camera_bin(xb) * 25 + camera_bin(xc)
    asks = between(op, bc.COUNT, bc.NEAREST) | (op == bc.ITEM)
    cases = [
        (op == bc.MOVE, o.B),
        (between(op, bc.ADD, bc.MAX), number(binary(op, xb, xc))),
        (between(op, bc.NEG, bc.WHOLE), number(unary(op, xb))),
        (op == bc.LT, number(xb < xc)),
        (op == bc.LE, number(xb <= xc)),
        (among(op, bc.EQ, bc.NE), number((p.equality.equal == 1) == (op == bc.EQ))),
        (op == bc.IS, number(o.B == o.C)),
        (among(op, bc.TRUTH, bc.NOT), number(row.truth == (op == bc.TRUTH))),
        (op == bc.YIELD, box(v.T_OBS, (now + 1) & v.AGE_MASK)),
        (op == bc.ALLOC, box(o.c & 15, bc.MAX_CONSTANTS + m.heap)),
        (among(op, bc.INDEX, bc.EACH), row.element),
        (op == bc.RANGE, o.A0),
        (op == bc.LEN, number(row.length)),
        (op == bc.IN, number(p.search.result)),
        (op == bc.INSET, number(row.in_set)),
        (op == bc.RETAG, box(o.c, o.B_at)),
        (op == bc.FIELD, p.seen.field),
        (op == bc.RAYS, box(v.T_RAYS, now & v.AGE_MASK)),
        (asks, p.seen.answer),
        (op == bc.OFFSET, number(position + o.C_real.astype(jnp.int32) + 1)),
        (op == bc.BLOCK, p.seen.name),
        (op == bc.TURN, box(v.T_ACTION, turned)),
        (p.call.enters, (m.pc + 1) | o.a << 20),
        (op == bc.CALLV, box(v.T_ACTION, p.call.action)),
        (op == bc.RETURN, o.A),
        (among(op, bc.INIT, bc.STORE), o.C),
        (op == bc.APPEND, o.B),
    ]
    return select(cases, 0)


def writes_of(p: Parts, m: Machine, now: Array) -> tuple[Array, Array]:
    """Returns the two cells each lane writes, int32[N, 2] places (-1: none) and bits."""
    o, row, op, frame = p.o, p.row, p.o.op, m.frame
    list_at = row.at - bc.MAX_CONSTANTS
    nothing = (
        among(op, bc.HALT, bc.JUMP, bc.JT, bc.JF, bc.JTAG, bc.JFIXED, bc.CHECK, bc.SHAPE)
        | between(op, bc.JLT, bc.JNE)
        | (among(op, *LOOPS) & ~has_next(p))
        | p.search.goes_on
    )
    first = select(
        [
            (nothing, -1),
            (among(op, *LOOPS), frame + o.b),
            (op == bc.RETURN, frame),
            (op == bc.INIT, (o.A & v.PAYLOAD) - bc.MAX_CONSTANTS + 1 + o.b),
            (op == bc.STORE, list_at + 1 + row.position),
            (op == bc.APPEND, list_at + 1 + row.length),
        ],
        frame + o.a,
    )
    second = select(
        [
            (nothing, -1),
            (op == bc.EACH, frame + o.a + 1),
            (op == bc.RANGE, frame + o.a),
            (op == bc.ALLOC, m.heap),
            (op == bc.APPEND, list_at),
        ],
        -1,
    )
    bits = select(
        [
            (op == bc.EACH, number(row.position + 1)),
            (op == bc.RANGE, number(real(o.A0) + real(o.A2))),
            (op == bc.ALLOC, o.b),
        ],
        p.room.header,
    )
    return jnp.stack([first, second], 1), jnp.stack([value_of(p, m, now), bits], 1)


def apart(some: Array, compute: Callable[[], Any]) -> Any:
    """Computes something in a branch of its own; `some` is a truth that holds.

    XLA would compute it on a CPU again for every register that depends on it.
    """
    if jax.default_backend() != "cpu":
        return compute()
    shapes = jax.eval_shape(compute)
    zeros = lambda: jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)  # noqa: E731
    return jax.lax.cond(some, compute, zeros)


def one_instruction(code: Code, m: Machine) -> Machine:
    """Executes the present instruction of every running lane."""
    running = m.status == RUNNING
    some = jnp.any(running)
    p = apart(some, lambda: parts_of(code, m))
    o, op = p.o, p.o.op

    def judged() -> tuple[Array, Array, Array]:
        spent = m.steps >= bc.MAX_STEPS
        waits = running & ~spent & (p.room.waits | p.equality.waits)
        trap = jnp.where(spent, bc.TRAP_STEPS, trap_of(p))
        trap = jnp.where(running & ~waits, trap, 0)
        return waits, running & ~waits & (trap == 0), trap

    waits, goes, trap = apart(some, judged)
    fails = trap != 0
    places, bits = writes_of(p, m, code.now)
    base = m.lane[:, None] * bc.MEMORY_CELLS
    places = jnp.where(goes[:, None] & (places >= 0), base + places, len(m.memory))
    action = jnp.where(o.B == v.NONE, 0, o.B_at)
    down = jnp.where(op == bc.RETURN, o.link >> 20, 0)
    taken = jnp.where(op == bc.ALLOC, 1 + (o.b >> 16), 0)
    taken += jnp.where(p.room.extends, bc.LIST_ROOM, 0)

    def if_goes(new: Any, old: Array) -> Array:
        return jnp.where(goes, new, old)

    status = select(
        [
            (waits, WAITING),
            (fails, FAILED),
            (goes & (op == bc.YIELD), YIELDED),
            (goes & (op == bc.HALT), ENDED),
        ],
        m.status,
    )
    return m._replace(
        memory=m.memory.at[places].set(bits, mode="drop"),
        pc=if_goes(next_place(p, m.pc), m.pc),
        frame=if_goes(m.frame + jnp.where(p.call.enters, o.a, 0) - down, m.frame),
        heap=if_goes(m.heap + taken, m.heap),
        steps=m.steps + (running & ~waits),
        cursor=if_goes(jnp.where(p.search.goes_on, m.cursor + 1, 0), m.cursor),
        collected=if_goes(False, m.collected),
        compared=if_goes(UNKNOWN, m.compared),
        status=status,
        result=jnp.where(fails, trap, if_goes(action, m.result)),
    )
