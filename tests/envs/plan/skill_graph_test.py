"""Sequences of basic skills for the paper's tasks, as Plan4MC's own search gives them."""

import dataclasses

import pytest

from rlgpt_jax.envs.plan import skill_graph
from rlgpt_jax.envs.plan.skill_graph import FIND, Missing, graph_of, nearby, search, skills_of
from rlgpt_jax.envs.tasks.tasks import TASKS, get_task

NONE: frozenset[str] = frozenset()
FIND_LOG = (FIND, "get_log", "craft_planks")
TABLE = ("craft_crafting_table",)
# By hand from `skills/skills.yaml` and the order of `skills/task_decompose.py`; what is crafted at
# a table puts it down, which there is a skill of its own.
SEQUENCES = {
    "craft_stick": (*FIND_LOG, "craft_stick"),
    "get_crafting_table_nearby": (*FIND_LOG, *TABLE, "place_crafting_table"),
    "craft_wooden_pickaxe": (
        *FIND_LOG, *FIND_LOG, "craft_stick", *FIND_LOG, *TABLE, "craft_wooden_pickaxe",
    ),
    "get_furnace_nearby_with_logs": (
        "craft_planks", "craft_planks", "craft_stick", "craft_planks", *TABLE,
        "craft_wooden_pickaxe", *(FIND, "get_cobblestone") * 8, "craft_planks", *TABLE,
        "craft_furnace", "place_furnace",
    ),
    "craft_stone_pickaxe_with_wooden_pickaxe": (
        *(FIND, "get_cobblestone") * 3, *FIND_LOG, "craft_stick", *FIND_LOG, *TABLE,
        "craft_stone_pickaxe",
    ),
    "harvest_milk_with_crafting_table_and_iron_ingot": ("craft_bucket", FIND, "get_milk_bucket"),
    "harvest_wool_with_crafting_table_and_iron_ingot": ("craft_shears", FIND, "get_wool"),
    "harvest_beef_with_diamond_sword": (FIND, "get_beef"),
    "harvest_mutton_with_diamond_sword": (FIND, "get_mutton"),
    "craft_bed_with_crafting_table_and_shears": (
        *(FIND, "get_wool") * 3, *FIND_LOG, "craft_bed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_search_finds_the_known_sequence(name):
    task = get_task(name)
    assert search(graph_of(task), dict(task.start_items), NONE) == SEQUENCES[name]
    assert tuple(s.name for s in skills_of(task)) == tuple(dict.fromkeys(SEQUENCES[name]))


@pytest.mark.parametrize(
    ("held", "near", "first"),
    [
        ({}, NONE, FIND),
        ({}, frozenset({nearby("log")}), "get_log"),
        ({}, frozenset({nearby("cow")}), FIND),
        ({"log": 1}, NONE, "craft_planks"),
        ({"planks": 4}, NONE, FIND),  # 3 are set aside, and sticks take 2
        ({"planks": 5}, NONE, "craft_stick"),
        ({"planks": 3, "stick": 4}, NONE, FIND),  # of a table there is no wood
        ({"planks": 3, "stick": 4}, frozenset({"crafting_table"}), "craft_wooden_pickaxe"),
        ({"planks": 7, "stick": 2}, NONE, "craft_crafting_table"),
        ({"planks": 3, "stick": 2, "crafting_table": 1}, NONE, "craft_wooden_pickaxe"),
    ],
)
def test_what_is_held_and_near_decides_what_comes_first(held, near, first):
    assert search(graph_of(get_task("craft_wooden_pickaxe")), held, near)[0] == first


def test_tools_limits_and_targets_are_plan4mcs():
    skills = {s.name: s for name in SEQUENCES for s in skills_of(get_task(name))}
    limits = {
        FIND: 1000, "get_log": 500, "get_cobblestone": 200, "get_milk_bucket": 200,
        "get_wool": 200, "get_beef": 400, "get_mutton": 400, "place_furnace": 200,
    }  # fmt: skip
    assert {name: skills[name].ticks for name in limits} == limits
    first = {name: (*skills[name].needs, ("", 0))[0][0] for name in limits}
    assert first == {
        FIND: "", "get_log": "", "get_cobblestone": "wooden_pickaxe", "get_milk_bucket": "bucket",
        "get_wool": "shears", "get_beef": "diamond_sword", "get_mutton": "diamond_sword",
        "place_furnace": "furnace",
    }  # fmt: skip
    assert skills["get_cobblestone"].targets == ("stone",)
    assert graph_of(get_task("craft_bed_with_crafting_table_and_shears")).targets == (
        "log", "sheep",
    )  # fmt: skip


def test_what_no_skill_of_the_task_gives_is_missing():
    task = get_task("harvest_milk_with_crafting_table_and_iron_ingot")
    with pytest.raises(Missing, match="no basic skill gives iron_ingot, of which 3 are needed"):
        search(graph_of(task), {"iron_ingot": 2}, NONE)
    with pytest.raises(Missing, match="no basic skill gives string, the goal of"):
        graph_of(dataclasses.replace(task, goal_item="string"))


@pytest.mark.parametrize("name", TASKS)
def test_every_task_of_the_table_has_a_sequence(name):
    skills = skills_of(TASKS[name])
    assert skills[-1].item == TASKS[name].goal_item
    assert len(skills) <= 14 and all(skill.ticks <= skill_graph.FIND_TICKS for skill in skills)
