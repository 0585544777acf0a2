"""The short list of cells that each lane has to look at again.

An entry is a flat cell of the lane's (periodic) world and the tick from which on it is
due; 0 marks a free entry. Cells of blocks in flight are stored with the number of cells
of the world added.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.state import Updates


class Taken(NamedTuple):
    """Entries that are due, at most K per lane."""

    active: jax.Array  # bool[G, K]
    cell: jax.Array  # int32[G, K]
    entry: jax.Array  # int32[G, K]


def is_due(queue: Updates, tick: jax.Array) -> jax.Array:
    """bool[G, U]: the entries that a lane handles at `tick` int32[G]."""
    return (queue.due > 0) & (queue.due <= tick[:, None])


def peek(queue: Updates, tick: jax.Array, count: int) -> Taken:
    """The `count` entries that wait longest at `tick` int32[G], without removing them."""
    never = jnp.iinfo(jnp.int32).max
    due = jnp.where(is_due(queue, tick), queue.due, never)
    entries, actives = [], []
    for _ in range(count):
        entry = jnp.argmin(due, axis=1).astype(jnp.int32)
        here = jnp.arange(due.shape[1], dtype=jnp.int32) == entry[:, None]
        actives.append((due < never).any(1))
        entries.append(entry)
        due = jnp.where(here, never, due)
    entry = jnp.stack(entries, 1)
    return Taken(jnp.stack(actives, 1), jnp.take_along_axis(queue.cell, entry, 1), entry)


def remove(queue: Updates, entry: jax.Array, active: jax.Array) -> Updates:
    """Frees entries int32[G, K] where `active` bool[G, K]."""
    index = jnp.arange(queue.due.shape[1], dtype=jnp.int32)
    gone = ((entry[..., None] == index) & active[..., None]).any(1)
    return queue.replace(due=jnp.where(gone, 0, queue.due))


def _ranks(marked: jax.Array) -> jax.Array:
    """int32[G, C]: how many marked entries come before each one."""
    size = marked.shape[1]
    earlier = jnp.asarray(np.triu(np.ones((size, size), np.float32), 1))
    count = jnp.dot(marked.astype(jnp.float32), earlier, precision=jax.lax.Precision.HIGHEST)
    return count.astype(jnp.int32)


def add(queue: Updates, cell: jax.Array, due: jax.Array, size: int) -> Updates:
    """Adds different cells int32[G, C] with their ticks int32[G, C], 0 = none.

    A cell that already waits keeps the earlier tick. What finds no free entry is lost.

    Args:
      queue: G lanes.
      cell: flat cells, `size` added for a block in flight.
      due: the ticks.
      size: cells of a world.
    """
    wanted, waits = due > 0, queue.due > 0
    equal = ((cell % size)[:, :, None] == (queue.cell % size)[:, None]) & waits[:, None]
    equal &= wanted[:, :, None]
    fresh = wanted & ~equal.any(2)
    # Equal cells meet their entry, fresh ones a free entry of the same rank.
    into = fresh[:, :, None] & (_ranks(fresh)[:, :, None] == _ranks(~waits)[:, None])
    goes = equal | (into & ~waits[:, None])
    new_cell = jnp.where(goes, cell[:, :, None], 0).sum(1)
    new_due = jnp.where(goes, due[:, :, None], 0).sum(1)
    never = jnp.iinfo(jnp.int32).max
    sooner = jnp.minimum(jnp.where(waits, queue.due, never), new_due)
    met = goes.any(1)
    return Updates(
        jnp.where(met, jnp.maximum(jnp.where(waits, queue.cell, 0), new_cell), queue.cell),
        jnp.where(met, sooner, queue.due),
    )
