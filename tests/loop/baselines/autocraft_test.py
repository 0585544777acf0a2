"""Crafting that nobody asked for, in flat worlds with what a wooden pickaxe is made of."""

import dataclasses

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.base import NOOP
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.tasks.tasks import TASKS
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.loop.baselines.autocraft import REST, Autocraft
from tests.envs.voxel import worlds
from tests.rl.small import assert_same_bits

TASK = dataclasses.replace(
    TASKS["harvest_log"], name="pickaxe", goal_item="wooden_pickaxe", horizon=500
)


def world_of(**start: int) -> Autocraft:
    task = dataclasses.replace(TASK, start_items=tuple(start.items()))
    env = VoxelEnv(task, worlds.HOST_PARAMS, worlds.HOST_LANES, worlds.pool(worlds.HOST_PARAMS))
    # The skills are those from an empty inventory.
    return Autocraft(HostVoxel(env), TASK)


def steps(world: Autocraft, number: int, action=NOOP):
    actions = np.tile(np.array(action, np.int32), (world.num_envs, 1))
    return [world.step(actions) for _ in range(number)]


@pytest.fixture(scope="module")
def whole():
    """Ticks of a world with three logs, and what was saved after ten of them."""
    world = world_of(log=3)
    world.reset(0)
    first = steps(world, 10)
    return first, world.save(), steps(world, 90)


def test_all_on_the_way_to_the_goal_is_crafted_while_the_policy_is_told_to_be_busy(whole):
    ticks = [*whole[0], *whole[2]]
    success = np.stack([step.info["success"] for step in ticks])
    end = success.argmax(axis=0)
    assert success.any(axis=0).all()
    for lane, last in enumerate(end):
        assert all(step.info["busy"][lane] for step in ticks[:last])
        assert not ticks[last].info["busy"][lane]  # the next episode's first tick is free
        final = ticks[last].final_obs
        assert NAME_ID["wooden_pickaxe"] in final.slot_name[lane]


def test_what_was_saved_goes_on_with_the_same_bits(whole):
    world = world_of(log=3)
    world.reset(5)
    steps(world, 3)
    world.load(whole[1])
    for again, before in zip(steps(world, 90), whole[2], strict=True):
        assert_same_bits(jax.tree.leaves(again), jax.tree.leaves(before))


def test_with_nothing_to_craft_the_policy_acts():
    world = world_of(stick=1)
    before = world.reset(0)
    ticks = steps(world, 6, action=(1, *NOOP[1:]))
    assert not any(step.info["busy"].any() for step in ticks)
    moved = ticks[-1].obs.position - before.position
    assert (np.abs(moved).sum(axis=1) > 0.5).all()


def test_a_lane_in_which_crafting_fails_is_left_alone_for_a_while():
    world = world_of(planks=3, stick=2, crafting_table=1)
    place = world._space.names.index("craft_wooden_pickaxe") + 1
    world.reset(0)
    world._env.step, kept = (lambda action: kept(np.tile(NOOP, (4, 1)))), world._env.step
    ticks = steps(world, 60 + REST)
    busy = np.stack([step.info["busy"] for step in ticks])[:, 0]
    begins = np.flatnonzero(busy[1:] & ~busy[:-1]) + 1
    assert place and busy[0] and len(begins) == 1
    assert not busy[begins[0] - REST : begins[0] - 1].any()
