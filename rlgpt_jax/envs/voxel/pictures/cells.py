"""What a ray meets in one cell, for the picture kernel: plants, boxes, whole blocks."""

import numpy as np

from rlgpt_jax.envs.voxel.pictures.art import PLANT, SHAPE
from rlgpt_jax.envs.voxel.pictures.bodies import hit_box
from rlgpt_jax.envs.voxel.pictures.light import (
    byte_at,
    inline,
    jit,
    lamp_in,
    shade,
    shade_shape,
    texel,
)  # fmt: skip
from rlgpt_jax.envs.voxel.pictures.textures import FRONT

NONE = 1e9  # distance of what is not met


@jit
def _plant(art, s, byte, x, y, z, dx, dy, dz, near, far):
    """Two crossed pictures in a cell; x, y, z: the eye from the cell's low corner."""
    best, r, g, b = 1e9, 0.0, 0.0, 0.0
    for way in range(2):
        # x = z, or x = 1 - z
        speed = dx - dz if way == 0 else dx + dz
        offset = x - z if way == 0 else x + z - 1.0
        if abs(speed) < 1e-9:
            continue
        t = -offset / speed
        u, v = x + dx * t, y + dy * t
        if near <= t <= far and t < best and 0.0 <= u < 1.0 and 0.0 <= v < 1.0:
            cr, cg, cb, alpha = texel(art, s, byte, np.int64(FRONT), u, 1.0 - v, t * 0.5)
            if alpha > 0:
                best, r, g, b = t, cr, cg, cb
    return best, r, g, b


@inline
def _on_face(art, s, byte, cx, cy, cz, axis, forward, x, y, z, distance):
    """Colour and alpha of a point x, y, z on a face in a cell, without light."""
    fx, fy, fz = x - cx, y - cy, z - cz
    # Left of the picture is left for a viewer on either side.
    u = fx if axis == 1 else fz if axis == 0 else 1.0 - fx
    u = u if forward or axis == 1 else 1.0 - u
    v = fz if axis == 1 else 1.0 - fy
    face = axis * 2 + (0 if forward else 1)
    r, g, b, alpha = texel(art, s, byte, face, u, v, distance)
    if s.mining_stage >= 0 and cx == s.mining_cell[0] and cy == s.mining_cell[1]:
        if cz == s.mining_cell[2]:
            crack = art.cracks[min(15, max(0, int(v * 16.0))), min(15, max(0, int(u * 16.0)))]
            if crack <= s.mining_stage:
                r, g, b = 0.35 * r, 0.35 * g, 0.35 * b
    return r, g, b, alpha


@jit
def _shape(art, s, byte, cx, cy, cz, dx, dy, dz, limit):
    """The nearest box of a block that does not fill its cell: distance and colour."""
    ox, oy, oz = s.eye[0], s.eye[1], s.eye[2]
    look = byte
    if art.above_door[byte]:
        below = byte_at(s, cx, cy - 1, cz)
        if art.is_door[below] and not art.above_door[below]:
            look = below
    best, best_axis, ahead = limit, np.int64(0), dx > 0
    r = g = b = 0.0
    for k in range(art.box_first[look], art.box_first[look + 1]):
        side = art.box_side[k]
        if side > 0:
            step = 1 if side % 2 == 0 else -1
            nx, nz = (cx + step, cz) if side < 3 else (cx, cz + step)
            if not art.joins[byte_at(s, nx, cy, nz)]:
                continue
        near, axis, far, far_axis = hit_box(ox - cx, oy - cy, oz - cz, dx, dy, dz, art.box[k])
        if near > far or far <= 0.0 or near >= best:
            continue
        for end in range(2):  # through a hole one sees the far side
            at, way = (near, axis) if end == 0 else (far, far_axis)
            if at <= 0.0 or at >= best:
                continue
            forward = (dx if way == 0 else dy if way == 1 else dz) > 0
            cr, cg, cb, alpha = _on_face(
                art, s, byte, cx, cy, cz, way, forward, ox + dx * at, oy + dy * at, oz + dz * at, at
            )
            if alpha > 0:
                best, best_axis, ahead = at, way, forward
                r, g, b = cr, cg, cb
                break
    if best >= limit:
        return NONE, 0.0, 0.0, 0.0
    x, y, z = ox + dx * best, oy + dy * best, oz + dz * best
    lr, lg, lb = shade_shape(art, s, cx, cy, cz, best_axis, ahead, x, y, z)
    return best, r * lr, g * lg, b * lb


@inline
def in_cell(art, s, byte, cx, cy, cz, axis, first, dx, dy, dz, t, leave, body):
    """What a ray meets in the cell it enters at distance t: distance and colour.

    The distance is `NONE` if the ray goes through: past a stalk, through a hole, or
    because a mob stands in front. One does not see the block that the eye is in.
    """
    ox, oy, oz = s.eye[0], s.eye[1], s.eye[2]
    if art.kind[byte] == PLANT:
        at, r, g, b = _plant(art, s, byte, ox - cx, oy - cy, oz - cz, dx, dy, dz, t, leave)
        if at < NONE and byte != art.fire:
            lr, lg, lb = lamp_in(s, cx, cy, cz, 1.0)
            return at, r * lr, g * lg, b * lb
        return at, r, g, b
    if art.kind[byte] == SHAPE:
        return _shape(art, s, byte, cx, cy, cz, dx, dy, dz, min(body, leave + 1e-6))
    if not first and t < body:
        forward = (dx if axis == 0 else dy if axis == 1 else dz) > 0
        x, y, z = ox + dx * t, oy + dy * t, oz + dz * t
        r, g, b, alpha = _on_face(art, s, byte, cx, cy, cz, axis, forward, x, y, z, t)
        if alpha > 0:
            lr, lg, lb = shade(art, s, cx, cy, cz, axis, forward, x, y, z, t)
            return t, r * lr, g * lg, b * lb
    return NONE, 0.0, 0.0, 0.0
