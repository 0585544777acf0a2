"""One tile of a frame, and one ray of it, for the numba renderer.

The rays of a tile go through air together (`march_host.py`), then each is finished alone: what
it met, its colour, its light, the fog. The same numbers as in `pixel.py` and `shade.py`.
`note` is a record of `host_tables.LANE`, `look` one of `host_tables.LOOK`, `place` the lane's
world and its stored light; `bodies` and `lights` are fields of `Scenes`, `n` is the lane.
"""

import math

import numpy as np

from rlgpt_jax.envs.voxel.render.host.bodies_host import gather, mob_shadow, nearest_body
from rlgpt_jax.envs.voxel.render.host.cells_host import NEVER, on_face, texel_at, texel_colour, walk
from rlgpt_jax.envs.voxel.render.host.hand_host import draw_hand, find_hand, may_show_hand
from rlgpt_jax.envs.voxel.render.host.host_tables import (
    AXIS,
    COLOUR,
    MET,
    MET_AT,
    OPAQUE,
    RAY,
    RAYS,
    TILE,
    inline,
    jit,
    vector,
)
from rlgpt_jax.envs.voxel.render.host.light_host import (
    before,
    byte_at,
    face_light,
    guessed_at,
    light_of_shape,
    light_on,
    side_light,
)
from rlgpt_jax.envs.voxel.render.host.march_host import aim_beam, march
from rlgpt_jax.envs.voxel.render.host.sky_host import fog, sky, sky_tile
from rlgpt_jax.envs.voxel.render.jax import pixel
from rlgpt_jax.envs.voxel.render.jax.march import IN_CELL, IN_FRONT, IN_LAVA, SHINES, SMOOTH, TINY
from rlgpt_jax.envs.voxel.render.jax.shade import IN_WATER
from rlgpt_jax.envs.voxel.render.jax.tables import WATER_PICTURE
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE

f = np.float32
_FOV, _MURK, _BLUR, _TINY = f(pixel._FOV), f(pixel._MURK), f(pixel._BLUR), f(TINY)
_DEEP_R, _DEEP_G, _DEEP_B = (f(c) for c in pixel._DEEP)
_NOBODY = (NEVER, -1, f(0), f(0), f(0), f(0), False, f(0), f(0), f(0))


@vector
def _aim(rays, axes, scale, top, left, row, column):
    """Writes the unit vectors of a tile's rays; axes as in `Scenes`, flat."""
    for i in range(TILE):
        up = top - (f(row + i) + f(0.5)) * scale
        for j in range(TILE):
            right = (f(column + j) + f(0.5)) * scale - left
            dx = axes[6] + axes[3] * up + axes[0] * right
            dy = axes[7] + axes[4] * up + axes[1] * right
            dz = axes[8] + axes[5] * up + axes[2] * right
            size = f(1) / np.sqrt(dx * dx + dy * dy + dz * dz)
            dx, dy, dz = dx * size, dy * size, dz * size
            at = i * TILE + j
            rays[RAY * RAYS + at] = dx if abs(dx) > _TINY else _TINY
            rays[(RAY + 1) * RAYS + at] = dy if abs(dy) > _TINY else _TINY
            rays[(RAY + 2) * RAYS + at] = dz if abs(dz) > _TINY else _TINY


@jit
def draw_tile(look, note, place, bodies, lights, n, image, samples, beam, row, column):
    """One tile of rays, whose first one is at a row and a column of the grid of all rays."""
    height, width = image.shape[0] * samples, image.shape[1] * samples
    rays = note.rays
    scale = f(2) * _FOV / f(height)
    axes, left = note.axes.reshape(-1), _FOV * f(width) / f(height)
    _aim(rays.reshape(-1), axes, scale, _FOV, left, f(row), f(column))
    up, right = _FOV - (f(row) + f(0.5)) * scale, (f(column) + f(0.5)) * scale - left
    aim_beam(note.span, axes, up - f(TILE - 1) * scale, up, right, right + f(TILE - 1) * scale)
    note.num_bodies = 0
    if bodies.num_mobs[n] + bodies.num_items[n] > 0:
        gather(look, note, bodies, n)
    is_sky = False
    if note.is_inside:
        is_sky = march(note, place, beam)
    else:
        rays[MET_AT : AXIS + 1] = f(0)
    has_hand = note.hand_item >= 0 and may_show_hand(note, f(row), f(column), f(height), f(width))
    if has_hand:
        find_hand(look, note, row, column, height, width)
    if is_sky and note.num_bodies == 0:
        sky_tile(look, note)
    else:
        for i in range(RAYS):
            y, x = row + i // TILE, column + i % TILE
            if y < height and x < width and not (has_hand and note.pixel[i] >= 0):
                r, g, b = _pixel(look, note, place, bodies, lights, n, i)
                rays[COLOUR, i], rays[COLOUR + 1, i], rays[COLOUR + 2, i] = r, g, b
    if has_hand:
        draw_hand(look, note, place, lights)
    if samples == 1:
        _store(rays.reshape(-1), image, row, column)
    else:
        _average(rays, image, samples, row // samples, column // samples)


@vector
def _store(rays, image, row, column):
    """Writes the pixels of a tile, one for each ray."""
    down, across = min(TILE, image.shape[0] - row), min(TILE, image.shape[1] - column)
    for i in range(down):
        for j in range(across):
            at = i * TILE + j
            image[row + i, column + j, 0] = _whole(rays[COLOUR * RAYS + at])
            image[row + i, column + j, 1] = _whole(rays[(COLOUR + 1) * RAYS + at])
            image[row + i, column + j, 2] = _whole(rays[(COLOUR + 2) * RAYS + at])


@inline
def _whole(colour):
    return np.uint8(np.int32(min(f(255), max(f(0), colour))))


@jit
def _average(rays, image, samples, row, column):
    """Writes the pixels of a tile, which has `samples` x `samples` rays for each of them."""
    side, share = TILE // samples, f(1) / f(samples * samples)
    for i in range(min(side, image.shape[0] - row)):
        for j in range(min(side, image.shape[1] - column)):
            for k in range(3):
                total = f(0)
                for at_row in range(i * samples, (i + 1) * samples):
                    for at_column in range(j * samples, (j + 1) * samples):
                        total += rays[COLOUR + k, at_row * TILE + at_column]
                image[row + i, column + j, k] = _whole(total * share)


@inline
def _pixel(look, note, place, bodies, lights, n, i):
    """The colour of one ray of the tile, whose march through air is over."""
    rays = note.rays
    dx, dy, dz = rays[RAY, i], rays[RAY + 1, i], rays[RAY + 2, i]
    hit, axis = rays[MET_AT, i], int(rays[AXIS, i])
    cx, cy, cz = int(rays[MET, i]), int(rays[MET + 1, i]), int(rays[MET + 2, i])
    found = _NOBODY
    if note.num_bodies > 0:
        found = nearest_body(look, note, bodies, n, dx, dy, dz)
    ox, oy, oz = note.eye[0], note.eye[1], note.eye[2]
    byte = byte_at(note, place, cx, cy, cz)
    texel, how, face = -1, SMOOTH, 0
    wet, film, film_axis, fx, fy, fz = f(0), NEVER, 0, 0, 0, 0
    if hit >= NEVER or (byte >= AIR_CODE and note.is_inside):
        hit = NEVER
    elif look.kind[byte] == OPAQUE and (cx | cy | cz) != 0:
        if hit < found[0]:
            x, y, z = ox - f(cx) + dx * hit, oy - f(cy) + dy * hit, oz - f(cz) + dz * hit
            texel, face = on_face(look, byte, axis, dx, dy, dz, x, y, z)
    else:
        hit, texel, face, how, cx, cy, cz, wet, film, film_axis, fx, fy, fz = walk(
            look, note, place, dx, dy, dz, hit, cx, cy, cz, axis, found[0]
        )
    if found[0] < hit:
        r, g, b = _body_colour(look, note, place, lights, found, dx, dy, dz)
        r, g, b = fog(look, note, dx, dy, dz, r, g, b, found[0])
        how = SHINES
    elif texel < 0:
        r, g, b = sky(look, note, dx, dy, dz)
    else:
        far = f(0.5) * hit if how == IN_CELL else hit
        r, g, b = texel_colour(look, note, texel, min(_BLUR, (far - f(10)) * f(1 / 30)))
        if how != SHINES and how != IN_LAVA:
            x, y, z = ox + dx * hit, oy + dy * hit, oz + dz * hit
            if how == SMOOTH:
                lr, lg, lb = face_light(look, note, place, lights, cx, cy, cz, face, x, y, z, hit)
            else:
                light = guessed_at(note, place, cx, cy, cz)
                lx, ly, lz = cx, cy, cz
                if how == IN_FRONT:
                    light = light_of_shape(note, place, cx, cy, cz, face)
                    lx, ly, lz = before(cx, cy, cz, face)
                lr, lg, lb = light_on(note, lights, light, lx, ly, lz, x, y, z)
            if how <= IN_FRONT:
                dim = side_light(face)
                if face == 2 and note.num_bodies > 0:
                    dim *= mob_shadow(look, note, bodies, n, x, y, z)
                if note.mining_stage >= 0:
                    dim *= _crack(look, note, cx, cy, cz, texel)
                lr, lg, lb = dim * lr, dim * lg, dim * lb
            r, g, b = r * lr, g * lg, b * lb
        r, g, b = fog(look, note, dx, dy, dz, r, g, b, hit)
    if film < NEVER:
        r, g, b = _through_water(
            look, note, place, lights, dx, dy, dz, wet, film, film_axis, fx, fy, fz, r, g, b
        )
    if how == IN_LAVA:
        r, g, b = f(216), f(84) + f(0.15) * f(look.texel[texel] >> 8 & 255), f(16)
    return r, g, b


@inline
def _crack(look, note, cx, cy, cz, texel):
    """What the cracks of the block being mined leave of its colour."""
    mined = note.mining_cell
    if cx == mined[0] and cy == mined[1] and cz == mined[2]:
        if look.cracks[texel & 255] <= note.mining_stage:
            return f(0.35)
    return f(1)


@jit
def _body_colour(look, note, place, lights, found, dx, dy, dz):
    """Colour of a mob or an item that `nearest_body` found, in its light."""
    at, texel, fr, fg, fb, hurt, shines, px, py, pz = found
    r, g, b = texel_colour(look, note, texel, f(0))
    rest = f(1) - hurt
    r, g, b = r * fr * rest + f(255) * hurt, g * fg * rest, b * fb * rest
    if not shines:
        cx, cy, cz = int(np.floor(px)), int(np.floor(py)), int(np.floor(pz))
        light, eye = guessed_at(note, place, cx, cy, cz), note.eye
        lr, lg, lb = light_on(
            note, lights, light, cx, cy, cz, eye[0] + dx * at, eye[1] + dy * at, eye[2] + dz * at
        )
        r, g, b = r * lr, g * lg, b * lb
    return r, g, b


@jit
def _through_water(
    look, note, place, lights, dx, dy, dz, wet, film, film_axis, cx, cy, cz, r, g, b
):
    """As `pixel._through_water`."""
    x, y, z = note.eye[0] + dx * film, note.eye[1] + dy * film, note.eye[2] + dz * film
    light = guessed_at(note, place, cx, cy, cz, IN_WATER)
    lr, lg, lb = light_on(note, lights, light, cx, cy, cz, x, y, z)
    keep = math.exp(-_MURK * wet)
    deep = f(1) - keep
    r = keep * r + deep * _DEEP_R * lr
    g = keep * g + deep * _DEEP_G * lg
    b = keep * b + deep * _DEEP_B * lb
    if film > f(0):
        u, v = x if film_axis != 0 else z, z if film_axis == 1 else y
        word = look.texel[texel_at(WATER_PICTURE, u - np.floor(u), v - np.floor(v))]
        steep = f(1) - min(f(1), abs(dy))
        mirror = f(0.1) + f(0.5) * steep * steep * steep if film_axis == 1 else f(0.08)
        share = f(0.46) - f(0.4) * mirror
        shine, rest = mirror * min(f(1), lb), f(1) - mirror - share
        kr, kg, kb = sky(look, note, dx, abs(dy), dz)
        r = shine * kr + share * f(word & 255) * lr + rest * r
        g = shine * kg + share * f(word >> 8 & 255) * lg + rest * g
        b = shine * kb + share * f(word >> 16 & 255) * lb + rest * b
    return r, g, b
