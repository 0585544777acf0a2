"""A task that a user describes: checked before anything runs, then completed (no jax).

renamed(task)      names as the wiki has them become those of 1.11.2
check(task)        raises ValueError with the first thing that is wrong
complete(task)     the record that worlds and agents get: sources and words filled in
"""

import dataclasses
import difflib
import re

from rlgpt_jax.envs import wiki
from rlgpt_jax.envs.names import CRAFT_NAMES, MOBS, load
from rlgpt_jax.envs.plan import obtain
from rlgpt_jax.envs.plan.sources import STATIONS
from rlgpt_jax.envs.tasks import tasks
from rlgpt_jax.envs.tasks.table import Task
from rlgpt_jax.envs.voxel.rules.blocks.blocks import TABLE
from rlgpt_jax.envs.voxel.rules.items.item_table import parse
from rlgpt_jax.envs.voxel.rules.items.recipes import RECIPES
from rlgpt_jax.envs.voxel.terrain.biomes import BIOME_INDEX

NUM_SLOTS = 36
MOST_MOB_RANGE = 48  # half of a world: farther is nearer again
SHORTEST, LONGEST = 20, 72_000  # ticks: a second, an hour
_ITEM_ROWS = load("items")["items"]
ITEMS: tuple[str, ...] = tuple(
    dict.fromkeys([*_ITEM_ROWS, *CRAFT_NAMES, *(parse(recipe.product)[0] for recipe in RECIPES)])
)
_SPAWNED = tuple(mob for mob in MOBS if mob not in ("none", "player"))


def renamed(task: Task) -> Task:
    """The record with the names of 1.11.2 where it has the wiki's."""
    old, names = wiki.known, {*ITEMS, *TABLE, *_SPAWNED}
    starts = tuple(
        (old(item[0], names), *item[1:]) if isinstance(item, tuple) and item else item
        for item in task.start_items
    )
    return dataclasses.replace(
        task, goal_item=old(task.goal_item, names), start_items=starts,
        stages=tuple(old(name, names) for name in task.stages),
        sources=tuple(old(name, names) for name in task.sources),
        mobs=tuple(old(name, names) for name in task.mobs),
    )  # fmt: skip


def check(task: Task) -> None:
    """Raises ValueError for what cannot be used: the field, what was given, what to try."""
    _check_words(task)
    _name(task.goal_item, ITEMS, "goal_item", "item")
    for stage in task.stages:
        _name(stage, ITEMS, "stages", "item")
    _name(task.biome, tuple(BIOME_INDEX), "biome", "biome")
    for mob in task.mobs:
        _name(mob, _SPAWNED, "mobs", "mob")
    for source in task.sources:
        _name(source, (*TABLE, *_SPAWNED), "sources", "block or mob")
    _number(task.goal_quantity, 1, NUM_SLOTS * stack(task.goal_item), "goal_quantity")
    _number(task.horizon, SHORTEST, LONGEST, "horizon", " ticks; 20 are a second")
    if not (isinstance(task.mob_range, tuple) and len(task.mob_range) == 2):
        raise ValueError(f"mob_range={task.mob_range!r} must be a pair, along x and z: (10, 10).")
    for reach in task.mob_range:
        _number(reach, 1, MOST_MOB_RANGE, "mob_range", " blocks to each side")
    _number(task.wild, 0, 64, "wild", " animals")
    _number(task.hostile, 0, 64, "hostile", " zombies")
    if not 0 < task.break_speed <= 1000:
        raise ValueError(f"break_speed={task.break_speed} must be above 0 and at most 1000.")
    _check_start(task)
    if task.nearby and task.goal_item not in STATIONS:
        raise ValueError(
            f"nearby=True with goal_item={task.goal_item!r}: only a placed "
            f"{' or '.join(STATIONS)} can be the goal. Try nearby=False: then it is to be held."
        )
    why = obtain.missing(task)
    if why:
        raise ValueError(f"{task.goal_item} cannot be obtained in this task: {why}.")


def _check_words(task: Task) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]{2,99}", task.name):
        raise ValueError(
            f"name={task.name!r} must be 3 to 100 small letters, digits and _, beginning with a "
            'letter, for example "collect_sand".'
        )
    if task.name in tasks.TASKS or task.name in tasks.ALIASES:
        raise ValueError(f"name={task.name!r} is a task of the table. Give yours another name.")
    if not task.words.strip():
        raise ValueError(
            f'words="" must say the goal to the agents. Try words="{tasks.goal_words(task)}".'
        )
    if "\n" in task.words or task.words != task.words.strip() or task.words.endswith("."):
        raise ValueError(
            f"words={task.words!r} must be one line, without spaces around it and without a "
            "full stop: prompts end the sentence."
        )
    if len(task.words) > 500:
        raise ValueError(f"words has {len(task.words)} characters; 500 are the most.")


def _check_start(task: Task) -> None:
    for item in task.start_items:
        if not (isinstance(item, tuple) and len(item) == 2):
            raise ValueError(f'start_items holds {item!r}; needs pairs, ("bucket", 1).')
        name, quantity = item
        _name(name, ITEMS, "start_items", "item")
        if not _is_whole(quantity) or not 1 <= quantity <= stack(name):
            raise ValueError(
                f"start_items: {quantity} {name}; a slot holds 1 to {stack(name)} of it. For "
                "more, name it again for the next slot."
            )
    slots = len(task.start_items)
    if slots > NUM_SLOTS:
        raise ValueError(f"start_items fill {slots} slots; the inventory has {NUM_SLOTS}.")
    room = any(n < stack(name) for name, n in task.start_items if name == task.goal_item)
    if slots == NUM_SLOTS and not room and not task.nearby:
        raise ValueError(
            f"start_items fill all {NUM_SLOTS} slots, so there is no room for a "
            f"{task.goal_item}. Leave a slot free."
        )


def stack(item: str) -> int:
    """Pieces that one slot holds."""
    return int(_ITEM_ROWS.get(item, {}).get("stack", 64))


def _name(given: str, valid: tuple[str, ...], field: str, kind: str) -> None:
    if given in valid:
        return
    valid = (*valid, *(today for today, old in wiki.TODAY.items() if old in valid))
    word = wiki.plain(given)
    longer = [name for name in valid if word and word in name.split("_")]
    near = list(dict.fromkeys([*difflib.get_close_matches(word, valid, 3, 0.6), *longer]))[:4]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Try: {', '.join(valid[:12])}."
    raise ValueError(f"{field}: no {kind} {given!r} in this world. {hint}")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: int, low: int, high: int, field: str, unit: str = "") -> None:
    if not _is_whole(value) or not low <= value <= high:
        raise ValueError(f"{field}={value!r} must be a whole number of {low} to {high}{unit}.")


def complete(task: Task) -> Task:
    """The record that a run has: the goal in the user's words, then the facts."""
    return dataclasses.replace(
        task,
        words=f"{task.words}. {tasks.start_words(task)}",
        sources=task.sources or obtain.sources_of(task),
    )


def changed(row: Task) -> Task:
    """A row of the table as a record of one's own, to change fields of."""
    return dataclasses.replace(row, name=f"{row.name}_changed", words=tasks.goal_words(row))


def doubts(task: Task) -> list[str]:
    """What is not wrong but may not be meant, in words."""
    found = []
    facts = f"{task.name} {task.words}".lower()
    for biome in BIOME_INDEX:
        if re.search(rf"\b{biome.replace('_', ' ')}\b", facts):
            if biome not in task.biome and biome not in task.goal_item:
                found.append(f"the words speak of {biome}, the biome is {task.biome}")
    for number in re.findall(r"(\d[\d,]*) ticks", task.words):
        if int(number.replace(",", "")) != task.horizon:
            found.append(f"the words speak of {number} ticks, the horizon is {task.horizon}")
    if not (task.sources or obtain.sources_of(task)):
        found.append("the goal is made of start items alone, so no distance is rewarded")
    only_wild = {w.source for w in obtain.chain(task) if w.how in ("kill", "shear", "milk")}
    for mob in sorted(only_wild - set(task.mobs) - {"zombie"}):
        found.append(f"a {mob} is there only if a herd happens to be one (wild={task.wild})")
    return found
