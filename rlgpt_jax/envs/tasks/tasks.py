"""What an episode starts with, what it is for, when it ends: tasks by name.

The rows themselves are in `table.py`.
"""

import dataclasses
import difflib

from rlgpt_jax.envs.tasks.table import ROWS
from rlgpt_jax.envs.tasks.table import Task as Task

_LAND = {"plains": "on plains", "forest": "in a forest"}


def describe(task: Task) -> str:
    """The goal, the start, the land and the time limit, in words for prompts."""
    return f"{goal_words(task)}. {start_words(task)}"


def goal_words(task: Task) -> str:
    """What is to be reached."""
    if task.nearby:
        goal = f"place a {task.goal_item} of one's own, so that it is within reach and in view"
    else:
        goal = f"obtain {task.goal_quantity} {task.goal_item}"
    if task.stages:
        goal += f"; reward 1 comes with the first of each of {', '.join(task.stages)}"
    return goal


def start_words(task: Task) -> str:
    """Where and with what an episode starts, and how long it is."""
    items = ", ".join(f"{quantity} {name}" for name, quantity in task.start_items)
    land = _LAND.get(task.biome, f"in {task.biome.replace('_', ' ')}")
    start = f"The start is {land} with {items or 'nothing'} in the inventory"
    if task.mobs:
        mobs = ", ".join(f"{task.mobs.count(mob)} {mob}" for mob in dict.fromkeys(task.mobs))
        start += f" and {mobs} within {max(task.mob_range)} blocks"
    return f"{start}; the time limit is {task.horizon} ticks"


TASKS: dict[str, Task] = {
    task.name: dataclasses.replace(task, words=task.words or describe(task)) for task in ROWS
}
assert len(TASKS) == len(ROWS)

# Names of MineDojo for tasks of the table.
ALIASES: dict[str, str] = {
    "harvest_milk_with_empty_bucket_and_cow": "harvest_milk",
    "harvest_wool_with_shears_and_sheep": "harvest_wool",
}


def get_task(name: str | Task) -> Task:
    """Looks a task up by its name or by MineDojo's name for it; a record is itself.

    Raises:
      ValueError: if there is none, naming the nearest ones.
    """
    if isinstance(name, Task):
        return name
    known = ALIASES.get(name, name)
    if known not in TASKS:
        names = [*TASKS, *ALIASES]
        longer = [other for other in names if name and name in other]
        near = (longer + difflib.get_close_matches(name, names, n=3))[:4] or sorted(TASKS)
        raise ValueError(f"no task {name!r}. Try: {', '.join(near)}.")
    return TASKS[known]
