"""Light and colour of a tile's points: the sky, lamps, smooth light on faces, fog."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.render.jax.bodies import each, mob_shadow
from rlgpt_jax.envs.voxel.render.jax.lookups import (
    Sources,
    Vector,
    block_at,
    is_near,
    light_at,
    load,
    pick,
    three,
    vector,
)
from rlgpt_jax.envs.voxel.render.jax.march import IN_FRONT, SHINES, SMOOTH
from rlgpt_jax.envs.voxel.render.jax.parts import Ray
from rlgpt_jax.envs.voxel.render.jax.scene import CLOUD_SIZE, DARK, FAR
from rlgpt_jax.envs.voxel.render.jax.tables import CORNER, TEXELS, TINT_SHIFT

_GAMMA = 0.4  # of the game's brightness setting, 0 moody to 1 bright
_TORCH = 1.4  # torches are as bright as the day at their own cell
IN_WATER = 3  # levels of light that are lost on the way into a cell of water
_SMOOTH_RANGE = 28.0  # blocks; faces farther away have one brightness each
_SUN, _MOON = (255.0, 250.0, 214.0), (222.0, 226.0, 236.0)
_FOG_FROM = 0.45  # of FAR
_HASH = 2654435761 - (1 << 32)  # Knuth's multiplier as an int32


class Point(NamedTuple):
    """What is seen by each ray of a tile. Places are local."""

    distance: jax.Array  # float32  NONE for the sky
    texel: jax.Array  # int32  index into `Tables.texel`
    blur: jax.Array  # float32  0..0.85, share of the picture's mean
    light: jax.Array  # int32  `march.SMOOTH` ..
    face: jax.Array  # int32  axis * 2 + (1 if the ray goes forward), for SMOOTH and IN_FRONT
    cell: Vector  # int32  of the block, or whose light it has
    factor: Vector  # float32
    hurt: jax.Array  # float32  share of red


def sky(s: Sources, dx: jax.Array, dy: jax.Array, dz: jax.Array) -> Vector:
    """Colour of the sky in a direction: gradient, glow, sun, moon, stars, clouds."""
    scene = s.scene
    zenith, horizon = vector(scene.zenith), vector(scene.horizon)
    sun, day = vector(scene.sun), scene.day
    up = jnp.exp(0.6 * jnp.log(jnp.maximum(dy, 1e-9)))
    colour = [h + (z - h) * up for h, z in zip(horizon, zenith)]
    along = dx * sun[0] + dy * sun[1] + dz * sun[2]
    glow = jnp.maximum(0.0, along)
    glow = load(scene.dusk, 3) * (glow * glow) * (glow * glow)
    glow = glow * jnp.maximum(0.0, 1.0 - jnp.abs(dy) * 1.6)
    colour = [c + (d - c) * glow for c, d in zip(colour, vector(scene.dusk))]
    # A night's stars, one in 97 cells of a plane overhead.
    rise = jnp.maximum(dy, 0.05)
    cell = jnp.floor(dx / rise * 40.0).astype(jnp.int32) * 7919
    cell = (cell + jnp.floor(dz / rise * 40.0).astype(jnp.int32) * 104729) * _HASH
    lucky = jax.lax.rem(jax.lax.shift_right_logical(cell, jnp.int32(7)), 97) == 0
    star = jnp.where(lucky & (dy > 0.05), jnp.maximum(0.0, 0.3 - day) * 500.0, 0.0)
    colour = [c + star for c in colour]
    colour = _clouds(s, dx, dy, dz, day, colour)
    # Sun and moon are squares: the offsets across the way that they take.
    u, v = jnp.where(along > 0, dz, -dz), dx * sun[1] - dy * sun[0]
    spot = jnp.floor(u * 90.0).astype(jnp.int32) * 3 + jnp.floor(v * 90.0).astype(jnp.int32) * 5
    dark = jnp.where(jax.lax.rem(spot + 700, 7) < 2, 34.0, 0.0)
    size = jnp.where(along > 0, 0.085, 0.062)
    disc = (jnp.abs(along) > 0.99) & (jnp.abs(u) < size) & (jnp.abs(v) < size)
    r, g, b = (
        jnp.where(disc, jnp.where(along > 0, bright, pale - dark), c)
        for c, bright, pale in zip(colour, _SUN, _MOON)
    )
    return r, g, b


def _clouds(s: Sources, dx, dy, dz, day, colour: list) -> list:
    rise = load(s.scene.clouds, 2)
    reach = rise / jnp.maximum(dy, 0.04)
    cell_x, cell_z = (
        jnp.floor(load(s.scene.clouds, k) + d * reach * (1.0 / CLOUD_SIZE)).astype(jnp.int32) & 63
        for k, d in ((0, dx), (1, dz))
    )
    above = (dy > 0.04) & (reach > 0)
    there = above & (load(s.tables.clouds, cell_x * 64 + cell_z) > 0)
    thick = jnp.where(there, 0.75 * jnp.maximum(0.0, 1.0 - reach / 500.0), 0.0)
    white = 40.0 + 210.0 * day
    return [c + (white + add - c) * thick for c, add in zip(colour, (0.0, 0.0, 4.0))]


def lamp(s: Sources, sky_level: jax.Array, block_level: jax.Array, factor: jax.Array) -> Vector:
    """Three factors of colour, from light of the sky and of blocks, float32 0..15 each.

    As in the game: brightness falls faster than the level, the night is blue, torches are
    warm, and darkness is not quite black.
    """
    sky_level, block_level = sky_level * (1.0 / 15.0), block_level * (1.0 / 15.0)
    day = sky_level / (4.0 - 3.0 * sky_level)
    torch = jnp.minimum(1.0, _TORCH * (block_level / (4.0 - 3.0 * block_level)))
    green = torch * ((0.6 * torch + 0.4) * 0.6 + 0.4)
    blue = torch * (0.6 * torch * torch + 0.4)
    out = []
    for full, warm in zip(vector(s.scene.sky_light), (torch, green, blue)):
        light = DARK + (1.0 - DARK) * (day * full + 0.5 * (torch + warm))
        light = jnp.minimum(1.0, light)
        rest = (1.0 - light) * (1.0 - light)
        light = light + _GAMMA * (1.0 - rest * rest - light)
        out.append(factor * (DARK + (1.0 - DARK) * light))
    return out[0], out[1], out[2]


def lamp_in_water(s: Sources, cell: Vector, place: Vector, where: jax.Array) -> Vector:
    """Three factors for water in a cell; `place` is a point in it."""
    light = _guessed(s, cell, light_at(s, *cell), where, loss=IN_WATER)
    block = jnp.maximum((light & 15).astype(jnp.float32), _placed(s, cell, place))
    return lamp(s, (light >> 4).astype(jnp.float32), block, jnp.float32(1.0))


def colour_of(s: Sources, ray: Ray, point: Point) -> Vector:
    """Colours 0..255 of what is seen, lit, in the fog of its distance."""
    seen = point.texel >= 0
    colour = [c * f for c, f in zip(_texel(s, point), point.factor)]
    crack = _crack(s, point, seen)
    red = 255.0 * point.hurt
    colour = [c * crack * (1.0 - point.hurt) for c in colour]
    light = _light(s, ray, point, seen & (point.light != SHINES))
    r, g, b = (
        jnp.where(point.light == SHINES, c, c * x)
        for c, x in zip((colour[0] + red, *colour[1:]), light)
    )
    return _fog(s, ray, point.distance, (r, g, b))


def _texel(s: Sources, point: Point) -> Vector:
    """Its colour; far away it turns into the mean of the picture."""
    index = jnp.maximum(point.texel, 0)
    pixel = load(s.tables.texel, index)
    mean = load(s.tables.mean, index // (TEXELS * TEXELS))
    tint = pixel >> TINT_SHIFT & 3
    out = []
    for k, shift in enumerate((0, 8, 16)):
        sharp = (pixel >> shift & 255).astype(jnp.float32)
        flat = (mean >> shift & 255).astype(jnp.float32)
        grass, leaves = load(s.scene.tints, 1, k), load(s.scene.tints, 2, k)
        factor = jnp.where(tint == 0, 1.0, jnp.where(tint == 1, grass, leaves))
        out.append((sharp + (flat - sharp) * point.blur) * factor)
    return out[0], out[1], out[2]


def _crack(s: Sources, point: Point, seen: jax.Array) -> jax.Array:
    """What the cracks of the block being mined leave of its colour."""
    mined = seen & (point.light <= IN_FRONT)
    for k in range(3):
        mined &= point.cell[k] == load(s.scene.mining_cell, k)
    texel = point.texel & (TEXELS * TEXELS - 1)
    cracked = load(s.tables.cracks, texel) <= s.scene.mining_stage
    return jnp.where(mined & cracked, 0.35, 1.0)


def _placed(s: Sources, cell: Vector, place: Vector) -> jax.Array:
    """float32: light at a point from lights that were placed; it shines through walls.

    In the cube of cells whose light is kept up to date, only lights outside of it count.
    """
    near = is_near(*cell).astype(jnp.int32)

    def shine(i: jax.Array, best: jax.Array) -> jax.Array:
        away = [jnp.abs(p - q) for p, q in zip(place, vector(s.scene.light_place, i))]
        level = load(s.scene.light_level, i) - (away[0] + away[1] + away[2])
        inside = near * load(s.scene.light_is_near, i)
        return jnp.where(inside > 0, best, jnp.maximum(best, level))

    return each(s.scene.num_lights, shine, jnp.zeros_like(near, jnp.float32))


def _light(s: Sources, ray: Ray, point: Point, where: jax.Array) -> Vector:
    """Three factors. On whole blocks' faces light and the darkness of corners come
    smoothly from the nine cells in front, which weigh as if the four corners were
    averages of the cells that meet there. Other boxes have the light of their own cell,
    or that in front of the face if this is brighter: slabs let no light into theirs."""
    axis, forward = point.face // 2, point.face % 2
    sign = 1 - 2 * forward
    on_face = point.light <= IN_FRONT
    whole = point.light == SMOOTH
    step = jnp.where(on_face, sign, 0)
    at = three(c + jnp.where(axis == k, step, 0) for k, c in enumerate(point.cell))
    own = light_at(s, *point.cell)
    front = light_at(s, *at)
    own, front = jnp.where(whole, 0, own), jnp.where(on_face, front, 0)
    middle = jnp.maximum(own & ~15, front & ~15) | jnp.maximum(own & 15, front & 15)
    middle = _guessed(s, at, middle, where)
    sky_level = (middle >> 4).astype(jnp.float32)
    block = (middle & 15).astype(jnp.float32)

    place = three(o + d * point.distance for o, d in zip(ray.origin, ray.way))
    smooth = where & whole & (point.distance <= _SMOOTH_RANGE)
    sides, corners = _around(s, at, axis, place, middle)
    sky_level = jnp.where(smooth, sides, sky_level)
    block = jnp.where(smooth, corners[0], block)
    closed = jnp.where(smooth, corners[1], 0.0)
    block = jnp.maximum(block, _placed(s, at, place))

    # The game's fixed brightness of the sides of blocks.
    factor = jnp.where(axis == 1, jnp.where(forward > 0, 0.5, 1.0), jnp.where(axis == 2, 0.8, 0.6))
    top = (axis == 1) & (forward == 0)
    factor = factor * jnp.where(top, mob_shadow(s, *place), 1.0)
    factor = jnp.where(on_face, factor, 1.0)
    return lamp(s, sky_level, block, factor * (1.0 - 0.8 * closed))


def _guessed(
    s: Sources, cell: Vector, light: jax.Array, where: jax.Array, loss: int = 1
) -> jax.Array:
    """int32: light of cells, 16 * sky + blocks, by their neighbours' where it is 0.

    What was dug out far from the eye, or flooded since, still has the light of the block that
    was there. Light loses `loss` on its way in.
    """
    dark = where & (light == 0) & ~is_near(*cell)

    def look(k, light):
        # From the four sides and from above.
        x, z = pick(k < 2, 2 * k - 1, 0), pick((k == 2) | (k == 3), 2 * k - 5, 0)
        y = (k == 4).astype(jnp.int32)
        beside = light_at(s, cell[0] + x, cell[1] + y, cell[2] + z)
        beside = jnp.maximum((beside & ~15) - 16 * loss, 0) | jnp.maximum((beside & 15) - loss, 0)
        brighter = jnp.maximum(light & ~15, beside & ~15) | jnp.maximum(light & 15, beside & 15)
        return jnp.where(dark, brighter, light)

    return jax.lax.fori_loop(0, 5, look, light)


def _around(
    s: Sources, front: Vector, axis: jax.Array, place: Vector, middle: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    """Smooth light of the sky, and of blocks, and how far corners are closed 0..1.

    Args:
      front: int32, the cell in front of the face.
      axis: int32, of the face.
      place: float32, the point on it.
      middle: int32, the light of the cell in front.
    """
    # The face's own two axes.
    b, c = jnp.where(axis == 2, 0, axis + 1), jnp.where(axis == 0, 2, axis - 1)
    frac = [p - jnp.floor(p) for p in place]
    fb = jnp.where(b == 0, frac[0], jnp.where(b == 1, frac[1], frac[2]))
    fc = jnp.where(c == 0, frac[0], jnp.where(c == 1, frac[1], frac[2]))
    sky_middle, block_middle = (m.astype(jnp.float32) for m in (middle >> 4, middle & 15))

    def add(k, carry):
        sky_sum, block_sum, closed, sides = carry
        # 0-3: at -b, +b, -c, +c; 4-7: at the corners.
        is_side = k < 4
        low, high = 2 * (k & 1) - 1, (k & 2) - 1
        along_b = pick(is_side, pick(k < 2, low, 0), low)
        along_c = pick(is_side, pick(k < 2, 0, low), high)
        part_b = jnp.where(along_b > 0, fb, 1.0 - fb)
        part_c = jnp.where(along_c > 0, fc, 1.0 - fc)
        part_b = jnp.where(along_b == 0, 1.0, part_b)
        weight = 0.25 * part_b * jnp.where(along_c == 0, 1.0, part_c)
        at = three(
            f + jnp.where(b == n, along_b, 0) + jnp.where(c == n, along_c, 0)
            for n, f in enumerate(front)
        )
        between = jnp.where(is_side, 0, sides >> (k & 1) & sides >> (2 + (k >> 1 & 1)) & 1)
        byte = block_at(s, *at)
        corner = (between > 0) | (load(s.tables.block, byte) & CORNER != 0)
        light = light_at(s, *at)
        light = jnp.where(corner, middle, light)
        return (
            sky_sum + weight * (light >> 4).astype(jnp.float32),
            block_sum + weight * (light & 15).astype(jnp.float32),
            closed + jnp.where(corner, weight, 0.0),
            sides | jnp.where(is_side & corner, 1, 0) << k,
        )

    start = (0.25 * sky_middle, 0.25 * block_middle, sky_middle * 0.0, middle * 0)
    sky_sum, block_sum, closed, _ = jax.lax.fori_loop(0, 8, add, start)
    return sky_sum, (block_sum, closed)


def _fog(s: Sources, ray: Ray, distance: jax.Array, colour: Vector) -> Vector:
    """A colour at a distance, mixed with the sky at the horizon behind it."""
    far = jnp.clip((distance * (1.0 / FAR) - _FOG_FROM) * (1.0 / (1.0 - _FOG_FROM)), 0.0, 1.0)
    share = far * jnp.sqrt(far)
    dx, dy, dz = ray.way
    flat = 1.0 / jnp.sqrt(jnp.maximum(1e-9, dx * dx + dz * dz))
    beyond = share >= 1.0
    behind = sky(
        s, jnp.where(beyond, dx, dx * flat), jnp.where(beyond, dy, 0.0),
        jnp.where(beyond, dz, dz * flat),
    )  # fmt: skip
    r, g, b = (c + (k - c) * share for c, k in zip(colour, behind))
    return r, g, b
