"""The hand in the lower right corner of a frame and what it holds, for the numba renderer.

The same numbers as in `pixel.py`. Arguments as in `pixel_host.py`.
"""

import numpy as np

from rlgpt_jax.envs.voxel.render.host.cells_host import texel_at, texel_colour
from rlgpt_jax.envs.voxel.render.host.host_tables import COLOUR, RAYS, TILE, inline, jit
from rlgpt_jax.envs.voxel.render.host.light_host import light_at, light_on
from rlgpt_jax.envs.voxel.render.jax import pixel
from rlgpt_jax.envs.voxel.render.jax.tables import ARM, FIRST_ICON, SOLID

f = np.float32
_HIGH, _WIDE = pixel._HAND_HIGH, pixel._HAND_WIDE


@jit
def find_hand(look, note, row, column, height, width):
    """Writes `note.pixel`: the texels of what is held that hide a tile's rays, or -1."""
    for i in range(RAYS):
        y, x = row + i // TILE, column + i % TILE
        note.pixel[i] = _in_hand(look, note, f(y), f(x), f(height), f(width))


@jit
def draw_hand(look, note, place, lights):
    """Draws what `find_hand` found."""
    rays, eye = note.rays, note.eye
    light = light_at(note, place, 0, 0, 0)
    lr, lg, lb = light_on(note, lights, light, 0, 0, 0, eye[0], eye[1], eye[2])
    for i in range(RAYS):
        texel = note.pixel[i]
        if texel >= 0:
            r, g, b = texel_colour(look, note, texel, f(0))
            rays[COLOUR, i], rays[COLOUR + 1, i], rays[COLOUR + 2, i] = r * lr, g * lg, b * lb


@inline
def _place_in_hand(note, row, column, height, width):
    """x and y of a pixel in units of the hand, from the picture's lower right corner."""
    unit = max(f(_HIGH) / height, f(_WIDE) / width)
    dip = f(0.5) * note.hand_dip
    return (column + (f(0.5) - width)) * unit + dip, (row + (f(0.5) - height)) * unit - dip


@inline
def may_show_hand(note, row, column, height, width):
    """Whether a tile that begins at a row and column reaches the hand's corner."""
    last = f(TILE - 1)
    x, y = _place_in_hand(note, row + last, column + last, height, width)
    return x >= f(-18) and y >= f(-20)


@inline
def _in_hand(look, note, row, column, height, width):
    """As `pixel._hand`."""
    x, y = _place_in_hand(note, row, column, height, width)
    if note.hand_item > 0:
        u, v = -(x + f(1)) * f(1 / 16), (y + f(13)) * f(1 / 16)
        if not (f(0) <= u < f(1) and f(0) <= v < f(1)):
            return -1
        texel = texel_at(FIRST_ICON + note.hand_item, u, v)
    else:
        right, below = x + f(6), y + f(10)
        across, along = f(0.82) * right - f(0.57) * below, f(0.57) * right + f(0.82) * below
        if not (along > f(0) and f(-4.4) < across < f(2.2)):
            return -1
        texel = texel_at(ARM, along * f(1 / 16), (across + f(4.4)) * f(2 / 16))
    return texel if look.texel[texel] & SOLID else -1
