"""Pieces of the block array: cells, regions around bodies, edits, clearance after an edit.

Worlds are written in place. XLA copies a whole world before a write that it cannot order
after the reads, so a write must depend on everything that was read before it.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, IS_SOLID, MAX_CLEARANCE


class Edit(NamedTuple):
    """At most one changed block per lane."""

    active: jax.Array  # bool[N]
    cell: jax.Array  # int32[N, 3]  unwrapped
    byte: jax.Array  # uint8[N]


class Region(NamedTuple):
    """K boxes of cells per lane."""

    corner: jax.Array  # int32[N, K, 3]  lowest cell, unwrapped
    byte: jax.Array  # uint8[N, K, X, Z, Y]


def floor(position: jax.Array) -> jax.Array:
    """The int32[..., 3] cell that a float32[..., 3] point lies in."""
    return jnp.floor(position).astype(jnp.int32)


def nearest(cell: jax.Array, to: jax.Array, blocks: jax.Array) -> jax.Array:
    """Of the places where periodic worlds repeat the cells int32[..., 3] those nearest to `to`."""
    period = jnp.array([blocks.shape[1], 1 << 20, blocks.shape[2]], jnp.int32)
    return cell + (to - cell + period // 2) // period * period


def region(
    blocks: jax.Array, corner: jax.Array, shape: tuple[int, int, int], lane: jax.Array | None = None
) -> Region:
    """Cuts out boxes of `shape` (x, z, y) with the lowest cells `corner` int32[G, K, 3].

    `lane` is int32[G], whose worlds they are of; all lanes if not given.
    """
    x, z, y = np.indices(shape, np.int32)
    if lane is None:
        lane = jnp.arange(len(blocks), dtype=jnp.int32)
    cell = corner[:, :, None, None, None] + np.stack([x, y, z], -1)
    return Region(corner, at(blocks, lane, cell))


def solid(byte: jax.Array) -> jax.Array:
    """bool[...]: the block uint8[...] stops motion."""
    return jnp.asarray(IS_SOLID)[byte]


def block_at(blocks: jax.Array, cell: jax.Array) -> jax.Array:
    """uint8[N, ...]: bytes of the unwrapped cells int32[N, ..., 3]."""
    return at(blocks, jnp.arange(len(blocks), dtype=jnp.int32), cell)


def at(blocks: jax.Array, lane: jax.Array, cell: jax.Array) -> jax.Array:
    """uint8[G, ...]: bytes of unwrapped cells int32[G, ..., 3] of the lanes int32[G].

    Above and below the world there is air.
    """
    _, size_x, size_z, size_y = blocks.shape
    x, y, z = (cell[..., axis] for axis in range(3))
    lane = lane.reshape(lane.shape + (1,) * (x.ndim - 1))
    inside = blocks.at[lane, x % size_x, z % size_z, jnp.clip(y, 0, size_y - 1)].get(
        mode="promise_in_bounds"
    )
    return jnp.where((y < 0) | (y >= size_y), jnp.uint8(AIR_CODE + 1), inside)


def never(*read: Any) -> jax.Array:
    """bool[G], always false, but computed from arrays [G, ...] (trees of them; none is NaN).

    XLA copies every world before a write that it cannot order after the reads. What is
    written depends on this one, and so on them. `lax.optimization_barrier` is not enough:
    with it in place of this, a tick's temporaries are as large as all worlds (on a CPU).
    """
    sums = (x.reshape(len(x), -1).sum(1, dtype=jnp.float32) for x in jax.tree.leaves(read))
    return jnp.isnan(sum(sums, jnp.float32(0)))


def write(
    blocks: jax.Array, edits: tuple[Edit, ...], after: jax.Array, lane: jax.Array | None = None
) -> jax.Array:
    """Writes edits in their order, in place, and keeps the clearances true.

    Args:
      blocks: uint8[N, X, Z, Y].
      edits: at most one block per lane each; cells outside the world's height are left alone.
      after: bool[G], `never` of everything that was read of `blocks` until now.
      lane: int32[G], which lanes the edits are for; N is none. All lanes if not given.

    Returns:
      uint8[N, X, Z, Y].
    """
    n, size_x, size_z, size_y = blocks.shape
    if lane is None:
        lane = jnp.arange(n, dtype=jnp.int32)
    placed, cells = [], []
    for edit in edits:
        x, y, z = edit.cell[:, 0] % size_x, edit.cell[:, 1], edit.cell[:, 2] % size_z
        active = edit.active & ~after & (y >= 0) & (y < size_y) & (lane < n)
        row = jnp.where(active, lane, n)
        blocks = blocks.at[row, x, z, y].set(edit.byte, mode="drop", unique_indices=True)
        placed.append(active & (edit.byte < AIR_CODE))
        cells.append((lane, x, z, y))
    each = [jnp.concatenate(part) for part in zip(*cells)]
    return _shrink_clearance(blocks, jnp.concatenate(placed), *each)


def _shrink_clearance(
    blocks: jax.Array, placed: jax.Array, lane: jax.Array, x: jax.Array, z: jax.Array, y: jax.Array
) -> jax.Array:
    """Lowers the clearance of the air around new blocks bool[E], one box per turn.

    The 15-cube around a block may wrap in x and z; then it is visited as 2 or 4 boxes
    that do not.
    """
    _, size_x, size_z, size_y = blocks.shape
    reach = MAX_CLEARANCE - 1
    span = [min(2 * reach + 1, size) for size in (size_x, size_z, size_y)]
    second = [_crosses(at, s, size) for at, s, size in ((x, span[0], size_x), (z, span[1], size_z))]
    # Turn 4 e + 2 b + a is block e, part a of its x and part b of its z.
    parts = jnp.stack(
        [placed, placed & second[0], placed & second[1], placed & second[0] & second[1]], 1
    ).reshape(-1)
    (order,) = jnp.nonzero(parts, size=len(parts), fill_value=0)
    order, total = order.astype(jnp.int32), parts.sum(dtype=jnp.int32)

    def lower_box(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        turn, blocks = carry
        block, part = order[turn] // 4, order[turn] % 4
        at_x, at_z, at_y = x[block], z[block], y[block]
        corner = (
            _window(at_x, part % 2, span[0], size_x),
            _window(at_z, part // 2, span[1], size_z),
            jnp.clip(at_y - reach, 0, size_y - span[2]),
        )
        box = jax.lax.dynamic_slice(blocks, (lane[block], *corner), (1, *span))
        far = jnp.zeros((), jnp.int32)
        for axis, (centre, low, size) in enumerate(
            zip((at_x, at_z, at_y), corner, (size_x, size_z, 0))
        ):
            gap = jnp.abs(low + jnp.arange(span[axis], dtype=jnp.int32) - centre)
            gap = jnp.minimum(gap, size - gap) if size else gap
            far = jnp.maximum(far, jnp.expand_dims(gap, [a for a in range(3) if a != axis]))
        cap = (AIR_CODE + jnp.clip(far, 1, MAX_CLEARANCE)).astype(jnp.uint8)
        lowered = jnp.where(box >= AIR_CODE, jnp.minimum(box, cap[None]), box)
        return turn + 1, jax.lax.dynamic_update_slice(blocks, lowered, (lane[block], *corner))

    _, blocks = jax.lax.while_loop(
        lambda carry: carry[0] < total, lower_box, (jnp.int32(0), blocks)
    )
    return blocks


def _crosses(at: jax.Array, span: int, size: int) -> jax.Array:
    """bool[...]: a box of `span` cells around `at` crosses the edge of the period."""
    start = at - span // 2
    return (start < 0) | (start > size - span)


def _window(at: jax.Array, second: jax.Array, span: int, size: int) -> jax.Array:
    """Where a box of `span` cells around `at` starts, for its first or second part.

    A box that crosses the edge of the period is covered by one box at each edge.
    """
    start = at - span // 2
    near = jnp.clip(start, 0, size - span)
    other = jnp.where(start < 0, size - span, 0)
    return jnp.where((second == 1) & _crosses(at, span, size), other, near)
