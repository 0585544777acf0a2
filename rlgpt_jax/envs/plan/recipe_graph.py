"""What is made of what, as a graph over names: recipes, blocks, mobs, tools, fuel.

The rows of `sources.py` without variants: any wood is a log. A source is a way that takes an item
from a block or a mob of the land.
"""

import collections
import functools
from collections.abc import Collection

from rlgpt_jax.envs.plan.sources import Way, everywhere, ready, spread
from rlgpt_jax.envs.plan.sources import ways as all_ways
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id, parse
from rlgpt_jax.envs.voxel.rules.items.smelting import FUELS, TICKS
from rlgpt_jax.envs.voxel.rules.player.tools import DURABILITY

_TIERS = ("wooden", "stone", "iron", "diamond", "golden")
FUEL_ORDER = ("coal", "log", "planks", "stick")  # what a plan reckons to be burnt


@functools.cache
def ways() -> dict[str, tuple[Way, ...]]:
    """Ways by item, without variants and with the weakest tools first. Left out are those that the
    item goes into itself, waiting, and what takes two things that both stay (obsidian of lava)."""
    found: dict[str, dict[Way, None]] = {}
    for way in all_ways():
        item, needs = parse(way.item)[0], collections.Counter[str]()
        for entry, pieces in way.needs:
            needs[parse(entry)[0]] += pieces
        at_hand = way.source in everywhere() and len(way.keeps) < 2 and not way.ticks
        if item not in needs and (at_hand or not way.raw):
            keeps = tuple(tuple(sorted(group, key=_tier)) for group in way.keeps)
            plain = way._replace(
                item=item, source=way.source_name, needs=tuple(needs.items()), keeps=keeps
            )
            found.setdefault(item, {})[plain] = None
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
    rows = [way for row in ways().values() for way in row]
    known = spread(spread({}, (way for way in rows if way.sure)), rows)
    return {way.item: number for number, way in known.values() if way}


@functools.cache
def best(item: str) -> tuple[Way, ...]:
    """Ways to an item by what lies nearer to bare hands than it does."""
    depth = depths()
    nearer = {item_id(name) for name, steps in depth.items() if steps < depth.get(item, 0)}
    return tuple(way for way in ways().get(item, ()) if ready(way, nearer))


@functools.cache
def best_ways(item: str) -> tuple[Way, ...]:
    """The recipes among the best."""
    return tuple(way for way in best(item) if not way.raw)


@functools.cache
def best_sources(item: str) -> tuple[Way, ...]:
    """Those among the best that take something from the land."""
    return tuple(way for way in best(item) if way.raw)


@functools.cache
def sources(item: str) -> tuple[Way, ...]:
    """All ways that take an item from the land."""
    return tuple(way for way in ways().get(item, ()) if way.raw)


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
        for way in best(name):
            todo += [need for need, _ in way.needs] + [group[0] for group in way.keeps]
            todo += ["log"] * (way.how == "smelt")
    depth = depths()
    return tuple(sorted(found, key=lambda name: (depth.get(name, 0), name)))


def describe(item: str) -> str:
    """The facts that matter for an item, one line each, for prompts."""
    names = closure(item)
    lines = [f"- {name}: {'; or '.join(_words(name)) or 'cannot be had'}" for name in names]
    if any(way.how == "smelt" for name in names for way in best(name)):
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
        f"{way.most} from {' + '.join(f'{n} {need}' for need, n in way.needs)}, "
        f"{places[way.station]}"
        for way in best_ways(item)
    ]
    for source in sorted(sources(item), key=lambda way: way.tools):  # the bare hand first
        if source.tools and not any(tool in depths() for tool in source.tools):
            continue
        tools = f" with {' or '.join(source.tools)}" if source.tools else ""
        least, most = source.least, source.most
        number = "sometimes 1" if not least else f"{least} to {most}" if least < most else f"{most}"
        words.append(f"{source.how} {source.source}{tools} ({number} from each)")
    return words
