"""The picture kernel: one ray a pixel through the world, its mobs and its items.

Colours are floats 0..255. A ray marches over clearance bytes as in `rays_host.py`;
plants, holes in leaves and water let it go on.
"""

import math
from typing import Any

import numba
import numpy as np

from rlgpt_jax.envs.voxel.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.pictures.art import AIR, LAVA, WATER, Art
from rlgpt_jax.envs.voxel.pictures.bodies import bodies
from rlgpt_jax.envs.voxel.pictures.cells import NONE, in_cell
from rlgpt_jax.envs.voxel.pictures.light import (
    FAST,
    byte_at,
    inline,
    jit,
    kernel,
    lamp_in,
    sky,
    texel,
)
from rlgpt_jax.envs.voxel.pictures.scene import FAR, Scene
from rlgpt_jax.envs.voxel.pictures.textures import TOP

MAX_TRIPS = 220
_FOV = math.tan(math.radians(70.0) / 2)  # half the picture's height
# The colour of deep water, and the share of light that a block of it takes away.
_DEEP_R, _DEEP_G, _DEEP_B, _MURK = 28.0, 66.0, 150.0, 0.13


@inline
def _liquid(art, s, byte, kind, cx, cy, cz, axis, iy, dy, t, leave):
    """Where a ray enters and leaves a cell's liquid, and the axis of the way in.

    The two are equal if it passes above the surface.
    """
    above = art.kind[byte_at(s, cx, cy + 1, cz)]
    height = art.surface[byte]
    if above == kind or height >= 1.0:
        return t, leave, axis
    crossing = (cy + height - s.eye[1]) * iy
    if dy < 0:
        if crossing > t:
            return min(crossing, leave), leave, axis - axis + 1
        return t, leave, axis
    return t, max(t, min(leave, crossing)), axis


@jit
def _film(art, s, byte, cx, cy, cz, axis, dx, dy, dz, t):
    """A water surface: the light it adds, and the share of the light behind it.

    It mirrors the sky where that shines, more so at a flat angle.
    """
    x, z = s.eye[0] + dx * t, s.eye[2] + dz * t
    r, g, b, _ = texel(art, s, byte, np.int64(TOP), x - math.floor(x), z - math.floor(z), t)
    lr, lg, lb = lamp_in(s, cx, cy, cz, 1.0)
    mirror = 0.1 + 0.5 * (1.0 - min(1.0, abs(dy))) ** 3 if axis == 1 else 0.08
    body = 0.46 - 0.4 * mirror
    kr, kg, kb = sky(art, s, dx, abs(dy), dz)
    open_sky = mirror * min(1.0, lb)
    return (
        open_sky * kr + body * r * lr, open_sky * kg + body * g * lg,
        open_sky * kb + body * b * lb, 1.0 - mirror - body,
    )  # fmt: skip


@inline
def _fog(art, s, dx, dy, dz, r, g, b, distance):
    """A colour at a distance, mixed with the sky at the horizon behind it."""
    share = max(0.0, (distance - 0.45 * FAR) / (0.55 * FAR)) ** 1.5
    if share > 0.0:
        if share < 1.0:
            flat = math.sqrt(max(1e-9, dx * dx + dz * dz))
            dx, dy, dz = dx / flat, 0.0, dz / flat
        else:
            share = 1.0
        fr, fg, fb = sky(art, s, dx, dy, dz)
        r, g, b = r + (fr - r) * share, g + (fg - g) * share, b + (fb - b) * share
    return r, g, b


@inline
def _pixel(art, s, dx, dy, dz):
    """Colour of the ray from the eye in a direction."""
    ox, oy, oz = s.eye[0], s.eye[1], s.eye[2]
    body, er, eg, eb = bodies(art, s, ox, oy, oz, dx, dy, dz)
    ix = 1.0 / (dx if abs(dx) > 1e-9 else 1e-9)
    iy = 1.0 / (dy if abs(dy) > 1e-9 else 1e-9)
    iz = 1.0 / (dz if abs(dz) > 1e-9 else 1e-9)
    cx, cy, cz = math.floor(ox), math.floor(oy), math.floor(oz)
    t = 0.0
    # Not literals, for which numba would compile all that takes them once more.
    axis: Any = np.int64(1)
    first: Any = ox == ox
    # Water in front adds light (ar, ag, ab) and lets a share `clear` of the rest through.
    clear, wet, wet_from = 1.0, False, 0.0
    ar = ag = ab = 0.0
    dr = dg = db = 0.0  # the glow of the depth where the ray went in
    hit, hr, hg, hb = NONE, 0.0, 0.0, 0.0
    for _ in range(MAX_TRIPS):
        byte = byte_at(s, cx, cy, cz)
        reach = max(1, byte - AIR_CODE)
        tx = (cx + (reach if dx > 0 else 1 - reach) - ox) * ix
        ty = (cy + (reach if dy > 0 else 1 - reach) - oy) * iy
        tz = (cz + (reach if dz > 0 else 1 - reach) - oz) * iz
        leave = min(tx, ty, tz)
        kind = art.kind[byte]
        dry_from = t if wet else -1.0  # where the ray comes out of the water, if it does
        if kind != AIR:
            start, end, entry = t, t, axis
            is_liquid = (kind == WATER) | (kind == LAVA)
            if is_liquid:
                start, end, entry = _liquid(
                    art, s, byte, kind, cx, cy, cz, axis, iy, dy, t, leave
                )
            if kind == WATER and start < end:
                if not wet and start < body:
                    if start > 0.0:
                        r, g, b, through = _film(
                            art, s, byte, cx, cy, cz, entry, dx, dy, dz, start
                        )
                        ar, ag, ab = ar + clear * r, ag + clear * g, ab + clear * b
                        clear *= through
                    dr, dg, db = lamp_in(s, cx, cy, cz, 1.0)
                    wet, wet_from = True, start
                dry_from = end if wet and end < leave else -1.0
            elif kind == LAVA and start < end and start < body:
                x, y, z = ox + dx * start, oy + dy * start, oz + dz * start
                u = x - cx if entry != 0 else z - cz
                v = z - cz if entry == 1 else 1.0 - (y - cy)
                hr, hg, hb, _alpha = texel(art, s, byte, np.int64(TOP), u, v, start)
                hit = max(start, 1e-6)
                if start <= 0.0:  # the eye is in it
                    hr, hg, hb = 216.0, 84.0 + 0.15 * hg, 16.0
            elif not is_liquid:
                hit, hr, hg, hb = in_cell(
                    art, s, byte, cx, cy, cz, axis, first, dx, dy, dz, t, leave, body
                )
        if dry_from >= 0.0:
            wet = False
            keep = math.exp(-_MURK * (dry_from - wet_from))
            deep = clear * (1.0 - keep)
            ar, ag = ar + _DEEP_R * deep * dr, ag + _DEEP_G * deep * dg
            ab += _DEEP_B * deep * db
            clear *= keep
        if hit < NONE or leave > FAR or leave > body:
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
        deep = clear * (1.0 - keep)
        ar, ag, ab = ar + _DEEP_R * deep * dr, ag + _DEEP_G * deep * dg, ab + _DEEP_B * deep * db
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
