"""What is made of what, as a graph over names: recipes, blocks, mobs, tools, fuel.

A way makes an item of others; a source is a block or a mob of the land that an item comes
from. All is read from the tables that the world itself runs by. Variants are left out: any
wood is a log.
"""

import collections
import functools
from collections.abc import Collection, Iterable
from typing import NamedTuple

from rlgpt_jax.envs.plan.sources import STATIONS
from rlgpt_jax.envs.voxel.rules.blocks.blocks import METAS, TABLE
from rlgpt_jax.envs.voxel.rules.items.drop_table import SHEARED, rows_of
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id, parse
from rlgpt_jax.envs.voxel.rules.items.recipes import FURNACE, RECIPES
from rlgpt_jax.envs.voxel.rules.items.recipes import TABLE as AT_TABLE
from rlgpt_jax.envs.voxel.rules.items.smelting import FUELS, TICKS
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import DROPS
from rlgpt_jax.envs.voxel.rules.player.tools import DURABILITY

# Blocks that the world generator makes and that can be mined (a test generates every biome).
NATURAL = (
    "stone", "grass", "dirt", "sand", "sandstone", "gravel", "clay", "log", "leaves", "coal_ore",
    "iron_ore", "gold_ore", "redstone_ore", "lapis_ore", "diamond_ore", "emerald_ore",
    "tallgrass", "yellow_flower", "red_flower", "brown_mushroom", "red_mushroom", "pumpkin",
    "melon_block", "reeds", "cactus", "deadbush", "vine",
)  # fmt: skip
_TIERS = ("wooden", "stone", "iron", "diamond", "golden")
FUEL_ORDER = ("coal", "log", "planks", "stick")  # what a plan reckons to be burnt


class Way(NamedTuple):
    """A recipe."""

    pieces: int  # made at once
    needs: tuple[tuple[str, int], ...]  # (item, pieces)
    place: str  # "" in hand, else the station that must be near


class Source(NamedTuple):
    """Something of the land that leaves an item."""

    name: str  # block or mob
    verb: str  # mine, kill, shear, milk or scoop
    tools: tuple[str, ...]  # one of them must be held, the weakest first; () is the bare hand
    low: int
    high: int
    sure: bool  # whether every one leaves something
    takes: str = ""  # item that becomes the product: the bucket


@functools.cache
def ways() -> dict[str, tuple[Way, ...]]:
    """Recipes by product; those that a product goes into itself are left out."""
    found: dict[str, dict[Way, None]] = {}
    for recipe in RECIPES:
        needs: collections.Counter[str] = collections.Counter()
        for entry, number in recipe.needs.items():
            needs[parse(entry)[0]] += number
        product = parse(recipe.product)[0]
        place = {AT_TABLE: STATIONS[0], FURNACE: STATIONS[1]}.get(recipe.place, "")
        if product not in needs:
            way = Way(recipe.quantity, tuple(needs.items()), place)
            found.setdefault(product, {})[way] = None
    return {product: tuple(rows) for product, rows in found.items()}


@functools.cache
def sources() -> dict[str, tuple[Source, ...]]:
    """What of the land gives an item, by item."""
    found: dict[str, dict[Source, None]] = {}

    def add(item: str, source: Source) -> None:
        found.setdefault(item, {})[source] = None

    for block in NATURAL:
        tools = tuple(sorted(TABLE[block]["needs_tool"] or (), key=_tier))
        for meta in METAS.get(block, (0,)):
            for row in rows_of(block, meta):
                sure = row.low > 0 and row.end - row.start > 0.5
                add(parse(row.item)[0], Source(block, "mine", tools, row.low, row.high, sure))
        if block in SHEARED:
            add(block, Source(block, "mine", ("shears",), 1, 1, True))
    for drop in DROPS:
        sure = drop.low > 0
        add(drop.item, Source(drop.mob, "kill", (), drop.low, drop.high, sure))
    add("wool", Source("sheep", "shear", ("shears",), 1, 3, True))
    add("milk_bucket", Source("cow", "milk", ("bucket",), 1, 1, True, takes="bucket"))
    for liquid in ("water", "lava"):
        add(f"{liquid}_bucket", Source(liquid, "scoop", ("bucket",), 1, 1, True, takes="bucket"))
    return {item: tuple(rows) for item, rows in found.items()}


def _tier(tool: str) -> int:
    tier = tool.partition("_")[0]
    return _TIERS.index(tier) if tier in _TIERS else len(_TIERS)


@functools.cache
def depths() -> dict[str, int]:
    """How many steps lie between bare hands in the land and an item; others cannot be had.

    What a block leaves only now and then counts last: sticks are made, not looked for in
    dead bushes.
    """
    depth: dict[str, int] = {}
    for only_sure in (True, False):
        while True:
            items = (set(ways()) | set(sources())) - set(depth)
            new = {item for item in items if _known(item, depth, only_sure)}
            if not new:
                break
            depth |= dict.fromkeys(new, max(depth.values(), default=0) + 1)
    return depth


def _known(item: str, depth: dict[str, int], only_sure: bool) -> bool:
    """Whether an item can be had with what is in `depth`."""
    by_land = any(
        (source.sure or not only_sure)
        and (not source.tools or any(tool in depth for tool in source.tools))
        for source in sources().get(item, ())
    )
    return by_land or any(_possible(way, depth) for way in ways().get(item, ()))


def _possible(way: Way, depth: Iterable[str]) -> bool:
    return all(need in depth for need, _ in way.needs) and (not way.place or way.place in depth)


@functools.cache
def best_ways(item: str) -> tuple[Way, ...]:
    """Recipes of an item whose ingredients lie nearer to bare hands than it does."""
    depth = depths()
    nearer = {name for name, steps in depth.items() if steps < depth.get(item, 0)}
    return tuple(way for way in ways().get(item, ()) if _possible(way, nearer))


@functools.cache
def best_sources(item: str) -> tuple[Source, ...]:
    """Sources of an item whose tools lie nearer to bare hands than it does."""
    depth = depths()
    own = depth.get(item, 0)
    return tuple(
        source
        for source in sources().get(item, ())
        if not source.tools or any(depth.get(t, own) < own for t in source.tools)
    )


def closure(item: str, given: Collection[str] = ()) -> tuple[str, ...]:
    """The item and all that it may be made of or got with, what is nearest to hand first.

    What is `given` need not be made of anything.
    """
    found: dict[str, None] = {}
    todo = [item]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found[name] = None
        if name in given:
            continue
        for way in best_ways(name):
            todo += [need for need, _ in way.needs]
            todo += [way.place] * bool(way.place)
            todo += ["coal", "log"] * (way.place == "furnace")
        for source in best_sources(name):
            todo += source.tools[:1]
    depth = depths()
    return tuple(sorted(found, key=lambda name: (depth.get(name, 0), name)))


def describe(item: str) -> str:
    """The facts that matter for an item, one line each, for prompts."""
    names = closure(item)
    lines = [f"- {name}: {'; or '.join(_words(name)) or 'cannot be had'}" for name in names]
    burns = any(way.place == "furnace" for name in names for way in best_ways(name))
    if burns:
        fuels = ", ".join(f"{fuel} {FUELS[fuel]}" for fuel in FUEL_ORDER)
        lines.append(
            f"- Every product of a furnace takes {TICKS} ticks of fuel from the inventory. Ticks "
            f"that one piece burns: {fuels}."
        )
    wears = [(name, int(DURABILITY[item_id(name)])) for name in names if name.endswith("_pickaxe")]
    if wears:
        lasts = ", ".join(f"{name} {uses}" for name, uses in wears)
        lines.append(f"- Tools wear. Blocks that one lasts for: {lasts}.")
    return "\n".join(lines)


def _words(item: str) -> list[str]:
    """Every way and source of an item, in words."""
    places = {"": "in hand", "crafting_table": "at a crafting_table", "furnace": "in a furnace"}
    words = [
        f"{way.pieces} from {' + '.join(f'{n} {need}' for need, n in way.needs)}, "
        f"{places[way.place]}"
        for way in best_ways(item)
    ]
    given: dict[str, None] = {}
    for source in sources().get(item, ()):
        if source.tools and not any(tool in depths() for tool in source.tools):
            continue
        tools = f" with {' or '.join(source.tools)}" if source.tools else ""
        number = f"{source.low} to {source.high}" if source.low < source.high else str(source.low)
        number = number if source.sure else "sometimes 1"
        given[f"{source.verb} {source.name}{tools} ({number} from each)"] = None
    return words + list(given)
