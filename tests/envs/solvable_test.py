"""Every task can be solved in this world: a scripted player does it within the horizon.

The player (`tests/envs/solver`) acts through the public actions alone, one tick each, and
may read the true state to decide. What it cannot do, a policy will not learn either.
"""

import functools

import pytest

from rlgpt_jax.envs.tasks.tasks import TASKS, get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from tests.envs.solver import game, plans
from tests.envs.solver.solve import Result, solve

EPISODES = 6  # tried until one is solved: not every land has what a task needs


@functools.cache
def solved(name: str) -> Result:
    """The first solved episode of a task, or the last one."""
    results = []
    for seed in range(EPISODES):
        results.append(solve(name, seed))
        if results[-1].success:
            return results[-1]
    told = [f"seed {seed}: {r.why}; {r.told}" for seed, r in enumerate(results)]
    pytest.fail(f"{name} is not solved:\n" + "\n".join(told))


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_solved_within_its_horizon(name):
    result = solved(name)
    task = get_task(name)
    assert result.success and 0 < result.tick <= task.horizon
    # What was paid is what the task says.
    if task.stages:
        assert result.reward == len(task.stages)
    elif task.nearby:
        assert result.reward == 1.0
    else:
        assert result.reward >= task.goal_quantity


@pytest.mark.slow
@pytest.mark.parametrize("name", ["harvest_milk", "craft_stick"])
def test_the_actions_solve_the_task_in_the_environment_that_training_uses(name):
    """The same episode through `HostVoxel`, from its recorded actions alone."""
    result = solved(name)
    task = get_task(name)
    env = VoxelEnv(task, game.worlds_params(), 1, game.worlds(task.biome))
    host = HostVoxel(env)
    host.reset(result.game.seed)
    rewards = 0.0
    for action in result.game.actions:
        step = host.step(action[None])
        rewards += float(step.reward[0])
    assert step.info["success"][0] and step.terminated[0]
    assert rewards == result.reward


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_plan_ends_with_the_goal(task):
    steps = plans.plan(task, dict(task.start_items))
    assert steps[-1].name == task.goal_item
    assert (steps[-1].kind == "place") == task.nearby
    # A station is at hand at every step that needs one.
    carried = {name for name, _ in task.start_items}
    for step in steps:
        station = plans.station_of(step)
        assert not station or station in carried
        carried.add(step.name)


def test_a_plan_brings_the_tools_that_the_material_needs():
    names = [step.name for step in plans.plan(get_task("obtain_diamond"), {})]
    order = ["log", "wooden_pickaxe", "cobblestone", "stone_pickaxe", "iron_ore", "iron_ingot",
             "iron_pickaxe", "diamond"]  # fmt: skip
    assert [name for name in names if name in order] == order
