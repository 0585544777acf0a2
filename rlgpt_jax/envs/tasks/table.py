"""Every task as one row. Adding a task is adding a row; looking one up: `envs.tasks.tasks`.

Plan4MC's tasks are the rows of `third_party/plan4mc/tasks.json`; settings of MineDojo's short tasks
are those of that file, field by field (`tests/envs/tasks/tasks_test.py`).
"""

import dataclasses
import json
from typing import Any, ClassVar

from rlgpt_jax import files


@dataclasses.dataclass(frozen=True)
class Task:
    """One goal in Minecraft."""

    spec: ClassVar[None] = None  # see `envs.spec`

    name: str  # in file names, reports and results: small letters, digits and _
    words: str  # for prompts and reports; "" is filled in by `tasks.describe`
    goal_item: str  # success = this item's count, all variants, grows by `goal_quantity`
    goal_quantity: int = 1  # pieces more than at the start
    start_items: tuple[tuple[str, int], ...] = ()  # slot 0 (the hand) first
    biome: str = "plains"  # plains, forest, forest_hills, extreme_hills, desert, taiga, jungle
    mobs: tuple[str, ...] = ()  # spawned around the agent at reset
    mob_range: tuple[int, int] = (10, 10)  # +- blocks in x and z
    horizon: int = 200  # ticks; then the episode is truncated
    sources: tuple[str, ...] = ()  # mobs or blocks the goal item comes from
    nearby: bool = False  # success = the goal item, placed by the agent, is near and in view
    stages: tuple[str, ...] = ()  # items that give reward 1 once each, in any order
    break_speed: float = 1.0  # factor on the speed of mining
    wild: int = 0  # animals of the land besides `mobs`
    hostile: int = 0  # zombies that may be about at once, at night and in caves


LONG = 3000  # ticks from which on a task has the life of the land
WILD, HOSTILE = 8, 4

# MineDojo's programmatic tasks that RL-GPT trains on, and one of ours in their form.
SHORT = (
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


def harvest(
    quantity: int, goal: str, source: str, biome: str, horizon: int, mobs: tuple[str, ...] = ()
) -> Task:
    """MineDojo's harvest_<n>_<item>: nothing at the start.

    Biome and horizon are ours; so are the mobs, which stand for the herds that one would
    find farther off in an endless land.
    """
    is_long = horizon >= LONG
    return Task(
        f"harvest_{quantity}_{goal}", words="", goal_item=goal, goal_quantity=quantity,
        biome=biome, mobs=mobs, mob_range=(40, 40), horizon=horizon, sources=(source,),
        wild=WILD if is_long else 0, hostile=HOSTILE if is_long else 0,
    )  # fmt: skip


# The 40 tasks of Plan4MC (envs/hard_task_conf.yaml), which the paper's tables mirror, and iron
# tasks that the released code has besides. Where the goal comes from is ours: it is named here, or
# follows from what the agent starts with.
FACTS = json.loads(files.folder("third_party", "plan4mc", "tasks.json").read_text())
SOURCES = {
    **dict.fromkeys(("milk_bucket", "beef", "cooked_beef", "item_frame"), "cow"),
    **dict.fromkeys(("wool", "bed", "painting", "carpet", "mutton", "cooked_mutton"), "sheep"),
    "torch": "coal_ore",
    "diamond": "diamond_ore",
}
MINED_WITH = {"log": "stone", "wooden_pickaxe": "stone", "stone_pickaxe": "iron_ore"}


def plan4mc(name: str, row: dict[str, Any]) -> Task:
    """A row of Plan4MC. A goal `<station>_nearby` is a station placed, not an item."""
    item = row["target_name"].removesuffix("_nearby")
    items = tuple(row.get("initial_inventory", {}).items())
    mined = MINED_WITH.get(items[0][0] if items else "", "log")
    high = row.get("initial_mob_spawn_range_high", (30, 1, 30))
    return Task(
        name, words="", goal_item=item, goal_quantity=row["target_quantity"], start_items=items,
        biome=row["biome"], mobs=tuple(row.get("initial_mobs", ())), mob_range=(high[0], high[2]),
        horizon=row["max_steps"], sources=(SOURCES.get(item, mined),),
        nearby=item != row["target_name"], wild=WILD, hostile=HOSTILE,
        break_speed=float(row.get("break_speed_multiplier", 1)),
    )  # fmt: skip


HEAD, RELEASED = FACTS["plan4mc_head"], FACTS["released_zip_differs"]
PLAN4MC = tuple(plan4mc(*row) for row in (HEAD | RELEASED | HEAD).items())  # first those of HEAD

# MineDojo's harvest tasks with nothing at the start. MineDojo has no time limits.
HARVEST = (
    harvest(1, "log", "log", "forest", 1000),
    harvest(8, "log", "log", "forest", 3000),
    harvest(1, "wool", "sheep", "plains", 3000, ("sheep",) * 2),
    harvest(8, "wool", "sheep", "plains", 10_000, ("sheep",) * 8),
    harvest(1, "beef", "cow", "plains", 3000, ("cow",) * 2),
    harvest(8, "beef", "cow", "plains", 10_000, ("cow",) * 8),
    harvest(1, "mutton", "sheep", "plains", 3000, ("sheep",) * 2),
    harvest(8, "mutton", "sheep", "plains", 10_000, ("sheep",) * 8),
    harvest(1, "cobblestone", "stone", "forest_hills", 5000),
    harvest(8, "cobblestone", "stone", "forest_hills", 8000),
    harvest(1, "coal", "coal_ore", "forest_hills", 8000),
    harvest(8, "coal", "coal_ore", "forest_hills", 10_000),
    harvest(1, "iron_ore", "iron_ore", "forest", 10_000),
    harvest(8, "iron_ore", "iron_ore", "forest", 12_000),
    harvest(1, "diamond", "diamond_ore", "forest", 24_000),
    harvest(8, "diamond", "diamond_ore", "forest", 36_000),
)

DIAMOND = (
    Task(
        "obtain_diamond",
        words="",
        goal_item="diamond",
        biome="forest",
        horizon=36_000,
        sources=("diamond_ore",),
        stages=(
            "log", "planks", "stick", "crafting_table", "wooden_pickaxe", "cobblestone",
            "furnace", "stone_pickaxe", "iron_ore", "iron_ingot", "iron_pickaxe", "diamond",
        ),
        wild=WILD,
        hostile=HOSTILE,
    ),
)  # fmt: skip

ROWS: tuple[Task, ...] = (*SHORT, *PLAN4MC, *HARVEST, *DIAMOND)
