"""Textures of what the ground is made of: stone, earth, sand, ores, liquids, ice."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art import paint
from rlgpt_jax.envs.voxel.render.art.colours import (
    BLUE,
    COAL,
    DIAMOND,
    DIRT,
    GOLD,
    GREEN,
    RED,
    STONE,
    dark,
)  # fmt: skip
from rlgpt_jax.envs.voxel.render.art.paint import (
    Colour,
    Recipe,
    cobbles,
    grain,
    plain,
    put,
    streaks,
)  # fmt: skip

SAND, RED_SAND = (221, 209, 162), (190, 103, 36)


def stone() -> np.ndarray:
    """Short lighter and darker dashes."""
    noise = paint.tones("stone")
    dashes = np.round((noise + np.roll(noise, 1, 1) + 0.6 * np.roll(noise, 2, 1)) * 1.6) / 1.6
    return paint.shade(plain(STONE), 1.0 + 0.07 * dashes)


def dirt(colour: Colour = DIRT) -> np.ndarray:
    picture = grain("dirt", colour, 0.16)
    return put(picture, paint.blobs("pebbles", 4, 1), dark(colour, 1.25))


def cobblestone() -> np.ndarray:
    return cobbles("cobble", (132, 132, 132), (82, 82, 82))


def _ore(name: str, colour: Colour) -> np.ndarray:
    spots = paint.blobs(name, 6, 6)
    shadow = np.roll(spots, (1, 1), (0, 1)) & ~spots
    return put(put(stone(), shadow, (88, 88, 88)), spots, colour, name)


def _speckled(name: str, colour: Colour, light: Colour, deep: Colour) -> np.ndarray:
    """Granite and its like: large grains of two more colours."""
    noise = paint.tones(name, smooth=1)
    picture = put(grain(name, colour, 0.06), noise > 0.3, light, name + "+")
    return put(picture, noise < -0.32, deep, name + "-")


def _polished(picture: np.ndarray) -> np.ndarray:
    """Smoother, with a bright edge above and a dark one below."""
    mean = picture[..., :3].mean((0, 1))
    out = picture.copy()
    out[..., :3] = 0.45 * picture[..., :3] + 0.55 * mean
    out[0, :, :3] *= 1.12
    out[:, 0, :3] *= 1.12
    out[15, :, :3] *= 0.74
    out[:, 15, :3] *= 0.74
    return out.clip(0, 255)


def granite() -> np.ndarray:
    return _speckled("granite", (154, 108, 90), (184, 142, 124), (122, 78, 62))


def diorite() -> np.ndarray:
    return _speckled("diorite", (190, 190, 194), (232, 232, 234), (138, 138, 142))


def andesite() -> np.ndarray:
    return _speckled("andesite", (132, 133, 134), (158, 160, 160), (106, 107, 108))


def _side(under: np.ndarray, colour: Colour, depths: tuple[int, ...]) -> np.ndarray:
    """Earth with a jagged rim above."""
    depth = paint.random_for("turf").choice(depths, 16)
    return put(under, np.arange(16)[:, None] < depth, colour, "turf")


def _water() -> np.ndarray:
    wave = paint.tones("water", smooth=2)
    return paint.shade(plain((58, 108, 206)), 1.0 + 0.14 * np.round(wave * 3) / 3)


def _lava() -> np.ndarray:
    """Bright cracks between darker crusts."""
    crust = paint.cobbles("lava", (206, 78, 14), (255, 196, 70), 7)
    heat = np.maximum(paint.tones("lava", smooth=2), 0)[..., None]
    crust[..., :3] += heat * (70, 120, 40)
    return crust.clip(0, 255)


def sandstone(colour: Colour = (216, 203, 155), name: str = "sandstone") -> np.ndarray:
    picture = streaks(name, colour, 0.06, vertical=False)
    return paint.shade(picture, np.where(np.isin(np.arange(16), (3, 11, 15)), 0.84, 1.0)[:, None])


def _podzol() -> np.ndarray:
    return put(
        grain("podzol", (92, 64, 30), 0.2), paint.tones("needles", smooth=1) > 0.25,
        (126, 88, 44), "needles")  # fmt: skip


def _bedrock() -> np.ndarray:
    noise = np.round(paint.tones("bedrock", smooth=1) * 3) / 3
    return paint.shade(plain((92, 92, 92)), 1.0 + 0.75 * noise)


def _frozen(name: str, colour: Colour) -> np.ndarray:
    """Ice: faint cracks across a smooth sheet."""
    picture = grain(name, colour, 0.05, smooth=1)
    y, x = np.mgrid[:16, :16]
    return put(picture, ((x + 2 * y) % 13 == 0) | ((3 * x - y) % 19 == 0), dark(colour, 1.18))


RECIPES: dict[str, Recipe] = {
    "stone": stone,
    "stone:1": granite, "stone:2": lambda: _polished(granite()),
    "stone:3": diorite, "stone:4": lambda: _polished(diorite()),
    "stone:5": andesite, "stone:6": lambda: _polished(andesite()),
    "grass": lambda: _side(dirt(), (212, 212, 212), (2, 3, 3, 4, 5)),
    "grass_top": lambda: grain("grass", (214, 214, 214), 0.16),
    "grass_bottom": dirt,
    "dirt": dirt,
    "dirt:1": lambda: put(
        dirt((118, 84, 58)), paint.blobs("coarse", 7, 2), (164, 134, 108), "coarse"),
    "dirt:2": lambda: _side(dirt(), (104, 72, 34), (2, 3, 3, 4)),
    "dirt_top:2": _podzol, "dirt_bottom:2": dirt,
    "mycelium": lambda: _side(dirt(), (122, 104, 112), (2, 3, 3, 4)),
    "mycelium_top": lambda: grain("mycelium", (124, 106, 116), 0.16),
    "grass_path": lambda: _side(dirt(), (150, 124, 66), (2, 3, 2)),
    "grass_path_top": lambda: grain("path", (150, 124, 66), 0.12), "grass_path_bottom": dirt,
    "farmland": dirt,
    "farmland_top": lambda: paint.shade(
        grain("farm", (98, 66, 40), 0.1), np.where(np.arange(16) % 4 < 2, 0.76, 1.05)[:, None]),
    "farmland_bottom": dirt,
    "cobblestone": cobblestone,
    "mossy_cobblestone": lambda: put(
        cobblestone(), paint.tones("moss", smooth=1) > 0.15, (88, 118, 60), "moss"),
    "bedrock": _bedrock,
    "water": _water, "flowing_water": _water, "lava": _lava, "flowing_lava": _lava,
    "sand": lambda: grain("sand", SAND, 0.07),
    "sand:1": lambda: grain("sand", RED_SAND, 0.07),
    "gravel": lambda: cobbles("gravel", (136, 130, 128), (104, 98, 96), 34),
    "gold_ore": lambda: _ore("gold_ore", GOLD),
    "iron_ore": lambda: _ore("iron_ore", (216, 175, 147)),
    "coal_ore": lambda: _ore("coal_ore", COAL), "lapis_ore": lambda: _ore("lapis_ore", BLUE),
    "diamond_ore": lambda: _ore("diamond_ore", DIAMOND),
    "redstone_ore": lambda: _ore("redstone_ore", RED),
    "lit_redstone_ore": lambda: _ore("redstone_ore", (255, 70, 60)),
    "emerald_ore": lambda: _ore("emerald_ore", GREEN),
    "quartz_ore": lambda: put(
        grain("netherrack", (112, 54, 52), 0.25, smooth=1), paint.blobs("quartz_ore", 6, 5),
        (226, 218, 208)),
    "sandstone": sandstone,
    "sandstone_top": lambda: grain("sandstone", SAND, 0.04),
    "red_sandstone": lambda: sandstone((176, 94, 34), "red_sandstone"),
    "red_sandstone_top": lambda: grain("sandstone", RED_SAND, 0.04),
    "obsidian": lambda: grain("obsidian", (26, 20, 42), 0.7, smooth=1),
    "snow": lambda: grain("snow", (244, 250, 252), 0.03, smooth=1),
    "snow_layer": lambda: grain("snow", (244, 250, 252), 0.03, smooth=1),
    "ice": lambda: _frozen("ice", (152, 186, 250)),
    "packed_ice": lambda: _frozen("packed", (134, 168, 232)),
    "clay": lambda: grain("clay", (160, 166, 178), 0.05, smooth=1),
    "netherrack": lambda: grain("netherrack", (112, 54, 52), 0.3, smooth=1),
    "soul_sand": lambda: put(
        grain("soul", (84, 64, 52), 0.2, smooth=1), paint.blobs("souls", 4, 4), (54, 40, 32)),
    "end_stone": lambda: cobbles("end", (222, 224, 166), (196, 198, 138), 14),
    "magma": lambda: cobbles("magma", (92, 38, 24), (240, 130, 30), 10),
    "glowstone": lambda: cobbles("glow", (236, 196, 110), (150, 104, 50), 16),
}  # fmt: skip
