"""The kernel interpreter for GPUs: one program of a Pallas kernel runs one lane.

A lane branches on its own instructions and stops when it is done, so that it costs what
it executes, whereas `interpret_jax.py` computes all operations for all lanes until the
last lane is done. It has the same functions and gives the same bits. It is lowered with
Triton for CUDA; `interpret=True` runs it anywhere, slowly, for tests.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros.actions import TABLE
from rlgpt_jax.macros.bytecode import MacroSet, MacroState, MacroTick
from rlgpt_jax.macros.instruction_pallas import one_instruction
from rlgpt_jax.macros.interpret_host import ROUTINE_DEPTH
from rlgpt_jax.macros.interpret_jax import cut, init_state
from rlgpt_jax.macros.lane_pallas import (
    ENDED,
    FAILED,
    IDLE,
    RUNNING,
    TABLES,
    WORK_CELLS,
    YIELDED,
    Lane,
    Machine,
    pick,
)

__all__ = ["cut", "init_state", "tick"]
Array = jax.Array
THREADS = 1  # warps of 32 threads per lane: a lane has no use for more

# Columns of a lane's row of numbers, what comes in and what goes out.
PC, FRAME, HEAP, SLOT, TICKS, CHOSEN, BUSY = range(7)
ANSWER, FROM_MACRO, DECIDED, ENDS = 5, 6, 7, 8  # ENDS: the four columns of an end
ROW = 16
BLOCK = 256  # cells that are cleared at once


def tick(
    macro_set: MacroSet,
    state: MacroState,
    view: Array,
    chosen: Array,
    busy: Array,
    tick_limit: int | Array = bc.TICK_LIMIT,
    interpret: bool = False,
) -> tuple[MacroState, MacroTick]:
    """Runs the macros of all lanes for one tick; see `interpret_host.tick`."""
    macro_set = jax.tree.map(jnp.asarray, macro_set)
    lanes = len(view)
    numbers = (*state[1:], chosen, busy)
    rows = jnp.stack([jnp.asarray(x, jnp.int32) for x in numbers], axis=1)
    rows = jnp.pad(rows, ((0, 0), (0, ROW - len(numbers))))
    arrays = (
        jnp.asarray(tick_limit, jnp.int32).reshape(1),
        macro_set.code,
        macro_set.lines,
        macro_set.constants,
        macro_set.valid.astype(jnp.int32),
        jnp.asarray(TABLES),
        view.astype(jnp.float32),
        state.memory,
        rows,
    )
    shapes = (state.memory.shape, rows.shape, (lanes, WORK_CELLS))
    run = pl.pallas_call(
        functools.partial(tick_lane, has_threads=not interpret),
        out_shape=tuple(jax.ShapeDtypeStruct(shape, jnp.int32) for shape in shapes),
        grid=(lanes,),
        input_output_aliases={len(arrays) - 2: 0, len(arrays) - 1: 1},
        compiler_params=plgpu.CompilerParams(num_warps=THREADS, num_stages=1),
        interpret=interpret,
        name="macro_tick",
    )
    memory, rows, _ = run(*arrays)
    state = MacroState(memory, *(rows[:, i] for i in (PC, FRAME, HEAP, SLOT, TICKS)))
    flags = (rows[:, i] > 0 for i in (FROM_MACRO, DECIDED))
    ends = (rows[:, ENDS + i] for i in range(4))
    action = jnp.asarray(TABLE)[jnp.maximum(rows[:, ANSWER], 0)]
    return state, MacroTick(action, *flags, *ends)


def tick_lane(
    limit: Any, code: Any, lines: Any, constants: Any, valid: Any, tables: Any, view: Any,
    memory_in: Any, rows_in: Any, memory: Any, rows: Any, work: Any, *, has_threads: bool,
) -> None:  # fmt: skip
    """Runs one lane for one tick. `memory_in` and `rows_in` are `memory` and `rows`."""
    number = pl.program_id(0)
    chosen, busy = rows[number, CHOSEN], rows[number, BUSY] != 0
    can_start = (chosen > 0) & (chosen <= bc.MAX_MACROS)
    can_start &= valid[jnp.clip(chosen - 1, 0, bc.MAX_MACROS - 1)] != 0
    none = jnp.int32(0)

    def phase(second: Array, carry: tuple) -> tuple:
        """First goes on with a running macro, then starts the chosen one."""
        pc, frame, heap, slot, ticks, answer, from_macro, decided, *ends = carry
        asked = ~busy & (answer < 0) & (second > 0)
        starts = asked & can_start
        pc, frame, ticks = (jnp.where(starts, 0, x) for x in (pc, frame, ticks))
        heap, slot = jnp.where(starts, bc.STACK_CELLS, heap), jnp.where(starts, chosen, slot)
        runs = jnp.where(second > 0, starts, ~busy & (slot > 0))
        macro = jnp.clip(slot - 1, 0, bc.MAX_MACROS - 1)
        lane = Lane(
            number, macro, ticks, code, lines, constants, view, tables, memory, work, has_threads
        )
        pl.when(starts)(lambda: clear(lane))
        over = runs & (ticks >= limit[0])
        status = pick(runs & ~over, RUNNING, IDLE)
        m = Machine(pc, frame, heap, none, status, none)
        m = jax.lax.while_loop(
            lambda m: m.status == RUNNING, lambda m: one_instruction(lane, m), m
        )
        yielded, failed = m.status == YIELDED, m.status == FAILED
        ended = over | failed | (m.status == ENDED)
        why = pick(failed, bc.TRAPPED, bc.RETURNED)
        line = jax.lax.cond(failed, lambda: lane.trap_line(m, ROUTINE_DEPTH), lambda: none)
        new = (
            jnp.where(over, bc.TICK_LIMIT_REACHED, why),
            slot,
            jnp.where(failed, m.result, 0),
            line,
        )
        return (
            m.pc,
            m.frame,
            m.heap,
            jnp.where(ended, 0, slot),
            ticks + yielded,
            jnp.where(runs, jnp.where(yielded, m.result, -1), answer),
            from_macro | starts | yielded,
            decided | asked,
            *(jnp.where(ended, n, e) for n, e in zip(new, ends, strict=True)),
        )

    registers = (rows[number, i] for i in (PC, FRAME, HEAP, SLOT, TICKS))
    carry = (*registers, none - 1, none, none, none, none, none, none)
    # A loop of two rounds, so that the interpreter is compiled once.
    carry = jax.lax.fori_loop(0, 2, phase, tuple(carry))
    for column, x in enumerate(carry):
        rows[number, column] = x


def clear(lane: Lane) -> None:
    """Empties the memory of a lane whose macro begins."""
    for first in range(0, bc.MEMORY_CELLS, BLOCK):
        cells = first + jnp.arange(BLOCK, dtype=jnp.int32)
        lane.memory[lane.number, cells] = jnp.zeros(BLOCK, jnp.int32)
    lane.barrier()
