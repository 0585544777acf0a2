"""Mobs and dropped items on a ray, for the picture kernel."""

import math

import numpy as np

from rlgpt_jax.envs.voxel.pictures.light import inline, jit, texel


@inline
def hit_box(ox, oy, oz, dx, dy, dz, box):
    """Distances to the two sides of a box and the axes of their faces.

    The ray misses it if the first is greater than the second.
    """
    near, far, near_axis, far_axis = -1e9, 1e9, 0, 0
    for k in range(3):
        o, d = (ox, dx) if k == 0 else (oy, dy) if k == 1 else (oz, dz)
        inverse = 1.0 / (d if abs(d) > 1e-9 else 1e-9)
        a, b = (box[k] - o) * inverse, (box[3 + k] - o) * inverse
        a, b = min(a, b), max(a, b)
        if a > near:
            near, near_axis = a, k
        if b < far:
            far, far_axis = b, k
    return near, near_axis, far, far_axis


@jit
def _mob(art, s, m, ox, oy, oz, dx, dy, dz, best):
    """Nearest part of a mob: distance, colour."""
    kind = s.mob_kind[m]
    cos, sin = s.mob_turn[m, 0], s.mob_turn[m, 1]
    px, py, pz = (
        ox - s.mob_position[m, 0], oy - s.mob_position[m, 1], oz - s.mob_position[m, 2]
    )  # fmt: skip
    lx, lz = px * cos + pz * sin, pz * cos - px * sin
    ex, ez = dx * cos + dz * sin, dz * cos - dx * sin
    r = g = b = 0.0
    for part in range(art.part_first[kind], art.part_first[kind + 1]):
        if art.part_when[part] != 0 and art.part_when[part] != 1 + s.mob_look[m, 1]:
            continue
        box = art.part_box[part]
        # Legs lean about their upper end, which keeps rays straight.
        lean = 0.8 * s.mob_stride[m] * art.part_swing[part]
        sz, fz = lz - lean * (box[4] - py), ez + lean * dy
        t, axis, far, _axis = hit_box(lx, py, sz, ex, dy, fz, box)
        if t > far or t <= 0.0 or t >= best:
            continue
        hx, hy, hz = lx + ex * t - box[0], box[4] - (py + dy * t), sz + fz * t - box[2]
        u = hz if axis == 0 else hx
        v = hz if axis == 1 else hy
        picture = art.part_paint[part, 1 if axis == 2 and fz < 0 else 0]
        pixel = art.part_skin[picture, int(max(0.0, v) * 16.0) & 15, int(max(0.0, u) * 16.0) & 15]
        if pixel[3] == 0:
            continue
        best = t
        if axis == 1:
            light = 1.0 if dy < 0 else 0.5
        else:
            nx = cos if axis == 0 else sin
            light = 0.6 * nx * nx + 0.8 * (1.0 - nx * nx)
        dye = 1 if art.part_dyed[part] else 0
        hurt = 0.45 * s.mob_look[m, 0]
        r = (pixel[0] * (s.mob_dye[m, 0] if dye else 1.0) * light * (1.0 - hurt) + 255.0 * hurt)
        g = pixel[1] * (s.mob_dye[m, 1] if dye else 1.0) * light * (1.0 - hurt)
        b = pixel[2] * (s.mob_dye[m, 2] if dye else 1.0) * light * (1.0 - hurt)
        r, g, b = r * s.mob_light[m, 0], g * s.mob_light[m, 1], b * s.mob_light[m, 2]
    if s.mob_look[m, 2]:
        return _flames(art, s, m, px, py, pz, dx, dy, dz, best, r, g, b)
    return best, r, g, b


@jit
def _flames(art, s, m, px, py, pz, dx, dy, dz, best, r, g, b):
    """Fire round a burning mob: an upright picture that faces the viewer."""
    size = math.hypot(px, pz) + 1e-9
    nx, nz = px / size, pz / size
    facing = dx * nx + dz * nz
    half, high = s.mob_size[m, 0] * 0.75, s.mob_size[m, 1] * 1.15
    if abs(facing) > 1e-6:
        t = (half - px * nx - pz * nz) / facing
        u = ((px + dx * t) * nz - (pz + dz * t) * nx) / (2.0 * half) + 0.5
        v = (py + dy * t) / high
        if 0.0 < t < best and 0.0 <= u < 1.0 and 0.0 <= v < 1.0:
            flicker = 0.25 * ((int(s.tick) // 2 + m) % 4)
            rows = max(1.0, math.floor(high + 0.3))
            fr, fg, fb, alpha = texel(
                art, s, art.fire, np.int64(4), (u + flicker) % 1.0, 1.0 - (v * rows) % 1.0, 0.0
            )
            if alpha > 0:
                return t, fr, fg, fb
    return best, r, g, b


@jit
def _item(art, s, i, ox, oy, oz, dx, dy, dz, best):
    """A small turning cube, or a flat picture that faces the viewer."""
    px, py, pz = (
        ox - s.item_position[i, 0], oy - s.item_position[i, 1], oz - s.item_position[i, 2]
    )  # fmt: skip
    lr, lg, lb = s.item_light[i, 0], s.item_light[i, 1], s.item_light[i, 2]
    if s.item_byte[i] > 0:
        cos, sin = math.cos(0.08 * s.tick), math.sin(0.08 * s.tick)
        lx, lz = px * cos + pz * sin, pz * cos - px * sin
        ex, ez = dx * cos + dz * sin, dz * cos - dx * sin
        half = art.item_box[3]
        t, axis, far, _axis = hit_box(lx, py, lz, ex, dy, ez, art.item_box)
        if 0.0 < t <= far and t < best:
            x, y, z = (lx + ex * t) / half, (py + dy * t) / half, (lz + ez * t) / half
            u, v = (z if axis == 0 else x) * 0.5 + 0.5, 0.5 - (-z if axis == 1 else y) * 0.5
            face = axis * 2 + (1 if axis == 1 and dy < 0 else 0)
            r, g, b, _ = texel(art, s, np.int64(s.item_byte[i]), face, u, v, 0.0)
            light = 1.0 if axis == 1 else 0.8 if axis == 2 else 0.64
            return t, r * light * lr, g * light * lg, b * light * lb
        return best, 0.0, 0.0, 0.0
    size = math.hypot(px, pz) + 1e-9
    nx, nz = px / size, pz / size
    facing = dx * nx + dz * nz
    if abs(facing) > 1e-6:
        t = -(px * nx + pz * nz) / facing
        u = ((px + dx * t) * nz - (pz + dz * t) * nx) * 2.2 + 0.5
        v = 0.5 - (py + dy * t) * 2.2
        if 0.0 < t < best and 0.0 <= u < 1.0 and 0.0 <= v < 1.0:
            pixel = s.item_icon[i, int(v * 16.0), int(u * 16.0)]
            if pixel[3] > 0:
                return t, pixel[0] * lr, pixel[1] * lg, pixel[2] * lb
    return best, 0.0, 0.0, 0.0


@inline
def bodies(art, s, ox, oy, oz, dx, dy, dz):
    """The nearest mob or item on a ray: distance (1e9 if none) and colour."""
    best, r, g, b = 1e9, 0.0, 0.0, 0.0
    for m in range(len(s.mob_kind)):
        kind = s.mob_kind[m]
        if kind > 0:
            px, pz = s.mob_position[m, 0] - ox, s.mob_position[m, 2] - oz
            py = s.mob_position[m, 1] + 0.5 * art.part_reach[kind] - oy
            along = px * dx + py * dy + pz * dz
            reach = 1.3 * art.part_reach[kind]
            if along > -reach and px * px + py * py + pz * pz - along * along < reach * reach:
                t, mr, mg, mb = _mob(art, s, m, ox, oy, oz, dx, dy, dz, best)
                if t < best:
                    best, r, g, b = t, mr, mg, mb
    for i in range(len(s.item_byte)):
        if s.item_byte[i] != 0:
            px, py, pz = (
                s.item_position[i, 0] - ox, s.item_position[i, 1] - oy, s.item_position[i, 2] - oz
            )  # fmt: skip
            along = px * dx + py * dy + pz * dz
            if along > 0 and px * px + py * py + pz * pz - along * along < 0.15:
                t, ir, ig, ib = _item(art, s, i, ox, oy, oz, dx, dy, dz, best)
                if t < best:
                    best, r, g, b = t, ir, ig, ib
    return best, r, g, b
