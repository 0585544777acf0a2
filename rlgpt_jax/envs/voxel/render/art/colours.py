"""Colours that several pictures share: dyes, kinds of wood, metals."""

from rlgpt_jax.envs.voxel.render.art.paint import Colour

# By the variant of wool; dyes and banners count from the other end.
DYES: tuple[Colour, ...] = (
    (233, 236, 236), (240, 118, 19), (189, 68, 179), (58, 175, 217),  # white to light blue
    (248, 198, 39), (112, 185, 25), (237, 141, 172), (62, 68, 71),  # yellow to gray
    (142, 142, 134), (21, 137, 145), (121, 42, 172), (53, 57, 157),  # light gray to blue
    (114, 71, 40), (84, 109, 27), (161, 39, 34), (26, 27, 31),  # brown to black
)  # fmt: skip
DYE_NAMES = (
    "white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray", "light_gray",
    "cyan", "purple", "blue", "brown", "green", "red", "black",
)  # fmt: skip
WOODS = ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak")
# By kind of wood: planks, bark, the wood inside.
PLANKS: tuple[Colour, ...] = (
    (168, 136, 82), (116, 86, 50), (202, 186, 128), (162, 116, 82), (172, 92, 52), (70, 46, 22),
)  # fmt: skip
BARKS: tuple[Colour, ...] = (
    (104, 82, 50), (62, 42, 22), (218, 216, 210), (94, 74, 32), (108, 101, 92), (58, 44, 26),
)  # fmt: skip

DIRT, STONE = (134, 96, 67), (126, 126, 126)
IRON, GOLD, DIAMOND, COAL = (222, 222, 222), (250, 214, 70), (98, 226, 220), (42, 42, 42)
RED, BLUE, GREEN, WHITE = (196, 22, 18), (34, 66, 178), (22, 196, 72), (236, 238, 238)
WOOD = PLANKS[0]


def dark(colour: Colour, factor: float = 0.66) -> Colour:
    """A darker, or with a factor above 1 a brighter, tone of a colour."""
    return tuple(min(255, int(c * factor)) for c in colour)
