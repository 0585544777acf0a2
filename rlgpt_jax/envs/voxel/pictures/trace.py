"""The picture kernel: one ray a pixel through the world, its mobs and its items.

Colours are floats 0..255. A ray marches over clearance bytes as in `rays_host.py`;
plants, holes in leaves and water let it go on.
"""

import math

import numba
import numpy as np

from rlgpt_jax.envs.voxel.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.pictures.art import CUBE, PLANT, WATER, Art
from rlgpt_jax.envs.voxel.pictures.bodies import bodies, hit_box
from rlgpt_jax.envs.voxel.pictures.light import (
    FAST,
    byte_at,
    jit,
    kernel,
    shade,
    sky,
    sunlit,
    texel,
)
from rlgpt_jax.envs.voxel.pictures.scene import Scene

FAR = 80.0  # blocks; fog hides what is beyond
MAX_TRIPS = 220
_NONE = 1e9  # distance of what is not met
_FOV = math.tan(math.radians(70.0) / 2)  # half the picture's height
# The colour of deep water, and the share of light that a block of it takes away.
_DEEP_R, _DEEP_G, _DEEP_B, _MURK = 24.0, 62.0, 138.0, 0.16


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
            cr, cg, cb, alpha = texel(art, s, byte, 4, u, 1.0 - v, t * 0.5)
            if alpha > 0:
                best, r, g, b = t, cr, cg, cb
    return best, r, g, b


@jit
def _surface(art, s, byte, cx, cy, cz, axis, forward, x, y, z, distance):
    """Colour and alpha of a point x, y, z on the face of a cell."""
    fx, fy, fz = x - cx, y - cy, z - cz
    # Left of the picture is left for a viewer on either side.
    u = fx if axis == 1 else fz if axis == 0 else 1.0 - fx
    u = u if forward or axis == 1 else 1.0 - u
    v = fz if axis == 1 else 1.0 - fy
    r, g, b, alpha = texel(art, s, byte, axis * 2 + (0 if forward else 1), u, v, distance)
    if alpha == 0:
        return 0.0, 0.0, 0.0, 0.0
    light = shade(art, s, cx, cy, cz, axis, forward, x, y, z, distance)
    if s.mining_stage >= 0 and cx == s.mining_cell[0] and cy == s.mining_cell[1]:
        if cz == s.mining_cell[2]:
            crack = art.cracks[min(15, max(0, int(v * 16.0))), min(15, max(0, int(u * 16.0)))]
            light *= 0.35 if crack <= s.mining_stage else 1.0
    return r * light, g * light, b * light, 1.0


@jit
def _cell(art, s, byte, cx, cy, cz, axis, first, dx, dy, dz, t, leave, body):
    """What a ray meets in the cell it enters at distance t: distance and colour.

    The distance is `_NONE` if the ray goes through: past a stalk, through a hole, or
    because a mob stands in front. One does not see the block that the eye is in.
    """
    ox, oy, oz = s.eye[0], s.eye[1], s.eye[2]
    if art.kind[byte] == PLANT:
        at, r, g, b = _plant(art, s, byte, ox - cx, oy - cy, oz - cz, dx, dy, dz, t, leave)
        if at < _NONE:
            light = sunlit(art, s, ox + dx * at, cy + 0.9, oz + dz * at)
            light = (0.66 + 0.34 * light) * s.light
            r, g, b = r * light, g * light, b * light
        return at, r, g, b
    at = t
    if art.kind[byte] != CUBE:
        at, axis = hit_box(ox - cx, oy - cy, oz - cz, dx, dy, dz, art.boxes[byte])
    elif first:
        at = _NONE
    if at < _NONE and at < body:
        forward = (dx if axis == 0 else dy if axis == 1 else dz) > 0
        r, g, b, alpha = _surface(
            art, s, byte, cx, cy, cz, axis, forward, ox + dx * at, oy + dy * at, oz + dz * at, at
        )
        if alpha > 0:
            return at, r, g, b
    return _NONE, 0.0, 0.0, 0.0


@jit
def _film(art, s, byte, axis, dx, dy, dz, t):
    """A water surface: the light it adds, and the share of the light behind it.

    It mirrors the sky, more so at a flat angle.
    """
    x, z = s.eye[0] + dx * t, s.eye[2] + dz * t
    r, g, b, _ = texel(art, s, byte, 3, x - math.floor(x), z - math.floor(z), t)
    mirror = 0.12 + 0.6 * (1.0 - min(1.0, abs(dy))) ** 3 if axis == 1 else 0.1
    body = 0.42 - 0.4 * mirror
    kr, kg, kb = sky(art, s, dx, abs(dy), dz)
    own = body * s.light
    return mirror * kr + own * r, mirror * kg + own * g, mirror * kb + own * b, 1 - mirror - body


@jit
def _fog(art, s, dx, dy, dz, r, g, b, distance):
    """A colour at a distance, mixed with the sky at the horizon behind it."""
    if distance >= FAR:
        return sky(art, s, dx, dy, dz)
    share = max(0.0, (distance - 0.45 * FAR) / (0.55 * FAR)) ** 1.5
    if share > 0.0:
        flat = math.sqrt(max(1e-9, dx * dx + dz * dz))
        fr, fg, fb = sky(art, s, dx / flat, 0.0, dz / flat)
        r, g, b = r + (fr - r) * share, g + (fg - g) * share, b + (fb - b) * share
    return r, g, b


@jit
def _pixel(art, s, dx, dy, dz):
    """Colour of the ray from the eye in a direction."""
    ox, oy, oz = s.eye[0], s.eye[1], s.eye[2]
    body, er, eg, eb = bodies(art, s, ox, oy, oz, dx, dy, dz)
    ix = 1.0 / (dx if abs(dx) > 1e-9 else 1e-9)
    iy = 1.0 / (dy if abs(dy) > 1e-9 else 1e-9)
    iz = 1.0 / (dz if abs(dz) > 1e-9 else 1e-9)
    cx, cy, cz = math.floor(ox), math.floor(oy), math.floor(oz)
    t, axis, first = 0.0, 1, True
    # Water in front adds light (ar, ag, ab) and lets a share `clear` of the rest through.
    clear, wet, wet_from = 1.0, False, 0.0
    ar = ag = ab = 0.0
    hit, hr, hg, hb = _NONE, 0.0, 0.0, 0.0
    for _ in range(MAX_TRIPS):
        byte = byte_at(s.world, cx, cy, cz)
        reach = max(1, byte - AIR_CODE)
        tx = (cx + (reach if dx > 0 else 1 - reach) - ox) * ix
        ty = (cy + (reach if dy > 0 else 1 - reach) - oy) * iy
        tz = (cz + (reach if dz > 0 else 1 - reach) - oz) * iz
        leave = min(tx, ty, tz)
        if art.kind[byte] == WATER:
            if not wet and not first:
                r, g, b, through = _film(art, s, byte, axis, dx, dy, dz, t)
                ar, ag, ab = ar + clear * r, ag + clear * g, ab + clear * b
                clear *= through
            if not wet:
                wet, wet_from = True, t
        elif 0 < byte < AIR_CODE:
            hit, hr, hg, hb = _cell(
                art, s, byte, cx, cy, cz, axis, first, dx, dy, dz, t, leave, body
            )
            if hit < _NONE:
                break
        elif wet:
            wet = False
            keep = math.exp(-_MURK * (t - wet_from))
            deep = clear * (1.0 - keep) * s.light
            ar, ag, ab = ar + _DEEP_R * deep, ag + _DEEP_G * deep, ab + _DEEP_B * deep
            clear *= keep
        if leave > FAR or leave > body:
            break
        first, t = False, leave
        nx, ny, nz = math.floor(ox + dx * t), math.floor(oy + dy * t), math.floor(oz + dz * t)
        if tx == t:
            axis, nx = 0, cx + reach if dx > 0 else cx - reach
        elif ty == t:
            axis, ny = 1, cy + reach if dy > 0 else cy - reach
        else:
            axis, nz = 2, cz + reach if dz > 0 else cz - reach
        cx = max(cx, nx) if dx > 0 else min(cx, nx)
        cy = max(cy, ny) if dy > 0 else min(cy, ny)
        cz = max(cz, nz) if dz > 0 else min(cz, nz)
    if body < hit:
        hit, hr, hg, hb = body, er, eg, eb
    hr, hg, hb = _fog(art, s, dx, dy, dz, hr, hg, hb, hit)
    if wet:
        keep = math.exp(-_MURK * (min(hit, FAR) - wet_from))
        deep = clear * (1.0 - keep) * s.light
        ar, ag, ab = ar + _DEEP_R * deep, ag + _DEEP_G * deep, ab + _DEEP_B * deep
        clear *= keep
    return ar + clear * hr, ag + clear * hg, ab + clear * hb


@kernel(parallel=True, fastmath=FAST)
def trace(art: Art, s: Scene, image: np.ndarray, samples: int) -> None:
    """Fills uint8[H, W, 3] with `samples` x `samples` rays a pixel."""
    height, width = image.shape[0], image.shape[1]
    for row in numba.prange(height):
        for column in range(width):
            r = g = b = 0.0
            for sub in range(samples * samples):
                dv = (sub // samples + 0.5) / samples
                du = (sub % samples + 0.5) / samples
                up = _FOV * (1.0 - 2.0 * (row + dv) / height)
                right = _FOV * (2.0 * (column + du) - width) / height
                dx = s.axes[2, 0] + up * s.axes[1, 0] + right * s.axes[0, 0]
                dy = s.axes[2, 1] + up * s.axes[1, 1] + right * s.axes[0, 1]
                dz = s.axes[2, 2] + up * s.axes[1, 2] + right * s.axes[0, 2]
                size = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
                pr, pg, pb = _pixel(art, s, dx * size, dy * size, dz * size)
                r, g, b = r + pr, g + pg, b + pb
            share = 1.0 / (samples * samples)
            image[row, column, 0] = np.uint8(min(255.0, r * share))
            image[row, column, 1] = np.uint8(min(255.0, g * share))
            image[row, column, 2] = np.uint8(min(255.0, b * share))
