"""A task that the search over basic skills splits: planned, shared out, learned, played."""

import dataclasses
import functools

import pytest

from experiments import flags
from experiments.configs.base import PAPER_TASKS
from experiments.configs.baselines import PLAN4MC
from rlgpt_jax.agents.planner import CODE
from rlgpt_jax.envs.plan.skill_graph import FIND, NEAR, Missing, graph_of, nearby
from rlgpt_jax.envs.tasks.tasks import Task, get_task
from rlgpt_jax.loop import events, long_task
from rlgpt_jax.loop.baselines import skill_search
from rlgpt_jax.loop.long_task import SubTaskStarted
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.rl.config import PPOConfig
from tests.loop import long_script
from tests.loop.kills import kill_at_each
from tests.loop.long_script import CONFIG, LANES
from tests.rl.small import assert_same_bits

BED = get_task("craft_bed_with_crafting_table_and_shears")


def test_the_plan_is_the_search_s_sequence():
    plan = skill_search.make_plan(BED)
    names = [sub_task.name for sub_task in plan.sub_tasks]
    assert names == [FIND, "get_wool", "get_log", "craft_planks", "craft_bed"]
    assert [s.solve == CODE for s in plan.sub_tasks] == [False, False, False, True, True]
    assert plan.sub_tasks[0].item == "log or sheep in sight within 10 blocks"
    assert plan.reasoning.startswith("The search's first sequence: find, get_wool, find, get_wool")


@pytest.mark.parametrize("name", PAPER_TASKS)
def test_what_is_learned_shares_the_ticks_of_the_configuration(name):
    config = flags.resolve(f"{name}_paper", None, False, PLAN4MC)
    assert not config.loop.asks
    loop, plan = config.loop, skill_search.make_plan(config.minecraft_task)
    update, used = config.ppo.num_envs * config.ppo.unroll_length, 0
    for sub_task in plan.sub_tasks:
        own = skill_search.config_of(loop, plan, sub_task, config.ppo)
        if sub_task.solve == CODE:
            assert own.mode == "pure_code" and not own.learns
            continue
        assert own.mode == "pure_rl" and own.ticks_per_iteration % update == 0
        used += own.num_iterations * own.ticks_per_iteration
    whole = loop.num_iterations * loop.ticks_per_iteration
    assert 0.8 * whole < used <= whole
    few = dataclasses.replace(loop, ticks_per_iteration=1)
    last = skill_search.config_of(few, plan, plan.sub_tasks[0], PPOConfig())
    assert last.mode == "pure_code" or last.ticks_per_iteration >= 64 * 64


def test_a_skill_starts_with_its_needs_and_its_target_near():
    task = lambda name: skill_search.task_of(  # noqa: E731
        BED, next(s for s in skill_search.make_plan(BED).sub_tasks if s.name == name)
    )
    wool = task("get_wool")
    assert (wool.goal_item, wool.goal_quantity, wool.horizon) == ("wool", 1, 200)
    assert (wool.start_items, wool.sources) == ((("shears", 1),), ("sheep",))
    assert (wool.mobs, wool.mob_range, wool.biome) == (BED.mobs, (NEAR, NEAR), "plains")
    assert task("get_log").biome == "forest"  # on plains trees are far
    find = task(FIND)
    assert (find.horizon, find.goal_quantity) == (1000, skill_search.NEVER)
    assert (find.start_items, find.sources) == (BED.start_items, ("log", "sheep"))
    bed = task("craft_bed")
    assert bed.start_items == (("wool", 3), ("planks", 3), ("crafting_table", 1))
    assert (bed.nearby, bed.sources) == (False, ())
    # A mob that the task has none of is added.
    alone = dataclasses.replace(get_task("harvest_1_log"), goal_item="beef")
    beef = skill_search.task_of(alone, skill_search.make_plan(alone).sub_tasks[1])
    assert beef.mobs == ("cow",)


def test_a_station_that_is_the_goal_is_put_down_by_a_skill_that_learns_it():
    furnace = get_task("get_furnace_nearby_with_logs")
    *_, last = skill_search.make_plan(furnace).sub_tasks
    task = skill_search.task_of(furnace, last)
    assert (task.nearby, task.goal_item, task.start_items) == (True, "furnace", (("furnace", 1),))
    assert last.ticks == 200 and last.solve != CODE


def test_the_search_picks_by_what_is_held_and_near():
    names = [s.name for s in skill_search.make_plan(BED).sub_tasks]
    pick = functools.partial(skill_search.pick, graph_of(BED), names)
    start = dict(BED.start_items)
    assert names[pick(start, frozenset())] == FIND
    assert names[pick(start, frozenset({nearby("sheep")}))] == "get_wool"
    assert names[pick(start | {"wool": 3, "log": 1}, frozenset())] == "craft_planks"
    # Shears that are gone cannot be had again: the last skill acts.
    assert names[pick({"crafting_table": 1}, frozenset())] == "craft_bed"


def test_a_task_without_basic_skills_is_refused():
    with pytest.raises(Missing, match="no basic skill gives string"):
        skill_search.make_plan(dataclasses.replace(BED, goal_item="string"))


TASK = Task("sticks", "obtain sticks", "stick", biome="forest", horizon=300, sources=("log",))
LOOP = dataclasses.replace(CONFIG, mode="pure_rl", ticks_per_iteration=4 * LANES * 16)


def run(path, on_event=events.ignore):
    given = long_script.tools(path, None, task=TASK, sensors="paper", on_event=on_event)
    return long_task.run(LOOP, given)


@pytest.mark.slow
def test_a_run_asks_nobody_and_goes_on_after_kills_with_the_same_bits(tmp_path):
    whole = run(tmp_path / "whole")
    result = read_json(tmp_path / "whole" / "result.json")
    assert result == whole.result and result["planner"] and result["mode"] == "pure_rl"
    find, log, planks, stick = result["sub_tasks"]
    assert find["alone"] is None and log["alone"]["ticks"] == 2 * LANES * 16
    assert result["ticks"] == 4 * LANES * 16
    assert planks["alone"]["success_rate"] == stick["alone"]["success_rate"] == 1.0
    report = read_json(tmp_path / "whole" / "final_eval.json")
    assert report["sub_tasks"][0]["reached"] == LANES  # a log is near everywhere
    assert not (tmp_path / "whole" / "transcript.jsonl").exists()

    points = [
        lambda e: isinstance(e, events.Updated) and e.update == 1,
        lambda e: isinstance(e, SubTaskStarted) and e.number == 2 and not e.is_done,
        lambda e: isinstance(e, events.Evaluated) and e.report.task.endswith("craft_stick"),
        lambda e: isinstance(e, long_task.ChainEvaluated),
    ]
    kill_at_each(points, lambda listen: run(tmp_path / "killed", listen))
    again = run(tmp_path / "killed")
    plain = lambda r: {k: v for k, v in r.items() if k != "wall_seconds"}  # noqa: E731
    assert plain(again.result) == plain(whole.result)
    for before, after in zip(whole.chain.skills, again.chain.skills, strict=True):
        assert before.goal == after.goal
        assert_same_bits(before.params, after.params)
