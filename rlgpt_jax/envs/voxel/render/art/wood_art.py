"""Textures of wood: planks, logs, leaves, saplings, doors and what is built of planks."""

import numpy as np

from rlgpt_jax.envs.voxel.render.art import paint
from rlgpt_jax.envs.voxel.render.art.colours import BARKS, PLANKS, WOOD, WOODS, dark
from rlgpt_jax.envs.voxel.render.art.paint import (
    Colour,
    Recipe,
    framed,
    grain,
    pixels,
    plain,
    put,
    rectangle,
    streaks,
)  # fmt: skip

# Spruce and birch have the same green in every biome.
_FIXED_LEAVES: dict[int, Colour] = {1: (84, 132, 84), 2: (124, 160, 80)}
_SAPLING = "...gg... .gGgGg.. gGgggGgg .ggGgGg. ..gggg.. ...bg... ...b.... ...b.... ...bb..."
_CONE = "...g.... ..gGg... ...g.... ..gGg... .gGggg.. ..ggG... .gGgggg. ...b.... ...b...."
_FLAT = ".ggGggG. gGgggggg ..g.bg.. ....b... ..gGb... ...bb... ...b.... ...b.... ...b...."
_SAPLINGS: tuple[tuple[str, Colour, Colour], ...] = (
    (_SAPLING, (66, 140, 42), (98, 178, 62)), (_CONE, (54, 96, 54), (80, 128, 76)),
    (_SAPLING, (112, 160, 66), (158, 200, 104)), (_SAPLING, (46, 118, 22), (66, 150, 34)),
    (_FLAT, (118, 148, 28), (146, 176, 44)), (_SAPLING, (34, 98, 20), (48, 122, 30)),
)  # fmt: skip


def planks(colour: Colour = WOOD, name: str = "planks") -> np.ndarray:
    picture = streaks(name, colour, 0.10, vertical=False)
    row = np.arange(16) // 4
    seams = np.zeros((16, 16), bool)
    seams[3::4] = True
    for board, at in enumerate((5, 13, 2, 10)):
        seams[row == board, at] = True
    return paint.shade(picture, np.where(seams, 0.68, 1.0))


def bark(kind: int) -> np.ndarray:
    colour = BARKS[kind]
    if WOODS[kind] == "birch":
        picture = grain("birch", colour, 0.04)
        marks = np.zeros((16, 16), bool)
        for y, x, wide in ((1, 3, 4), (3, 11, 3), (6, 0, 3), (8, 7, 5), (11, 13, 3), (13, 4, 3)):
            marks[y, x : x + wide] = True
        return put(picture, marks, (52, 50, 46), "birch+")
    picture = streaks(f"bark{kind}" if kind else "bark", colour, 0.28)
    return put(picture, paint.blobs(f"knots{kind}", 3, 3), dark(colour))


def rings(kind: int) -> np.ndarray:
    y, x = np.mgrid[:16, :16] - 7.5
    ring = np.maximum(abs(x), abs(y)).astype(int)
    wood = dark(PLANKS[kind], 1.1)
    picture = paint.shade(grain("rings", wood, 0.06), np.where(ring % 2 == 0, 1.0, 0.82))
    return put(picture, ring == 7, BARKS[kind], "bark")


def leaves(kind: int) -> np.ndarray:
    """Spruce and birch in their colour, others white for the tint of the biome."""
    name = f"leaves{kind}" if kind else "leaves"
    smooth = 0 if WOODS[kind] in ("spruce", "acacia") else 1
    noise = paint.tones(name) + 0.5 * paint.tones(name + "+", smooth=smooth)
    base = _FIXED_LEAVES.get(kind, (255, 255, 255))
    light = {3: 0.78, 5: 0.62}.get(kind, 0.72)  # jungle, dark oak
    picture = paint.shade(plain(base), light + 0.2 * np.round(noise * 2) / 2)
    picture[noise < (-0.9 if WOODS[kind] == "dark_oak" else -0.72)] = 0
    return picture


def sapling(kind: int) -> np.ndarray:
    text, green, light = _SAPLINGS[kind]
    bare = (204, 200, 190) if WOODS[kind] == "birch" else (104, 76, 44)
    return np.roll(pixels(text, {"g": green, "G": light, "b": bare}), 3, 0)


def crossed(colour: Colour) -> np.ndarray:
    """A ladder: two posts and thin rungs."""
    picture = paint.empty()
    for top in range(2, 16, 4):
        picture = rectangle(picture, (1, top, 15, top + 1), colour)
        picture = rectangle(picture, (1, top + 1, 15, top + 2), dark(colour, 0.7))
        picture[top + 1, 4:12] = 0
    for left in (2, 12):
        picture = rectangle(picture, (left, 0, left + 2, 16), dark(colour, 1.08))
    return picture


def door(colour: Colour, upper: bool) -> np.ndarray:
    """Half a door of planks: windows above, a handle below."""
    edge = dark(colour, 0.7)
    picture = framed(planks(colour, "door"), edge)
    picture = rectangle(picture, (7, 0, 9, 16), edge)
    if upper:
        for left, top in ((2, 2), (9, 2), (2, 8), (9, 8)):
            picture = rectangle(picture, (left, top, left + 5, top + 5), edge)
            picture[top + 1 : top + 4, left + 1 : left + 4, 3] = 0
        return rectangle(picture, (12, 14, 14, 16), (60, 54, 46))
    for top in (2, 9):
        for left in (2, 10):
            picture = rectangle(picture, (left, top, left + 4, top + 5), dark(colour, 0.86))
    return rectangle(picture, (12, 0, 14, 1), (60, 54, 46))


def iron_door(upper: bool) -> np.ndarray:
    picture = framed(streaks("iron door", (200, 200, 200), 0.05), (150, 150, 150))
    if upper:
        for left in (3, 9):
            picture = rectangle(picture, (left, 3, left + 4, 9), (120, 120, 120))
            picture[4:8, left + 1 : left + 3, 3] = 0
    else:
        picture = rectangle(picture, (11, 1, 14, 4), (110, 110, 110))
    return rectangle(picture, (3, 12, 13, 13), (150, 150, 150))


def trapdoor() -> np.ndarray:
    picture = framed(planks(dark(WOOD, 0.84), "trapdoor"), (96, 70, 36))
    for left, top in ((3, 3), (9, 3), (3, 9), (9, 9)):
        picture[top : top + 4, left : left + 4] = 0
    return picture


def _of_wood(kind: int) -> dict[str, Recipe]:
    """All textures of one kind of wood."""
    log = f"log:{kind}" if kind < 4 else f"log2:{kind - 4}"
    leaf = f"leaves:{kind}" if kind < 4 else f"leaves2:{kind - 4}"
    top = log.replace(":", "_top:")
    wood, name = PLANKS[kind], WOODS[kind]
    return {
        f"planks:{kind}": lambda: planks(wood), f"wooden_slab:{kind}": lambda: planks(wood),
        log: lambda: bark(kind), top: lambda: rings(kind),
        leaf: lambda: leaves(kind), f"sapling:{kind}": lambda: sapling(kind),
        f"{name}_stairs": lambda: planks(wood), f"{name}_fence": lambda: planks(wood),
        f"{name}_fence_gate": lambda: planks(wood),
        f"{name}_door": lambda: door(wood, False), f"{name}_door_upper": lambda: door(wood, True),
    }  # fmt: skip


RECIPES: dict[str, Recipe] = {
    "fence": planks, "fence_gate": planks, "standing_sign": planks,
    "trapdoor": trapdoor, "ladder": lambda: crossed((158, 124, 70)),
    "wooden_door": lambda: door(WOOD, False), "wooden_door:8": lambda: door(WOOD, True),
    "iron_door": lambda: iron_door(False), "iron_door:8": lambda: iron_door(True),
}  # fmt: skip
for _kind in range(len(WOODS)):
    RECIPES |= _of_wood(_kind)
