"""Recipes of the 16 x 16 textures, and which of them the faces of a block state show.

A texture is named by its block, the part that shows it and the metadata:
"log", "log_top", "log_top:2". What is more special wins.
"""

import colorsys
import zlib
from collections.abc import Mapping

import numpy as np

from rlgpt_jax.envs.voxel.render.art import (  # fmt: skip
    earth_art,
    made_art,
    masonry_art,
    plant_art,
    wood_art,
)
from rlgpt_jax.envs.voxel.render.art.paint import Recipe, grain

RECIPES: dict[str, Recipe] = (
    earth_art.RECIPES
    | wood_art.RECIPES
    | plant_art.RECIPES
    | masonry_art.RECIPES
    | made_art.RECIPES
)
_SLABS = ("stone_slab", "wooden_slab")


def hashed(name: str) -> np.ndarray:
    """Noise in a colour made from a name, for blocks that only exist as items."""
    hue = zlib.crc32(name.encode()) % 360 / 360.0
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.45, 0.75)
    return grain(name, (int(red * 255), int(green * 255), int(blue * 255)), 0.18)


def _find(name: str, part: str, meta: int, among: Mapping[str, Recipe]) -> str | None:
    """The name of the texture of a part: the one of this metadata, or the usual one."""
    meta = meta % 8 if name in _SLABS else meta
    names = (f"{name}{part}:{meta}", f"{name}{part}", f"{name}{part}:0" if not part else "")
    return next((n for n in names if n in among), None)


def faces_of(name: str, meta: int, among: Mapping[str, Recipe] = RECIPES) -> tuple[str, ...] | None:
    """Texture names of the faces -x, +x, bottom, top, -z, +z; None if it has no recipe."""
    side = _find(name, "", meta, among)
    if side is None:
        return None
    top = _find(name, "_top", meta, among) or side
    bottom = _find(name, "_bottom", meta, among) or top
    front = _find(name, "_front", meta, among) or side
    return side, side, bottom, top, front, front
