"""The sky and the fog in front of it, for the numba renderer."""

import math

import numpy as np

from rlgpt_jax.envs.voxel.render.host.host_tables import (
    COLOUR,
    RAY,
    RAYS,
    STEPS,
    inline,
    jit,
    vector,
)
from rlgpt_jax.envs.voxel.render.jax.scene import CLOUD_SIZE, FAR

f = np.float32
_STARRY = f(0.3)  # of the day, below which stars come out


@inline
def _open_sky(look_power, look_clouds, about, dx, dy, dz, has_stars):
    """The sky without sun and moon: gradient, glow, stars, clouds; no branches.

    Args:
      look_power: float32[STEPS + 2].
      look_clouds: int32[64 * 64].
      about: float32[SKY], see `write_sky`.
      dx: direction, a unit vector; float32.
      dy: likewise.
      dz: likewise.
      has_stars: a constant.
    """
    at = np.sqrt(max(f(0), dy)) * f(STEPS)
    low = np.uint32(np.int32(at))
    part, low_power = at - np.floor(at), look_power[low]
    up = low_power + (look_power[np.uint32(low + np.uint32(1))] - low_power) * part
    r, g, b = about[0] + about[3] * up, about[1] + about[4] * up, about[2] + about[5] * up
    along = dx * about[6] + dy * about[7] + dz * about[8]
    glow = max(f(0), along) * max(f(0), along)
    glow = about[12] * glow * glow * max(f(0), f(1) - abs(dy) * f(1.6))
    r += (about[9] - r) * glow
    g += (about[10] - g) * glow
    b += (about[11] - b) * glow
    if has_stars:
        rise = f(40) / max(dy, f(0.05))
        cell = np.int64(np.floor(dx * rise)) * 7919 + np.int64(np.floor(dz * rise)) * 104729
        lucky = ((cell * 2654435761 & 0xFFFFFFFF) >> 7) % 97 == 0
        star = about[17] if lucky and dy > f(0.05) else f(0)
        r, g, b = r + star, g + star, b + star
    reach = about[15] / max(dy, f(0.04))
    cells = reach * f(1.0 / CLOUD_SIZE)
    cx = np.int32(np.floor(about[13] + dx * cells))
    cz = np.int32(np.floor(about[14] + dz * cells))
    cloud = look_clouds[np.uint32((cx & 63) * 64 + (cz & 63))]
    thick = f(0.75) * max(f(0), f(1) - reach * f(1.0 / 500.0))
    thick = thick if (cloud != 0) & (dy > f(0.04)) & (reach > f(0)) else f(0)
    r += (about[16] - r) * thick
    g += (about[16] - g) * thick
    b += (about[16] + f(4) - b) * thick
    return r, g, b, along


@jit
def write_sky(note):
    """Writes the numbers about a lane's sky, `note.sky`."""
    about, light = note.sky, f(40) + f(210) * note.day
    for k in range(3):
        about[k], about[3 + k] = note.horizon[k], note.zenith[k] - note.horizon[k]
        about[6 + k], about[9 + k], about[13 + k] = note.sun[k], note.dusk[k], note.clouds[k]
    about[12], about[16] = note.dusk[3], light
    about[17] = max(f(0), (_STARRY - note.day) * f(500))


@inline
def _disc(note, dx, dy, dz, along):
    """Sun and moon, which are squares: whether one is there, and its colour."""
    u, v = dz if along > f(0) else -dz, dx * note.sun[1] - dy * note.sun[0]
    size = f(0.085) if along > f(0) else f(0.062)
    if abs(u) >= size or abs(v) >= size:
        return False, f(0), f(0), f(0)
    if along > f(0):
        return True, f(255), f(250), f(214)
    spot = (math.floor(u * f(90)) * 3 + math.floor(v * f(90)) * 5) % 7
    dark = f(34) if spot < 2 else f(0)
    return True, f(222) - dark, f(226) - dark, f(236) - dark


@jit
def sky(look, note, dx, dy, dz):
    """Colour of the sky in a direction: gradient, glow, stars, clouds, sun, moon."""
    if note.day < _STARRY:
        r, g, b, along = _open_sky(look.power, look.clouds, note.sky, dx, dy, dz, True)
    else:
        r, g, b, along = _open_sky(look.power, look.clouds, note.sky, dx, dy, dz, False)
    if abs(along) > f(0.99):
        there, dr, dg, db = _disc(note, dx, dy, dz, along)
        if there:
            return dr, dg, db
    return r, g, b


@inline
def _paint(power, clouds, about, rays, i, has_stars):
    """`_open_sky` of a tile's ray into COLOUR; returns 1 if it may show sun or moon, else 0."""
    r, g, b, along = _open_sky(
        power, clouds, about, rays[RAY * RAYS + i], rays[(RAY + 1) * RAYS + i],
        rays[(RAY + 2) * RAYS + i], has_stars,
    )  # fmt: skip
    rays[COLOUR * RAYS + i] = r
    rays[(COLOUR + 1) * RAYS + i] = g
    rays[(COLOUR + 2) * RAYS + i] = b
    return 1 if abs(along) > f(0.99) else 0


@vector
def _open_skies(power, clouds, about, rays, has_stars):
    """The open sky of a tile; returns how many rays may show sun or moon."""
    near = 0
    # Twice the same loop: with a choice in it LLVM would not turn it into vectors.
    if has_stars:
        for i in range(RAYS):
            near += _paint(power, clouds, about, rays, i, True)
    else:
        for i in range(RAYS):
            near += _paint(power, clouds, about, rays, i, False)
    return near


@jit
def sky_tile(look, note):
    """Writes COLOUR of a tile that shows nothing but sky."""
    rays = note.rays
    is_night = note.day < _STARRY
    if _open_skies(look.power, look.clouds, note.sky, rays.reshape(-1), is_night) > 0:
        for i in range(RAYS):
            dx, dy, dz = rays[RAY, i], rays[RAY + 1, i], rays[RAY + 2, i]
            along = dx * note.sun[0] + dy * note.sun[1] + dz * note.sun[2]
            if abs(along) > f(0.99):
                there, r, g, b = _disc(note, dx, dy, dz, along)
                if there:
                    rays[COLOUR, i], rays[COLOUR + 1, i], rays[COLOUR + 2, i] = r, g, b


@inline
def fog(look, note, dx, dy, dz, r, g, b, distance):
    """A colour at a distance up to `FAR`, mixed with the sky at the horizon behind it."""
    share = (distance * f(1.0 / FAR) - f(0.45)) * f(1.0 / 0.55)
    if share > f(0):
        share = min(f(1), share * math.sqrt(share))
        if note.dusk[3] > f(0):
            flat = f(1) / math.sqrt(max(f(1e-9), dx * dx + dz * dz))
            fr, fg, fb = sky(look, note, dx * flat, f(0), dz * flat)
        else:
            fr, fg, fb = note.horizon[0], note.horizon[1], note.horizon[2]
        r, g, b = r + (fr - r) * share, g + (fg - g) * share, b + (fb - b) * share
    return r, g, b
