"""Light of the world as it is now, for pictures.

`voxel.light` floods a world when it is made; what the agent digs or builds only shifts
that stored light. Pictures flood anew when blocks changed: a torch lights its cave, and
a shaft lets the day in.
"""

import functools
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.light import EMISSION, FULL, OPACITY, flood
from rlgpt_jax.envs.voxel.pictures.textures import IS_SHAPE

KEPT = 4  # worlds whose light is remembered
STEPS = 4  # entries of the lamp table a level
IS_PARTIAL = np.pad(IS_SHAPE, (0, 256 - len(IS_SHAPE)))
_GAMMA = 0.4  # of the game's brightness setting, 0 moody to 1 bright
_NIGHT = 0.3  # what the moon leaves of the light of the sky
_DARK = 0.027  # what is left where there is no light, before the setting
_TORCH = 1.4  # torches are as bright as the day at their own cell


class _Known(NamedTuple):
    """A world and its light, uint8[X, Z, Y] each."""

    blocks: np.ndarray
    light: np.ndarray


_KNOWN: list[_Known] = []  # the last ones first


def light_of(blocks: np.ndarray) -> np.ndarray:
    """The light of one world; flooding it takes about 8 ms if light or shade changed.

    Args:
      blocks: uint8[X, Z, Y], periodic in x and z.

    Returns:
      uint8[X, Z, Y] as `light.flood` but for cells of slabs. Not to be written to.
    """
    for i, known in enumerate(_KNOWN):
        if known.blocks.shape != blocks.shape:
            continue
        changed = np.flatnonzero(known.blocks != blocks)
        old, new = known.blocks.ravel()[changed], blocks.ravel()[changed]
        if all((table[old] == table[new]).all() for table in (OPACITY, EMISSION, IS_PARTIAL)):
            _KNOWN.insert(0, _KNOWN.pop(i))
            return known.light
    light = flood(blocks)
    _let_in(light, blocks)
    _KNOWN[:] = [_Known(blocks.copy(), light), *_KNOWN[: KEPT - 1]]
    return light


def _let_in(light: np.ndarray, blocks: np.ndarray) -> None:
    """In place: slabs and the like, which hold light back, show that of their neighbours."""
    x, z, y = np.nonzero((OPACITY == FULL)[blocks] & IS_PARTIAL[blocks])
    if not len(x):
        return
    size_x, size_z, size_y = light.shape
    sky, block = np.zeros((2, len(x)), np.uint8)
    for dx, dz, dy in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
        there = light[(x + dx) % size_x, (z + dz) % size_z, np.clip(y + dy, 0, size_y - 1)]
        sky, block = np.maximum(sky, there >> 4), np.maximum(block, there & 15)
    light[x, z, y] = sky * 16 + block


@functools.lru_cache(maxsize=64)
def lamp(day: float) -> np.ndarray:
    """The colour of light, float32[61, 61, 3] as factors, by light of sky and of blocks.

    Both indices are levels times `STEPS`. As in the game: brightness falls faster than
    the level, the night is blue, torches are warm, and darkness is not quite black.

    Args:
      day: 0 at night to 1 at noon.
    """
    level = np.arange(STEPS * FULL + 1) / (STEPS * FULL)
    bright = level / (4.0 - 3.0 * level)
    sun = _NIGHT + (1.0 - _NIGHT) * day
    moon = 0.35 + 0.65 * sun
    sky = (bright * sun)[:, None, None] * np.array([moon, moon, 1.0])
    torch = np.minimum(1.0, _TORCH * bright)[None, :, None]
    green = torch * ((0.6 * torch + 0.4) * 0.6 + 0.4)
    warm = np.concatenate([torch, green, torch * (0.6 * torch**2 + 0.4)], -1)
    light = np.minimum(1.0, _DARK + (1.0 - _DARK) * (sky + 0.5 * (torch + warm)))
    light += _GAMMA * (1.0 - (1.0 - light) ** 4 - light)
    return (_DARK + (1.0 - _DARK) * light).astype(np.float32)
