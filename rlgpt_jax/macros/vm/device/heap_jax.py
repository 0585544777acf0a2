"""Making room in the lanes' heaps, JAX version of `heap_host.py`, all lanes at once."""

import jax
import jax.numpy as jnp

from rlgpt_jax.macros.values import BOX, FIRST_BOX, PAYLOAD, T_OBS_RECORD, T_TUPLE, TAG_SHIFT
from rlgpt_jax.macros.vm.bytecode import HEAP_CELLS, MAX_CONSTANTS, MEMORY_CELLS, STACK_CELLS


def heap_start(bits: jax.Array) -> jax.Array:
    """Returns the heap cell (0..HEAP_CELLS-1) that values refer to; -1 if none."""
    tag = (bits - BOX) >> TAG_SHIFT
    at = (bits & PAYLOAD) - MAX_CONSTANTS - STACK_CELLS
    refers = (bits < 0) & (bits >= FIRST_BOX) & (tag >= T_TUPLE) & (tag <= T_OBS_RECORD)
    return jnp.where(refers & (at >= 0), at, -1)


def marked(live: jax.Array, starts: jax.Array) -> jax.Array:
    """Returns `live` bool[N, HEAP_CELLS] with the cells in `starts` [N, C] added."""
    rows = jnp.arange(len(live))[:, None]
    places = jnp.where(starts >= 0, starts, HEAP_CELLS)
    return live.at[rows, places].set(True, mode="drop")


def covered(live: jax.Array, heap: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns for each heap cell the sequence it is in, and whether it is an element."""
    cells = jnp.arange(HEAP_CELLS)
    first = jax.lax.cummax(jnp.where(live, cells, -1), axis=1)
    header = jnp.take_along_axis(heap, jnp.maximum(first, 0), axis=1)
    offset = cells - first
    return first, (first >= 0) & (offset > 0) & (offset <= (header & 0xFFFF))


def mark(stack: jax.Array, heap: jax.Array, end: jax.Array) -> jax.Array:
    """Returns bool[N, HEAP_CELLS]: first cells of sequences that are still needed."""
    in_use = jnp.arange(STACK_CELLS) < end[:, None]
    roots = jnp.where(in_use, heap_start(stack), -1)
    inner = heap_start(heap)

    def more(live: jax.Array) -> jax.Array:
        _, is_element = covered(live, heap)
        return marked(live, jnp.where(is_element, inner, -1))

    def body(pair: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return pair[1], more(pair[1])

    live = marked(jnp.zeros(heap.shape, bool), roots)
    pair = (live, more(live))
    return jax.lax.while_loop(lambda p: jnp.any(p[0] != p[1]), body, pair)[1]


def collect(memory: jax.Array, end: jax.Array, grow: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Drops what is not needed in every lane. Returns `(memory, first free cell)`.

    Args:
      memory: int32[N, MEMORY_CELLS].
      end: int32[N] stack cells in use.
      grow: int32[N] first cell, counted in memory, of a list that needs room, or -1.
    """
    stack, heap = memory[:, :STACK_CELLS], memory[:, STACK_CELLS:]
    live = mark(stack, heap, end)
    cells = jnp.arange(HEAP_CELLS)
    grows = live & (cells == grow[:, None] - STACK_CELLS)
    sizes = jnp.where(live & ~grows, 1 + (heap >> 16), 0)
    ends = jnp.cumsum(sizes, axis=1, dtype=jnp.int32)
    total = ends[:, -1:]
    places = jnp.where(grows, total, ends - sizes)  # in the heap
    free = STACK_CELLS + total

    length, room = heap & 0xFFFF, heap >> 16
    grown = jnp.minimum(jnp.maximum(2 * length, length + 8), MEMORY_CELLS - free - 1)
    headers = jnp.where(grows, length | grown << 16, length | room << 16)
    free = free[:, 0] + jnp.sum(jnp.where(grows, 1 + grown, 0), axis=1, dtype=jnp.int32)

    def moved(bits: jax.Array) -> jax.Array:
        at = heap_start(bits)
        to = jnp.take_along_axis(places, jnp.maximum(at, 0), axis=1)
        return jnp.where(at < 0, bits, bits - at + to)

    first, is_element = covered(live, heap)
    to = jnp.take_along_axis(places, jnp.maximum(first, 0), axis=1) + cells - first
    to = jnp.where(is_element | live, to, HEAP_CELLS)
    rows = jnp.arange(len(memory))[:, None]
    values = jnp.where(live, headers, moved(heap))
    new_heap = jnp.zeros_like(heap).at[rows, to].set(values, mode="drop")
    in_use = jnp.arange(STACK_CELLS) < end[:, None]
    new_stack = jnp.where(in_use, moved(stack), 0)
    return jnp.concatenate([new_stack, new_heap], axis=1), free.astype(jnp.int32)
