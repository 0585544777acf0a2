"""The kinds of land: ground, cover, trees, plants, herds and climate, one row each.

Amounts are per chunk (16 x 16 columns) and those of Minecraft 1.11.2, reckoned from its
numbers of tries a chunk: one for tall grass makes 32 tries on flat ground, one for flowers
0.65. Plains have a third of that grass, the jungle half of it and 3/5 of its trees. What
does not exist in this world is left out: tall double plants, lily pads, cocoa, rabbits,
wolves, horses, llamas, ocelots.
Source: https://minecraft.wiki/w/Biome, https://minecraft.wiki/w/Spawn (Java 1.11).
"""

import dataclasses
import math
from typing import NamedTuple


class Plant(NamedTuple):
    """Plants that grow in patches on one kind of soil, each patch of a single state."""

    states: tuple[tuple[str, int], ...]  # (block, metadata), all equally likely
    amount: float  # tries a chunk
    patch: int  # tries in a patch
    soil: str = "grass"
    shade: bool = False  # only under leaves


@dataclasses.dataclass(frozen=True)
class Biome:
    """One kind of land. Heights in blocks, amounts per chunk."""

    name: str
    biome_id: int  # number in Minecraft 1.11
    temperature: float
    rainfall: float
    ground: float  # mean height of the ground above the sea level
    relief: float  # height of hills above that mean, and depth of valleys
    scale: float  # width of a hill
    octaves: int
    ponds: float  # depth that ponds are dug to, 0 for none
    lakes: float  # small lakes above the sea level
    trees: float
    tree_kinds: tuple[tuple[str, float], ...]  # (kind in `trees.KINDS`, share)
    plants: tuple[Plant, ...]
    animals: tuple[tuple[str, int], ...]  # (mob, weight) of the herds that live here
    reeds: float = 0.06  # share of the columns at water that carry sugar cane
    cactuses: float = 0.0
    sandy: bool = False  # sand over sandstone instead of grass over earth
    bare: float = math.inf  # height above the sea level from which stone shows
    emeralds: bool = False
    headroom: int = 14  # blocks kept free above the highest ground, for the tallest tree


_HERDS = (("sheep", 12), ("pig", 10), ("chicken", 10), ("cow", 8))
_DANDELION, _POPPY = ("yellow_flower", 0), ("red_flower", 0)
# Bluet, oxeye daisy and the four tulips grow on plains alone.
_MEADOW = (_DANDELION, _DANDELION, _POPPY, *(("red_flower", meta) for meta in (3, 8, 4, 5, 6, 7)))
_GRASS, _FERN = ("tallgrass", 1), ("tallgrass", 2)


def _plants(
    grass: float,
    flowers: float,
    mushrooms: float = 0.3,
    ferns: tuple[int, int] = (0, 1),
    colours: tuple[tuple[str, int], ...] = (_DANDELION, _DANDELION, _POPPY),
) -> tuple[Plant, ...]:
    """The plants of green land; `ferns` is their part of the grass, (a, of b)."""
    few, all_ = ferns
    return (
        Plant((_FERN,) * few + (_GRASS,) * (all_ - few), grass, 24),
        Plant(colours, flowers, 8),
        Plant((("brown_mushroom", 0), ("red_mushroom", 0)), mushrooms, 4, shade=True),
        Plant((("pumpkin", 0),), 0.02, 4),
    )


BIOMES: tuple[Biome, ...] = (
    Biome("plains", 1, temperature=0.8, rainfall=0.4,
          ground=2.6, relief=3.6, scale=44, octaves=2, ponds=5.0, lakes=0.05,
          trees=0.05, tree_kinds=(("oak", 2 / 3), ("big_oak", 1 / 3)),
          plants=_plants(55.0, 2.6, mushrooms=0.0, colours=_MEADOW), animals=_HERDS),
    Biome("forest", 4, temperature=0.7, rainfall=0.8,
          ground=5.0, relief=6.5, scale=40, octaves=3, ponds=2.5, lakes=0.03,
          trees=10.0, tree_kinds=(("oak", 0.72), ("big_oak", 0.08), ("birch", 0.2)),
          plants=_plants(64.0, 1.3), animals=_HERDS),
    Biome("forest_hills", 18, temperature=0.7, rainfall=0.8,
          ground=11.0, relief=15.0, scale=40, octaves=3, ponds=0.0, lakes=0.2,
          trees=10.0, tree_kinds=(("oak", 0.72), ("big_oak", 0.08), ("birch", 0.2)),
          plants=_plants(64.0, 1.3), animals=_HERDS),
    Biome("extreme_hills", 3, temperature=0.2, rainfall=0.3,
          ground=13.0, relief=26.0, scale=42, octaves=4, ponds=0.0, lakes=0.2,
          trees=0.4, tree_kinds=(("spruce", 2 / 3), ("oak", 0.3), ("big_oak", 1 / 30)),
          plants=_plants(32.0, 1.3, mushrooms=0.0), animals=_HERDS,
          bare=17.0, emeralds=True, headroom=6),
    Biome("desert", 2, temperature=2.0, rainfall=0.0,
          ground=3.5, relief=5.0, scale=44, octaves=2, ponds=2.0, lakes=0.0,
          trees=0.0, tree_kinds=(), plants=(Plant((("deadbush", 0),), 2.0, 2, soil="sand"),),
          animals=(), reeds=0.25, cactuses=1.5, sandy=True),
    Biome("taiga", 5, temperature=0.25, rainfall=0.8,
          ground=5.0, relief=8.0, scale=42, octaves=3, ponds=2.5, lakes=0.03,
          trees=10.0, tree_kinds=(("spruce", 2 / 3), ("pine", 1 / 3)),
          plants=_plants(32.0, 1.3, mushrooms=1.0, ferns=(4, 5)), animals=_HERDS),
    Biome("jungle", 21, temperature=0.95, rainfall=0.9,
          ground=4.5, relief=7.0, scale=40, octaves=3, ponds=2.5, lakes=0.03,
          trees=30.0, tree_kinds=(("jungle", 0.45), ("jungle_bush", 0.45), ("big_oak", 0.1)),
          plants=(
              *_plants(400.0, 2.6, mushrooms=0.1, ferns=(1, 4)),
              Plant((("melon_block", 0),), 0.3, 4),
          ),
          animals=(("sheep", 12), ("pig", 10), ("chicken", 20), ("cow", 8)), headroom=17),
)  # fmt: skip
BIOME_INDEX: dict[str, int] = {biome.name: i for i, biome in enumerate(BIOMES)}


def get_biome(name: str) -> Biome:
    """Looks a biome up by name.

    Raises:
      ValueError: if there is none, naming those that there are.
    """
    if name not in BIOME_INDEX:
        raise ValueError(f"no biome {name!r}. Try: {', '.join(BIOME_INDEX)}.")
    return BIOMES[BIOME_INDEX[name]]
