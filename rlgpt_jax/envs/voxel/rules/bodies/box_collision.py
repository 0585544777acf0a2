"""Boxes against boxes: moving among slabs, stairs and fences, and stepping up on them.

The steps and their order are those of prismarine-physics, which the golden runs obey.
Obstacles are M boxes per lane; coordinates are relative to a region's corner, as in
`collision.py`, which does the same for full cubes at a fraction of the cost.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.bodies.collision import EPS, Box
from rlgpt_jax.envs.voxel.rules.bodies.shapes import Shapes

STEP = 0.6  # blocks that a body climbs without a jump
X, Y, Z = 0, 1, 2
FEW = 2  # boxes for which every cell has room
MANY_BOXED = 6  # cells of a lane that may have more


class Walked(NamedTuple):
    """How a move ended."""

    moved: jax.Array  # float32[K, 3]  after a step up, y is the way down onto it
    box: Box  # where the body is now


def obstacles(byte: jax.Array, shapes: Shapes) -> Box:
    """The collision boxes float32[K, M, 3] of the cells uint8[K, X, Z, Y].

    Every cell has room for 2 boxes; the further ones of hoppers and their like are
    listed for `MANY_BOXED` cells of a lane.
    """
    grid = jnp.meshgrid(*(jnp.arange(s, dtype=jnp.float32) for s in byte.shape[1:]), indexing="ij")
    cell = jnp.stack([grid[0], grid[2], grid[1]], -1).reshape(-1, 1, 3)
    byte = byte.reshape(len(byte), -1)
    plain = [t[:, :FEW] for t in (shapes.low, shapes.high)]
    ends = [(jnp.asarray(t)[byte] + cell).reshape(len(byte), -1, 3) for t in plain]
    if shapes.low.shape[1] > FEW:
        has_more = jnp.asarray(shapes.used > FEW)[byte].astype(jnp.int32)
        _, at = jax.lax.top_k(has_more, MANY_BOXED)
        rich = jnp.take_along_axis(byte, at, axis=1)
        more = [t[:, FEW:] for t in (shapes.low, shapes.high)]
        rest = [(jnp.asarray(t)[rich] + cell[at]).reshape(len(byte), -1, 3) for t in more]
        ends = [jnp.concatenate(pair, axis=1) for pair in zip(ends, rest)]
    return Box(*ends)


def overlaps(solid: Box, box: Box) -> jax.Array:
    """bool[K]: the box float32[K, 3] lies in an obstacle."""
    return _meets(solid, box, (X, Y, Z)).any(-1)


def walk(solid: Box, box: Box, wish: jax.Array, grounded: jax.Array) -> Walked:
    """Moves bodies by the wish float32[K, 3], over obstacles up to 0.6 high.

    Two ways up are tried, rising above what lies in the flat way and rising above the
    start only; the farther one is taken if it is farther than the flat way.

    Args:
      solid: M boxes per lane.
      box: the bodies, before the move.
      wish: float32[K, 3].
      grounded: bool[K], the body stood on the ground before.
    """
    flat = _sweep(solid, box, wish)
    stopped = flat.moved != wish
    lands = stopped[:, Y] & (wish[:, Y] < 0)
    may_step = (grounded | lands) & (stopped[:, X] | stopped[:, Z])

    way = flat.moved.at[:, Y].set(0.0)
    wide = Box(box.low + jnp.minimum(way, 0.0), box.high + jnp.maximum(way, 0.0))
    first = _climb(solid, box, wish, _allowed(solid, wide, Y, jnp.full_like(wish[:, Y], STEP)))
    second = _climb(solid, box, wish, _allowed(solid, box, Y, jnp.full_like(wish[:, Y], STEP)))
    stepped = lanes.choose(_way(first.moved) > _way(second.moved), first, second)
    farther = _way(stepped.moved) > _way(flat.moved)
    return lanes.choose(may_step & farther, stepped, flat)


def _climb(solid: Box, box: Box, wish: jax.Array, rise: jax.Array) -> Walked:
    """Up, along x and z, and down again as far as the obstacles allow."""
    raised = box.shift(_along(Y, rise))
    there = _sweep(solid, raised, wish, (X, Z))
    down = _allowed(solid, there.box, Y, -rise)
    return Walked(there.moved.at[:, Y].set(down), there.box.shift(_along(Y, down)))


def _sweep(solid: Box, box: Box, wish: jax.Array, axes: tuple[int, ...] = (Y, X, Z)) -> Walked:
    moved = jnp.zeros_like(wish)
    for axis in axes:
        way = _along(axis, _allowed(solid, box, axis, wish[:, axis]))
        moved, box = moved + way, box.shift(way)
    return Walked(moved, box)


def _allowed(solid: Box, box: Box, axis: int, wish: jax.Array) -> jax.Array:
    """float32[K]: the part of a move along one axis up to the first obstacle.

    An obstacle that the body is already in does not stop it.
    """
    meets = _meets(solid, box, tuple(a for a in (X, Y, Z) if a != axis))
    ahead = solid.low[..., axis] - box.high[:, None, axis]
    behind = box.low[:, None, axis] - solid.high[..., axis]
    most = jnp.where(meets & (ahead > -EPS), jnp.maximum(ahead, 0), jnp.inf).min(-1)
    least = jnp.where(meets & (behind > -EPS), jnp.maximum(behind, 0), jnp.inf).min(-1)
    return jnp.clip(wish, -least, most)


def _meets(solid: Box, box: Box, axes: tuple[int, ...]) -> jax.Array:
    """bool[K, M]: the box and the obstacle overlap along all of these axes."""
    meets = jnp.ones(solid.low.shape[:-1], bool)
    for axis in axes:
        meets &= solid.high[..., axis] > box.low[:, None, axis] + EPS
        meets &= solid.low[..., axis] < box.high[:, None, axis] - EPS
    return meets


def _along(axis: int, way: jax.Array) -> jax.Array:
    return jnp.zeros((len(way), 3), jnp.float32).at[:, axis].set(way)


def _way(moved: jax.Array) -> jax.Array:
    """Square of the horizontal way."""
    return moved[:, X] ** 2 + moved[:, Z] ** 2
