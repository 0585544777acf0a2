"""The task table against the facts it was written from."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from rlgpt_jax.envs.names import CRAFT_LISTS, MOBS, NAME_ID
from rlgpt_jax.envs.tasks.tasks import ALIASES, TASKS, Task, describe, get_task
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCKS
from rlgpt_jax.envs.voxel.terrain.worldgen import BIOME_INDEX

FACTS = json.loads(
    (Path(__file__).parents[3] / "third_party" / "plan4mc" / "tasks.json").read_text()
)
HEAD, RELEASED = FACTS["plan4mc_head"], FACTS["released_zip_differs"]
ONLY_RELEASED = sorted(set(RELEASED) - set(HEAD))


def written(task: Task) -> dict:
    """A row in the words of `tasks.json`; what the file leaves out is left out."""
    row = {
        "target_name": task.goal_item + ("_nearby" if task.nearby else ""),
        "target_quantity": task.goal_quantity,
    }
    if task.start_items:
        row["initial_inventory"] = dict(task.start_items)
    if task.mobs:
        x, z = task.mob_range
        row["initial_mobs"] = list(task.mobs)
        row["initial_mob_spawn_range_low"] = [-x, 1, -z]
        row["initial_mob_spawn_range_high"] = [x, 1, z]
    if task.break_speed != 1:
        row["break_speed_multiplier"] = task.break_speed
    return row


@pytest.mark.parametrize("name", HEAD)
def test_a_row_is_plan4mcs(name):
    task = TASKS[name]
    assert {**written(task), "biome": task.biome, "max_steps": task.horizon} == HEAD[name]


def test_the_order_of_start_items_is_plan4mcs():
    for name, row in {**HEAD, **{name: RELEASED[name] for name in ONLY_RELEASED}}.items():
        assert list(TASKS[name].start_items) == list(row.get("initial_inventory", {}).items())


def test_the_released_iron_tasks_are_rows_too():
    items = ("axe", "shovel", "trapdoor")
    assert [f"craft_iron_{item}_with_stone_pickaxe" for item in items] == ONLY_RELEASED
    for name in ONLY_RELEASED:
        task = TASKS[name]
        assert {**written(task), "biome": task.biome, "max_steps": task.horizon} == RELEASED[name]


@pytest.mark.parametrize("name", FACTS["short"])
def test_the_short_tasks_go_by_minedojos_names(name):
    task = get_task(name)
    assert task is TASKS[ALIASES[name]]
    assert {**written(task), "horizon": task.horizon} == FACTS["short"][name]


def test_the_number_of_tasks():
    assert (len(HEAD), len(ONLY_RELEASED)) == (40, 3)
    harvest = [name for name in TASKS if re.fullmatch(r"harvest_[18]_\w+", name)]
    assert len(harvest) == 16
    assert len(TASKS) == 3 + 40 + 3 + 16 + 1


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_row_fits_the_world(task):
    assert task.biome in BIOME_INDEX
    assert task.goal_item in NAME_ID and all(stage in NAME_ID for stage in task.stages)
    assert all(item in NAME_ID and quantity > 0 for item, quantity in task.start_items)
    assert set(task.mobs) <= set(MOBS[1:])
    assert task.sources and all(s in MOBS or s in BLOCKS for s in task.sources)
    assert len(task.mobs) + task.wild + task.hostile <= WorldParams().max_mobs
    assert (task.wild > 0) == (task.hostile > 0) == (task.horizon >= 3000)
    if task.nearby:
        assert task.goal_item in ("crafting_table", "furnace")
    if task.name.startswith("craft_"):
        assert task.goal_item in CRAFT_LISTS["all"]


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_words_of_a_new_task_tell_goal_start_and_limit(task):
    assert task.words and not task.words.endswith(".")
    if task.name in ("harvest_milk", "harvest_wool", "harvest_log"):
        return  # recorded transcripts hold these words
    assert task.words == describe(task)
    assert task.goal_item in task.words and f"{task.horizon} ticks" in task.words
    for item, quantity in task.start_items:
        assert f"{quantity} {item}" in task.words
    for mob in set(task.mobs):
        assert f"{task.mobs.count(mob)} {mob}" in task.words


def test_the_stages_end_with_the_goal():
    task = get_task("obtain_diamond")
    assert task.stages[-1] == task.goal_item and len(set(task.stages)) == 12
    assert [t.name for t in TASKS.values() if t.stages] == ["obtain_diamond"]


def test_an_unknown_name_is_refused_with_near_ones():
    with pytest.raises(ValueError, match="craft_iron_sword_with_stone_pickaxe"):
        get_task("craft_iron_sword")
    with pytest.raises(ValueError, match="harvest_milk_with_empty_bucket_and_cow"):
        get_task("harvest_milk_with_empty_bucket_and_a_cow")


def test_rows_are_plain_data():
    for task in TASKS.values():
        hash(task)  # a static argument of jitted functions
        assert dataclasses.replace(task) == task
