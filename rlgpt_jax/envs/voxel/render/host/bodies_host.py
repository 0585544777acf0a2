"""Mobs and dropped items on one ray, for the numba renderer; decisions as in `bodies.py`.

`bodies` is `render_host.Bodies` of all lanes, `n` the lane. What is met is
told by distance, texel (-1 nothing), three factors of its colour, redness, whether it shines
of its own, and the place whose light it has.
"""

import math

import numpy as np

from rlgpt_jax.envs.voxel.render.host.cells_host import NEVER, slab, texel_at
from rlgpt_jax.envs.voxel.render.host.host_tables import MAX_BODIES, RAY, RAYS, inline, jit
from rlgpt_jax.envs.voxel.render.jax.bodies import _ITEM_HALF, _ITEM_ICON, _ITEM_REACH, _REDNESS
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

f = np.float32
_HALF, _ICON, _CLOSE, _RED = f(_ITEM_HALF), f(_ITEM_ICON), f(_ITEM_REACH), f(_REDNESS)
_ITEM = 1 << 16  # in a tile's list items are numbered from here on
_SHADOW = f(2.2)  # blocks beyond a mob's ball that its shadow may reach


@jit
def gather(look, note, bodies, n):
    """Lists the bodies that the tile's rays may meet, or see the shadow of, in `note.body`.

    The rays lie in a cone round their mean; a body in a ball round its middle.
    """
    rays = note.rays
    count = 0
    cx, cy, cz = f(0), f(0), f(0)
    for i in range(RAYS):
        cx, cy, cz = cx + rays[RAY, i], cy + rays[RAY + 1, i], cz + rays[RAY + 2, i]
    size = f(1) / math.sqrt(cx * cx + cy * cy + cz * cz)
    cx, cy, cz = cx * size, cy * size, cz * size
    cos = f(1)
    for i in range(RAYS):
        cos = min(cos, cx * rays[RAY, i] + cy * rays[RAY + 1, i] + cz * rays[RAY + 2, i])
    cos = cos - f(1e-5)
    sin = math.sqrt(max(f(0), f(1) - cos * cos))
    for k in range(bodies.num_mobs[n] + bodies.num_items[n]):
        m = k if k < bodies.num_mobs[n] else k - bodies.num_mobs[n]
        if k < bodies.num_mobs[n]:
            place = bodies.mob_position[n, m]
            reach = look.mob_reach[bodies.mob_kind[n, m]]
            up, ball, entry = f(0.5) * reach, f(1.3) * reach + _SHADOW, m
        else:
            place, up, ball, entry = bodies.item_position[n, m], f(0), f(0.5), m + _ITEM
        x, y, z = place[0] - note.eye[0], place[1] + up - note.eye[1], place[2] - note.eye[2]
        along = x * cx + y * cy + z * cz
        away = math.sqrt(max(f(0), x * x + y * y + z * z - along * along))
        if away * cos - along * sin < ball and along > -ball and count < MAX_BODIES:
            note.body[count] = entry
            count += 1
    note.num_bodies = count


@jit
def nearest_body(look, note, bodies, n, dx, dy, dz):
    """The nearest mob or item of the tile's list on a ray."""
    best = (NEVER, -1, f(0), f(0), f(0), f(0), False, f(0), f(0), f(0))
    for k in range(note.num_bodies):
        entry = note.body[k]
        if entry < _ITEM:
            reach = look.mob_reach[bodies.mob_kind[n, entry]]
            place, up = bodies.mob_position[n, entry], f(0.5) * reach
            square = (f(1.3) * reach) * (f(1.3) * reach)
        else:
            place, up, square = bodies.item_position[n, entry - _ITEM], f(0), _CLOSE
        x, y, z = place[0] - note.eye[0], place[1] - note.eye[1] + up, place[2] - note.eye[2]
        along = x * dx + y * dy + z * dz
        away = x * x + y * y + z * z
        if (along > f(0) or away < square) and away - along * along < square:
            if entry < _ITEM:
                best = _mob(look, note, bodies, n, entry, dx, dy, dz, best)
            else:
                best = _item(look, note, bodies, n, entry - _ITEM, dx, dy, dz, best)
    return best


@jit
def mob_shadow(look, note, bodies, n, x, y, z):
    """A factor that darkens the ground under mobs; a local point."""
    light = f(1)
    for k in range(note.num_bodies):
        m = note.body[k]
        if m < _ITEM:
            place = bodies.mob_position[n, m]
            radius = f(0.45) * look.mob_reach[bodies.mob_kind[n, m]]
            px, pz, above = x - place[0], z - place[2], place[1] - y
            away = (px * px + pz * pz) / (radius * radius)
            if f(-0.1) < above < f(2) and away < f(1):
                light = min(light, f(0.5) + f(0.5) * away)
    return light


@inline
def _inverse(d):
    return f(1) / (d if abs(d) > f(1e-9) else f(1e-9))


@jit
def _mob(look, note, bodies, n, m, dx, dy, dz, best):
    """The nearer of a mob's parts and what is there already."""
    kind, place = bodies.mob_kind[n, m], bodies.mob_position[n, m]
    cos, sin = bodies.mob_turn[n, m, 0], bodies.mob_turn[n, m, 1]
    stride, flags = f(0.8) * bodies.mob_stride[n, m], bodies.mob_look[n, m]
    hurt = _RED if flags & HURT else f(0)
    hidden = WOOLLY if flags & SHEARED else SHORN
    px, py, pz = note.eye[0] - place[0], note.eye[1] - place[1], note.eye[2] - place[2]
    side, ahead = px * cos + pz * sin, pz * cos - px * sin
    ex, ez = dx * cos + dz * sin, dz * cos - dx * sin
    for part in range(look.part_first[kind], look.part_first[kind + 1]):
        of = look.part_look[part]
        if of & hidden:
            continue
        at = 6 * part
        low_x, low_y, low_z = look.part_box[at], look.part_box[at + 1], look.part_box[at + 2]
        high_y = look.part_box[at + 4]
        # Legs lean about their upper end, which keeps rays straight.
        lean = stride if of & FIRST_LEG else -stride if of & OTHER_LEG else f(0)
        sz, fz = ahead - lean * (high_y - py), ez + lean * dy
        t, axis, far, _ = slab(
            side, py, sz, _inverse(ex), _inverse(dy), _inverse(fz),
            low_x, low_y, low_z, look.part_box[at + 3], high_y, look.part_box[at + 5],
        )  # fmt: skip
        if t > far or t <= f(0) or t >= best[0]:
            continue
        across, along = side + ex * t - low_x, sz + fz * t - low_z
        u = along if axis == 0 else across
        v = along if axis == 1 else high_y - (py + dy * t)
        picture = of >> 20 if axis == 2 and fz < f(0) else of >> 8 & 4095
        # Pictures repeat: no part is longer than two of them.
        u, v = (u - f(1) if u >= f(1) else u), (v - f(1) if v >= f(1) else v)
        texel = texel_at(picture, u, v)
        if not look.texel[texel] & SOLID:
            continue
        out = cos if axis == 0 else sin
        light = f(0.6) * out * out + f(0.8) * (f(1) - out * out)
        if axis == 1:
            light = f(1) if dy < f(0) else f(0.5)
        r = g = b = light
        if of & DYED:
            dye = bodies.mob_dye[n, m]
            r, g, b = light * dye[0], light * dye[1], light * dye[2]
        best = (t, texel, r, g, b, hurt, False, place[0], place[1] + f(0.5), place[2])
    if flags & BURNING:
        best = _flames(look, bodies, n, m, px, py, pz, dx, dy, dz, best)
    return best


@inline
def _facing(px, py, pz, dx, dy, dz, before):
    """An upright plane that faces the viewer: where it is met (0 if not), and how far across
    and how high from the body's feet; `before` blocks in front of its middle."""
    size = math.sqrt(px * px + pz * pz) + f(1e-9)
    nx, nz = px / size, pz / size
    facing = dx * nx + dz * nz
    if abs(facing) <= f(1e-6):
        return f(0), f(0), f(0)
    t = (before - px * nx - pz * nz) / facing
    return t, (px + dx * t) * nz - (pz + dz * t) * nx, py + dy * t


@jit
def _flames(look, bodies, n, m, px, py, pz, dx, dy, dz, best):
    """Fire round a burning mob."""
    half, high = f(0.75) * bodies.mob_size[n, m, 0], f(1.15) * bodies.mob_size[n, m, 1]
    t, across, up = _facing(px, py, pz, dx, dy, dz, half)
    u, v = across / (f(2) * half) + f(0.5), up / high
    if f(0) < t < best[0] and f(0) <= u < f(1) and f(0) <= v < f(1):
        u, v = u + bodies.mob_flicker[n, m], v * max(f(1), np.floor(high + f(0.3)))
        texel = texel_at(FIRE_PICTURE, u - np.floor(u), f(1) - (v - np.floor(v)))
        if look.texel[texel] & SOLID:
            return (t, texel, f(1), f(1), f(1), f(0), True, px, py, pz)
    return best


@jit
def _item(look, note, bodies, n, i, dx, dy, dz, best):
    """A small turning cube, or a flat picture that faces the viewer."""
    place, byte = bodies.item_position[n, i], bodies.item_byte[n, i]
    px, py, pz = note.eye[0] - place[0], note.eye[1] - place[1], note.eye[2] - place[2]
    if byte > 0:
        cos, sin = bodies.item_turn[n, 0], bodies.item_turn[n, 1]
        sx, sz = px * cos + pz * sin, pz * cos - px * sin
        ex, ez = dx * cos + dz * sin, dz * cos - dx * sin
        t, axis, far, _ = slab(
            sx, py, sz, _inverse(ex), _inverse(dy), _inverse(ez),
            -_HALF, -_HALF, -_HALF, _HALF, _HALF, _HALF,
        )  # fmt: skip
        if f(0) < t <= far and t < best[0]:
            x, y, z = (sx + ex * t) / _HALF, (py + dy * t) / _HALF, (sz + ez * t) / _HALF
            u = (z if axis == 0 else x) * f(0.5) + f(0.5)
            v = f(0.5) - (-z if axis == 1 else y) * f(0.5)
            face = axis * 2 + (1 if axis == 1 and dy < f(0) else 0)
            texel = texel_at(look.face[byte * 6 + face], u, v)
            light = f(1) if axis == 1 else f(0.8) if axis == 2 else f(0.64)
            if look.texel[texel] & SOLID:
                return (t, texel, light, light, light, f(0), False, place[0], place[1], place[2])
        return best
    t, across, up = _facing(px, py, pz, dx, dy, dz, f(0))
    u, v = across * _ICON + f(0.5), f(0.5) - up * _ICON
    if f(0) < t < best[0] and f(0) <= u < f(1) and f(0) <= v < f(1):
        texel = texel_at(FIRST_ICON + bodies.item_id[n, i], u, v)
        if look.texel[texel] & SOLID:
            return (t, texel, f(1), f(1), f(1), f(0), False, place[0], place[1], place[2])
    return best
