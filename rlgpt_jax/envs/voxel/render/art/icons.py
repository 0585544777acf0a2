"""Pictures of items for the hotbar, the hand and the ground, drawn by our own code.

Blocks are small solids of their textures, tools are shapes in the colour of their
material, other things have a drawing; what is left is a lump in a colour made from its
name.
"""

import colorsys
import functools
import zlib

import numpy as np

from rlgpt_jax.envs.voxel.render.art import paint
from rlgpt_jax.envs.voxel.render.art.block_art import RECIPES as OF_BLOCKS
from rlgpt_jax.envs.voxel.render.art.block_art import faces_of
from rlgpt_jax.envs.voxel.render.art.colours import dark
from rlgpt_jax.envs.voxel.render.art.item_art import DRAWN, SHAPES, TOOLS
from rlgpt_jax.envs.voxel.render.art.item_families import MATERIALS, look_of, palette
from rlgpt_jax.envs.voxel.render.art.paint import Colour, pixels
from rlgpt_jax.envs.voxel.render.art.rare_art import RECIPES as OF_ITEMS
from rlgpt_jax.envs.voxel.render.art.solids import PLANTS, Box, icon_boxes
from rlgpt_jax.envs.voxel.render.art.textures import tint_of
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF, METAS
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEMS

RECIPES = OF_BLOCKS | OF_ITEMS
GRASS_ON_ICONS = (124, 189, 80)
# Drawn flat, as they hang or grow.
_FLAT = (
    *PLANTS, "ladder", "rail", "golden_rail", "activator_rail", "detector_rail", "vine", "web",
    "glass_pane", "stained_glass_pane", "waterlily", "redstone_wire", "double_plant",
    "pumpkin_stem", "melon_stem",
)  # fmt: skip
# Where the light falls on a solid: top, the left and the right side.
_TOP, _LEFT, _RIGHT = (1, 1.0), (2, 0.8), (0, 0.6)


def _tool(name: str) -> np.ndarray | None:
    material, _, kind = name.partition("_")
    if kind not in TOOLS or material not in MATERIALS:
        return None
    return pixels(TOOLS[kind], palette(MATERIALS[material], MATERIALS[material]))


def _texture(name: str) -> np.ndarray:
    """float32[16, 16, 4]: a texture in the green of a temperate biome."""
    picture = np.clip(RECIPES[name](), 0, 255)
    tinted = tint_of(name, picture.astype(np.uint8)) > 0
    picture[tinted, :3] *= np.array(GRASS_ON_ICONS) / 255.0
    return picture


def _door(name: str) -> np.ndarray:
    """Both halves of a door, half as wide and high as they are."""
    upper = f"{name}:8" if f"{name}:8" in RECIPES else f"{name}_upper"
    halves = np.concatenate([_texture(upper)[::2, ::2], _texture(name)[1::2, ::2]])
    picture = paint.empty()
    picture[:, 4:12] = halves
    return picture


def _solid(faces: tuple[str, ...], boxes: list[Box]) -> np.ndarray:
    """Boxes seen from above an edge, with their front to the left.

    A pixel's way goes by (1, -1, 1): points (x, y, z) of a block lie at 8 + 8 (z - x)
    across and 16 - 8 y - 4 (x + z) down.
    """
    pictures = {axis: _texture(faces[face]) for axis, face in ((0, 0), (1, 3), (2, 4))}
    down, across = np.mgrid[:16, :16] + 0.5
    start = np.stack([(8 - across) / 16, (16 - down) / 8, (across - 8) / 16], -1)
    way = np.array([1.0, -1.0, 1.0])
    picture, best = paint.empty(), np.full((16, 16), np.inf)
    for box in boxes:
        low, high = np.array(box[:3]) / 16.0, np.array(box[3:]) / 16.0
        ends = np.stack([(low - start) / way, (high - start) / way])
        near, far = ends.min(0), ends.max(0)
        at, axis = near.max(-1), near.argmax(-1)
        hit = (at < far.min(-1) - 1e-9) & (at < best)
        x, y, z = np.moveaxis(start + at[..., None] * way, -1, 0)
        for side, light in (_TOP, _LEFT, _RIGHT):
            u = {0: z, 1: x, 2: 1.0 - x}[side]
            v = z if side == 1 else 1.0 - y
            row, column = (np.clip(w * 16, 0, 15).astype(int) for w in (v, u))
            pixel = pictures[side][row, column] * (light, light, light, 1)
            here = hit & (axis == side) & (pixel[..., 3] > 0)
            picture[here], best[here] = pixel[here], at[here]
    return picture


def _lump(name: str) -> np.ndarray:
    hue = zlib.crc32(name.encode()) % 360 / 360.0
    colour: Colour = tuple(int(255 * c) for c in colorsys.hsv_to_rgb(hue, 0.5, 0.85))
    return pixels(SHAPES["lump"], palette(colour, dark(colour)))


def _draw(name: str, variant: int) -> np.ndarray:
    tool = _tool(name)
    if tool is not None:
        return tool
    if name in DRAWN:
        return pixels(*DRAWN[name])
    look = look_of(name, variant)
    if look is not None:
        shape, *colours = look
        return pixels(SHAPES[shape], palette(*colours))
    if name.endswith("_door"):
        return _door(name)
    faces = faces_of(name, variant, RECIPES)
    if faces is None:
        return _lump(name)
    return _texture(faces[4]) if name in _FLAT else _solid(faces, icon_boxes(name))


def block_of(item: int) -> int:
    """The byte of the block that looks like an item, 0 if none does."""
    name, variant = ITEMS[item]
    return BYTE_OF.get((name, variant), BLOCK_ID.get(name, 0) if name in METAS else 0)


@functools.cache
def icon(item: int) -> np.ndarray:
    """The picture uint8[16, 16, 4] of an item given by its item id; 0 is empty."""
    picture = _draw(*ITEMS[item]) if item else paint.empty()
    return np.clip(picture, 0, 255).astype(np.uint8)
