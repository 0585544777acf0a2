"""A wooden pickaxe from nothing, planned, learned, coded and played in the voxel world."""

import dataclasses
import json
import shutil

import pytest

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.envs.plan.on_paper import Step
from rlgpt_jax.loop import events, long_task, skills
from rlgpt_jax.loop.long_task import SubTaskStarted, TaskPlanned
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.rl.chain.rule import Goal
from tests.loop.kills import kill_at_each
from tests.loop.long_script import (
    ANSWERS,
    CONFIG,
    CRAFT,
    LOGS,
    TASK,
    Script,
    sub_task,
    task_plan,
    tools,
)
from tests.rl.small import assert_same_bits


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One run without a stop: its folder, its model and what it returned."""
    script = Script()
    given = tools(tmp_path_factory.mktemp("whole"), script)
    return given.folder.root, script, long_task.run(CONFIG, given)


def planned(path, *answers: str, task=TASK):
    keys = ("planner", "planner/again")
    script = Script(**dict(zip(keys, answers, strict=False)))
    given = tools(path, script, task=task)
    return long_task.make_plan(CONFIG, given), script, given


# --- planning ------------------------------------------------------------------------
def test_the_planner_is_told_what_is_made_of_what(tmp_path):
    plan, script, given = planned(tmp_path)
    assert script.asked == ["planner"]
    assert "- wooden_pickaxe: 1 from 3 planks + 2 stick" in script.prompts["planner"]
    saved = read_json(given.folder.path("task_plan.json"))
    assert [s["name"] for s in saved["sub_tasks"]] == ["get_logs", "make_pickaxe"]
    assert saved["after"] == {"get_logs": [], "make_pickaxe": ["get_logs"]}
    assert plan.note == ""


def test_a_plan_that_recipes_forbid_is_asked_for_again_with_the_reason(tmp_path):
    few = task_plan(LOGS | {"goal": {"item": "log", "quantity": 2}}, CRAFT)
    plan, script, _ = planned(tmp_path, few, task_plan(LOGS, CRAFT))
    assert script.asked == ["planner", "planner/again"]
    assert "raise the goal of get_logs from 2 to 3 log" in script.prompts["planner/again"]
    assert len(plan.sub_tasks) == 2


def test_after_two_refusals_the_whole_task_is_the_plan(tmp_path):
    task = dataclasses.replace(TASK, start_items=(("log", 1),))
    plan, _, given = planned(tmp_path, "no", task_plan(CRAFT | {"needs": []}), task=task)
    (one,) = plan.sub_tasks
    assert "3 log more would do" in plan.note
    again = long_task.sub_task_of(task, plan, 0)
    kept = ("goal_item", "goal_quantity", "start_items", "horizon", "biome")
    assert all(getattr(again, field) == getattr(task, field) for field in kept)
    assert read_json(given.folder.path("task_plan.json"))["note"] == plan.note


def test_a_sub_task_starts_with_its_needs_in_the_land_of_the_task(tmp_path):
    plan, _, _ = planned(tmp_path)
    logs, craft = (long_task.sub_task_of(TASK, plan, i) for i in range(2))
    assert (logs.start_items, logs.goal_item, logs.goal_quantity) == ((), "log", 3)
    assert (logs.horizon, logs.sources, logs.biome) == (500, ("log",), TASK.biome)
    assert (craft.start_items, craft.sources) == ((("log", 3),), ())


def test_needs_fill_stacks():
    assert long_task.stacks("log", 130) == [("log", 64), ("log", 64), ("log", 2)]
    assert long_task.stacks("wooden_pickaxe", 2) == [("wooden_pickaxe", 1)] * 2


def test_the_last_sub_task_of_a_station_to_be_placed_places_it(tmp_path):
    task = dataclasses.replace(TASK, goal_item="crafting_table", nearby=True)
    carry = sub_task("carry", "crafting_table", 1, (("log", 3),), 60, "code")
    put = sub_task("put", "crafting_table", 1, (("crafting_table", 1),), 60, "code")
    plan, script, _ = planned(tmp_path, task_plan(LOGS, carry, put), task=task)
    assert script.asked == ["planner"]
    assert [s.placed for s in long_task.steps_of(task, plan)] == [False, False, True]
    assert long_task.steps_of(task, plan)[1] == Step(
        "carry", "crafting_table", 1, (("log", 3),), False
    )
    goals = [long_task.sub_task_of(task, plan, i).nearby for i in range(3)]
    assert goals == [False, False, True]


def test_crafting_is_code_alone_whatever_the_run_designs():
    plan_of = lambda solve: dataclasses.replace(SUB_TASK, solve=solve)  # noqa: E731
    config = dataclasses.replace(CONFIG, design="reward")
    coded = long_task.config_of(config, plan_of("code"))
    assert (coded.mode, coded.pure_code_plan, coded.design) == ("pure_code", "own", "action")
    learned = long_task.config_of(config, plan_of("loop"))
    assert (learned.mode, learned.design) == ("rl_gpt", "reward")
    assert coded.stop_when_solved and learned.stop_when_solved and not learned.planner


SUB_TASK = long_task.planner.SubTask("a", "log", 1, (), "Do it.", 100, "loop")


# --- the whole run, slow: two worlds and a training -------------------------------------
@pytest.mark.slow
def test_the_chain_makes_real_pickaxes(whole):
    root, _, run = whole
    report = read_json(root / "final_eval.json")
    assert (report["split"], report["task"]) == ("eval", "wooden_pickaxe")
    assert report["successes"] >= CONFIG.eval_episodes - 1
    logs, make = report["sub_tasks"]
    assert logs["reached"] >= make["reached"] == report["successes"]
    assert logs["mean_ticks"] + make["mean_ticks"] == pytest.approx(report["mean_ticks"])
    assert report["macro_ends"]["make_pickaxe: make"]["interrupted"] >= make["reached"]
    assert run.result["success_rate"] == report["success_rate"]
    assert read_json(root / "validation_eval.json")["split"] == "validation"


@pytest.mark.slow
def test_every_question_is_asked_once_under_the_key_of_its_sub_task(whole):
    root, script, _ = whole
    assert sorted(script.asked) == sorted(ANSWERS)
    lines = transcript.read(root / "transcript.jsonl")
    assert [line.request.key for line in lines] == script.asked
    assert not (root / "tasks" / "get_logs" / "transcript.jsonl").exists()
    assert (
        "the inventory holds 3 more log than at the start"
        in (script.prompts["task/get_logs/iter0/slow"])
    )


@pytest.mark.slow
def test_the_result_names_every_sub_task(whole):
    root, _, run = whole
    result = read_json(root / "result.json")
    assert result == run.result and result["planner"]
    logs, make = result["sub_tasks"]
    assert (logs["solve"], make["solve"]) == ("loop", "code")
    assert result["ticks"] == logs["alone"]["ticks"] == CONFIG.ticks_per_iteration
    own = read_json(root / "tasks" / "make_pickaxe" / "result.json")
    assert make["alone"]["success_rate"] == own["success_rate"] == 1.0


@pytest.mark.slow
def test_a_skill_is_read_back_as_it_was_written(whole):
    root, _, run = whole
    for number, name in enumerate(("get_logs", "make_pickaxe")):
        folder = root / "skills" / name
        skill, again = run.chain.skills[number], skills.load(folder)
        assert_same_bits(skill.space.arrays(), again.space.arrays())
        assert (skill.goal, skill.observation) == (again.goal, again.observation)
        if skill.params is None:
            assert again.params is None and not (folder / "networks").exists()
        else:
            assert_same_bits(skill.params, again.params)
        assert skill.space.names == again.space.names
    logs, make = run.chain.skills
    assert logs.params is not None and make.params is None
    assert logs.goal == Goal("get_logs", "log", 3, (), 500, True)
    assert make.goal == Goal("make_pickaxe", "wooden_pickaxe", 1, (("log", 3),), 100, False)
    assert make.space.repeat_script and len(logs.space.script) == 4
    record = read_json(root / "skills" / "get_logs" / "skill.json")
    assert record["about"]["result"]["best_iteration"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "skill.json").unlink(), "holds no skill.json"),
        (
            lambda folder: (folder / "skill.json").write_text(json.dumps({"version": 0})),
            "has version 0",
        ),
        (
            lambda folder: (folder / "macros" / "1_make.py").write_text("import os\n"),
            "is refused now",
        ),
    ],
)
def test_a_broken_skill_is_one_clear_error(whole, tmp_path, change, words):
    folder = shutil.copytree(whole[0] / "skills" / "make_pickaxe", tmp_path / "skill")
    change(folder)
    with pytest.raises(skills.SkillError, match=words):
        skills.load(folder)


POINTS = [
    lambda e: isinstance(e, TaskPlanned),
    lambda e: isinstance(e, events.Updated) and e.update == 2,
    lambda e: isinstance(e, SubTaskStarted) and e.number == 1 and not e.is_done,
    lambda e: isinstance(e, events.Tried) and e.name == "make",
    lambda e: isinstance(e, events.Evaluated) and e.report.task.endswith("make_pickaxe"),
    lambda e: isinstance(e, long_task.ChainEvaluated),
    lambda e: isinstance(e, events.Finished) and "planner" in e.result,
]


@pytest.mark.slow
def test_a_run_killed_at_many_points_ends_with_the_same_bits(whole, tmp_path):
    scripts = []

    def start(listen=events.ignore):
        scripts.append(Script())
        return long_task.run(CONFIG, tools(tmp_path, scripts[-1], on_event=listen))

    kill_at_each(POINTS, start)
    run = start()
    *killed, last = scripts
    assert not last.asked and sorted(key for s in killed for key in s.asked) == sorted(ANSWERS)
    root = whole[0]
    patterns = ("task_plan.json", "*_eval.json", "tasks/*/task.json", "tasks/*/iterations/**/*.*",
                "tasks/*/metrics.csv", "skills/*/skill.json", "skills/*/macros/*.py")  # fmt: skip
    files = [p for pattern in patterns for p in sorted(root.glob(pattern)) if p.is_file()]
    assert len(files) > 25
    for path in files:
        assert path.read_bytes() == (tmp_path / path.relative_to(root)).read_bytes(), path
    assert_same_bits(run.chain.skills[0].params, whole[2].chain.skills[0].params)
    plain = lambda r: {k: v for k, v in r.items() if k != "wall_seconds"}  # noqa: E731
    assert plain(run.result) == plain(whole[2].result)
