"""A map of the surface around the agent, with mobs, items and the agent as an arrow."""

import math
from typing import Any

import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.render.art.icons import icon, stamp
from rlgpt_jax.envs.voxel.render.art.mob_models import BADGES
from rlgpt_jax.envs.voxel.render.art.textures import FACES, IS_PLANT, MEAN, TEXTURES, TINT, TOP
from rlgpt_jax.envs.voxel.render.jax.scene import TINTS
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, IS_LIQUID, LAVAS, is_one_of

_IS_LAVA = is_one_of(*LAVAS)


def draw_map(one: Any, size: int, radius: float) -> np.ndarray:
    """uint8[size, size, 3] of one lane: a `WorldState` of NumPy arrays without the axis N."""
    tints = TINTS[int(one.biome)]
    x, z, y, byte, ground = _columns(one, size, radius)
    colour = _texels(tints, byte, x, z)
    colour *= _relief(y)[..., None]
    colour = _under_water(colour, y - ground, IS_LIQUID[byte] & ~_IS_LAVA[byte])
    # Always by daylight: a map is for reading.
    image = np.clip(colour, 0, 255).astype(np.uint8)
    scale = size / (2.0 * radius)
    for item, at in zip(one.items.id, one.items.position):
        if item:
            _put(image, icon(int(item)), one, at, scale)
    for kind, at in zip(one.mobs.kind, one.mobs.position):
        if kind:
            _put(image, _badge(MOBS[kind]), one, at, scale)
    _arrow(image, float(one.player.yaw))
    return image


def _columns(one: Any, size: int, radius: float) -> tuple[np.ndarray, ...]:
    """Per pixel: x, z in blocks; height and byte of what is on top; height of firm ground.

    Plants do not count: the ground they stand on shows.
    """
    blocks, centre = one.blocks, one.player.position
    along = (np.arange(size) + 0.5) / size * 2.0 * radius - radius
    x, z = np.broadcast_arrays(centre[0] + along[None, :], centre[2] + along[:, None])
    low_x, low_z = (math.floor(v.min()) for v in (x, z))
    wide = math.ceil(2 * radius) + 2
    part = blocks[
        np.ix_(*((np.arange(wide) + low) % n for low, n in zip((low_x, low_z), blocks.shape)))
    ]
    full = (part < AIR_CODE) & (part > 0) & ~IS_PLANT[part]
    firm = full & ~IS_LIQUID[part]
    height, ground = (part.shape[2] - 1 - m[..., ::-1].argmax(-1) for m in (full, firm))
    ix, iz = np.floor(x).astype(int) - low_x, np.floor(z).astype(int) - low_z
    top = np.take_along_axis(part, height[..., None], 2)[..., 0]
    return x, z, height[ix, iz], top[ix, iz], ground[ix, iz]


def _texels(tints: np.ndarray, byte: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """float[H, W, 3]: the top texture of every pixel's block, softened."""
    texture = FACES[byte, TOP]
    u, v = ((w % 1.0 * 16).astype(int) for w in (x, z))
    pixel = TEXTURES[texture, v, u].astype(float)
    colour = np.where(pixel[..., 3:] > 0, pixel[..., :3], MEAN[texture] * 0.72)
    colour = 0.5 * colour + 0.5 * MEAN[texture]
    return colour * tints[TINT[texture, v, u]]


def _relief(height: np.ndarray) -> np.ndarray:
    """Brightness float[H, W]: light from the north-west, and higher is brighter."""
    step = max(1, height.shape[0] // 128)
    behind = np.roll(height, (step, step), (0, 1))
    behind[:step], behind[:, :step] = height[:step], height[:, :step]
    slope = np.clip(height - behind, -3, 3)
    return 1.0 + 0.13 * slope + 0.012 * np.clip(height - height.mean(), -14, 14)


def _under_water(colour: np.ndarray, depth: np.ndarray, wet: np.ndarray) -> np.ndarray:
    """Makes water darker where it is deeper."""
    dark = 1.06 - 0.07 * np.minimum(depth, 7)
    return np.where(wet[..., None], colour * dark[..., None], colour)


def _put(image: np.ndarray, picture: np.ndarray, one: Any, at: np.ndarray, scale: float) -> None:
    """Puts a picture with its middle at a position."""
    offset = (at - one.player.position)[[2, 0]] * scale + len(image) / 2
    row, column = (int(o) - n // 2 for o, n in zip(offset, picture.shape))
    stamp(image, picture, row, column)


def _badge(mob: str) -> np.ndarray:
    """uint8[*, *, 4]: the mob's face, twice as large, in a dark frame."""
    face = BADGES[mob].repeat(2, 0).repeat(2, 1)
    badge = np.zeros((face.shape[0] + 2, face.shape[1] + 2, 4), np.uint8)
    badge[..., 3] = 255
    badge[1:-1, 1:-1] = face
    return badge


def _arrow(image: np.ndarray, yaw: float) -> None:
    """The agent in the middle: a white arrow with a dark edge that points where it looks."""
    size = image.shape[0]
    y, x = np.mgrid[:size, :size] + 0.5 - size / 2
    sin, cos = math.sin(math.radians(yaw)), math.cos(math.radians(yaw))
    ahead, side = -sin * x + cos * y, cos * x + sin * y
    unit = max(1.0, size / 256)

    def shape(grow: float) -> np.ndarray:
        tip = np.abs(side) < (9.0 * unit - ahead) * 0.5 + grow
        notch = ahead > -7.0 * unit + np.maximum(0, 4.0 * unit - np.abs(side)) * 0.8 - grow
        return tip & notch & (ahead < 9.0 * unit + grow)

    image[shape(1.8 * unit)] = (20, 20, 24)
    image[shape(0.0)] = (255, 255, 255)
