"""What can be had in a world: against the table, generated worlds, and impossible goals."""

import dataclasses

import numpy as np
import pytest

from rlgpt_jax.envs.plan import obtain
from rlgpt_jax.envs.plan.sources import EGG_TICKS as LEAST_EGG_TICKS
from rlgpt_jax.envs.plan.sources import biomes_with, blocks_of, ways
from rlgpt_jax.envs.tasks.tasks import TASKS, Task
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_STATES
from rlgpt_jax.envs.voxel.rules.items.smelting import FUELS
from rlgpt_jax.envs.voxel.rules.mobs.mob_life import EGG_TICKS
from rlgpt_jax.envs.voxel.terrain.biomes import BIOMES
from rlgpt_jax.envs.voxel.terrain.pool import world_seed
from rlgpt_jax.envs.voxel.terrain.worldgen import generate

# Too rare for the few worlds that are generated here.
RARE = {"water:0", "reeds:0", "pumpkin:0", "clay:0", "red_mushroom:0"}


def task(goal: str, **changes) -> Task:
    return Task("own", "words", goal, **{"biome": "forest", "horizon": 500, **changes})


@pytest.mark.parametrize("name", TASKS)
def test_every_task_of_the_table_can_be_reached_and_its_source_is_found(name):
    row = TASKS[name]
    assert obtain.missing(row) == ""
    assert set(row.sources) <= set(obtain.sources_of(dataclasses.replace(row, sources=())))
    goal = obtain.chain(row)[-1] if not row.nearby else None
    assert goal is None or obtain.gives(goal) in obtain.ids(row.goal_item)


@pytest.mark.parametrize("biome", [row.name for row in BIOMES])
def test_the_blocks_of_a_biome_are_those_of_its_worlds(biome):
    seen = set()
    for index in range(3):
        world = generate(world_seed(biome, "train", index), biome, WorldParams())
        states = [BLOCK_STATES[byte] for byte in np.unique(world.blocks) if byte < AIR_CODE]
        seen |= {f"{block}:{meta}" for block, meta in states}
    listed = blocks_of(biome)
    assert seen - listed == {"bedrock:0"}
    assert listed - seen <= RARE


def test_biomes_are_named_by_what_they_have():
    assert biomes_with("cactus:0") == ["desert"] and biomes_with("emerald_ore") == ["extreme_hills"]
    assert "desert" not in biomes_with("log") and "plains" in biomes_with("log")


def test_rules_that_are_written_twice_agree():
    assert EGG_TICKS[0] == LEAST_EGG_TICKS
    fuels = {name for way in ways() if way.how == "smelt" for name in way.keeps[1]}
    assert fuels <= set(FUELS)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (task("iron_ingot", biome="desert"), "log:0 comes from the block log, and desert has none"),
        (task("beef"), 'beef comes from a cow, and the task has none: add mobs=("cow",)'),
        (task("rotten_flesh"), "add hostile=4"),
        (task("sand", biome="taiga", horizon=500), ""),
        (task("sand", biome="extreme_hills"), "extreme_hills has none (it is in plains"),
        (task("saddle"), "nothing in the embedded world gives saddle"),
        (task("dark_oak_fence"), "nothing in the embedded world gives dark_oak_fence"),
        (task("egg", mobs=("chicken",)), "waiting for egg takes 6000 ticks or more, horizon=500"),
        (task("egg", mobs=("chicken",), horizon=9000), ""),
        (task("milk_bucket", biome="desert", mobs=("cow",)), "log:0 comes from the block log"),
        (task("obsidian"), ""),
        (task("vine", biome="jungle"), ""),  # its four states on trees are one item
    ],
    ids=lambda x: x if isinstance(x, str) else f"{x.goal_item}-{x.biome}",
)
def test_what_is_missing_is_said_from_the_bottom(wanted, words):
    assert (words in obtain.missing(wanted)) and bool(words) == bool(obtain.missing(wanted))


def test_start_items_that_do_not_suffice_are_counted():
    desert = {"biome": "desert", "mobs": ("cow",)}
    one = task("milk_bucket", start_items=(("bucket", 1),), **desert)
    assert obtain.missing(one) == ""
    two = dataclasses.replace(one, goal_quantity=2)
    assert obtain.missing(two) == "2 milk_bucket needs 2 bucket, the start has 1"
    planks = task("planks", goal_quantity=9, start_items=(("log", 2),), biome="desert")
    assert "needs 3 log:0, the start has 2" in obtain.missing(planks)
    assert obtain.missing(dataclasses.replace(planks, goal_quantity=8)) == ""
    beef = task("beef", goal_quantity=4, mobs=("cow",))
    assert "3 pieces are the most" in obtain.missing(beef)
    assert obtain.missing(dataclasses.replace(beef, mobs=("cow", "cow"))) == ""


@pytest.mark.parametrize(
    ("goal", "items", "biome"),
    [
        ("stick", ("stick",), "forest"),
        ("stick", ("planks",), "plains"),
        ("torch", ("torch",), "forest"),
        ("stone_pickaxe", ("stick", "cobblestone"), "forest"),
        ("iron_ingot", ("iron_ore", "iron_ingot", "stone_pickaxe"), "forest"),
    ],
)
def test_there_is_more_of_a_start_item_where_the_land_gives_it(goal, items, biome):
    start = tuple((item, 1) for item in items)
    one = task(goal, goal_quantity=9, start_items=start, biome=biome)
    assert obtain.missing(one) == "" and obtain.chain(one)[-1].item.partition(":")[0] == goal


def test_a_start_item_that_turns_into_another_and_back_is_no_more_of_it():
    start = (("iron_ingot", 1), ("iron_nugget", 8))
    assert obtain.missing(task("iron_ingot", start_items=start, biome="desert"))


def test_a_station_to_be_placed_may_be_carried_but_an_item_must_be_new():
    table = (("crafting_table", 1),)
    carried = task("crafting_table", nearby=True, start_items=table, biome="desert")
    assert obtain.missing(carried) == "" and obtain.chain(carried) == ()
    assert obtain.missing(dataclasses.replace(carried, nearby=False))


@pytest.mark.parametrize(
    ("goal", "changes", "needs"),
    [
        ("stick", {}, True),
        ("stick", {"biome": "desert"}, False),  # dead bushes leave some
        ("log", {}, False),
        ("milk_bucket", {"mobs": ("cow",), "start_items": (("bucket", 1),)}, False),
        ("milk_bucket", {"mobs": ("cow",), "start_items": (("iron_ingot", 3),)}, True),
        ("wool", {"mobs": ("sheep",), "start_items": (("iron_ingot", 2),)}, False),  # it is killed
        ("cobblestone", {}, True),  # takes a pickaxe
        ("crafting_table", {"nearby": True}, True),
        ("crafting_table", {"nearby": True, "start_items": (("crafting_table", 1),)}, False),
        ("crafting_table", {"start_items": (("crafting_table", 1),)}, True),  # one more
    ],
)
def test_whether_something_must_be_made(goal, changes, needs):
    assert obtain.needs_crafting(task(goal, **changes)) is needs


def test_the_chain_brings_tools_before_what_they_mine():
    steps = [way.item.partition(":")[0] for way in obtain.chain(task("iron_ingot"))]
    order = ["log", "planks", "stick", "wooden_pickaxe", "cobblestone", "stone_pickaxe",
             "iron_ore", "iron_ingot"]  # fmt: skip
    places = [steps.index(name) for name in order]
    assert places == sorted(places) and steps.index("furnace") < steps.index("iron_ingot")


def test_sources_are_what_the_goal_is_made_of():
    assert obtain.sources_of(task("sand", biome="plains")) == ("sand",)
    assert obtain.sources_of(task("stick")) == ("log",)
    assert set(obtain.sources_of(task("painting", biome="plains", wild=8))) == {"log", "sheep"}
    assert obtain.sources_of(task("planks", start_items=(("log", 2),))) == ()
