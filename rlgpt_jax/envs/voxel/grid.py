"""Pieces of the block array: regions around bodies, edits, clearance after an edit.

All reads of a tick come before its one write. A region remembers where it was cut
out, so that a block changed later in the same tick can be patched into it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel import rays
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, IS_SOLID, MAX_CLEARANCE


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


def region(blocks: jax.Array, corner: jax.Array, shape: tuple[int, int, int]) -> Region:
    """Cuts out boxes of `shape` (x, z, y) with the lowest cells `corner` int32[N, K, 3]."""
    num_lanes, k = corner.shape[:2]
    steps = jnp.meshgrid(*(jnp.arange(s, dtype=jnp.int32) for s in shape), indexing="ij")
    x, z, y = (
        (corner[..., axis, None] + step.reshape(-1)).reshape(num_lanes, -1)
        for axis, step in zip((0, 2, 1), steps)
    )
    byte = rays.look_up(blocks, x, y, z)
    return Region(corner, byte.reshape(num_lanes, k, *shape))


def patch(region: Region, edit: Edit, size: tuple[int, ...]) -> Region:
    """Puts this tick's edit into a region; `size` is the period in x and z."""
    offset = edit.cell[:, None] - region.corner
    wrapped = (offset[..., 0] % size[0], offset[..., 2] % size[1], offset[..., 1])
    hit = edit.active[:, None, None, None, None]
    for axis, part in enumerate(wrapped):
        steps = jnp.arange(region.byte.shape[2 + axis], dtype=jnp.int32)
        line = part[..., None] == steps
        hit = hit & jnp.expand_dims(line, [a for a in (2, 3, 4) if a != 2 + axis])
    byte = jnp.where(hit, edit.byte[:, None, None, None, None], region.byte)
    return region._replace(byte=byte)


def solid(byte: jax.Array) -> jax.Array:
    """bool: the block stops motion."""
    return jnp.asarray(IS_SOLID)[byte]


def block_at(blocks: jax.Array, cell: jax.Array) -> jax.Array:
    """uint8[N] of the unwrapped cells int32[N, 3]."""
    return rays.look_up(blocks, *(cell[:, a, None] for a in range(3)))[:, 0]


def write(blocks: jax.Array, edits: tuple[Edit, ...], after: jax.Array) -> jax.Array:
    """Writes edits in their order, in place, and keeps the clearances true.

    Args:
      blocks: uint8[N, X, Z, Y].
      edits: at most one block per lane each; cells outside the world's height are left alone.
      after: bool[N], computed from everything that was read of `blocks` in this tick
        and false: XLA then orders the reads before the write and copies no world.

    Returns:
      uint8[N, X, Z, Y].
    """
    n, size_x, size_z, size_y = blocks.shape
    for edit in edits:
        y = edit.cell[:, 1]
        active = edit.active & ~after & (y >= 0) & (y < size_y)
        lane = jnp.where(active, jnp.arange(n, dtype=jnp.int32), n)
        x, z = edit.cell[:, 0] % size_x, edit.cell[:, 2] % size_z
        blocks = blocks.at[lane, x, z, y].set(edit.byte, mode="drop", unique_indices=True)
        blocks = _shrink_clearance(blocks, active & (edit.byte < AIR_CODE), x, z, y)
    return blocks


def _shrink_clearance(
    blocks: jax.Array, placed: jax.Array, x: jax.Array, z: jax.Array, y: jax.Array
) -> jax.Array:
    """Lowers the clearance of the air around new blocks, one placing lane per turn.

    The 15-cube around the block may wrap in x and z; then it is visited as 2 or 4
    boxes that do not.
    """
    n, size_x, size_z, size_y = blocks.shape
    reach = MAX_CLEARANCE - 1
    span = [min(2 * reach + 1, size) for size in (size_x, size_z, size_y)]
    order = jnp.argsort(~placed, stable=True).astype(jnp.int32)
    total = 4 * placed.sum(dtype=jnp.int32)

    def lower_box(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        turn, blocks = carry
        lane = order[turn // 4]
        corner = (
            _window(x[lane], turn % 2, span[0], size_x),
            _window(z[lane], turn // 2 % 2, span[1], size_z),
            jnp.clip(y[lane] - reach, 0, size_y - span[2]),
        )
        box = jax.lax.dynamic_slice(blocks, (lane, *corner), (1, *span))
        far = jnp.zeros((), jnp.int32)
        for axis, (at, low, size) in enumerate(
            zip((x[lane], z[lane], y[lane]), corner, (size_x, size_z, 0))
        ):
            gap = jnp.abs(low + jnp.arange(span[axis], dtype=jnp.int32) - at)
            gap = jnp.minimum(gap, size - gap) if size else gap
            far = jnp.maximum(far, jnp.expand_dims(gap, [a for a in range(3) if a != axis]))
        cap = (AIR_CODE + jnp.clip(far, 1, MAX_CLEARANCE)).astype(jnp.uint8)
        lowered = jnp.where(box >= AIR_CODE, jnp.minimum(box, cap[None]), box)
        return turn + 1, jax.lax.dynamic_update_slice(blocks, lowered, (lane, *corner))

    _, blocks = jax.lax.while_loop(
        lambda carry: carry[0] < total, lower_box, (jnp.int32(0), blocks)
    )
    return blocks


def _window(at: jax.Array, second: jax.Array, span: int, size: int) -> jax.Array:
    """Where a box of `span` cells around `at` starts, for its first or second part.

    A box that crosses the edge of the period is covered by one box at each edge.
    """
    start = at - span // 2
    near = jnp.clip(start, 0, size - span)
    other = jnp.where(start < 0, size - span, 0)
    crosses = (start < 0) | (start > size - span)
    return jnp.where((second == 1) & crosses, other, near)
