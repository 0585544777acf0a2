"""A tile of rays through the blocks of one lane: which texel each of them meets.

A ray leaves a cube of clear air in one go; where a block stands, its parts are tested one
after the other: the face of a whole block, the boxes of a slab or a door (seen from
outside, or from inside through their holes), the two crossed pictures of a plant. Water
lets a ray go on; how much of it was crossed is kept.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.render.art.textures import FRONT
from rlgpt_jax.envs.voxel.render.jax.lookups import (
    Sources,
    Vector,
    block_at,
    load,
    some,
    texel_index,
    three,
)
from rlgpt_jax.envs.voxel.render.jax.parts import Ray, box, on_face, plant
from rlgpt_jax.envs.voxel.render.jax.scene import FAR
from rlgpt_jax.envs.voxel.render.jax.tables import (
    AIR,
    CUBE,
    DOOR,
    FIRE,
    LAVA,
    LAVA_PICTURE,
    PLANT,
    SHAPE,
    SOLID,
    UPPER_DOOR,
    WATER,
)
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE

NONE = 1e9  # distance of what is not met
TINY = 1e-7  # the smallest component of a direction
_KIND = 7
# How what is met is lit: smoothly from in front of its face; by its own cell or the one in
# front; by its own cell; not at all, it shines; the eye is in lava.
SMOOTH, IN_FRONT, IN_CELL, SHINES, IN_LAVA = range(5)


class Met(NamedTuple):
    """What the rays of a tile met in the world."""

    distance: jax.Array  # float32  NONE if nothing
    texel: jax.Array  # int32  index into `Tables.texel`, -1 if nothing
    face: jax.Array  # int32  axis * 2 + (1 if the ray moves in + direction)
    light: jax.Array  # int32  SMOOTH ..
    cell: Vector  # int32
    wet: jax.Array  # float32  blocks of water in front of it
    film: jax.Array  # float32  where the ray went into water; 0 in it from the start, or NONE
    film_face: jax.Array  # int32  axis
    film_cell: Vector


class _March(NamedTuple):
    distance: jax.Array  # float32  at which the ray enters its cell
    cell: Vector  # int32
    axis: jax.Array  # int32  crossed last
    byte: jax.Array  # int32  of the cell
    active: jax.Array  # bool
    met: Met


def march(s: Sources, ray: Ray, body: jax.Array, active: jax.Array) -> Met:
    """Follows the active rays as far as `body` float32, where each meets a mob or an item."""
    zero, none = jnp.zeros_like(body, jnp.int32), jnp.full_like(body, NONE)
    here = (zero, zero, zero)
    met = Met(none, zero - 1, zero, zero, here, zero * 0.0, none, zero, here)
    start = _March(zero * 0.0, here, zero + 1, block_at(s, *here), active, met)
    return jax.lax.while_loop(lambda m: some(m.active), lambda m: _turn(s, ray, body, m), start).met


def _turn(s: Sources, ray: Ray, body: jax.Array, march: _March) -> _March:
    """Through clear air to the next block, and what that is."""

    def in_air(m: _March) -> jax.Array:
        return m.active & (m.byte >= AIR_CODE)

    march = jax.lax.while_loop(
        lambda m: some(in_air(m)), lambda m: _leave(s, ray, body, m, in_air(m)), march
    )
    march = _meet(s, ray, body, march)
    return _leave(s, ray, body, march, march.active)


def _exits(ray: Ray, cell: Vector, reach: jax.Array) -> Vector:
    """Where the rays leave a cube of cells, per axis."""
    walls = (jnp.where(d > 0, c + reach, c + 1 - reach) for c, d in zip(cell, ray.way))
    return three(
        (wall.astype(jnp.float32) - o) * i for wall, o, i in zip(walls, ray.origin, ray.inverse)
    )


def _leave(s: Sources, ray: Ray, body: jax.Array, march: _March, go: jax.Array) -> _March:
    """The rays `go` move on to the next cell, or end beyond FAR or behind a body."""
    reach = jnp.maximum(march.byte - AIR_CODE, 1)
    exits = _exits(ray, march.cell, reach)
    leave = jnp.minimum(jnp.minimum(exits[0], exits[1]), exits[2])
    axis = jnp.where(exits[0] == leave, 0, jnp.where(exits[1] == leave, 1, 2))
    ends = go & ~((leave <= FAR) & (leave <= body))
    go = go & ~ends
    cell = []
    for k in range(3):
        c, forward = march.cell[k], ray.way[k] > 0
        at = jnp.floor(ray.origin[k] + ray.way[k] * leave).astype(jnp.int32)
        last = jnp.where(forward, c + reach - 1, c - reach + 1)
        inside = jnp.clip(at, jnp.minimum(c, last), jnp.maximum(c, last))
        beyond = jnp.where(forward, c + reach, c - reach)
        cell.append(jnp.where(go, jnp.where(axis == k, beyond, inside), c))
    x, y, z = cell
    return march._replace(
        distance=jnp.where(go, leave, march.distance),
        cell=(x, y, z),
        axis=jnp.where(go, axis, march.axis),
        byte=jnp.where(go, block_at(s, x, y, z), march.byte),
        active=march.active & ~ends,
    )


def _meet(s: Sources, ray: Ray, body: jax.Array, march: _March) -> _March:
    """What the active rays meet in their cells, which hold blocks."""
    exits = _exits(ray, march.cell, jnp.ones_like(march.byte))
    leave = jnp.minimum(jnp.minimum(exits[0], exits[1]), exits[2])
    kind = jnp.where(march.active, load(s.tables.block, march.byte) & _KIND, AIR)
    met = _wade(s, ray, body, march, kind, leave)
    met = _test_parts(s, ray, body, march._replace(met=met), kind, leave)
    found = march.active & (met.distance < NONE)
    return march._replace(active=march.active & ~found, met=met)


def _wade(
    s: Sources, ray: Ray, body: jax.Array, march: _March, kind: jax.Array, leave: jax.Array
) -> Met:
    """Into and through water, or onto lava, whose surfaces may lie below their cell's top."""
    x, y, z = march.cell
    t, met = march.distance, march.met
    liquid = (kind == WATER) | (kind == LAVA)
    above = load(s.tables.block, block_at(s, x, y + 1, z)) & _KIND
    height = load(s.tables.surface, march.byte)
    full = (above == kind) | (height >= 1.0)
    crossing = (y.astype(jnp.float32) + height - ray.origin[1]) * ray.inverse[1]
    falls = ~full & (ray.way[1] < 0) & (crossing > t)
    start = jnp.where(falls, jnp.minimum(crossing, leave), t)
    rises = ~full & (ray.way[1] > 0)
    end = jnp.where(rises, jnp.maximum(t, jnp.minimum(leave, crossing)), leave)
    axis = jnp.where(falls, 1, march.axis)
    inside = liquid & (start < end) & (start < body)

    water = inside & (kind == WATER)
    first = water & (met.film >= NONE)
    wet = jnp.where(water, jnp.minimum(end, body) - start, 0.0)
    lava = inside & (kind == LAVA)
    p = [o + d * start - c for o, d, c in zip(ray.origin, ray.way, (x, y, z))]
    u = jnp.where(axis != 0, p[0], p[2])
    v = jnp.where(axis == 1, p[2], 1.0 - p[1])
    texel = texel_index(jnp.full_like(x, LAVA_PICTURE), u, v)
    return met._replace(
        distance=jnp.where(lava, jnp.maximum(start, 1e-6), met.distance),
        texel=jnp.where(lava, texel, met.texel),
        light=jnp.where(lava, jnp.where(start > 0.0, SHINES, IN_LAVA), met.light),
        cell=_choose(lava, march.cell, met.cell),
        wet=met.wet + wet,
        film=jnp.where(first, start, met.film),
        film_face=jnp.where(first, axis, met.film_face),
        film_cell=_choose(first, march.cell, met.film_cell),
    )


def _choose(mask: jax.Array, new: Vector, old: Vector) -> Vector:
    return three(jnp.where(mask, a, b) for a, b in zip(new, old))


def _test_parts(
    s: Sources, ray: Ray, body: jax.Array, march: _March, kind: jax.Array, leave: jax.Array
) -> Met:
    """The nearest part of each block that shows a solid texel."""
    x, y, z = march.cell
    byte = march.byte
    is_shape, is_plant = kind == SHAPE, kind == PLANT
    own_cell = (x | y | z) == 0  # one does not see the block that the eye is in
    is_cube = (kind == CUBE) & ~own_cell & (march.distance < body)
    # The upper half of a door stands as the lower one does.
    flags = load(s.tables.block, byte)
    upper = is_shape & (flags & UPPER_DOOR != 0)
    below = block_at(s, x, y - 1, z)
    door = load(s.tables.block, below) & (DOOR | UPPER_DOOR) == DOOR
    look = jnp.where(upper & door, below, byte)
    first = load(s.tables.box_first, look)
    last = load(s.tables.box_first, look + 1)
    count = jnp.where(is_shape, 2 * (last - first), jnp.where(is_plant, 2, 0))
    count = jnp.where(is_cube, 1, count)
    place = [o - c.astype(jnp.float32) for o, c in zip(ray.origin, march.cell)]
    limit = jnp.where(is_shape, jnp.minimum(body, leave + 1e-6), NONE)

    def test(carry):
        part, best, best_texel, best_face = carry
        here = part < count
        in_box = here & is_shape
        ok, at, axis = box(s, ray, march.cell, place, first, part, best, in_box)
        plant_ok, plant_at, u, v = plant(ray, place, part, march.distance, leave)
        at = jnp.where(is_cube, march.distance, jnp.where(is_plant, plant_at, at))
        axis = jnp.where(is_cube, march.axis, axis)
        ok = here & (is_cube | in_box & ok | is_plant & plant_ok) & (at < best)
        forward, face_u, face_v = on_face(ray, place, at, axis)
        u, v = jnp.where(is_plant, u, face_u), jnp.where(is_plant, v, face_v)
        side = jnp.where(is_plant, FRONT, axis * 2 + jnp.where(forward, 0, 1))
        texel = texel_index(load(s.tables.face, byte * 6 + side), u, v)
        texel = jnp.where(ok, texel, 0)
        ok &= load(s.tables.texel, texel) & SOLID != 0
        face = axis * 2 + forward.astype(jnp.int32)
        return (
            part + 1, jnp.where(ok, at, best), jnp.where(ok, texel, best_texel),
            jnp.where(ok, face, best_face),
        )  # fmt: skip

    old = march.met
    nothing = jnp.full_like(byte, -1)
    _, best, texel, face = jax.lax.while_loop(
        lambda carry: some(carry[0] < count),
        test,
        (jnp.int32(0), limit, nothing, jnp.zeros_like(byte)),
    )
    found = texel >= 0
    how = jnp.where(is_cube, SMOOTH, jnp.where(is_shape, IN_FRONT, IN_CELL))
    how = jnp.where(byte == FIRE, SHINES, how)
    return old._replace(
        distance=jnp.where(found, best, old.distance),
        texel=jnp.where(found, texel, old.texel),
        face=jnp.where(found, face, old.face),
        light=jnp.where(found, how, old.light),
        cell=_choose(found, march.cell, old.cell),
    )
