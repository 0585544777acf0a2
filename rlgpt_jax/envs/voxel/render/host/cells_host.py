"""What a ray meets where there is more than air and whole blocks, for the numba renderer.

The same decisions as in `march.py`, which says what they mean, one ray at a time. Where two
faces are told apart by one number it is axis * 2 + (1 if the ray moves in + direction).
"""

import math

import numpy as np

from rlgpt_jax.envs.voxel.render.art.textures import FRONT
from rlgpt_jax.envs.voxel.render.host.host_tables import OPAQUE, inline, jit
from rlgpt_jax.envs.voxel.render.host.light_host import byte_at
from rlgpt_jax.envs.voxel.render.jax.march import IN_CELL, IN_FRONT, IN_LAVA, NONE, SHINES, SMOOTH
from rlgpt_jax.envs.voxel.render.jax.scene import FAR
from rlgpt_jax.envs.voxel.render.jax.tables import (
    BOX_UNITS,
    CUBE,
    DOOR,
    FIRE,
    JOINS,
    LAVA,
    LAVA_PICTURE,
    PLANT,
    SHAPE,
    SOLID,
    TINT_SHIFT,
    UPPER_DOOR,
    WATER,
)
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE

f = np.float32
NEVER = f(NONE)
_FAR, _UNIT = f(FAR), f(1.0 / BOX_UNITS)


@inline
def texel_at(picture, u, v):
    """Index of a texel; u, v 0..1 to the right and down."""
    column = min(15, max(0, int(u * f(16))))
    row = min(15, max(0, int(v * f(16))))
    return picture * 256 + row * 16 + column


@inline
def texel_colour(look, note, texel, blur):
    """Colour of a texel; far away it turns into the mean of the picture."""
    word = look.texel[texel]
    r, g, b = f(word & 255), f(word >> 8 & 255), f(word >> 16 & 255)
    if blur > f(0):
        mean = look.mean[texel >> 8]
        r += (f(mean & 255) - r) * blur
        g += (f(mean >> 8 & 255) - g) * blur
        b += (f(mean >> 16 & 255) - b) * blur
    tint = word >> TINT_SHIFT & 3
    if tint:
        r, g, b = r * note.tints[tint, 0], g * note.tints[tint, 1], b * note.tints[tint, 2]
    return r, g, b


@inline
def on_face(look, byte, axis, dx, dy, dz, x, y, z):
    """The texel at a point of a cell on a face of its block, and the face.

    Left is left for a viewer on either side.
    """
    forward = (dx if axis == 0 else dy if axis == 1 else dz) > f(0)
    u, v = x, z
    if axis != 1:
        u, v = (z if axis == 0 else f(1) - x), f(1) - y
        u = u if forward else f(1) - u
    return texel_at(look.face[byte * 6 + axis * 2 + (not forward)], u, v), axis * 2 + forward


@inline
def slab(ox, oy, oz, ix, iy, iz, low_x, low_y, low_z, high_x, high_y, high_z):
    """Distances to the two sides of a box and the axes of their faces.

    The ray misses it if the first is greater than the second.
    """
    ax, bx = (low_x - ox) * ix, (high_x - ox) * ix
    ay, by = (low_y - oy) * iy, (high_y - oy) * iy
    az, bz = (low_z - oz) * iz, (high_z - oz) * iz
    ax, bx, ay, by = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
    az, bz = min(az, bz), max(az, bz)
    enter, leave = max(ax, max(ay, az)), min(bx, min(by, bz))
    enter_axis = 0 if ax == enter else 1 if ay == enter else 2
    leave_axis = 0 if bx == leave else 1 if by == leave else 2
    return enter, enter_axis, leave, leave_axis


@jit
def _shape(look, note, place, byte, cx, cy, cz, dx, dy, dz, limit):
    """The nearest solid texel of a block's boxes: distance, texel (-1 none), face."""
    shown = byte
    if look.block[byte] & UPPER_DOOR:  # it stands as the lower half does
        below = byte_at(note, place, cx, cy - 1, cz)
        if look.block[below] & (DOOR | UPPER_DOOR) == DOOR:
            shown = below
    ix, iy, iz = f(1) / dx, f(1) / dy, f(1) / dz
    ox, oy, oz = note.eye[0] - f(cx), note.eye[1] - f(cy), note.eye[2] - f(cz)
    best, found, best_face = limit, -1, 0
    for k in range(look.box_first[shown], look.box_first[shown + 1]):
        low, high = look.box[2 * k], look.box[2 * k + 1]
        side = low >> 24
        if side > 0:
            step = 1 if side % 2 == 0 else -1
            nx, nz = (cx + step, cz) if side < 3 else (cx, cz + step)
            if not look.block[byte_at(note, place, nx, cy, nz)] & JOINS:
                continue
        near, axis, far, far_axis = slab(
            ox, oy, oz, ix, iy, iz,
            f(low & 255) * _UNIT, f(low >> 8 & 255) * _UNIT, f(low >> 16 & 255) * _UNIT,
            f(high & 255) * _UNIT, f(high >> 8 & 255) * _UNIT, f(high >> 16 & 255) * _UNIT,
        )  # fmt: skip
        for inner in range(2):  # through a hole one sees the far side
            at, way = (far, far_axis) if inner else (near, axis)
            if near > far or near >= best or at <= f(0) or at >= best:
                continue
            x, y, z = ox + dx * at, oy + dy * at, oz + dz * at
            texel, face = on_face(look, byte, way, dx, dy, dz, x, y, z)
            if look.texel[texel] & SOLID:
                best, found, best_face = at, texel, face
    return (best if found >= 0 else NEVER), found, best_face


@jit
def _plant(look, note, byte, cx, cy, cz, dx, dy, dz, near, far):
    """Two crossed pictures, x = z and x = 1 - z: distance and texel (-1 none)."""
    x, y, z = note.eye[0] - f(cx), note.eye[1] - f(cy), note.eye[2] - f(cz)
    best, found = NEVER, -1
    for way in range(2):
        speed = dx - dz if way == 0 else dx + dz
        offset = x - z if way == 0 else x + z - f(1)
        if abs(speed) < f(1e-9):
            continue
        at = -offset / speed
        u, v = x + dx * at, y + dy * at
        if near <= at <= far and at < best and f(0) <= u < f(1) and f(0) <= v < f(1):
            texel = texel_at(look.face[byte * 6 + FRONT], u, f(1) - v)
            if look.texel[texel] & SOLID:
                best, found = at, texel
    return best, found


@inline
def _in_cube(cell, at, reach, forward, is_crossed):
    """The coordinate after a cube of air: beyond the wall that is crossed, else within."""
    if forward:
        return cell + reach if is_crossed else min(max(at, cell), cell + reach - 1)
    return cell - reach if is_crossed else max(min(at, cell), cell - reach + 1)


@jit
def walk(look, note, place, dx, dy, dz, t, cx, cy, cz, axis, body):
    """Follows a ray from where it enters a cell, as far as `body`, where it meets one.

    Returns:
      The fields of `march.Met`, one after the other.
    """
    ox, oy, oz = note.eye[0], note.eye[1], note.eye[2]
    ix, iy, iz = f(1) / dx, f(1) / dy, f(1) / dz
    wet, film = f(0), NEVER
    film_axis, fx, fy, fz = 0, 0, 0, 0
    hit, texel, face, light = NEVER, -1, 0, 0
    px, py, pz = dx > f(0), dy > f(0), dz > f(0)
    # Where the ray meets the walls of its cell that lie ahead.
    tx = (f(cx + px) - ox) * ix
    ty = (f(cy + py) - oy) * iy
    tz = (f(cz + pz) - oz) * iz
    while True:
        byte = byte_at(note, place, cx, cy, cz)
        reach = byte - AIR_CODE
        if reach > 1:  # out of a cube of air in one go
            tx = (f(cx + reach if px else cx + 1 - reach) - ox) * ix
            ty = (f(cy + reach if py else cy + 1 - reach) - oy) * iy
            tz = (f(cz + reach if pz else cz + 1 - reach) - oz) * iz
        leave = min(tx, min(ty, tz))
        kind = look.kind[byte]
        if kind in (WATER, LAVA):
            start, end, entry = t, leave, axis
            above = look.kind[byte_at(note, place, cx, cy + 1, cz)]
            height = look.surface[byte]
            if above != kind and height < f(1):
                crossing = (f(cy) + height - oy) * iy
                if dy < f(0) and crossing > t:
                    start, entry = min(crossing, leave), 1
                elif dy > f(0):
                    end = max(t, min(leave, crossing))
            if start < end and start < body:
                if kind == WATER:
                    if film >= NEVER:
                        film, film_axis, fx, fy, fz = start, entry, cx, cy, cz
                    wet += min(end, body) - start
                else:
                    x, y, z = ox + dx * start - f(cx), oy + dy * start - f(cy), oz + dz * start
                    z -= f(cz)
                    u = x if entry != 0 else z
                    v = z if entry == 1 else f(1) - y
                    texel = texel_at(LAVA_PICTURE, u, v)
                    light = SHINES if start > f(0) else IN_LAVA
                    hit = max(start, f(1e-6))
        elif kind in (CUBE, OPAQUE):
            # One does not see the block that the eye is in.
            if t < body and (cx | cy | cz) != 0:
                x, y, z = ox - f(cx) + dx * t, oy - f(cy) + dy * t, oz - f(cz) + dz * t
                seen, seen_face = on_face(look, byte, axis, dx, dy, dz, x, y, z)
                if look.texel[seen] & SOLID:
                    hit, texel, face, light = t, seen, seen_face, SMOOTH
        elif kind == PLANT:
            hit, texel = _plant(look, note, byte, cx, cy, cz, dx, dy, dz, t, leave)
            light = SHINES if byte == FIRE else IN_CELL
        elif kind == SHAPE:
            limit = min(body, leave + f(1e-6))
            hit, texel, face = _shape(look, note, place, byte, cx, cy, cz, dx, dy, dz, limit)
            light = IN_FRONT
        if hit < NEVER or not (leave <= _FAR and leave <= body):
            break
        t, axis = leave, 0 if tx == leave else 1 if ty == leave else 2
        if reach > 1:
            cx = _in_cube(cx, math.floor(ox + dx * t), reach, px, axis == 0)
            cy = _in_cube(cy, math.floor(oy + dy * t), reach, py, axis == 1)
            cz = _in_cube(cz, math.floor(oz + dz * t), reach, pz, axis == 2)
            tx = (f(cx + px) - ox) * ix
            ty = (f(cy + py) - oy) * iy
            tz = (f(cz + pz) - oz) * iz
        elif axis == 0:
            cx += 1 if px else -1
            tx = (f(cx + px) - ox) * ix
        elif axis == 1:
            cy += 1 if py else -1
            ty = (f(cy + py) - oy) * iy
        else:
            cz += 1 if pz else -1
            tz = (f(cz + pz) - oz) * iz
    return hit, texel, face, light, cx, cy, cz, wet, film, film_axis, fx, fy, fz
