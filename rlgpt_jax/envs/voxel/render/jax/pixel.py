"""Pixels of one lane in plain JAX.

The rays of a tile of pixels go through the mobs and items, through the blocks, and what
they see is coloured. The host's kernel does the same in numba.
"""

import math

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.render.jax.bodies import Body, bodies
from rlgpt_jax.envs.voxel.render.jax.lookups import (
    Sources,
    Vector,
    load,
    texel_index,
    three,
    vector,
)
from rlgpt_jax.envs.voxel.render.jax.march import IN_CELL, IN_LAVA, NONE, SHINES, TINY, Met, march
from rlgpt_jax.envs.voxel.render.jax.parts import Ray
from rlgpt_jax.envs.voxel.render.jax.shade import Point, colour_of, lamp_in_water, sky
from rlgpt_jax.envs.voxel.render.jax.tables import ARM, FIRST_ICON, SOLID, TEXELS, WATER_PICTURE

_FOV = math.tan(math.radians(70.0) / 2)  # half the picture's height
_BLUR = 0.85  # of a texture, at most
# The colour of deep water, and the share of light that a block of it takes away.
_DEEP, _MURK = (28.0, 66.0, 150.0), 0.13
_HAND_HIGH, _HAND_WIDE = 36.0, 48.0  # units of the hand that a picture has at least


def draw(s: Sources, row: jax.Array, column: jax.Array, height: int, width: int) -> Vector:
    """Red, green and blue int32 0..255 of pixels int32 of a picture's rows and columns."""
    ray = aim(s, row, column, height, width)
    hand = _hand(s, row, column, height, width)
    in_hand = hand >= 0
    body = bodies(s, ray)
    met = march(s, ray, body.distance, ~in_hand)
    colour = colour_of(s, ray, _nearest(hand, body, met))
    r, g, b = _through_water(s, ray, met, colour)
    lava = (met.light == IN_LAVA) & ~in_hand
    r, g = jnp.where(lava, 216.0, r), jnp.where(lava, _green(s, met), g)
    b = jnp.where(lava, 16.0, b)
    red, green, blue = (jnp.clip(c, 0.0, 255.0).astype(jnp.int32) for c in (r, g, b))
    return red, green, blue


def aim(s: Sources, row: jax.Array, column: jax.Array, height: int, width: int) -> Ray:
    """Rays through the middles of pixels."""
    scale = 2.0 * _FOV / height
    up = _FOV - (row.astype(jnp.float32) + 0.5) * scale
    right = (column.astype(jnp.float32) + 0.5) * scale - _FOV * width / height
    axes = [vector(s.scene.axes, k) for k in range(3)]
    way = [f + up * u + right * r for r, u, f in zip(*axes)]
    size = 1.0 / jnp.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
    way = [d * size for d in way]
    dx, dy, dz = (jnp.where(jnp.abs(d) > TINY, d, TINY) for d in way)
    return Ray(vector(s.scene.eye), (dx, dy, dz), (1.0 / dx, 1.0 / dy, 1.0 / dz))


def _hand(s: Sources, row: jax.Array, column: jax.Array, height: int, width: int) -> jax.Array:
    """Index into `Tables.texel` of the held item or the arm, -1 where it is not.

    It is at the lower right and dips for a moment after a swing.
    """
    unit = max(_HAND_HIGH / height, _HAND_WIDE / width)  # of a pixel
    item, dip = s.scene.hand_item, 0.5 * s.scene.hand_dip
    x = (column.astype(jnp.float32) + (0.5 - width)) * unit + dip
    y = (row.astype(jnp.float32) + (0.5 - height)) * unit - dip
    # A thing is held with its front inwards.
    u, v = -(x + 1.0) / TEXELS, (y + 13.0) / TEXELS
    on_item = (u >= 0.0) & (u < 1.0) & (v >= 0.0) & (v < 1.0)
    # The arm comes from beyond the corner and leans inwards.
    right, below = x + 6.0, y + 10.0
    across, along = 0.82 * right - 0.57 * below, 0.57 * right + 0.82 * below
    on_arm = (along > 0.0) & (across > -4.4) & (across < 2.2)
    arm_u, arm_v = along / TEXELS, (across + 4.4) * (2.0 / TEXELS)
    holds = item > 0
    there = jnp.where(holds, on_item, on_arm)
    picture = jnp.zeros_like(row) + jnp.where(holds, FIRST_ICON + item, ARM)
    texel = texel_index(picture, jnp.where(holds, u, arm_u), jnp.where(holds, v, arm_v))
    texel = jnp.where(there, texel, 0)
    solid = load(s.tables.texel, texel) & SOLID != 0
    return jnp.where(there & solid, texel, -1)


def _nearest(hand: jax.Array, body: Body, met: Met) -> Point:
    """What the rays see: the hand, or the nearer of a body and what is met in the world."""
    in_hand = hand >= 0
    on_body = ~in_hand & (body.distance < met.distance)
    in_world = ~in_hand & ~on_body
    distance = jnp.where(in_hand, 0.0, jnp.minimum(body.distance, met.distance))
    # The two crossed pictures of a plant are fine for longer.
    far = jnp.where(met.light == IN_CELL, 0.5, 1.0) * distance
    blur = jnp.where(in_world, jnp.clip((far - 10.0) * (1.0 / 30.0), 0.0, _BLUR), 0.0)
    light = jnp.where(on_body & body.shines, SHINES, IN_CELL)
    cell = (
        jnp.where(in_world, c, jnp.where(on_body, jnp.floor(p).astype(jnp.int32), 0))
        for c, p in zip(met.cell, body.place)
    )
    return Point(
        distance=distance,
        texel=jnp.where(in_hand, hand, jnp.where(on_body, body.texel, met.texel)),
        blur=blur,
        light=jnp.where(in_world, met.light, light),
        face=met.face,
        cell=three(cell),
        factor=three(jnp.where(on_body, f, 1.0) for f in body.factor),
        hurt=jnp.where(on_body, body.hurt, 0.0),
    )


def _through_water(s: Sources, ray: Ray, met: Met, colour: Vector) -> Vector:
    """A colour behind water: dimmed by the depth, under a surface that mirrors the sky
    where that shines, more so at a flat angle."""
    wet = met.film < NONE
    surface = wet & (met.film > 0.0)
    place = three(o + d * met.film for o, d in zip(ray.origin, ray.way))
    light = lamp_in_water(s, met.film_cell, place, wet)
    keep = jnp.exp(-_MURK * met.wet)
    colour = three(keep * c + (1.0 - keep) * deep * x for c, deep, x in zip(colour, _DEEP, light))
    x, y, z = (p - jnp.floor(p) for p in place)
    u = jnp.where(met.film_face == 0, z, x)
    v = jnp.where(met.film_face == 1, z, y)
    texel = texel_index(jnp.full_like(met.texel, WATER_PICTURE), u, v)
    pixel = load(s.tables.texel, texel)
    steep = 1.0 - jnp.minimum(1.0, jnp.abs(ray.way[1]))
    mirror = jnp.where(met.film_face == 1, 0.1 + 0.5 * steep * steep * steep, 0.08)
    share = 0.46 - 0.4 * mirror
    shine = mirror * jnp.minimum(1.0, light[2])
    above = sky(s, ray.way[0], jnp.abs(ray.way[1]), ray.way[2])
    out = []
    for k, c in enumerate(colour):
        own = (pixel >> 8 * k & 255).astype(jnp.float32)
        film = shine * above[k] + share * own * light[k] + (1.0 - mirror - share) * c
        out.append(jnp.where(surface, film, c))
    return out[0], out[1], out[2]


def _green(s: Sources, met: Met) -> jax.Array:
    """float32: the green of the lava that the eye is in."""
    texel = jnp.maximum(met.texel, 0)
    green = load(s.tables.texel, texel) >> 8 & 255
    return 84.0 + 0.15 * green.astype(jnp.float32)
