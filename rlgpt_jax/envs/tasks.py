"""The task table: what an episode starts with, what it is for, when it ends.

Adding a task is adding a row. Settings of MineDojo's short tasks and of Plan4MC's
tasks: `third_party/plan4mc/tasks.json`.
"""

import dataclasses
import difflib


@dataclasses.dataclass(frozen=True)
class Task:
    """One goal in one kind of world."""

    name: str
    words: str  # for prompts and reports
    goal_item: str  # success = this item's count grows by `goal_quantity`
    goal_quantity: int = 1
    start_items: tuple[tuple[str, int], ...] = ()  # slot 0 (the hand) first
    biome: str = "plains"
    mobs: tuple[str, ...] = ()  # spawned around the agent at reset
    mob_range: tuple[int, int] = (10, 10)  # +- blocks in x and z
    horizon: int = 200  # ticks; then the episode is truncated
    sources: tuple[str, ...] = ()  # mobs or blocks the goal item comes from
    nearby: bool = False  # success = the goal item, placed by the agent, is near and in view
    stages: tuple[str, ...] = ()  # items that give reward 1 once each, in any order
    break_speed: float = 1.0  # factor on the speed of mining
    wild: int = 0  # animals of the land besides `mobs`
    hostile: int = 0  # zombies that may be about at once, at night and in caves


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "harvest_milk",  # MineDojo harvest_milk_with_empty_bucket_and_cow
            words="obtain milk from a cow with an empty bucket in hand; a cow is within "
            "10 blocks, on plains",
            goal_item="milk_bucket",
            start_items=(("bucket", 1),),
            mobs=("cow",),
            sources=("cow",),
        ),
        Task(
            "harvest_wool",  # MineDojo harvest_wool_with_shears_and_sheep
            words="obtain wool from a sheep with shears in hand; a sheep is within "
            "10 blocks, on plains",
            goal_item="wool",
            start_items=(("shears", 1),),
            mobs=("sheep",),
            sources=("sheep",),
        ),
        Task(
            "harvest_log",
            words="harvest one log with empty hands in a forest",
            goal_item="log",
            biome="forest",
            horizon=500,
            sources=("log",),
        ),
    )
}


def get_task(name: str) -> Task:
    """Looks a task up by name.

    Raises:
      ValueError: if there is none, naming the nearest ones.
    """
    if name not in TASKS:
        near = difflib.get_close_matches(name, TASKS, n=3) or sorted(TASKS)
        raise ValueError(f"no task {name!r}. Try: {', '.join(near)}.")
    return TASKS[name]
