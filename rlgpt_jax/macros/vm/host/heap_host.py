"""Making room in a lane's heap, host version (numba; uncompiled it is the reference).

Sequences that no register can reach, directly or through other sequences, are dropped.
The others move together in the order of their addresses; a list that is to grow moves
behind them and gets more room. All references are changed accordingly.
"""

from rlgpt_jax.macros.values import BOX, FIRST_BOX, PAYLOAD, T_TUPLE, T_UNBOUND, TAG_SHIFT
from rlgpt_jax.macros.vm.bytecode import HEAP_CELLS, MAX_CONSTANTS, MEMORY_CELLS, STACK_CELLS
from rlgpt_jax.macros.vm.host.kernels import Cells, lean


@lean
def heap_start(bits: int) -> int:
    """Returns the heap cell, counted in memory, that a value refers to; -1 if none."""
    if bits >= 0 or bits < FIRST_BOX:
        return -1
    tag = (bits - BOX) >> TAG_SHIFT
    if tag < T_TUPLE or tag == T_UNBOUND:
        return -1
    return (bits & PAYLOAD) - MAX_CONSTANTS  # negative for constant tuples


SCRATCH_CELLS = 2 * HEAP_CELLS + MEMORY_CELLS


@lean
def mark(memory: Cells, end: int, live: Cells, todo: Cells) -> None:
    """Sets `live`, int32[HEAP_CELLS], to 1 at the first cells of needed sequences, else 0.

    Args:
      end: number of stack cells in use.
      todo: int32[HEAP_CELLS] of room.
    """
    live[:] = 0
    waiting = 0
    for i in range(end):
        at = heap_start(int(memory[i]))
        if at >= 0 and live[at - STACK_CELLS] == 0:
            live[at - STACK_CELLS] = 1
            todo[waiting] = at
            waiting += 1
    while waiting > 0:
        waiting -= 1
        first = int(todo[waiting])
        length = int(memory[first]) & 0xFFFF
        for i in range(first + 1, first + 1 + length):
            at = heap_start(int(memory[i]))
            if at >= 0 and live[at - STACK_CELLS] == 0:
                live[at - STACK_CELLS] = 1
                todo[waiting] = at
                waiting += 1


@lean
def moved(bits: int, places: Cells) -> int:
    """Returns a value with its reference changed."""
    at = heap_start(bits)
    return bits if at < 0 else bits - at + int(places[at - STACK_CELLS])


@lean
def collect(memory: Cells, scratch: Cells, end: int, grow: int) -> int:
    """Drops what is not needed. Returns the new first free cell.

    Args:
      memory: int32[MEMORY_CELLS] of one lane, changed in place.
      scratch: int32[SCRATCH_CELLS] of room, with anything in it.
      end: number of stack cells in use.
      grow: first cell of a list that needs more room, or -1.
    """
    live, places = scratch[:HEAP_CELLS], scratch[HEAP_CELLS : 2 * HEAP_CELLS]
    mark(memory, end, live, places)
    free = STACK_CELLS
    for i in range(HEAP_CELLS):
        if live[i] and i + STACK_CELLS != grow:
            places[i] = free
            free += 1 + (int(memory[i + STACK_CELLS]) >> 16)
    if grow >= 0:
        places[grow - STACK_CELLS] = free
    old = scratch[2 * HEAP_CELLS :]
    for i in range(MEMORY_CELLS):
        old[i] = memory[i]
    for i in range(end):
        memory[i] = moved(int(old[i]), places)
    memory[end:] = 0
    for i in range(HEAP_CELLS):
        if live[i]:
            first = i + STACK_CELLS
            length, room = int(old[first]) & 0xFFFF, int(old[first]) >> 16
            if first == grow:
                room = min(max(2 * length, length + 8), MEMORY_CELLS - free - 1)
                free += 1 + room
            to = int(places[i])
            memory[to] = length | room << 16
            for j in range(1, length + 1):
                memory[to + j] = moved(int(old[first + j]), places)
    return free
