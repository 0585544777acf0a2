"""Rays through air, many at a time: from the eye to the first cell that is not air.

A tile of rays advances as one front. Each ray is mirrored so that it moves in + direction
on every axis; its cell counts from the eye's, along the ray, as a float32 (whole numbers),
so that all numbers have 32 bits and the loop becomes vector instructions. A ray that has
ended stays where it is; the front closes ranks when half of them have.

Before that the tile goes through clear air as one beam: the box that holds all its rays at
a distance, within the cubes of air round the box's corners. Where there is nothing but sky
the beam goes all the way.
"""

import math

import numpy as np

from rlgpt_jax.envs.voxel.render.host.host_tables import (
    AXIS,
    CELL,
    DISTANCE,
    INVERSE,
    LIMIT,
    LIVE,
    MET,
    MET_AT,
    ORIGIN,
    RAY,
    RAYS,
    REACH,
    SIGN,
    SPEED,
    inline,
    jit,
    vector,
)
from rlgpt_jax.envs.voxel.render.host.light_host import byte_at
from rlgpt_jax.envs.voxel.render.jax.march import NONE
from rlgpt_jax.envs.voxel.render.jax.scene import FAR
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE

TRIPS = 2  # between two looks at which rays have ended
WIDTH = 8  # rays of one vector instruction
NEVER = np.float32(NONE)
_ZERO, _ONE, _TWO, _AIR, _REACH, _FAR, _TINY = (
    np.float32(v) for v in (0, 1, 2, AIR_CODE, REACH, FAR, 1e-9)
)
# Blocks: what a beam keeps from a wall, for roundings; how far ahead it looks, which is its
# least step; a distance beyond all. What a beam is wider than its rays, per block.
_MARGIN, _AHEAD, _TWICE = np.float32(2e-3), np.float32(0.1), np.float32(2 * FAR)
_WIDER = np.float32(1e-4)
_OUT = 1 << 12  # a cell beyond all
_X, _Y, _Z = 0, RAYS, 2 * RAYS


@vector
def _advance(world, along_x, along_z, base_y, front, number, left):
    """`TRIPS` trips of the first rays of the front, in place.

    Args:
      world: uint8[X * Z * Y].
      along_x: int32[2 * REACH + 1].
      along_z: int32[2 * REACH + 1].
      base_y: float32, the eye's cell.
      front: float32[FRONT_ROWS * RAYS].
      number: how many rays, whole vectors of them.
      left: how many of these count.

    Returns:
      How many of those have not ended.
    """
    for _ in range(TRIPS):
        for i in range(number):
            cx = front[CELL * RAYS + _X + i]
            cy = front[CELL * RAYS + _Y + i]
            cz = front[CELL * RAYS + _Z + i]
            at_x = np.uint32(np.int32(_REACH + front[SIGN * RAYS + _X + i] * cx))
            at_z = np.uint32(np.int32(_REACH + front[SIGN * RAYS + _Z + i] * cz))
            y = base_y + front[SIGN * RAYS + _Y + i] * cy
            at = np.uint32(along_x[at_x] + along_z[at_z]) + np.uint32(np.int32(y))
            byte = np.float32(world[np.uint32(at)])
            reach = max(byte - _AIR, _ONE)
            ox = front[ORIGIN * RAYS + _X + i]
            oy = front[ORIGIN * RAYS + _Y + i]
            oz = front[ORIGIN * RAYS + _Z + i]
            wx, wy, wz = cx + reach, cy + reach, cz + reach
            tx = (wx - ox) * front[INVERSE * RAYS + _X + i]
            ty = (wy - oy) * front[INVERSE * RAYS + _Y + i]
            tz = (wz - oz) * front[INVERSE * RAYS + _Z + i]
            t = min(tx, min(ty, tz))
            nx = max(cx, np.floor(ox + front[SPEED * RAYS + _X + i] * t))
            ny = max(cy, np.floor(oy + front[SPEED * RAYS + _Y + i] * t))
            nz = max(cz, np.floor(oz + front[SPEED * RAYS + _Z + i] * t))
            nx = wx if tx == t else nx
            ny = wy if ty == t else ny
            nz = wz if tz == t else nz
            ends = (byte < _AIR) | (t >= front[LIMIT * RAYS + i])
            front[CELL * RAYS + _X + i] = cx if ends else nx
            front[CELL * RAYS + _Y + i] = cy if ends else ny
            front[CELL * RAYS + _Z + i] = cz if ends else nz
            front[DISTANCE * RAYS + i] = front[DISTANCE * RAYS + i] if ends else t
            front[LIVE * RAYS + i] = _ZERO if ends else _ONE
    live = 0
    for i in range(left):
        live += 1 if front[LIVE * RAYS + i] > _ZERO else 0
    return live


@jit
def aim_beam(span, axes, up_low, up_high, right_low, right_high):
    """Writes the beam round rays: forward + up * (between two numbers) + right * (likewise).

    Args:
      span: float32[7], where to: the lowest x, y, z that a ray moves by for one block forward,
        the highest ones, and the least distance that it goes meanwhile.
      axes: float32[9], right, up, forward.
    """
    for k in range(3):
        up, right = axes[3 + k], axes[k]
        low = min(up * up_low, up * up_high) + min(right * right_low, right * right_high)
        high = max(up * up_low, up * up_high) + max(right * right_low, right * right_high)
        span[k], span[3 + k] = axes[6 + k] + low - _WIDER, axes[6 + k] + high + _WIDER
    up = max(_ZERO, max(up_low, -up_high))
    right = max(_ZERO, max(right_low, -right_high))
    span[6] = math.sqrt(_ONE + up * up + right * right)


@jit
def _beam(note, place):
    """How far all rays of the tile go through air: a distance up to `FAR`.

    The beam is followed by blocks forward, so that its rays stay in a plane. A box of cells
    is known to be air if its corners are, and it is no wider than the air that their bytes
    promise: the cubes round them then leave no gap.
    """
    eye, span = note.eye, note.span
    lx, ly, lz, hx, hy, hz = span[0], span[1], span[2], span[3], span[4], span[5]
    layers = note.size_y - note.base_y  # from here on there is nothing
    t, far = _ZERO, _FAR / span[6]
    while t < far:
        x0, x1 = _cells(eye[0], lx, hx, t)
        y0, y1 = _cells(eye[1], ly, hy, t)
        z0, z1 = _cells(eye[2], lz, hz, t)
        y1 = min(y1, layers - 1)
        if y0 > y1:
            if ly > _ZERO:
                return _FAR
            break
        reach = _least_air(note, place, x0, y0, y1, z0, z1)
        if x0 != x1:
            reach = min(reach, _least_air(note, place, x1, y0, y1, z0, z1))
        if reach < 1 or max(x1 - x0, max(y1 - y0, z1 - z0)) >= 2 * reach:
            break
        end = min(_leaves(eye[0], lx, hx, x0, x1, reach), _leaves(eye[2], lz, hz, z0, z1, reach))
        end = min(end, _leaves(eye[1], ly, hy, y0, y1 if y1 + reach < layers else _OUT, reach))
        t = end - _MARGIN
    return t * span[6]


@inline
def _cells(eye, low, high, t):
    """The first and last cell of the beam on one axis, between t and a little ahead."""
    ahead = t + _AHEAD
    first = math.floor(eye + low * (t if low > _ZERO else ahead))
    return first, math.floor(eye + high * (ahead if high > _ZERO else t))


@inline
def _least_air(note, place, x, y0, y1, z0, z1):
    """How far air reaches round the cells at the corners of a wall, at least; < 1 is none."""
    byte = byte_at(note, place, x, y0, z0)
    if y0 != y1:
        byte = min(byte, byte_at(note, place, x, y1, z0))
    if z0 != z1:
        byte = min(byte, byte_at(note, place, x, y0, z1))
        if y0 != y1:
            byte = min(byte, byte_at(note, place, x, y1, z1))
    return byte - AIR_CODE


@inline
def _leaves(eye, low, high, first, last, reach):
    """Where the beam leaves the air round its cells, on one axis."""
    end = _TWICE
    if high > _ZERO:
        end = min(end, (np.float32(last + reach) - eye) / high)
    if low < _ZERO:
        end = min(end, (np.float32(first - reach + 1) - eye) / low)
    return end


@vector
def _aim(rays, front, eye_x, eye_y, eye_z, size_y, base_y, start):
    """Fills the front with rays, in the directions of `rays`, at a distance from the eye."""
    for i in range(RAYS):
        dx, dy, dz = rays[RAY * RAYS + _X + i], rays[RAY * RAYS + _Y + i], rays[RAY * RAYS + _Z + i]
        front[ORIGIN * RAYS + _X + i] = eye_x if dx > _ZERO else _ONE - eye_x
        front[ORIGIN * RAYS + _Y + i] = eye_y if dy > _ZERO else _ONE - eye_y
        front[ORIGIN * RAYS + _Z + i] = eye_z if dz > _ZERO else _ONE - eye_z
        front[SIGN * RAYS + _X + i] = _ONE if dx > _ZERO else -_ONE
        front[SIGN * RAYS + _Y + i] = _ONE if dy > _ZERO else -_ONE
        front[SIGN * RAYS + _Z + i] = _ONE if dz > _ZERO else -_ONE
        dx, dy, dz = abs(dx), max(abs(dy), _TINY), abs(dz)
        front[SPEED * RAYS + _X + i] = dx
        front[SPEED * RAYS + _Y + i] = dy
        front[SPEED * RAYS + _Z + i] = dz
        front[INVERSE * RAYS + _X + i] = _ONE / max(dx, _TINY)
        front[INVERSE * RAYS + _Y + i] = _ONE / dy
        front[INVERSE * RAYS + _Z + i] = _ONE / max(dz, _TINY)
        # Nothing is above and below the world.
        layers = size_y - base_y if front[SIGN * RAYS + _Y + i] > _ZERO else base_y + _ONE
        leaves = (layers - front[ORIGIN * RAYS + _Y + i]) * front[INVERSE * RAYS + _Y + i]
        limit = min(_FAR, leaves)
        front[LIMIT * RAYS + i] = limit
        front[LIVE * RAYS + i] = _ONE
        t = max(_ZERO, min(start, limit - _MARGIN))
        front[DISTANCE * RAYS + i] = t
        for k in range(3):
            ahead = front[(ORIGIN + k) * RAYS + i] + front[(SPEED + k) * RAYS + i] * t
            front[(CELL + k) * RAYS + i] = np.floor(ahead)


@jit
def march(note, place, beam):
    """Writes MET_AT, MET and AXIS of a tile's rays: the first cell that is not air.

    The distance is that to its face; 0 in the eye's own cell. A ray that meets nothing ends
    in a cell of air, or at `NEVER`.

    Args:
      note: about the lane and the tile.
      place: its world and that world's light, uint8[X * Z * Y].
      beam: whether to go through clear air as a beam first; the result is the same.

    Returns:
      Whether the beam found nothing but sky. If not, there may still be nothing else.
    """
    front, pixel, rays = note.front, note.pixel, note.rays
    eye, flat = note.eye, note.rays.reshape(-1)
    start = _beam(note, place) if beam else _ZERO
    if start >= _FAR:
        rays[MET_AT] = NEVER
        rays[MET : MET + 3] = _ZERO
        return True
    size_y, base_y = np.float32(note.size_y), np.float32(note.base_y)
    _aim(flat, front, eye[0], eye[1], eye[2], size_y, base_y, start)
    left, ordered = RAYS, True
    while left > 0:
        number = min(RAYS, (left + WIDTH - 1) // WIDTH * WIDTH)
        live = _advance(place[0], note.along_x, note.along_z, base_y, front, number, left)
        if live == 0 and ordered:
            _finish(front, flat)
            break
        if 2 * live > left:
            continue
        if ordered:
            for i in range(RAYS):
                pixel[i] = i
            ordered = False
        kept = 0
        for i in range(left):
            if front[LIVE * RAYS + i] > _ZERO:
                if kept != i:
                    for row in range(LIVE):
                        front[row * RAYS + kept] = front[row * RAYS + i]
                    pixel[kept] = pixel[i]
                kept += 1
            else:
                _finish_one(front, i, flat, pixel[i])
        left = kept
    return False


@inline
def _finish_one(front, i, rays, at):
    """Writes what a ray of the front that has ended has met."""
    t = front[DISTANCE * RAYS + i]
    cx, cy, cz = (
        front[CELL * RAYS + _X + i], front[CELL * RAYS + _Y + i], front[CELL * RAYS + _Z + i]
    )  # fmt: skip
    rays[MET_AT * RAYS + at] = t
    rays[MET * RAYS + _X + at] = front[SIGN * RAYS + _X + i] * cx
    rays[MET * RAYS + _Y + at] = front[SIGN * RAYS + _Y + i] * cy
    rays[MET * RAYS + _Z + at] = front[SIGN * RAYS + _Z + i] * cz
    # The same numbers as on the way, so that one of them is the distance.
    is_x = (cx - front[ORIGIN * RAYS + _X + i]) * front[INVERSE * RAYS + _X + i] == t
    is_y = (cy - front[ORIGIN * RAYS + _Y + i]) * front[INVERSE * RAYS + _Y + i] == t
    rays[AXIS * RAYS + at] = _ZERO if is_x else _ONE if is_y else _TWO


@vector
def _finish(front, rays):
    """The same for all rays, none of which has changed its place."""
    for i in range(RAYS):
        _finish_one(front, i, rays, i)
