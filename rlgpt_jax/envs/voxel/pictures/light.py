"""Light and colour of one point, for the picture kernels: sky, shade and texels.

In these functions `art` is an `art.Art` and `s` a `scene.Scene`.
"""

import math

from rlgpt_jax.envs.voxel.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.kernels import make_kernel

CLOUD_HEIGHT = 112.0
DAYLIGHT = 240  # a light byte: 15 of the sky, 0 of blocks
SMOOTH = 28.0  # blocks; faces farther away have one brightness each
FAST = {"contract", "nsz", "arcp"}
_SOURCES = ("light", "bodies", "cells", "trace", "art")
kernel = make_kernel(*(f"pictures/{name}.py" for name in _SOURCES))
inline = kernel(fastmath=FAST, forceinline=True)
# Not inlined: each call copies the tables' addresses, but the kernel compiles faster.
jit = kernel(fastmath=FAST)


@inline
def byte_at(s, x, y, z):
    if y < 0 or y >= s.world.shape[2]:
        return AIR_CODE + 1
    return int(s.world[s.wrap_x[x - s.low_x], s.wrap_z[z - s.low_z], y])


@inline
def light_at(s, x, y, z):
    if y < 0 or y >= s.world.shape[2]:
        return DAYLIGHT
    return int(s.light[s.wrap_x[x - s.low_x], s.wrap_z[z - s.low_z], y])


@jit
def sky(art, s, dx, dy, dz):
    """Colour of the sky in a direction: gradient, glow, sun, moon, stars, clouds."""
    up = max(0.0, dy) ** 0.6
    r = s.horizon[0] + (s.zenith[0] - s.horizon[0]) * up
    g = s.horizon[1] + (s.zenith[1] - s.horizon[1]) * up
    b = s.horizon[2] + (s.zenith[2] - s.horizon[2]) * up
    along = dx * s.sun[0] + dy * s.sun[1] + dz * s.sun[2]
    glow = s.dusk[3] * max(0.0, along) ** 4 * max(0.0, 1.0 - abs(dy) * 1.6)
    r += (s.dusk[0] - r) * glow
    g += (s.dusk[1] - g) * glow
    b += (s.dusk[2] - b) * glow
    if abs(along) > 0.99:
        # Sun and moon are squares: the offsets across the way that they take.
        u, v = dz * math.copysign(1.0, along), dx * s.sun[1] - dy * s.sun[0]
        size = 0.085 if along > 0 else 0.062
        if abs(u) < size and abs(v) < size:
            if along > 0:
                return 255.0, 250.0, 214.0
            spot = (math.floor(u * 90.0) * 3 + math.floor(v * 90.0) * 5) % 7
            dark = 34.0 if spot < 2 else 0.0
            return 222.0 - dark, 226.0 - dark, 236.0 - dark
    if s.day < 0.3 and dy > 0.05:
        cell = math.floor(dx / dy * 40) * 7919 + math.floor(dz / dy * 40) * 104729
        if (cell * 2654435761 >> 7) % 97 == 0:
            star = 150.0 * (0.3 - s.day) / 0.3
            r, g, b = r + star, g + star, b + star
    if dy > 0.04:
        reach = (CLOUD_HEIGHT - s.eye[1]) / dy
        cx = math.floor((s.eye[0] + dx * reach + 0.03 * s.tick) / 12.0) % 64
        cz = math.floor((s.eye[2] + dz * reach) / 12.0) % 64
        if reach > 0 and art.clouds[cx, cz]:
            thick = 0.75 * max(0.0, 1.0 - reach / 500.0)
            light = 40.0 + 210.0 * s.day
            r += (light - r) * thick
            g += (light - g) * thick
            b += (light + 4.0 - b) * thick
    return r, g, b


@inline
def texel(art, s, byte, face, u, v, distance):
    """Colour and alpha of a block's face; far away it turns into its mean."""
    texture = art.faces[byte, face]
    iu, iv = min(15, max(0, int(u * 16.0))), min(15, max(0, int(v * 16.0)))
    pixel = art.pictures[texture, iv, iu]
    blur = min(0.85, max(0.0, (distance - 10.0) / 30.0))
    tint = art.tint[texture, iv, iu]
    r = (pixel[0] + (art.mean[texture, 0] - pixel[0]) * blur) * s.tints[tint, 0]
    g = (pixel[1] + (art.mean[texture, 1] - pixel[1]) * blur) * s.tints[tint, 1]
    b = (pixel[2] + (art.mean[texture, 2] - pixel[2]) * blur) * s.tints[tint, 2]
    return r, g, b, pixel[3]


@inline
def lamp(s, sky, block, factor):
    """Three factors for a colour, from light of the sky and of blocks, 0..15 each."""
    colour = s.lamp[int(sky * 4.0 + 0.5), int(block * 4.0 + 0.5)]
    return factor * colour[0], factor * colour[1], factor * colour[2]


@inline
def lamp_in(s, x, y, z, factor):
    """Three factors for what is in a cell."""
    light = light_at(s, x, y, z)
    return lamp(s, float(light >> 4), float(light & 15), factor)


@jit
def _mob_shadow(art, s, x, y, z):
    """Darkness of the ground under mobs."""
    light = 1.0
    for m in range(len(s.mob_kind)):
        kind = s.mob_kind[m]
        if kind > 0:
            dx, dz = x - s.mob_position[m, 0], z - s.mob_position[m, 2]
            above = s.mob_position[m, 1] - y
            radius = 0.45 * art.part_reach[kind]
            if -0.1 < above < 2.0 and dx * dx + dz * dz < radius * radius:
                away = (dx * dx + dz * dz) / (radius * radius)
                light = min(light, 0.5 + 0.5 * away)
    return light


@inline
def _face_light(axis, forward):
    """The game's fixed brightness of the sides of blocks."""
    if axis == 1:
        return 0.5 if forward else 1.0
    return 0.8 if axis == 2 else 0.6


@jit
def shade_shape(art, s, cx, cy, cz, axis, forward, x, y, z):
    """Three factors for a point on a box that does not fill its cell.

    It has the light of its own cell, or that in front of the face if this is brighter:
    slabs and stairs let no light into their cells.
    """
    sign = -1 if forward else 1
    own = light_at(s, cx, cy, cz)
    front = light_at(s, cx + sign * (axis == 0), cy + sign * (axis == 1), cz + sign * (axis == 2))
    factor = _face_light(axis, forward)
    if axis == 1 and not forward:
        factor *= _mob_shadow(art, s, x, y, z)
    sky, block = max(own >> 4, front >> 4), max(own & 15, front & 15)
    return lamp(s, float(sky), float(block), factor)


@inline
def shade(art, s, cx, cy, cz, axis, forward, x, y, z, distance):
    """Three factors for a point on a whole block's face, seen by a ray going `forward`.

    Light and the darkness of corners come smoothly from the nine cells in front of the
    face, which weigh as if the four corners were averages of the cells that meet there.
    """
    sign = -1 if forward else 1
    fx, fy, fz = cx + sign * (axis == 0), cy + sign * (axis == 1), cz + sign * (axis == 2)
    factor = _face_light(axis, forward)
    if axis == 1 and not forward:
        factor *= _mob_shadow(art, s, x, y, z)
    middle = light_at(s, fx, fy, fz)
    if distance > SMOOTH:
        return lamp(s, float(middle >> 4), float(middle & 15), factor)
    b, c = (axis + 1) % 3, (axis + 2) % 3
    bx, by, bz = int(b == 0), int(b == 1), int(b == 2)
    ex, ey, ez = int(c == 0), int(c == 1), int(c == 2)
    fb = x - cx if b == 0 else y - cy if b == 1 else z - cz
    fc = x - cx if c == 0 else y - cy if c == 1 else z - cz
    # Middle: half of each direction's weight.
    sky_sum, block_sum, closed = 0.25 * (middle >> 4), 0.25 * (middle & 15), 0.0
    sides = 0  # bits: closed at -b, +b, -c, +c
    for k in range(4):
        along = 2 * (k & 1) - 1
        one = 1 - (k >> 1)
        px = fx + along * (bx if one else ex)
        py = fy + along * (by if one else ey)
        pz = fz + along * (bz if one else ez)
        part = fb if one else fc
        weight = 0.25 * (part if along > 0 else 1.0 - part)
        if art.corner[byte_at(s, px, py, pz)]:
            sides |= 1 << k
            closed += weight
            light = middle
        else:
            light = light_at(s, px, py, pz)
        sky_sum += weight * (light >> 4)
        block_sum += weight * (light & 15)
    for k in range(4):
        ob, oc = 2 * (k & 1) - 1, (k & 2) - 1
        weight = 0.25 * (fb if ob > 0 else 1.0 - fb) * (fc if oc > 0 else 1.0 - fc)
        px, py, pz = fx + ob * bx + oc * ex, fy + ob * by + oc * ey, fz + ob * bz + oc * ez
        between = (sides >> (k & 1)) & (sides >> (2 + (k >> 1))) & 1
        if between or art.corner[byte_at(s, px, py, pz)]:
            closed += weight
            light = middle
        else:
            light = light_at(s, px, py, pz)
        sky_sum += weight * (light >> 4)
        block_sum += weight * (light & 15)
    return lamp(s, sky_sum, block_sum, factor * (1.0 - 0.8 * closed))
