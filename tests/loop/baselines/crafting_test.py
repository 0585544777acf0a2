"""Every crafting program of the paper's ten tasks, played on flat ground with what it needs."""

import dataclasses
import functools

import numpy as np
import pytest

from experiments.configs.base import PAPER_TASKS
from rlgpt_jax.envs.base import NOOP
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.plan.skill_graph import CRAFT, CRAFT_TICKS, PLACE, graph_of, skills_of
from rlgpt_jax.envs.tasks.tasks import TASKS, get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.loop.baselines import crafting
from rlgpt_jax.loop.baselines.crafting import names_of, source_of
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import link
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.rollout import macro_step
from tests.envs.voxel import worlds

# By name: the skill, and a task whose graph it is of.
SKILLS = {
    skill.name: (skill, task)
    for task in PAPER_TASKS for skill in skills_of(get_task(task)) if skill.kind in (CRAFT, PLACE)
}  # fmt: skip


@functools.cache
def pool():
    return worlds.pool(worlds.HOST_PARAMS)


def world_of(needs) -> HostVoxel:
    """Four flat lanes that start with some items; all share one compiled tick."""
    task = dataclasses.replace(
        TASKS["harvest_log"], goal_item="diamond", start_items=needs, horizon=500
    )
    return HostVoxel(VoxelEnv(task, worlds.HOST_PARAMS, worlds.HOST_LANES, pool()))


def count(obs, item: str) -> np.ndarray:
    return ((obs.slot_name == NAME_ID[item]) * obs.slot_quantity).sum(axis=1)


@pytest.mark.parametrize("name", SKILLS)
def test_a_program_makes_what_it_shall_of_what_it_needs(name):
    skill, task = SKILLS[name]
    program = parse_macro(source_of(skill, graph_of(get_task(task))), name)
    space = HybridSpace(macros=link([program]), offered=(True, *[False] * 7))
    world = world_of(skill.needs)
    obs, lanes = world.reset(0), world.num_envs
    state = macro_step.init_macros(space, lanes)
    still, busy = np.tile(np.array(NOOP, np.int32), (lanes, 1)), np.zeros(lanes, bool)
    chosen, left = np.ones(lanes, np.int32), np.zeros(lanes, bool)
    for _ in range(CRAFT_TICKS):
        state, act = macro_step.act(space, state, obs, chosen, still, busy)
        step = world.step(act.action)
        obs, busy, chosen = step.obs, np.asarray(step.info["busy"]), chosen * 0
        left |= np.asarray(act.running) == 0
        if left.all():
            break
    assert left.all()
    if skill.kind == PLACE:
        assert (count(obs, skill.item) == 0).all()
        assert {"crafting_table": obs.near_table, "furnace": obs.near_furnace}[skill.item].all()
        return
    assert (count(obs, skill.item) == skill.pieces).all()
    used = {name: 0 for name, _ in skill.needs}
    assert {name: int(count(obs, name).max()) for name in used} == used
    hands = skill.item in graph_of(get_task(task)).hands
    assert not hands or (obs.equipment[:, 0] == NAME_ID[skill.item]).all()


def test_programs_that_do_not_fit_are_refused(monkeypatch):
    assert names_of(get_task("craft_stick")) == ("craft_planks", "craft_stick")
    monkeypatch.setattr(crafting, "MAX_MACROS", 1)
    with pytest.raises(ValueError, match="craft_stick takes 2 crafts; at most 1 fit"):
        names_of(get_task("craft_stick"))
