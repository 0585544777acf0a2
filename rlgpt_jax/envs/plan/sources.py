"""Every way to come by an item in the embedded world, as rows, and what they lead to (no jax).

    mine a block, kill, shear or milk an animal, wait for an egg, scoop a liquid,
    craft, smelt

What happens by accident is left out: meat that a fire cooked, a bowl from an eaten stew.
Rules: `drop_table.py`, `mob_table.py`, `use.py`, `recipes.py`, `smelting.py`.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_STATES, TABLE
from rlgpt_jax.envs.voxel.rules.items.drop_table import SHEARED, rows_of, variant_of
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, item_id, parse, variants_of
from rlgpt_jax.envs.voxel.rules.items.recipes import FURNACE, RECIPES
from rlgpt_jax.envs.voxel.rules.items.recipes import TABLE as AT_TABLE
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import DROPS
from rlgpt_jax.envs.voxel.terrain.biomes import BIOMES, Biome, get_biome

STATIONS = ("crafting_table", "furnace")
EGG_TICKS = 6000  # at least, until a hen lays (`mob_life.EGG_TICKS`)


class Way(NamedTuple):
    """One way to come by an item. Entries are those of `item_table`: "planks:2", "log"."""

    item: str
    how: str  # mine, kill, shear, milk, wait for, scoop, craft, smelt
    source: str = ""  # block and metadata, or mob; "" for recipes
    least: int = 1  # pieces at once; 0 if only now and then there is one
    most: int = 1
    needs: tuple[tuple[str, int], ...] = ()  # entries that are used up, and pieces
    # Of each of these one must be there, and stays: a tool, a station, fuel.
    keeps: tuple[tuple[str, ...], ...] = ()
    ticks: int = 0  # that it takes at least, where that is long

    @property
    def raw(self) -> bool:
        """Whether it takes something from the land."""
        return bool(self.source)

    @property
    def source_name(self) -> str:
        """The block or mob, without metadata."""
        return self.source.partition(":")[0]

    @property
    def sure(self) -> bool:
        """Whether it gives something every time."""
        return self.least > 0

    @property
    def station(self) -> str:
        """The station that it is made at; "" in hand."""
        return self.keeps[0][0] if self.keeps and not self.raw else ""

    @property
    def tools(self) -> tuple[str, ...]:
        """One of them must be held to take it from the land; () is the bare hand."""
        return self.keeps[0] if self.keeps else tuple(entry for entry, _ in self.needs)


# By item id: the way that gives it first, and in which round; None for what is there.
Known = Mapping[int, tuple[int, Way | None]]


@functools.cache
def ids(entry: str) -> tuple[int, ...]:
    """The items that an entry accepts: "planks" any kind of wood, "planks:2" that one."""
    name, variant = parse(entry)
    return tuple(variants_of(name)) if variant is None else (item_id(entry),)


def gives(way: Way) -> int:
    """The item id that a way ends with."""
    return item_id(way.item)


def ready(way: Way, have: Set[int]) -> bool:
    """Whether what a way needs is among these items."""
    needed = all(not have.isdisjoint(ids(entry)) for entry, _ in way.needs)
    return needed and all(any(not have.isdisjoint(ids(e)) for e in group) for group in way.keeps)


def spread(known: Known, by: Iterable[Way]) -> Known:
    """What is known, and all that can be had with it by some ways, round by round."""
    found, by = dict(known), tuple(by)
    number = 1 + max((number for number, _ in found.values()), default=0)
    while new := [w for w in by if gives(w) not in found and ready(w, found.keys())]:
        for way in new:
            found.setdefault(gives(way), (number, way))
        number += 1
    return found


def _mined() -> Iterator[Way]:
    for block, meta in BLOCK_STATES:
        if block == "air" or TABLE[block]["hardness"] is None:
            continue
        source, tools = f"{block}:{meta}", TABLE[block]["needs_tool"]
        for row in rows_of(block, meta):
            least = row.low if row.end - row.start > 0.5 else 0
            keeps = (tuple(tools),) if tools else ()
            yield Way(row.item, "mine", source, least, row.high, keeps=keeps)
        item = block, variant_of(block, meta)
        if block in SHEARED and item in ITEM_ID:
            yield Way("{}:{}".format(*item), "mine", source, keeps=(("shears",),))


def _used() -> Iterator[Way]:
    """What a bucket and shears give, and what grows on animals."""
    bucket = (("bucket", 1),)
    yield Way("milk_bucket", "milk", "cow", needs=bucket)
    yield Way("water_bucket", "scoop", "water:0", needs=bucket)
    yield Way("lava_bucket", "scoop", "lava:0", needs=bucket)
    yield Way("wool", "shear", "sheep", 1, 3, keeps=(("shears",),))
    # Water turns lava into it.
    yield Way("obsidian", "mine", "lava:0", keeps=(("water_bucket",), ("diamond_pickaxe",)))
    yield Way("egg", "wait for", "chicken", ticks=EGG_TICKS)


def _made(fuels: tuple[str, ...]) -> Iterator[Way]:
    for recipe in RECIPES:
        needs, at = tuple(recipe.needs.items()), recipe.place
        keeps = {AT_TABLE: (("crafting_table",),), FURNACE: (("furnace",), fuels)}.get(at, ())
        how, pieces = "smelt" if at == FURNACE else "craft", recipe.quantity
        yield Way(recipe.product, how, "", pieces, pieces, needs, keeps)


@functools.cache
def ways() -> tuple[Way, ...]:
    """All of them; those that take something from the land come first."""
    killed = (Way(row.item, "kill", row.mob, row.low, row.high) for row in DROPS)
    # Any wood and coal burns; a task that has no fuel at all has nothing to smelt either.
    fuels = ("coal", "planks", "log", "log2", "stick", "lava_bucket")
    return (*_mined(), *_used(), *killed, *_made(fuels))


_WOOD = {"oak": 0, "big_oak": 0, "spruce": 1, "pine": 1, "birch": 2, "jungle": 3, "jungle_bush": 3}
_ORES = ("coal", "iron", "gold", "redstone", "lapis", "diamond")
_UNDERGROUND = (
    "stone:0", "stone:1", "stone:3", "stone:5", "dirt:0", "gravel:0", "lava:0", "water:0",
    *(f"{ore}_ore:0" for ore in _ORES),
)  # fmt: skip


@functools.cache
def blocks_of(biome: str) -> frozenset[str]:
    """Blocks with metadata that worlds of a biome have, rare ones too (a test compares)."""
    row = get_biome(biome)
    states = {*_UNDERGROUND, *_grown(row)}
    states |= {"sand:0", "sandstone:0"} if row.sandy else {"grass:0"}
    if row.ponds > 0 and not row.sandy:
        states |= {"sand:0", "clay:0"}
    if row.emeralds:
        states.add("emerald_ore:0")
    return frozenset(states)


@functools.cache
def everywhere() -> frozenset[str]:
    """Blocks with metadata of all biomes, and all mobs."""
    return frozenset(row.mob for row in DROPS).union(*(blocks_of(row.name) for row in BIOMES))


def _grown(row: Biome) -> Iterator[str]:
    for kind, _ in row.tree_kinds:
        yield f"log:{_WOOD[kind]}"
        yield "leaves:0" if kind == "jungle_bush" else f"leaves:{_WOOD[kind]}"
        if kind == "jungle":
            yield from (f"vine:{meta}" for meta in (1, 2, 4, 8))
    for plant in row.plants:
        if plant.amount > 0:
            yield from (f"{name}:{meta}" for name, meta in plant.states)
    if row.ponds > 0 or row.lakes > 0:
        yield "reeds:0"
    if row.cactuses > 0:
        yield "cactus:0"


def biomes_with(source: str) -> list[str]:
    """Biomes whose worlds have a block, given with or without metadata."""
    return [
        row.name
        for row in BIOMES
        if any(source in (state, state.partition(":")[0]) for state in blocks_of(row.name))
    ]
