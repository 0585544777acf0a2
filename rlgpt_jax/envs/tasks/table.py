"""Every task as one row. Adding a task is adding a row; looking one up: `envs.tasks.tasks`.

Settings of MineDojo's short tasks and of Plan4MC's tasks are those of
`third_party/plan4mc/tasks.json`, field by field (`tests/envs/tasks/tasks_test.py`).
"""

import dataclasses
from typing import ClassVar


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
PLAN4MC_RANGE = (30, 30)
HERDS = ("cow", "cow", "cow", "sheep", "sheep", "sheep")

Items = tuple[tuple[str, int], ...]
LOGS: Items = (("log", 10),)
WOODEN_PICKAXE: Items = (("wooden_pickaxe", 1),)
STONE_PICKAXE: Items = (("stone_pickaxe", 1),)
SWORD: Items = (("diamond_sword", 1),)
TABLE_AND_SHEARS: Items = (("crafting_table", 1), ("shears", 1))
# As shipped with the released code: wear and speed hardly matter.
RELEASED_KIT: Items = (("stone_pickaxe", 5), ("dirt", 64))
RELEASED_SPEED = 10.0

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


def plan4mc(
    name: str, biome: str, goal: str, horizon: int, source: str,
    items: Items = (), mobs: tuple[str, ...] = (),
    mob_range: tuple[int, int] = PLAN4MC_RANGE, speed: float = 1.0,
) -> Task:  # fmt: skip
    """A row of Plan4MC. A goal `<station>_nearby` is a station placed, not an item."""
    item = goal.removesuffix("_nearby")
    return Task(
        name, words="", goal_item=item, start_items=items, biome=biome, mobs=mobs,
        mob_range=mob_range, horizon=horizon, sources=(source,), nearby=item != goal,
        break_speed=speed, wild=WILD, hostile=HOSTILE,
    )  # fmt: skip


def harvest(
    quantity: int, goal: str, source: str, biome: str, horizon: int,
    mobs: tuple[str, ...] = (),
) -> Task:  # fmt: skip
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


# The 40 tasks of Plan4MC (envs/hard_task_conf.yaml), which the paper's tables mirror.
PLAN4MC = (
    plan4mc("craft_stick", "plains", "stick", 3000, "log"),
    plan4mc("get_crafting_table_nearby", "plains", "crafting_table_nearby", 3000, "log"),
    plan4mc("craft_bowl", "forest", "bowl", 3000, "log"),
    plan4mc("craft_chest", "forest", "chest", 3000, "log"),
    plan4mc("craft_trapdoor", "forest", "trapdoor", 3000, "log"),
    plan4mc("craft_sign", "forest", "sign", 3000, "log"),
    plan4mc("craft_wooden_pickaxe", "forest", "wooden_pickaxe", 3000, "log"),
    plan4mc("craft_wooden_axe", "forest", "wooden_axe", 3000, "log"),
    plan4mc("craft_wooden_sword", "forest", "wooden_sword", 3000, "log"),
    plan4mc("craft_wooden_shovel", "forest", "wooden_shovel", 3000, "log"),
    plan4mc("get_furnace_nearby_with_logs", "extreme_hills", "furnace_nearby", 5000, "stone", LOGS),
    plan4mc("craft_stone_stairs_with_logs", "extreme_hills", "stone_stairs", 5000, "stone", LOGS),
    plan4mc("craft_stone_slab_with_logs", "extreme_hills", "stone_slab", 3000, "stone", LOGS),
    plan4mc(
        "craft_cobblestone_wall_with_logs", "extreme_hills", "cobblestone_wall", 5000, "stone", LOGS
    ),
    plan4mc("craft_torch_with_logs", "extreme_hills", "torch", 5000, "coal_ore", LOGS),
    plan4mc(
        "craft_lever_with_wooden_pickaxe", "forest_hills", "lever", 5000, "stone", WOODEN_PICKAXE
    ),
    plan4mc(
        "craft_stone_pickaxe_with_wooden_pickaxe", "forest_hills", "stone_pickaxe", 10_000,
        "stone", WOODEN_PICKAXE,
    ),
    plan4mc(
        "craft_stone_axe_with_wooden_pickaxe", "forest_hills", "stone_axe", 10_000,
        "stone", WOODEN_PICKAXE,
    ),
    plan4mc(
        "craft_stone_sword_with_wooden_pickaxe", "forest_hills", "stone_sword", 10_000,
        "stone", WOODEN_PICKAXE,
    ),
    plan4mc(
        "craft_stone_shovel_with_wooden_pickaxe", "forest_hills", "stone_shovel", 10_000,
        "stone", WOODEN_PICKAXE,
    ),
    plan4mc(
        "harvest_milk_with_crafting_table_and_iron_ingot", "plains", "milk_bucket", 3000,
        "cow", (("crafting_table", 1), ("iron_ingot", 3)), HERDS,
    ),
    plan4mc(
        "harvest_wool_with_crafting_table_and_iron_ingot", "plains", "wool", 3000,
        "sheep", (("crafting_table", 1), ("iron_ingot", 2)), HERDS,
    ),
    plan4mc(
        "craft_bed_with_crafting_table_and_shears", "plains", "bed", 10_000,
        "sheep", TABLE_AND_SHEARS, HERDS,
    ),
    plan4mc(
        "craft_painting_with_crafting_table_and_shears", "plains", "painting", 10_000,
        "sheep", TABLE_AND_SHEARS, HERDS,
    ),
    plan4mc(
        "craft_carpet_with_shears", "plains", "carpet", 3000, "sheep", (("shears", 1),), HERDS
    ),
    plan4mc(
        "craft_item_frame_with_crafting_table_and_diamond_sword", "plains", "item_frame", 10_000,
        "cow", (("crafting_table", 1), ("diamond_sword", 1)), HERDS,
    ),
    plan4mc("harvest_beef_with_diamond_sword", "plains", "beef", 3000, "cow", SWORD, HERDS),
    plan4mc(
        "harvest_cooked_beef_with_furnace_and_diamond_sword", "plains", "cooked_beef", 10_000,
        "cow", (("furnace", 1), ("diamond_sword", 1)), HERDS,
    ),
    plan4mc("harvest_mutton_with_diamond_sword", "plains", "mutton", 3000, "sheep", SWORD, HERDS),
    plan4mc(
        "harvest_cooked_mutton_with_furnace_and_diamond_sword", "plains", "cooked_mutton", 10_000,
        "sheep", (("furnace", 1), ("diamond_sword", 1)), HERDS,
    ),
    plan4mc(
        "craft_iron_ingot_with_stone_pickaxe", "forest", "iron_ingot", 3000,
        "iron_ore", STONE_PICKAXE,
    ),
    plan4mc(
        "craft_shears_with_stone_pickaxe", "forest", "shears", 5000, "iron_ore", STONE_PICKAXE
    ),
    plan4mc(
        "craft_bucket_with_stone_pickaxe", "forest", "bucket", 5000, "iron_ore", STONE_PICKAXE
    ),
    plan4mc(
        "craft_iron_pickaxe_with_stone_pickaxe", "forest", "iron_pickaxe", 8000,
        "iron_ore", STONE_PICKAXE,
    ),
    plan4mc(
        "craft_iron_sword_with_stone_pickaxe", "forest", "iron_sword", 8000,
        "iron_ore", STONE_PICKAXE,
    ),
    plan4mc(
        "craft_tripwire_hook_with_stone_pickaxe", "forest", "tripwire_hook", 5000,
        "iron_ore", STONE_PICKAXE,
    ),
    plan4mc(
        "craft_heavy_weighted_pressure_plate_with_stone_pickaxe", "forest",
        "heavy_weighted_pressure_plate", 5000, "iron_ore", STONE_PICKAXE,
    ),
    plan4mc(
        "craft_minecart_with_stone_pickaxe", "forest", "minecart", 10_000,
        "iron_ore", STONE_PICKAXE,
    ),
    plan4mc(
        "craft_hopper_with_stone_pickaxe", "forest", "hopper", 10_000, "iron_ore", STONE_PICKAXE
    ),
    plan4mc(
        "harvest_diamond_with_stone_pickaxe", "forest", "diamond", 10_000,
        "diamond_ore", STONE_PICKAXE,
    ),
)  # fmt: skip

# Iron tasks that the released code has and Plan4MC's file no longer has.
RELEASED = tuple(
    plan4mc(
        f"craft_{goal}_with_stone_pickaxe", "forest", goal, horizon, "iron_ore",
        RELEASED_KIT, speed=RELEASED_SPEED,
    )
    for goal, horizon in (("iron_axe", 12_000), ("iron_shovel", 8000), ("iron_trapdoor", 12_000))
)  # fmt: skip

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

ROWS: tuple[Task, ...] = (*SHORT, *PLAN4MC, *RELEASED, *HARVEST, *DIAMOND)
