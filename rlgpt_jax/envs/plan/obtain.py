"""Whether and how a task's goal item can be had in the embedded world (no jax).

    known = reach(task)             what can be had, and by which way
    missing(task)                   "" or what stands in the way, in words
    chain(task)                     the ways that lead to the goal, first things first
    sources_of(task)                blocks and mobs that the goal comes from

Numbers of pieces are looked at only where they decide: what the start items alone give.
"""

import functools
import itertools
import math
from collections.abc import Iterable, Mapping

from rlgpt_jax.envs.plan.sources import Way, biomes_with, blocks_of, ways
from rlgpt_jax.envs.tasks.table import Task
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id, parse, variants_of
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import DROPS
from rlgpt_jax.envs.voxel.terrain.biomes import BIOMES, get_biome

LONGEST = 10**9  # ticks, for what could be had anywhere at any time
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


def land_of(task: Task) -> frozenset[str]:
    """Blocks and mobs that the task's worlds hold."""
    mobs = set(task.mobs)
    if task.wild:
        mobs |= {mob for mob, _ in get_biome(task.biome).animals}
    if task.hostile:
        mobs.add("zombie")
    return blocks_of(task.biome) | mobs


def closure(held: Iterable[str], land: frozenset[str], ticks: int) -> Known:
    """All that can be had from some items in some land within so many ticks."""
    known: dict[int, tuple[int, Way | None]] = {item_id(name): (0, None) for name in held}
    left = [w for w in ways() if (not w.raw or w.source in land) and w.ticks < ticks]
    for number in itertools.count(1):
        have = frozenset(known)
        new = [w for w in left if gives(w) not in known and ready(w, have)]
        if not new:
            break
        for way in new:
            known.setdefault(gives(way), (number, way))
    return known


def ready(way: Way, have: Iterable[int]) -> bool:
    """Whether what a way needs is among these items."""
    have = frozenset(have)
    needed = all(not have.isdisjoint(ids(entry)) for entry, _ in way.needs)
    return needed and all(
        any(not have.isdisjoint(ids(entry)) for entry in group) for group in way.keeps
    )


def reach(task: Task) -> Known:
    """What a task's worlds give, its start items included."""
    return closure((name for name, _ in task.start_items), land_of(task), task.horizon)


@functools.cache
def _anywhere() -> Known:
    """What can be had from nothing if every land and every mob were at hand."""
    mobs = frozenset(row.mob for row in DROPS)
    return closure((), mobs.union(*(blocks_of(row.name) for row in BIOMES)), LONGEST)


def way_to(entry: str, known: Known) -> Way | None:
    """The shortest way to an entry; of equal ones that which comes first in `ways`."""
    found = [known[i] for i in ids(entry) if i in known]
    made = [pair for pair in found if pair[1] is not None]
    return min(made, key=lambda pair: pair[0])[1] if made else None


def missing(task: Task) -> str:
    """Why the goal cannot be reached, in words; "" if it can.

    A goal to be obtained must grow, so having it at the start is not enough; a station to
    be placed may be carried.
    """
    known = reach(task)
    carried = {name for name, _ in task.start_items}
    if task.nearby and task.goal_item in carried:
        return ""
    if way_to(task.goal_item, known) is not None:
        return _too_few(task, known)
    anywhere = dict(_anywhere())
    for name in carried:
        anywhere.setdefault(item_id(name), (0, None))
    if way_to(task.goal_item, anywhere) is None:
        return f"nothing in the embedded world gives {task.goal_item}: no block, mob or recipe"
    leaves: dict[str, bool] = {}
    _blame(task.goal_item, known, anywhere, task, leaves, set())
    bottom = [words for words, is_bottom in leaves.items() if is_bottom]
    return "; ".join(bottom or leaves)


def _blame(
    entry: str, known: Known, anywhere: Known, task: Task, leaves: dict[str, bool], seen: set[str]
) -> None:
    """Follows an entry that cannot be had; adds words, and whether they are the bottom of it."""
    way = way_to(entry, anywhere)
    if entry in seen or way is None:
        return
    seen.add(entry)
    before = len(leaves)
    groups = [*((name,) for name, _ in way.needs), *way.keeps]
    for group in groups:
        if not any(i in known for name in group for i in ids(name)):
            near = _nearest(group, anywhere)
            if near:
                _blame(near, known, anywhere, task, leaves, seen)
    if way.raw and way.source not in land_of(task):
        leaves[_absent(way, task)] = True
    elif way.ticks >= task.horizon:
        words = f"waiting for {way.item} takes {way.ticks} ticks or more"
        leaves[f"{words}, horizon={task.horizon} is shorter"] = True
    elif len(leaves) == before and groups:
        words = " and ".join(" or ".join(group[:2]) for group in groups)
        leaves[f"{way.item} needs {words}, and nothing leads there"] = False


def _nearest(group: Iterable[str], known: Known) -> str:
    """Of several tools or fuels the one that is had first; "" if there is none."""
    rounds = {
        name: min(known[i][0] for i in ids(name) if i in known)
        for name in group
        if any(i in known for i in ids(name))
    }
    return min(rounds, key=rounds.__getitem__, default="")


def _absent(way: Way, task: Task) -> str:
    """A leaf: what the land lacks, and what would bring it."""
    name = way.source_name
    if name in {row.mob for row in DROPS}:
        hint = "hostile=4" if name == "zombie" else f'mobs=("{name}",)'
        return f"{way.item} comes from a {name}, and the task has none: add {hint}"
    lands = ", ".join(biomes_with(way.source))
    return f"{way.item} comes from the block {name}, and {task.biome} has none (it is in {lands})"


def _too_few(task: Task, known: Known) -> str:
    """Words if the goal's only way uses up start items, or mobs, that do not suffice."""
    if task.nearby:
        return ""
    # What can be made again and again: start items serve as tools and stations only.
    endless = {i for i, (_, way) in known.items() if way is not None}
    counts = dict(task.start_items)
    least = ""
    for way in ways():
        if gives(way) not in ids(task.goal_item) or not ready(way, known):
            continue
        if way.raw and (way.source not in land_of(task) or way.ticks >= task.horizon):
            continue
        times = math.ceil(task.goal_quantity / way.most)
        short = [
            f"{times * pieces} {entry}, the start has {_held(entry, counts)}"
            for entry, pieces in way.needs
            if endless.isdisjoint(ids(entry)) and _held(entry, counts) < times * pieces
        ]
        if way.how == "kill" and not task.wild and way.source in task.mobs:
            most = task.mobs.count(way.source) * way.most
            if most < task.goal_quantity:
                short.append(f"more {way.source}: {most} pieces are the most that they leave")
        if not short:
            return ""
        least = least or f"{task.goal_quantity} {task.goal_item} needs {' and '.join(short)}"
    return least


def _held(entry: str, counts: Mapping[str, int]) -> int:
    return sum(number for name, number in counts.items() if item_id(name) in ids(entry))


def chain(task: Task) -> tuple[Way, ...]:
    """Ways from the start items to the goal, those that others need first."""
    known, done = reach(task), dict[str, Way]()
    carried = {item_id(name) for name, _ in task.start_items}

    def add(entry: str, is_goal: bool = False) -> None:
        if entry in done or (not is_goal and not carried.isdisjoint(ids(entry))):
            return
        way = way_to(entry, known)
        if way is None:
            return
        for name, _ in way.needs:
            add(name)
        for group in way.keeps:
            if not any(i in carried for name in group for i in ids(name)):
                add(_nearest(group, known))
        done[entry] = way

    add(task.goal_item, is_goal=not task.nearby)
    return tuple(done.values())


def sources_of(task: Task) -> tuple[str, ...]:
    """Blocks and mobs that the goal is made of; () if the start items hold all of it.

    What tools, stations and fuel are made of is left out, unless nothing else is taken
    from the land.
    """
    known, land = reach(task), land_of(task)
    carried = {item_id(name) for name, _ in task.start_items}
    found: dict[str, None] = {}

    def add(entry: str, is_goal: bool = False) -> None:
        if not is_goal and not carried.isdisjoint(ids(entry)):
            return
        way = way_to(entry, known)
        if way is not None and way.raw:
            same = [w for w in ways() if w.raw and gives(w) in ids(entry) and w.source in land]
            found.update(dict.fromkeys(w.source_name for w in same if ready(w, known)))
        elif way is not None:
            for name, _ in way.needs:
                add(name)

    add(task.goal_item, is_goal=not task.nearby)
    return tuple(found) or tuple(dict.fromkeys(w.source_name for w in chain(task) if w.raw))
