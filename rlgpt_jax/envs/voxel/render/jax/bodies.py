"""Mobs and dropped items on a tile of rays, and the shadow that mobs cast."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.render.jax.lookups import (
    Sources,
    Vector,
    load,
    pick,
    some,
    texel_index,
    vector,
)
from rlgpt_jax.envs.voxel.render.jax.march import NONE
from rlgpt_jax.envs.voxel.render.jax.parts import Ray, slab
from rlgpt_jax.envs.voxel.render.jax.scene import BURNING, HURT, SHEARED
from rlgpt_jax.envs.voxel.render.jax.tables import (
    DYED,
    FIRE_PICTURE,
    FIRST_ICON,
    FIRST_LEG,
    OTHER_LEG,
    SHORN,
    SOLID,
    WOOLLY,
)

_REDNESS = 0.45  # of a mob that was hurt
_ITEM_HALF = 0.14  # blocks: half the side of a block that lies on the ground
_ITEM_ICON = 2.2  # icons that fit into a block's length
_ITEM_REACH = 0.15  # square of the radius round an item's middle


class Body(NamedTuple):
    """The nearest mob or item on each ray of a tile."""

    distance: jax.Array  # float32  NONE if there is none
    texel: jax.Array  # int32  -1 if there is none
    factor: Vector  # float32  of the colour: sides of boxes, dye
    hurt: jax.Array  # float32  share of red
    shines: jax.Array  # bool  flames
    place: Vector  # float32  local point whose cell's light it has


def bodies(s: Sources, ray: Ray) -> Body:
    """The nearest mob or item on each ray."""
    none = jnp.full_like(ray.way[0], NONE)
    zero = none * 0.0
    dark = none < 0.0
    body = Body(none, dark.astype(jnp.int32) - 1, (zero, zero, zero), zero, dark, (zero,) * 3)
    body = each(s.scene.num_mobs, lambda m, body: _mob(s, ray, m, body), body)
    return each(s.scene.num_items, lambda i, body: _item(s, ray, i, body), body)


def mob_shadow(s: Sources, x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
    """float32: a factor that darkens the ground under mobs; local points."""

    def shade(m: jax.Array, light: jax.Array) -> jax.Array:
        px, py, pz = vector(s.scene.mob_position, m)
        radius = 0.45 * load(s.tables.mob_reach, load(s.scene.mob_kind, m))
        away = ((x - px) * (x - px) + (z - pz) * (z - pz)) / (radius * radius)
        above = py - y
        under = (above > -0.1) & (above < 2.0) & (away < 1.0)
        return jnp.where(under, jnp.minimum(light, 0.5 + 0.5 * away), light)

    return each(s.scene.num_mobs, shade, jnp.ones_like(x))


def each(number: jax.Array, step, carry):
    """`carry = step(i, carry)` for i from 0."""

    def body(loop):
        i, carry = loop
        return i + 1, step(i, carry)

    return jax.lax.while_loop(lambda loop: loop[0] < number, body, (jnp.int32(0), carry))[1]


def _close(ray: Ray, x: jax.Array, y: jax.Array, z: jax.Array, square: jax.Array) -> jax.Array:
    """Rays that pass through a ball round a point given from the eye."""
    along = x * ray.way[0] + y * ray.way[1] + z * ray.way[2]
    away = x * x + y * y + z * z
    return ((along > 0.0) | (away < square)) & (away - along * along < square)


def _mob(s: Sources, ray: Ray, m: jax.Array, body: Body) -> Body:
    """The nearer of a mob's parts and what is there already."""
    kind = load(s.scene.mob_kind, m)
    reach = load(s.tables.mob_reach, kind)
    place = vector(s.scene.mob_position, m)
    x, y, z = (p - o for p, o in zip(place, ray.origin))
    square = (1.3 * reach) * (1.3 * reach)
    close = _close(ray, x, y + 0.5 * reach, z, square)
    return jax.lax.cond(
        some(close), lambda body: _parts(s, ray, m, kind, place, body), lambda body: body, body
    )


def _parts(s: Sources, ray: Ray, m: jax.Array, kind: jax.Array, place: Vector, body: Body) -> Body:
    cos, sin = load(s.scene.mob_turn, m, 0), load(s.scene.mob_turn, m, 1)
    stride = 0.8 * load(s.scene.mob_stride, m)
    look = load(s.scene.mob_look, m)
    dye = vector(s.scene.mob_dye, m)
    hurt = pick(look & HURT != 0, _REDNESS, 0.0)
    hidden = SHORN + (WOOLLY - SHORN) * (look & SHEARED) // SHEARED
    px, py, pz = (o - p for o, p in zip(ray.origin, place))
    dx, dy, dz = ray.way
    side, ahead = px * cos + pz * sin, pz * cos - px * sin
    way = [dx * cos + dz * sin, dy, dz * cos - dx * sin]
    lit = (place[0], place[1] + 0.5, place[2])
    first, last = load(s.tables.part_first, kind), load(s.tables.part_first, kind + 1)

    def test(part: jax.Array, body: Body) -> Body:
        box = [load(s.tables.part_box, 6 * part + k) for k in range(6)]
        flags = load(s.tables.part_look, part)
        swing = pick(flags & FIRST_LEG != 0, 1.0, pick(flags & OTHER_LEG != 0, -1.0, 0.0))
        # Legs lean about their upper end, which keeps rays straight.
        lean = stride * swing
        leg = [side, py, ahead - lean * (box[4] - py)]
        slant = [way[0], dy, way[2] + lean * dy]
        t, axis, far, _ = slab(leg, _inverse(slant), box[:3], box[3:])
        ok = (flags & hidden == 0) & (t <= far) & (t > 0.0) & (t < body.distance)
        across = leg[0] + slant[0] * t - box[0]
        down = box[4] - (leg[1] + dy * t)
        along = leg[2] + slant[2] * t - box[2]
        u, v = jnp.where(axis == 0, along, across), jnp.where(axis == 1, along, down)
        front = (axis == 2) & (slant[2] < 0)
        picture = jnp.where(front, flags >> 20, flags >> 8 & 4095)
        # Pictures repeat: no part is longer than two of them.
        u, v = (jnp.where(w >= 1.0, w - 1.0, w) for w in (u, v))
        texel = jnp.where(ok, texel_index(picture, u, v), 0)
        ok &= load(s.tables.texel, texel) & SOLID != 0
        across_x = jnp.where(axis == 0, cos, sin)  # of the side's outward way
        upright = 0.6 * across_x * across_x + 0.8 * (1.0 - across_x * across_x)
        light = jnp.where(axis == 1, jnp.where(dy < 0, 1.0, 0.5), upright)
        colour = (light * pick(flags & DYED != 0, d, 1.0) for d in dye)
        return _nearer(ok, body, t, texel, tuple(colour), hurt, False, lit)

    body = jax.lax.while_loop(
        lambda loop: loop[0] < last, lambda loop: (loop[0] + 1, test(*loop)), (first, body)
    )[1]
    return jax.lax.cond(
        look & BURNING != 0,
        lambda body: _flames(s, ray, m, (px, py, pz), body),
        lambda body: body,
        body,
    )


def _inverse(way: list[jax.Array]) -> list[jax.Array]:
    return [1.0 / jnp.where(jnp.abs(d) > 1e-9, d, 1e-9) for d in way]


def _nearer(ok, body: Body, t, texel, factor, hurt, shines: bool, place) -> Body:
    """The body with what is met at t where `ok`."""
    new = Body(t, texel, factor, hurt, jnp.full_like(body.shines, shines), place)
    return jax.tree.map(lambda a, b: jnp.where(ok, a, b), new, body)


def _facing(
    ray: Ray, place: Vector, before: jax.Array | float
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """An upright plane that faces the viewer: whether it is met ahead, where, and how far
    across and how high from the body's feet; `before` blocks in front of its middle."""
    px, py, pz = place
    dx, dy, dz = ray.way
    size = jnp.sqrt(px * px + pz * pz) + 1e-9
    nx, nz = px / size, pz / size
    facing = dx * nx + dz * nz
    flat = jnp.abs(facing) <= 1e-6
    t = (before - px * nx - pz * nz) / jnp.where(flat, 1.0, facing)
    return ~flat & (t > 0.0), t, (px + dx * t) * nz - (pz + dz * t) * nx, py + dy * t


def _flames(s: Sources, ray: Ray, m: jax.Array, place: Vector, body: Body) -> Body:
    """Fire round a burning mob."""
    half = 0.75 * load(s.scene.mob_size, m, 0)
    high = 1.15 * load(s.scene.mob_size, m, 1)
    ok, t, across, up = _facing(ray, place, half)
    u, v = across / (2.0 * half) + 0.5, up / high
    ok &= (t < body.distance) & (u >= 0.0) & (u < 1.0) & (v >= 0.0) & (v < 1.0)
    rows = jnp.maximum(1.0, jnp.floor(high + 0.3))
    u, v = u + load(s.scene.mob_flicker, m), v * rows
    u, v = (w - jnp.floor(w) for w in (u, v))
    picture = jnp.full_like(body.texel, FIRE_PICTURE)
    texel = jnp.where(ok, texel_index(picture, u, 1.0 - v), 0)
    ok &= load(s.tables.texel, texel) & SOLID != 0
    one = jnp.ones_like(t)
    return _nearer(ok, body, t, texel, (one, one, one), 0.0, True, place)


def _item(s: Sources, ray: Ray, i: jax.Array, body: Body) -> Body:
    """A small turning cube, or a flat picture that faces the viewer."""
    place = vector(s.scene.item_position, i)
    x, y, z = (p - o for p, o in zip(place, ray.origin))
    close = _close(ray, x, y, z, jnp.float32(_ITEM_REACH))
    byte = load(s.scene.item_byte, i)
    return jax.lax.cond(
        some(close & (byte > 0)),
        lambda body: _cube(s, ray, byte, place, body),
        lambda body: jax.lax.cond(
            some(close & (byte <= 0)),
            lambda body: _icon(s, ray, load(s.scene.item_id, i), place, body),
            lambda body: body,
            body,
        ),
        body,
    )


def _cube(s: Sources, ray: Ray, byte: jax.Array, place: Vector, body: Body) -> Body:
    cos, sin = load(s.scene.item_turn, 0), load(s.scene.item_turn, 1)
    px, py, pz = (o - p for o, p in zip(ray.origin, place))
    dx, dy, dz = ray.way
    start = [px * cos + pz * sin, py, pz * cos - px * sin]
    way = [dx * cos + dz * sin, dy, dz * cos - dx * sin]
    low, high = [-_ITEM_HALF] * 3, [_ITEM_HALF] * 3
    t, axis, far, _ = slab(start, _inverse(way), low, high)
    ok = (t > 0.0) & (t <= far) & (t < body.distance)
    x, y, z = ((o + d * t) / _ITEM_HALF for o, d in zip(start, way))
    u = jnp.where(axis == 0, z, x) * 0.5 + 0.5
    v = 0.5 - jnp.where(axis == 1, -z, y) * 0.5
    face = axis * 2 + jnp.where((axis == 1) & (dy < 0), 1, 0)
    picture = load(s.tables.face, byte * 6 + face)
    light = jnp.where(axis == 1, 1.0, jnp.where(axis == 2, 0.8, 0.64))
    texel = texel_index(picture, u, v)
    return _nearer(ok, body, t, texel, (light, light, light), 0.0, False, place)


def _icon(s: Sources, ray: Ray, item: jax.Array, place: Vector, body: Body) -> Body:
    px, py, pz = (o - p for o, p in zip(ray.origin, place))
    ok, t, across, up = _facing(ray, (px, py, pz), 0.0)
    u, v = across * _ITEM_ICON + 0.5, 0.5 - up * _ITEM_ICON
    ok &= (t < body.distance) & (u >= 0.0) & (u < 1.0) & (v >= 0.0) & (v < 1.0)
    picture = jnp.zeros_like(body.texel) + FIRST_ICON + item
    texel = jnp.where(ok, texel_index(picture, u, v), 0)
    ok &= load(s.tables.texel, texel) & SOLID != 0
    one = jnp.ones_like(t)
    return _nearer(ok, body, t, texel, (one, one, one), 0.0, False, place)
