"""Which lanes are in the slots of the device interpreter, and what becomes of them.

The lanes that have something to run wait in a queue. When enough slots are done, their
results go to the rows of their lanes, a lane whose macro ended starts the chosen one at
once, and the next lanes of the queue take the slots that are left.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.bytecode import MacroSet, MacroState
from rlgpt_jax.macros.vm.device.machine_jax import (
    ENDED,
    FAILED,
    IDLE,
    RUNNING,
    UNKNOWN,
    YIELDED,
    Code,
    Machine,
)
from rlgpt_jax.macros.vm.host.interpret_host import ROUTINE_DEPTH

Array = jax.Array


class Row(NamedTuple):
    """A lane's numbers, int32[N] each: the state, then what came of the tick."""

    pc: Any
    frame: Any
    heap: Any
    slot: Any
    ticks: Any
    answer: Any  # action code, -1 if no macro acts
    from_macro: Any
    decided: Any
    ended: Any  # as in MacroTick
    ended_slot: Any
    trap_code: Any
    trap_line: Any
    starts: Any  # slot of the macro that starts where the lane decides, 0 for none


class Queue(NamedTuple):
    """The lanes that wait for a slot."""

    order: Any  # int32[N]: the lanes that have something to run, then the others
    next: Any  # int32: place in `order` of the next lane
    count: Any  # int32: lanes that have something to run


def first_rows(
    macro_set: MacroSet, state: MacroState, chosen: Array, busy: Array, tick_limit: int | Array
) -> tuple[Row, Array]:
    """Decides where no macro goes on. Returns the rows, and bool[N] who starts."""
    wanted = jnp.clip(chosen, 0, bc.MAX_MACROS).astype(jnp.int32)
    starts = jnp.where(macro_set.valid[wanted - 1], wanted, 0)
    active = ~busy & (state.slot > 0)
    over = active & (state.ticks >= tick_limit)
    decides = ~busy & (over | (state.slot == 0))
    begins = decides & (starts > 0)
    zero = jnp.zeros_like(state.slot)
    row = Row(
        *state[1:],
        answer=zero - 1,
        from_macro=zero,
        decided=decides.astype(jnp.int32),
        ended=jnp.where(over, bc.TICK_LIMIT_REACHED, zero),
        ended_slot=jnp.where(over, state.slot, zero),
        trap_code=zero,
        trap_line=zero,
        starts=starts,
    )
    row = row._replace(slot=jnp.where(over, 0, row.slot))
    return started(row, begins), begins


def started(row: Row, begins: Array) -> Row:
    """Puts lanes at the beginning of the macro that they start."""

    def put(value: Any, old: Array) -> Array:
        return jnp.where(begins, value, old)

    return row._replace(
        pc=put(0, row.pc),
        frame=put(0, row.frame),
        heap=put(bc.STACK_CELLS, row.heap),
        slot=put(row.starts, row.slot),
        ticks=put(0, row.ticks),
        decided=put(1, row.decided),
        from_macro=put(1, row.from_macro),
    )


def first_queue(runs: Array) -> Queue:
    order = jnp.argsort(~runs, stable=True).astype(jnp.int32)
    return Queue(order, jnp.int32(0), jnp.sum(runs, dtype=jnp.int32))


def empty_machine(memory: Array, slots: int) -> Machine:
    """Slots without a lane. `memory` is int32[N, MEMORY_CELLS]."""
    zero = jnp.zeros(slots, jnp.int32)
    return Machine(
        memory=memory.reshape(-1), lane=zero, macro=zero, now=zero, pc=zero, frame=zero,
        heap=zero, steps=zero, cursor=zero, collected=zero > 0, compared=zero + UNKNOWN,
        status=zero + IDLE, result=zero,
    )  # fmt: skip


def settle(code: Code, m: Machine, rows: Array, queue: Queue) -> tuple[Machine, Array, Queue]:
    """Takes results out of the slots that are done and puts lanes into free slots.

    `rows` is int32[N, fields of Row].
    """
    lanes = len(rows)
    done = (m.status == YIELDED) | (m.status == ENDED) | (m.status == FAILED)
    row = result(code, m, Row(*rows[m.lane].T))
    again = done & (m.status != YIELDED) & (row.decided == 0)
    row = row._replace(decided=jnp.where(again, 1, row.decided))
    again &= row.starts > 0
    row = started(row, again)
    rows = rows.at[jnp.where(done, m.lane, lanes)].set(jnp.stack(row, axis=1), mode="drop")

    cells = m.memory.reshape(lanes, -1)
    cells = cells.at[jnp.where(again, m.lane, lanes)].set(0, mode="drop")
    free = (m.status == IDLE) | (done & ~again)
    place = queue.next + jnp.cumsum(free, dtype=jnp.int32) - 1
    comes = free & (place < queue.count)
    lane = jnp.where(comes, queue.order[jnp.minimum(place, lanes - 1)], m.lane)
    row = Row(*rows[lane].T)
    new = comes | again

    def put(value: Any, old: Array) -> Array:
        return jnp.where(new, value, old)

    status = jnp.where(new, RUNNING, jnp.where(free, IDLE, m.status))
    queue = queue._replace(next=queue.next + jnp.sum(comes, dtype=jnp.int32))
    return (
        m._replace(
            memory=cells.reshape(-1),
            lane=lane,
            macro=put(jnp.clip(row.slot - 1, 0, bc.MAX_MACROS - 1), m.macro),
            now=put(row.ticks, m.now),
            pc=put(row.pc, m.pc),
            frame=put(row.frame, m.frame),
            heap=put(row.heap, m.heap),
            steps=put(0, m.steps),
            cursor=put(0, m.cursor),
            collected=put(False, m.collected),
            compared=put(UNKNOWN, m.compared),
            status=status,
        ),
        rows,
        queue,
    )


def result(code: Code, m: Machine, row: Row) -> Row:
    """The rows of the slots' lanes, if they are done."""
    yielded, failed = m.status == YIELDED, m.status == FAILED
    trap = jnp.where(failed, m.result, 0)
    line = jnp.where(failed, code.trap_line(m, ROUTINE_DEPTH), 0)
    ends = Row(
        pc=m.pc, frame=m.frame, heap=m.heap, slot=0, ticks=row.ticks, answer=-1,
        from_macro=row.from_macro, decided=row.decided,
        ended=jnp.where(failed, bc.TRAPPED, bc.RETURNED), ended_slot=m.macro + 1,
        trap_code=trap, trap_line=line, starts=row.starts,
    )  # fmt: skip
    acts = row._replace(
        pc=m.pc, frame=m.frame, heap=m.heap, ticks=row.ticks + 1, answer=m.result, from_macro=1
    )
    return Row(*(jnp.where(yielded, a, e) for a, e in zip(acts, ends, strict=True)))
