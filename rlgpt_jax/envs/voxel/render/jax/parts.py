"""Where rays meet the parts that blocks and bodies are made of."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.render.jax.lookups import Sources, Vector, block_at, load
from rlgpt_jax.envs.voxel.render.jax.tables import BOX_UNITS, JOINS


class Ray(NamedTuple):
    """Rays from one eye; one array of the tile per axis."""

    origin: Vector  # float32 scalars, local
    way: Vector  # unit vectors, no component smaller than TINY
    inverse: Vector


def slab(
    place: list[jax.Array], inverse: list[jax.Array] | Vector, low: list, high: list
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Distances to the two sides of a box and the axes of their faces.

    The ray misses it if the first is greater than the second.

    Args:
      place: where the ray starts.
      inverse: of its direction.
      low: corner of the box.
      high: the other corner.
    """
    one = [(a - o) * i for a, o, i in zip(low, place, inverse)]
    two = [(b - o) * i for b, o, i in zip(high, place, inverse)]
    near = [jnp.minimum(a, b) for a, b in zip(one, two)]
    far = [jnp.maximum(a, b) for a, b in zip(one, two)]
    enter = jnp.maximum(jnp.maximum(near[0], near[1]), near[2])
    leave = jnp.minimum(jnp.minimum(far[0], far[1]), far[2])
    enter_axis = jnp.where(near[0] == enter, 0, jnp.where(near[1] == enter, 1, 2))
    leave_axis = jnp.where(far[0] == leave, 0, jnp.where(far[1] == leave, 1, 2))
    return enter, enter_axis, leave, leave_axis


def box(
    s: Sources, ray: Ray, cell: Vector, place: list, first: jax.Array, part: jax.Array,
    best: jax.Array, here: jax.Array,
) -> tuple[jax.Array, jax.Array, jax.Array]:  # fmt: skip
    """Whether a box is met, where, and the axis of the face: outside, then inside."""
    index = jnp.where(here, 2 * (first + part // 2), 0)
    words = load(s.tables.box, index), load(s.tables.box, index + 1)
    low, high = (
        [(word >> shift & 255).astype(jnp.float32) * (1.0 / BOX_UNITS) for shift in (0, 8, 16)]
        for word in words
    )
    # Fences and panes have arms only towards what they join.
    side = jnp.where(here, words[0] >> 24, 0)
    step = jnp.where(side % 2 == 0, 1, -1)
    x = cell[0] + jnp.where((side > 0) & (side < 3), step, 0)
    z = cell[2] + jnp.where(side >= 3, step, 0)
    beside = block_at(s, x, cell[1], z)
    joined = load(s.tables.block, beside) & JOINS != 0
    near, near_axis, far, far_axis = slab(place, ray.inverse, low, high)
    inner = part % 2 > 0
    at = jnp.where(inner, far, near)
    ok = (near <= far) & (near < best) & (at > 0.0) & ((side == 0) | joined)
    return ok, at, jnp.where(inner, far_axis, near_axis)


def plant(
    ray: Ray, place: list, part: jax.Array, near: jax.Array, far: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Whether one of two crossed pictures, x = z or x = 1 - z, is met; where; its u and v."""
    dx, dy, dz = ray.way
    x, y, z = place
    speed = jnp.where(part == 0, dx - dz, dx + dz)
    offset = jnp.where(part == 0, x - z, x + z - 1.0)
    flat = jnp.abs(speed) < 1e-9
    at = -offset / jnp.where(flat, 1.0, speed)
    u, v = x + dx * at, y + dy * at
    ok = ~flat & (near <= at) & (at <= far) & (u >= 0.0) & (u < 1.0) & (v >= 0.0) & (v < 1.0)
    return ok, at, u, 1.0 - v


def on_face(
    ray: Ray, place: list, at: jax.Array, axis: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Whether the ray goes forward along the axis, and u and v on the face that it meets."""
    x, y, z = (p + d * at for p, d in zip(place, ray.way))
    way = jnp.where(axis == 0, ray.way[0], jnp.where(axis == 1, ray.way[1], ray.way[2]))
    forward = way > 0
    # Left of the picture is left for a viewer on either side.
    u = jnp.where(axis == 1, x, jnp.where(axis == 0, z, 1.0 - x))
    u = jnp.where(forward | (axis == 1), u, 1.0 - u)
    return forward, u, jnp.where(axis == 1, z, 1.0 - y)
