"""The device interpreter: the bytecode in JAX, written over the batch by hand.

A while loop executes one instruction of every running lane per round
(`instruction_jax.py`): all operations are computed for all lanes and the right result
is selected, because a `switch` under `vmap` would do the same less openly. What is rare
and needs much of the memory is done between rounds. It can be used inside `jit` and
`lax.scan`, and gives the same bits as `interpret_host.py`, which defines what each
instruction means.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import TABLE
from rlgpt_jax.macros.bytecode import MacroSet, MacroState, MacroTick
from rlgpt_jax.macros.cells_host import MAX_FLAT
from rlgpt_jax.macros.cells_jax import among, same
from rlgpt_jax.macros.heap_jax import collect
from rlgpt_jax.macros.instruction_jax import one_instruction
from rlgpt_jax.macros.interpret_host import ROUTINE_DEPTH
from rlgpt_jax.macros.machine_jax import (
    ENDED,
    FAILED,
    IDLE,
    RUNNING,
    UNKNOWN,
    WAITING,
    YIELDED,
    Code,
    Machine,
)
from rlgpt_jax.macros.parts_jax import compared_values

Array = jax.Array


def init_state(num_lanes: int) -> MacroState:
    """Returns the state of lanes without a running macro (JAX arrays)."""
    numbers = [jnp.zeros(num_lanes, jnp.int32) for _ in range(5)]
    return MacroState(jnp.zeros((num_lanes, bc.MEMORY_CELLS), jnp.int32), *numbers)


def cut(state: MacroState, done: Array) -> MacroState:
    """Drops the macros of lanes whose episode ended; `done` is bool[N]."""
    return state._replace(slot=jnp.where(done, 0, state.slot))


def tick(
    macro_set: MacroSet,
    state: MacroState,
    view: Array,
    chosen: Array,
    busy: Array,
    tick_limit: int | Array = bc.TICK_LIMIT,
) -> tuple[MacroState, MacroTick]:
    """Runs the macros of all lanes for one tick; see `interpret_host.tick`."""
    macro_set = jax.tree.map(jnp.asarray, macro_set)
    lanes = len(view)
    none = jnp.zeros(lanes, jnp.int32)

    def phase(second: Array, carry: tuple) -> tuple:
        """First goes on with running macros, then starts the chosen ones."""
        state, answer, from_macro, decided, ends = carry
        asked = ~busy & (answer < 0) & (second > 0)
        wanted = jnp.clip(chosen, 0, bc.MAX_MACROS)
        starts = asked & (wanted > 0) & macro_set.valid[wanted - 1]
        state = started(state, starts, wanted)
        running = jnp.where(second > 0, starts, ~busy & (state.slot > 0))
        state, code, ends = run_lanes(macro_set, state, view, running, ends, tick_limit)
        from_macro = from_macro | starts | (running & (code >= 0))
        return state, jnp.where(running, code, answer), from_macro, decided | asked, ends

    no = jnp.zeros(lanes, bool)
    carry = (state, none - 1, no, no, (none, none, none, none))
    # A loop of two rounds, so that the interpreter is compiled once.
    state, answer, from_macro, decided, ends = jax.lax.fori_loop(0, 2, phase, carry)
    action = jnp.asarray(TABLE)[jnp.maximum(answer, 0)]
    return state, MacroTick(action, from_macro, decided, *ends)


def started(state: MacroState, starts: Array, wanted: Array) -> MacroState:
    """Puts lanes at the beginning of their macro."""

    def zero(x: Array) -> Array:
        return jnp.where(starts, 0, x)

    return MacroState(
        memory=jnp.where(starts[:, None], 0, state.memory),
        pc=zero(state.pc),
        frame=zero(state.frame),
        heap=jnp.where(starts, bc.STACK_CELLS, state.heap),
        slot=jnp.where(starts, wanted, state.slot).astype(jnp.int32),
        ticks=zero(state.ticks),
    )


def run_lanes(
    macro_set: MacroSet,
    state: MacroState,
    view: Array,
    running: Array,
    ends: tuple,
    tick_limit: int | Array,
) -> tuple[MacroState, Array, tuple]:
    """Runs lanes until each yields or ends. Returns the action codes, -1 at an end."""
    over = running & (state.ticks >= tick_limit)
    code = Code(macro_set, state.slot - 1, view, state.ticks)
    machine = Machine(
        memory=state.memory.reshape(-1),
        pc=state.pc,
        frame=state.frame,
        heap=state.heap,
        steps=jnp.zeros_like(state.pc),
        cursor=jnp.zeros_like(state.pc),
        collected=jnp.zeros_like(running),
        compared=jnp.full_like(state.pc, UNKNOWN),
        status=jnp.where(running & ~over, RUNNING, IDLE),
        result=jnp.zeros_like(state.pc),
    )
    machine = execute(code, machine)
    yielded = machine.status == YIELDED
    failed = machine.status == FAILED
    ended = failed | over | (machine.status == ENDED)
    why = jnp.where(over, bc.TICK_LIMIT_REACHED, jnp.where(failed, bc.TRAPPED, bc.RETURNED))
    line = code.trap_line(machine, ROUTINE_DEPTH)
    new = (why, state.slot, jnp.where(failed, machine.result, 0), jnp.where(failed, line, 0))
    ends = tuple(jnp.where(ended, n, e).astype(jnp.int32) for n, e in zip(new, ends, strict=True))
    state = MacroState(
        memory=machine.memory.reshape(state.memory.shape),
        pc=machine.pc,
        frame=machine.frame,
        heap=machine.heap,
        slot=jnp.where(ended, 0, state.slot),
        ticks=state.ticks + yielded,
    )
    return state, jnp.where(yielded, machine.result, -1), ends


# --- the loop --------------------------------------------------------------------
def execute(code: Code, machine: Machine) -> Machine:
    """Runs until no lane is running; helps waiting lanes in between."""

    def rounds(machine: Machine) -> Machine:
        machine = jax.lax.while_loop(
            lambda m: jnp.any(m.status == RUNNING), lambda m: one_instruction(code, m), machine
        )
        return jax.lax.cond(
            jnp.any(machine.status == WAITING),
            lambda m: help_waiting(code, m),
            lambda m: m,
            machine,
        )

    return jax.lax.while_loop(lambda m: jnp.any(m.status == RUNNING), rounds, machine)


def help_waiting(code: Code, machine: Machine) -> Machine:
    """Does what is rare and needs much of the memory; waiting lanes then try again.

    These are the collection of a heap and the comparison of two sequences.
    """
    waiting = machine.status == WAITING
    op, a, b, c = code.instruction(machine.pc)
    memory = machine.memory.reshape(len(op), -1)
    for_room = waiting & among(op, bc.ALLOC, bc.APPEND)
    A, B, C = (code.operand(memory, machine.frame, x) for x in (a, b, c))
    grows = for_room & (op == bc.APPEND)
    end = machine.frame + jnp.where(grows, c, c >> 4)
    grow = jnp.where(grows, (A & v.PAYLOAD) - bc.MAX_CONSTANTS, -1)
    new, heap = collect(memory, jnp.where(for_room, end, 0), grow)
    element = code.cells(memory, (C & v.PAYLOAD) + 1 + machine.cursor)
    left, right = compared_values(op, A, B, C, element)
    compared = same_rows(code, memory, left, right)
    return machine._replace(
        memory=jnp.where(for_room[:, None], new, memory).reshape(-1),
        heap=jnp.where(for_room, heap, machine.heap),
        collected=machine.collected | for_room,
        compared=jnp.where(waiting & ~for_room, compared, UNKNOWN),
        status=jnp.where(waiting, RUNNING, machine.status),
    )


def same_rows(code: Code, memory: Array, left: Array, right: Array) -> Array:
    """Compares two short flat sequences per lane: 1, 0 or minus a trap code."""
    offsets = jnp.arange(MAX_FLAT + 1)
    one = code.cells(memory, (left & v.PAYLOAD)[:, None] + offsets)
    other = code.cells(memory, (right & v.PAYLOAD)[:, None] + offsets)
    length, other_length = one[:, 0] & 0xFFFF, other[:, 0] & 0xFFFF
    used = jnp.arange(MAX_FLAT) < length[:, None]
    equal = jnp.where(used, same(one[:, 1:], other[:, 1:]), 1)
    nested = jnp.any(equal < 0, axis=1)
    result = jnp.where(nested, -bc.TRAP_KIND, jnp.min(equal, axis=1))
    result = jnp.where(length > MAX_FLAT, -bc.TRAP_KIND, result)
    return jnp.where(length != other_length, 0, result)
