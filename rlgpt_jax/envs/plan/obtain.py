"""Whether and how a task's goal item can be had in the embedded world (no jax).

    known = reach(task)             what can be had, and by which way
    missing(task)                   "" or what stands in the way, in words
    needs_crafting(task)            whether something on the way must be made
    chain(task)                     the ways that lead to the goal, first things first
    sources_of(task)                blocks and mobs that the goal comes from

Numbers of pieces are looked at only where they decide: what the start items alone give.
"""

import functools
import math
from collections.abc import Iterable, Mapping

from rlgpt_jax.envs.plan import sources
from rlgpt_jax.envs.plan.sources import Known, Way, gives, ids, ready, spread, ways
from rlgpt_jax.envs.tasks.table import Task
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import DROPS
from rlgpt_jax.envs.voxel.terrain.biomes import get_biome


def land_of(task: Task) -> frozenset[str]:
    """Blocks and mobs that the task's worlds hold."""
    mobs = set(task.mobs)
    if task.wild:
        mobs |= {mob for mob, _ in get_biome(task.biome).animals}
    if task.hostile:
        mobs.add("zombie")
    return sources.blocks_of(task.biome) | mobs


def ways_in(task: Task) -> list[Way]:
    """Ways that a task's land and time allow."""
    land = land_of(task)
    return [w for w in ways() if (not w.raw or w.source in land) and w.ticks < task.horizon]


@functools.cache
def reach(task: Task) -> Known:
    """What a task's worlds give, its start items included.

    Of a start item the way is that to more of it, where the others lead to one.
    """
    start: Known = {item_id(name): (0, None) for name, _ in task.start_items}
    by = ways_in(task)
    known = dict(spread(start, by))
    for item in start:
        others = spread({i: row for i, row in start.items() if i != item}, by)
        if item in others:
            known[item] = (0, others[item][1])
    return known


def needs_crafting(task: Task) -> bool:
    """Whether the goal is not among all that can be taken from the land with the start items and
    with what was taken; accidents (`sources.py`) are left out."""
    goal, start = ids(task.goal_item), {item_id(name) for name, _ in task.start_items}
    given = start if task.nearby else start.difference(goal)  # a station may be carried
    raw = (way for way in ways_in(task) if way.raw)
    return spread(dict.fromkeys(given, (0, None)), raw).keys().isdisjoint(goal)


@functools.cache
def _anywhere() -> Known:
    """What can be had from nothing if every land and every mob were at hand."""
    return spread({}, (way for way in ways() if not way.raw or way.source in sources.everywhere()))


def way_to(entry: str, known: Known) -> Way | None:
    """The shortest way to an entry; of equal ones that which comes first in `ways`."""
    made = [known[i] for i in ids(entry) if i in known and known[i][1] is not None]
    return min(made, key=lambda pair: pair[0], default=(0, None))[1]


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
    rounds = [(known[i][0], name) for name in group for i in ids(name) if i in known]
    return min(rounds, key=lambda pair: pair[0], default=(0, ""))[1]


def _absent(way: Way, task: Task) -> str:
    """A leaf: what the land lacks, and what would bring it."""
    name = way.source_name
    if name in {row.mob for row in DROPS}:
        hint = "hostile=4" if name == "zombie" else f'mobs=("{name}",)'
        return f"{way.item} comes from a {name}, and the task has none: add {hint}"
    lands = ", ".join(sources.biomes_with(way.source))
    return f"{way.item} comes from the block {name}, and {task.biome} has none (it is in {lands})"


def _too_few(task: Task, known: Known) -> str:
    """Words if the goal's only way uses up start items, or mobs, that do not suffice."""
    if task.nearby:
        return ""
    # What can be made again and again: start items serve as tools and stations only.
    endless = {i for i, (_, way) in known.items() if way is not None}
    counts = dict(task.start_items)
    least = ""
    for way in ways_in(task):
        if gives(way) not in ids(task.goal_item) or not ready(way, known.keys()):
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


def _leading(task: Task, known: Known, whole: bool) -> dict[str, Way]:
    """By entry the ways from the start items to the goal, those that others need first; without
    tools, stations, fuel and what is taken to the land if not `whole`."""
    done = dict[str, Way]()
    carried = {item_id(name) for name, _ in task.start_items}

    def add(entry: str, is_goal: bool = False) -> None:
        if entry in done or (not is_goal and not carried.isdisjoint(ids(entry))):
            return
        way = way_to(entry, known)
        if way is None:
            return
        for name, _ in way.needs if whole or not way.raw else ():
            add(name)
        for group in way.keeps if whole else ():
            if not any(i in carried for name in group for i in ids(name)):
                add(_nearest(group, known))
        done[entry] = way

    add(task.goal_item, is_goal=not task.nearby)
    return done


def chain(task: Task) -> tuple[Way, ...]:
    """Ways from the start items to the goal, those that others need first."""
    return tuple(_leading(task, reach(task), whole=True).values())


def sources_of(task: Task) -> tuple[str, ...]:
    """Blocks and mobs that the goal is made of; () if the start items hold all of it.

    What tools, stations and fuel are made of is left out, unless nothing else is taken
    from the land.
    """
    known = reach(task)
    leads = [entry for entry, way in _leading(task, known, whole=False).items() if way.raw]
    raw = [way for way in ways_in(task) if way.raw and ready(way, known.keys())]
    found = [way.source_name for entry in leads for way in raw if gives(way) in ids(entry)]
    return tuple(dict.fromkeys(found or (way.source_name for way in chain(task) if way.raw)))
