"""Boxes against full cubes: how far a box may move, axis by axis (y, x, z).

Coordinates are relative to the corner of a region, so they are small and float32 is
exact enough; axes of a region are x, z, y. `box_collision.py` knows other shapes.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

# Blocks that a box overlaps by less than this do not touch it: the rounding of
# float32 coordinates up to about 1000.
EPS = 1e-4
# (axis of a vector, axis of a region) in the order of the moves.
ORDER = ((1, 2), (0, 0), (2, 1))


class Box(NamedTuple):
    """Axis-aligned boxes, relative to a region's corner; vectors are x, y, z."""

    low: jax.Array  # float32[..., 3]
    high: jax.Array  # float32[..., 3]

    def shift(self, by: jax.Array) -> "Box":
        return Box(self.low + by, self.high + by)

    def shrink(self, sides: float, ends: float) -> "Box":
        """Smaller by so much at each of its sides and ends, blocks."""
        by = jnp.array([sides, ends, sides], jnp.float32)
        return Box(self.low + by, self.high - by)


def body(
    position: jax.Array, corner: jax.Array, width: jax.Array | float, height: jax.Array | float
) -> Box:
    """The box of a body whose feet are at `position` float32[..., 3]."""
    feet = position - corner.astype(jnp.float32)
    half = jnp.broadcast_to(jnp.asarray(width, jnp.float32) / 2, feet.shape[:-1])
    tall = jnp.broadcast_to(jnp.asarray(height, jnp.float32), feet.shape[:-1])
    zero = jnp.zeros_like(half)
    return Box(feet - jnp.stack([half, zero, half], -1), feet + jnp.stack([half, tall, half], -1))


def _spans(box: Box, axis: int, size: int, eps: float) -> jax.Array:
    """bool[..., size]: cells along one axis that the box lies in."""
    cell = jnp.arange(size, dtype=jnp.float32)
    low, high = box.low[..., axis, None], box.high[..., axis, None]
    return (low < cell + (1 - eps)) & (high > cell + eps)


def inside(shape: tuple[int, ...], box: Box, eps: float = EPS) -> jax.Array:
    """bool[..., X, Z, Y]: the cells of a region of this shape that the box lies in.

    `eps` may be 0 for boxes that are smaller than a body: no wall is level with them.
    """
    x, z, y = shape
    return (
        _spans(box, 0, x, eps)[..., :, None, None]
        & _spans(box, 2, z, eps)[..., None, :, None]
        & _spans(box, 1, y, eps)[..., None, None, :]
    )


def touches(mask: jax.Array, box: Box, eps: float = EPS) -> jax.Array:
    """bool[...]: the box overlaps a marked cell of bool[..., X, Z, Y]; `eps` as above."""
    return (mask & inside(mask.shape[-3:], box, eps)).any((-3, -2, -1))


def sweep(solid: jax.Array, box: Box, delta: jax.Array) -> jax.Array:
    """How far the boxes get, float32[..., 3], of the wish `delta` float32[..., 3].

    Args:
      solid: bool[..., X, Z, Y], large enough for the whole move.
      box: before the move.
    """
    moved = [delta[..., a] for a in range(3)]
    for axis, _ in ORDER:
        blocked = _facing(solid, box, axis)
        moved[axis] = _clip(blocked, box, axis, delta[..., axis])
        step = jnp.zeros_like(delta).at[..., axis].set(moved[axis])
        box = box.shift(step)
    return jnp.stack(moved, -1)


def _facing(solid: jax.Array, box: Box, axis: int) -> jax.Array:
    """bool[..., cells]: layers across `axis` that hold a block in the box's way."""
    marked = solid
    others = [pair for pair in ORDER if pair[0] != axis]
    for other, cells in others:
        span = _spans(box, other, solid.shape[-3 + cells], EPS)
        marked = marked & jnp.expand_dims(span, [a for a in (-3, -2, -1) if a != -3 + cells])
    return marked.any([-3 + cells for _, cells in others])


def _clip(blocked: jax.Array, box: Box, axis: int, wish: jax.Array) -> jax.Array:
    """Stops the wish at the nearest layer; layers already entered do not stop it."""
    cell = jnp.arange(blocked.shape[-1], dtype=jnp.float32)
    ahead = cell - box.high[..., axis, None]
    behind = box.low[..., axis, None] - (cell + 1)
    most = jnp.where(blocked & (ahead > -EPS), jnp.maximum(ahead, 0), jnp.inf).min(-1)
    least = jnp.where(blocked & (behind > -EPS), jnp.maximum(behind, 0), jnp.inf).min(-1)
    return jnp.clip(wish, -least, most)
