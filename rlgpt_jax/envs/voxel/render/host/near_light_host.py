"""The light round the eye as it is now, for the numba renderer: `near_light.py` for one lane.

Most lanes have changed nothing near the eye, and then the stored light is right.
"""

import numpy as np

from rlgpt_jax.envs.voxel.render.host.host_tables import REACH, jit, vector
from rlgpt_jax.envs.voxel.render.jax.near_light import (
    _CLEAR,
    _SHOWS,
    _THICK,
    _THIN,
    DAYLIGHT,
    HALF,
    WINDOW,
)
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.rules.blocks.light import FULL, SHADE

_SIDE = WINDOW + 2  # of a layer of columns with a border of nothing
_SIZE = _SIDE * _SIDE
# Rows of `note.columns`, uint32[_SIZE] each. A bit a cell along y: for the light of the sky
# in the lower half, for that of blocks in the upper one.
_DIGIT, _OUT, _ENTERS, _ENTERS_3, _SHOWN, _NOW, _BESIDE = 0, 4, 8, 9, 10, 11, 12
_FULL_HALF = (1 << WINDOW) - 1
_SKY, _BLOCKS, _ALL = np.uint32(0xFFFF), np.uint32(0xFFFF0000), np.uint32(0xFFFFFFFF)


@jit
def update_near(look, note, worlds, n):
    """Writes `note.near`, or notes that the stored light is right."""
    note.is_near = 0
    if worlds.near.shape[0] > 0:
        note.is_near = 1
        given = worlds.near[n]
        for x in range(WINDOW):
            for z in range(WINDOW):
                for y in range(WINDOW):
                    note.near[(x * WINDOW + z) * WINDOW + y] = given[x, z, y]
    elif worlds.before.shape[0] > 0:
        world = worlds.blocks[n].reshape(-1)
        before = worlds.before[worlds.pool[n]].reshape(-1)
        if _is_changed(look, note, world, before):
            note.is_near = 1
            _gather(look, note, world, worlds.light[worlds.pool[n]].reshape(-1))
            _spread(note.columns)
            _unpack(note.columns, note.near)


@jit
def _is_changed(look, note, world, before):
    """Whether a cell of the window is not to light what it was."""
    low = max(0, note.base_y - HALF)
    high = min(note.size_y, note.base_y - HALF + WINDOW)
    for x in range(WINDOW):
        for z in range(WINDOW):
            column = note.along_x[x + REACH - HALF] + note.along_z[z + REACH - HALF]
            change = 0
            for y in range(column + low, column + high):
                change |= world[y] ^ before[y]
            if change:  # of clearance or of a plant, mostly
                for y in range(column + low, column + high):
                    now, was = world[y], before[y]
                    if (
                        look.passing[now] != look.passing[was]
                        or look.emission[now] != look.emission[was]
                    ):
                        return True
    return False


@jit
def _gather(look, note, world, light):
    """Writes what `_spread` needs about the window's columns."""
    columns, bottom = note.columns, note.base_y - HALF
    columns[:] = 0
    for x in range(WINDOW):
        for z in range(WINDOW):
            column = note.along_x[x + REACH - HALF] + note.along_z[z + REACH - HALF]
            thin, thick, clear, shows, stored, passing = 0, 0, 0, 0, 0, 0
            at = (x + 1) * _SIDE + z + 1
            for y in range(WINDOW):
                byte, stored = AIR_CODE + 1, DAYLIGHT
                if 0 <= bottom + y < note.size_y:
                    byte, stored = int(world[column + bottom + y]), int(light[column + bottom + y])
                passing, bit = int(look.passing[byte]), 1 << y
                thin |= bit if passing & _THIN else 0
                thick |= bit if passing & _THICK else 0
                clear |= bit if passing & _CLEAR else 0
                shows |= bit if passing & _SHOWS else 0
                was = stored if passing & (_THIN | _THICK) else 0
                block = max(was & FULL, int(look.emission[byte]))
                for k in range(4):
                    digit = (was >> (4 + k) & 1) << y | (block >> k & 1) << (WINDOW + y)
                    columns[(_DIGIT + k) * _SIZE + at] |= digit
            is_open = stored >> 4 == FULL
            if passing & _CLEAR and stored >> 4 == 0:
                is_open = _sees_sky(look, note, world, column, bottom + WINDOW - 1)
            lowest = WINDOW  # that the sky shines straight down to
            while is_open and lowest > 0 and clear >> (lowest - 1) & 1:
                lowest -= 1
            falls = _FULL_HALF >> lowest << lowest
            roofed = _FULL_HALF ^ falls
            for k in range(4):
                roofed &= int(columns[(_DIGIT + k) * _SIZE + at])
            for k in range(4):
                place = (_DIGIT + k) * _SIZE + at
                digit = int(columns[place])
                if not SHADE >> k & 1:
                    digit ^= digit & roofed
                columns[place] = digit | falls
            columns[_ENTERS * _SIZE + at] = thin | thin << WINDOW
            columns[_ENTERS_3 * _SIZE + at] = thick | thick << WINDOW
            columns[_SHOWN * _SIZE + at] = shows | shows << WINDOW


@jit
def _sees_sky(look, note, world, column, y):
    """Whether nothing that takes light lies at y or above in a column."""
    while 0 <= y < note.size_y:
        byte = int(world[column + y])
        if look.opacity[byte]:
            return False
        y += max(1, byte - AIR_CODE)
    return y >= note.size_y


@vector
def _spread(columns):
    """Lets light flow from the brightest cells on, a level at a time."""
    for level in range(FULL, 0, -1):
        one = (_BESIDE + level % 3) * _SIZE  # where the neighbours of this level go
        three = one  # which overwrite those of three levels above
        above = (_BESIDE + (level + 1) % 3) * _SIZE
        for x in range(1, WINDOW + 1):
            for z in range(1, WINDOW + 1):
                at = x * _SIDE + z
                enough = _ALL
                for k in range(4):
                    digit = columns[(_DIGIT + k) * _SIZE + at]
                    enough = digit & enough if level >> k & 1 else digit | enough
                columns[_NOW * _SIZE + at] |= (
                    enough
                    | columns[_ENTERS * _SIZE + at] & columns[above + at]
                    | columns[_ENTERS_3 * _SIZE + at] & columns[three + at]
                )
        for x in range(1, WINDOW + 1):
            for z in range(1, WINDOW + 1):
                at = x * _SIDE + z
                now = columns[_NOW * _SIZE + at]
                sides = columns[_NOW * _SIZE + at - 1] | columns[_NOW * _SIZE + at + 1]
                sides |= columns[_NOW * _SIZE + at - _SIDE] | columns[_NOW * _SIZE + at + _SIDE]
                up = now << 1 & _SKY | (now & _BLOCKS) << 1
                down = (now & _SKY) >> 1 | now >> 1 & _BLOCKS
                beside = sides | up | down
                columns[one + at] = beside
                shown = now | columns[_SHOWN * _SIZE + at] & np.uint32(beside)
                for k in range(4):
                    # A binary digit of a number changes every 1, 2, 4 or 8 levels.
                    if level % (1 << k) == 0:
                        columns[(_OUT + k) * _SIZE + at] ^= shown


@vector
def _unpack(columns, near):
    """Light bytes from the digits that `_spread` left."""
    for x in range(WINDOW):
        for z in range(WINDOW):
            at = (x + 1) * _SIDE + z + 1
            for y in range(WINDOW):
                light = 0
                for k in range(4):
                    bits = columns[(_OUT + k) * _SIZE + at] >> np.uint32(y)
                    light |= (bits & 1) << (4 + k) | (bits >> np.uint32(WINDOW) & 1) << k
                near[(x * WINDOW + z) * WINDOW + y] = light
