"""Light on one point, for the numba renderer.

A face's light is made once and kept: it depends on the nine cells in front of the face, and
neighbouring pixels mostly show the same face. `note` is a record of `host_tables.LANE`,
`look` one of `host_tables.LOOK`, `place` the lane's world and its stored light, uint8[cells].
"""

import numpy as np

from rlgpt_jax.envs.voxel.render.host.host_tables import FACE, REACH, SLOTS, inline, jit
from rlgpt_jax.envs.voxel.render.jax import shade
from rlgpt_jax.envs.voxel.render.jax.near_light import DAYLIGHT, HALF, WINDOW
from rlgpt_jax.envs.voxel.render.jax.scene import DARK
from rlgpt_jax.envs.voxel.render.jax.tables import CORNER
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, MAX_AIR

f = np.float32
_RANGE, _GAMMA, _TORCH = f(shade._SMOOTH_RANGE), f(shade._GAMMA), f(shade._TORCH)
# Numbers about a face: at its four corners the light of the sky, that of blocks, and what
# the corner leaves of it; then its colour if all corners have the same light, and how it is.
_SKY, _BLOCK, _CLEAR, _COLOUR, _STATE = 0, 4, 8, 12, 15
_MIXED, _EVEN, _PLAIN = f(0), f(1), f(2)  # plain: even and without dark corners
_FULL = f(15)
_DARK, _LIT = f(DARK), f(1) - f(DARK)


@inline
def _index(note, x, y, z):
    """Of a cell in the world's arrays; unsigned, for signed indices may count from the end."""
    column = note.along_x[np.uint64(x + REACH)] + note.along_z[np.uint64(z + REACH)]
    return np.uint64(column + y)


@inline
def byte_at(note, place, x, y, z):
    """The byte of a local cell; outside the world's height air, as clear as that is far."""
    y += note.base_y
    if y < 0 or y >= note.size_y:
        return AIR_CODE + min(MAX_AIR, max(-y, y - note.size_y + 1))
    return int(place[0][_index(note, x, y, z)])


@inline
def light_at(note, place, x, y, z):
    """16 * light of the sky + light of blocks of a local cell."""
    if note.is_near:
        wx, wy, wz = x + HALF, y + HALF, z + HALF
        if (wx | wy | wz) & ~(WINDOW - 1) == 0:
            return int(note.near[(wx * WINDOW + wz) * WINDOW + wy])
    up = y + note.base_y
    if up < 0 or up >= note.size_y:
        return DAYLIGHT
    return int(place[1][_index(note, x, up, z)])


@jit
def guessed_at(note, place, x, y, z, loss=1):
    """`light_at`, by the neighbours' light where it is 0; see `shade._guessed`."""
    light = light_at(note, place, x, y, z)
    if light == 0 and ((x + HALF) | (y + HALF) | (z + HALF)) & ~(WINDOW - 1) != 0:
        for k in range(5):
            dx, dz = 2 * k - 1 if k < 2 else 0, 2 * k - 5 if k == 2 or k == 3 else 0
            beside = light_at(note, place, x + dx, y + (k == 4), z + dz)
            sky, block = max((beside & 240) - 16 * loss, 0), max((beside & 15) - loss, 0)
            light = max(light & 240, sky) | max(light & 15, block)
    return light


@jit
def lamp(note, sky, block):
    """Factors of colour for light of the sky and of blocks, float32 0..15 each."""
    sky = sky / _FULL
    bright = sky / (f(4) - f(3) * sky)
    red, blue = bright * note.sky_light[0], bright * note.sky_light[2]
    green = bright * note.sky_light[1]
    if block > f(0):  # torches are warm
        block = block / _FULL
        torch = min(f(1), _TORCH * (block / (f(4) - f(3) * block)))
        red += torch
        green += f(0.5) * (torch + torch * ((f(0.6) * torch + f(0.4)) * f(0.6) + f(0.4)))
        blue += f(0.5) * (torch + torch * (f(0.6) * torch * torch + f(0.4)))
    return _seen(red), _seen(green), _seen(blue)


@inline
def _seen(light):
    """How bright an amount of light looks."""
    light = min(f(1), _DARK + _LIT * light)
    rest = f(1) - light
    rest = rest * rest
    light += _GAMMA * (f(1) - rest * rest - light)
    return _DARK + _LIT * light


@inline
def lamp_of(note, light):
    """Three factors of colour for a light byte."""
    if not note.is_lit[light]:
        r, g, b = lamp(note, f(light >> 4), f(light & 15))
        note.lamp[light, 0], note.lamp[light, 1], note.lamp[light, 2] = r, g, b
        note.is_lit[light] = 1
    return note.lamp[light, 0], note.lamp[light, 1], note.lamp[light, 2]


@jit
def _placed(note, lights, cx, cy, cz, x, y, z):
    """Light at a local point in a cell from lights that were placed; see `shade._placed`."""
    near = ((cx + HALF) | (cy + HALF) | (cz + HALF)) & ~(WINDOW - 1) == 0
    best, n = f(0), note.lane
    for i in range(note.num_lights):
        if not near or not lights.light_is_near[n, i]:
            place = lights.light_place[n, i]
            away = abs(x - place[0]) + abs(y - place[1]) + abs(z - place[2])
            best = max(best, lights.light_level[n, i] - away)
    return best


@inline
def light_on(note, lights, light, cx, cy, cz, x, y, z):
    """Three factors for a point x, y, z in a cell that has a light byte."""
    if note.num_lights > 0:
        block = max(f(light & 15), _placed(note, lights, cx, cy, cz, x, y, z))
        return lamp(note, f(light >> 4), block)
    return lamp_of(note, light)


@inline
def side_light(face):
    """The game's fixed brightness of the sides of blocks."""
    if face >= 4:
        return f(0.8)
    return f(0.6) if face < 2 else f(0.5) if face == 3 else f(1.0)


@inline
def light_of_shape(note, place, cx, cy, cz, face):
    """The light byte of a box that does not fill its cell: that of its own cell, or of the one
    in front of the face where this is brighter."""
    own, front = light_at(note, place, cx, cy, cz), _in_front(note, place, cx, cy, cz, face)
    return max(own & 240, front & 240) | max(own & 15, front & 15)


@inline
def before(cx, cy, cz, face):
    """The cell in front of a face: axis * 2 + (1 if the ray moves in + direction)."""
    step, axis = 1 - 2 * (face & 1), face >> 1
    return cx + step * (axis == 0), cy + step * (axis == 1), cz + step * (axis == 2)


@inline
def _in_front(note, place, cx, cy, cz, face):
    x, y, z = before(cx, cy, cz, face)
    return guessed_at(note, place, x, y, z)


@inline
def _beside(look, note, place, x, y, z, middle):
    """A cell's light and 0; of one that darkens corners 1, and the light in front of the face."""
    if look.block[byte_at(note, place, x, y, z)] & CORNER:
        return middle, 1
    return light_at(note, place, x, y, z), 0


@jit
def _remember(look, note, place, cx, cy, cz, face, base):
    """Writes the numbers about a face. Corner k lies at + of the first axis of the face if
    k & 1 and at + of the second one if k & 2; it averages the four cells that meet there."""
    axis = face >> 1
    fx, fy, fz = before(cx, cy, cz, face)
    b, c = (axis + 1) % 3, (axis + 2) % 3
    bx, by, bz = int(b == 0), int(b == 1), int(b == 2)
    ex, ey, ez = int(c == 0), int(c == 1), int(c == 2)
    middle = guessed_at(note, place, fx, fy, fz)
    out = note.face
    # At the sides at -b and +b.
    light_low, closed_low = _beside(look, note, place, fx - bx, fy - by, fz - bz, middle)
    light_high, closed_high = _beside(look, note, place, fx + bx, fy + by, fz + bz, middle)
    even, plain = True, True
    for oc in range(2):
        way = 2 * oc - 1
        px, py, pz = fx + way * ex, fy + way * ey, fz + way * ez
        light_side, closed_side = _beside(look, note, place, px, py, pz, middle)
        for ob in range(2):
            along = 2 * ob - 1
            qx, qy, qz = px + along * bx, py + along * by, pz + along * bz
            side, closed = (light_high, closed_high) if ob else (light_low, closed_low)
            light, hidden = middle, 1
            if not closed & closed_side:
                light, hidden = _beside(look, note, place, qx, qy, qz, middle)
            at = base + 2 * oc + ob
            sky = (middle >> 4) + (side >> 4) + (light_side >> 4) + (light >> 4)
            block = (middle & 15) + (side & 15) + (light_side & 15) + (light & 15)
            dark = closed + closed_side + hidden
            out[at + _SKY] = f(0.25) * f(sky)
            out[at + _BLOCK] = f(0.25) * f(block)
            out[at + _CLEAR] = f(1) - f(0.2) * f(dark)
            even &= (sky == 4 * (middle >> 4)) & (block == 4 * (middle & 15))
            plain &= dark == 0
    r, g, b_ = lamp_of(note, middle)
    out[base + _COLOUR], out[base + _COLOUR + 1], out[base + _COLOUR + 2] = r, g, b_
    out[base + _STATE] = (_PLAIN if plain else _EVEN) if even else _MIXED


@inline
def face_light(look, note, place, lights, cx, cy, cz, face, x, y, z, distance):
    """Three factors for a local point x, y, z on a whole block's face.

    Light and the darkness of corners change smoothly over the face.
    """
    if distance > _RANGE:
        light = _in_front(note, place, cx, cy, cz, face)
        fx, fy, fz = before(cx, cy, cz, face)
        return light_on(note, lights, light, fx, fy, fz, x, y, z)
    key = (((cx + 128) << 8 | (cz + 128)) << 9 | (cy + 256)) << 3 | face
    base = ((key * 0x9E3779B1) >> 20 & (SLOTS - 1)) * FACE
    slot = base // FACE
    if note.face_key[slot] != key:
        note.face_key[slot] = key
        _remember(look, note, place, cx, cy, cz, face, base)
    about, state = note.face, note.face[base + _STATE]
    r, g, b = about[base + _COLOUR], about[base + _COLOUR + 1], about[base + _COLOUR + 2]
    if state == _PLAIN and note.num_lights == 0:
        return r, g, b
    axis = face >> 1
    x_in, y_in, z_in = x - np.floor(x), y - np.floor(y), z - np.floor(z)
    along = y_in if axis == 0 else z_in if axis == 1 else x_in
    across = z_in if axis == 0 else x_in if axis == 1 else y_in
    clear = _between(about, base + _CLEAR, along, across)
    if state == _MIXED or note.num_lights > 0:
        block = _between(about, base + _BLOCK, along, across)
        if note.num_lights > 0:
            fx, fy, fz = before(cx, cy, cz, face)
            block = max(block, _placed(note, lights, fx, fy, fz, x, y, z))
        r, g, b = lamp(note, _between(about, base + _SKY, along, across), block)
    return r * clear, g * clear, b * clear


@inline
def _between(numbers, at, b, c):
    """Of four corners."""
    low = numbers[at] + (numbers[at + 1] - numbers[at]) * b
    high = numbers[at + 2] + (numbers[at + 3] - numbers[at + 2]) * b
    return low + (high - low) * c
