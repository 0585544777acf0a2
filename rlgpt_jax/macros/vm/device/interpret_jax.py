"""The device interpreter: the bytecode in JAX, written over the batch by hand.

A while loop executes one instruction of every slot per round (`instruction_jax.py`): all
operations are computed for all slots and the right result is selected, because a
`switch` under `vmap` would do the same less openly. What is rare and needs much of the
memory is done between rounds, and so is the change of lanes in the slots
(`queue_jax.py`). It can be used inside `jit` and `lax.scan`, and gives the same bits as
`interpret_host.py`, which defines what each instruction means.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import TABLE
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.bytecode import MacroSet, MacroState, MacroTick
from rlgpt_jax.macros.vm.device.cells_jax import among, same
from rlgpt_jax.macros.vm.device.heap_jax import collect
from rlgpt_jax.macros.vm.device.instruction_jax import one_instruction
from rlgpt_jax.macros.vm.device.machine_jax import IDLE, RUNNING, UNKNOWN, WAITING, Code, Machine
from rlgpt_jax.macros.vm.device.parts_jax import compared_values
from rlgpt_jax.macros.vm.device.queue_jax import Row, empty_machine, first_queue, first_rows, settle
from rlgpt_jax.macros.vm.host.cells_host import MAX_FLAT

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
    spec: WorldSpec | None = None,
) -> tuple[MacroState, MacroTick]:
    """Runs the macros of all lanes for one tick; see `interpret_host.tick`.

    Raises:
      ValueError: there is a spec.
    """
    if spec is not None:
        raise ValueError(
            f"{spec.name}: worlds with a spec live on the host, the device runs Minecraft's macros "
            "alone; use interpret_host.tick with NumPy arrays"
        )
    macro_set = jax.tree.map(jnp.asarray, macro_set)
    row, begins = first_rows(macro_set, state, chosen, busy, tick_limit)
    memory = jnp.where(begins[:, None], 0, state.memory)
    memory, row = run_lanes(macro_set, memory, view, row, ~busy & (row.slot > 0))
    state = MacroState(memory, row.pc, row.frame, row.heap, row.slot, row.ticks)
    action = jnp.asarray(TABLE)[jnp.maximum(row.answer, 0)]
    ends = (row.ended, row.ended_slot, row.trap_code, row.trap_line)
    return state, MacroTick(action, row.from_macro > 0, row.decided > 0, *ends)


def slots_for(lanes: int) -> int:
    """Returns how many lanes are executed at once.

    On a CPU the cost of a round grows with the slots, so that few of them, always full,
    are best; on a GPU it hardly does, and the rounds are what counts.
    """
    return lanes if jax.default_backend() != "cpu" else min(lanes, max(16, lanes // 8))


# --- the loop --------------------------------------------------------------------
def run_lanes(
    macro_set: MacroSet, memory: Array, view: Array, row: Row, runs: Array
) -> tuple[Array, Row]:
    """Executes the lanes `runs` until each has yielded or ended, and decided if it ended."""
    slots = slots_for(len(view))
    machine, rows = empty_machine(memory, slots), jnp.stack(row, axis=1)

    def busy(carry: tuple) -> Array:
        machine, _, queue = carry
        return jnp.any(machine.status != IDLE) | (queue.next < queue.count)

    def turn(carry: tuple) -> tuple:
        machine, rows, queue = carry
        machine, rows, queue = settle(Code(macro_set, view, machine), machine, rows, queue)
        # While lanes wait for a slot, the rounds stop when half of the slots are done.
        enough = jnp.where(queue.next < queue.count, slots // 2, 0)
        machine = execute(Code(macro_set, view, machine), machine, enough)
        return machine, rows, queue

    carry = (machine, rows, first_queue(runs))
    machine, rows, _ = jax.lax.while_loop(busy, turn, carry)
    return machine.memory.reshape(memory.shape), Row(*rows.T)


def execute(code: Code, machine: Machine, enough: Array) -> Machine:
    """Runs until at most `enough` slots are running; helps waiting ones in between."""

    def goes_on(m: Machine) -> Array:
        return jnp.sum(m.status == RUNNING) > enough

    def rounds(machine: Machine) -> Machine:
        machine = jax.lax.while_loop(goes_on, lambda m: one_instruction(code, m), machine)
        return jax.lax.cond(
            jnp.any(machine.status == WAITING),
            lambda m: help_waiting(code, m),
            lambda m: m,
            machine,
        )

    return jax.lax.while_loop(goes_on, rounds, machine)


def help_waiting(code: Code, machine: Machine) -> Machine:
    """Does what is rare and needs much of the memory; waiting lanes then try again.

    These are the collection of a heap and the comparison of two sequences.
    """
    waiting = machine.status == WAITING
    op, a, b, c = code.instruction(machine.pc)
    cells = machine.memory.reshape(-1, bc.MEMORY_CELLS)
    memory = cells[machine.lane]
    for_room = waiting & among(op, bc.ALLOC, bc.APPEND)
    A, B, C = (code.operand(memory, machine.frame, x) for x in (a, b, c))
    grows = for_room & (op == bc.APPEND)
    end = machine.frame + jnp.where(grows, c, c >> 4)
    grow = jnp.where(grows, (A & v.PAYLOAD) - bc.MAX_CONSTANTS, -1)
    new, heap = collect(memory, jnp.where(for_room, end, 0), grow)
    places = jnp.where(for_room, machine.lane, len(cells))
    element = code.cells(memory, (C & v.PAYLOAD) + 1 + machine.cursor)
    left, right = compared_values(op, A, B, C, element)
    compared = same_rows(code, memory, left, right)
    return machine._replace(
        memory=cells.at[places].set(new, mode="drop").reshape(-1),
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
