"""Rows of the task table as arguments of `minedojo.make`."""

import dataclasses

import numpy as np
import pytest

from rlgpt_jax.envs.base import RAY_PITCHES, RAY_YAWS
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.making import (
    HARVEST,
    LIDAR,
    OPEN_ENDED,
    PROGRAMMATIC,
    game_of,
    reset_request,
)
from rlgpt_jax.envs.tasks.tasks import TASKS, get_task

CONFIG = MineDojoConfig()


@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_its_start_its_land_and_its_goal(name):
    task = TASKS[name]
    game = game_of(task, CONFIG)
    kwargs = game.kwargs
    assert kwargs["specified_biome"] == task.biome
    assert kwargs["break_speed_multiplier"] == task.break_speed
    rows = kwargs["initial_inventory"]
    assert [(row["name"], row["quantity"]) for row in rows] == list(task.start_items)
    assert [row["slot"] for row in rows] == list(range(len(rows)))
    if task.nearby or task.stages:
        assert game.task_id == OPEN_ENDED and "target_names" not in kwargs
        assert kwargs["generate_world_type"] == "specified_biome"
    else:
        assert kwargs["target_names"] == task.goal_item
        assert kwargs["target_quantities"] == task.goal_quantity
        assert tuple(kwargs["initial_mobs"]) == task.mobs
        if task.mobs:
            x, z = task.mob_range
            assert kwargs["initial_mob_spawn_range_high"] == [x, 1, z]


def test_ids_of_minedojo_are_used_where_there_are_some():
    found = {name: game_of(task, CONFIG).task_id for name, task in TASKS.items()}
    assert set(PROGRAMMATIC) <= set(TASKS)
    assert found["harvest_milk"] == "harvest_milk_with_empty_bucket_and_cow"
    assert found["harvest_8_wool"] == "harvest_8_wool"
    assert found["craft_stick"] == HARVEST
    assert found["get_furnace_nearby_with_logs"] == found["obtain_diamond"] == OPEN_ENDED
    own = dataclasses.replace(get_task("harvest_milk"), name="milk_changed")
    assert game_of(own, CONFIG).task_id == HARVEST


def test_all_that_a_game_is_told_at_a_reset_are_commands_that_it_hears():
    for task in TASKS.values():
        told = reset_request(game_of(task, CONFIG), rebuild=True, number=2**62, rgb=False)
        verbs = {command.partition(" ")[0] for command in (*told["before"], *told["after"])}
        assert verbs <= {"/kill", "/summon", "/time"}  # the client drops most others


def test_worlds_built_for_every_episode_need_no_quick_resets():
    task = get_task("harvest_milk")
    assert game_of(task, CONFIG).kwargs["fast_reset"] is True
    every = dataclasses.replace(CONFIG, reset_every=1)
    assert game_of(task, every).kwargs["fast_reset"] is False


def test_rays_have_the_order_and_the_signs_of_the_observation():
    """Ray index = pitch index * 12 + yaw index; up and to the left are positive."""
    assert len(LIDAR) == 120
    for index in (0, 13, 119):
        pitch, yaw, reach = LIDAR[index]
        assert np.rad2deg(pitch) == pytest.approx(-RAY_PITCHES[index // 12])
        assert np.rad2deg(yaw) == pytest.approx(-RAY_YAWS[index % 12])
        assert reach == 32.0
