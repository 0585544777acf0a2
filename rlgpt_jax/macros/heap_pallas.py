"""Making room in a lane's heap: `heap_host.py` in a kernel."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from rlgpt_jax.macros.bytecode import HEAP_CELLS, MEMORY_CELLS, STACK_CELLS
from rlgpt_jax.macros.heap_jax import heap_start
from rlgpt_jax.macros.lane_pallas import OLD, PLACES, TODO, Lane

Array = jax.Array
LIVE = 1  # in PLACES, before there is a place: a sequence that is needed
BLOCK = 256  # cells that are copied at once


def cells_from(first: int) -> Array:
    return first + jnp.arange(BLOCK, dtype=jnp.int32)


def mark(lane: Lane, end: Array) -> None:
    """Writes LIVE for the first cells of sequences that are still needed, else 0."""
    i, work = lane.number, lane.work
    for first in range(PLACES, PLACES + HEAP_CELLS, BLOCK):
        work[i, cells_from(first)] = jnp.zeros(BLOCK, jnp.int32)
    lane.barrier()

    def reach(place: Array, waiting: Array) -> Array:
        """Looks at one cell of the memory."""
        at = heap_start(lane.recall(place))
        is_new = (at >= 0) & (work[i, PLACES + jnp.maximum(at, 0)] == 0)

        def found() -> Array:
            work[i, PLACES + at] = jnp.int32(LIVE)
            work[i, TODO + waiting] = at
            lane.barrier()
            return waiting + 1

        return jax.lax.cond(is_new, found, lambda: waiting)

    def of_next(waiting: Array) -> Array:
        first = STACK_CELLS + work[i, TODO + waiting - 1]
        length = lane.recall(first) & 0xFFFF
        return jax.lax.fori_loop(first + 1, first + 1 + length, reach, waiting - 1)

    waiting = jax.lax.fori_loop(0, end, reach, jnp.int32(0))
    jax.lax.while_loop(lambda n: n > 0, of_next, waiting)


def collect(lane: Lane, end: Array, grow: Array) -> Array:
    """Drops what is not needed. Returns the new first free cell of the heap.

    Args:
      end: number of stack cells in use.
      grow: first cell, counted in memory, of a list that needs more room, or -1.
    """
    i, work = lane.number, lane.work
    mark(lane, end)

    def placed(cell: Array, free: Array) -> Array:
        is_live = (work[i, PLACES + cell] == LIVE) & (cell + STACK_CELLS != grow)

        def put() -> Array:
            work[i, PLACES + cell] = free
            return free + 1 + (lane.recall(cell + STACK_CELLS) >> 16)

        return jax.lax.cond(is_live, put, lambda: free)

    free = jax.lax.fori_loop(0, HEAP_CELLS, placed, jnp.int32(STACK_CELLS))

    @pl.when(grow >= 0)
    def _() -> None:
        work[i, PLACES + grow - STACK_CELLS] = free

    lane.barrier()

    def moved(bits: Array) -> Array:
        at = heap_start(bits)
        place = work[i, PLACES + jnp.maximum(at, 0)]
        return jnp.where(at < 0, bits, bits - STACK_CELLS - at + place)

    for first in range(0, MEMORY_CELLS, BLOCK):
        cells = cells_from(first)
        old = lane.memory[i, cells]
        work[i, OLD + cells] = old
        lane.memory[i, cells] = jnp.where(cells < end, moved(old), 0)
    lane.barrier()

    def copied(cell: Array, free: Array) -> Array:
        header = work[i, OLD + STACK_CELLS + cell]
        length, room = header & 0xFFFF, header >> 16
        grows = cell + STACK_CELLS == grow
        more = jnp.minimum(jnp.maximum(2 * length, length + 8), MEMORY_CELLS - free - 1)
        room = jnp.where(grows, more, room)
        to = work[i, PLACES + cell]

        def one(j: Array, _: Array) -> Array:
            lane.memory[i, to + j] = moved(work[i, OLD + STACK_CELLS + cell + j])
            return _

        def put() -> Array:
            lane.memory[i, to] = length | room << 16
            jax.lax.fori_loop(1, length + 1, one, jnp.int32(0))
            return jnp.where(grows, free + 1 + room, free)

        return jax.lax.cond(to > 0, put, lambda: free)

    free = jax.lax.fori_loop(0, HEAP_CELLS, copied, free)
    lane.barrier()
    return free
