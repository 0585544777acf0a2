import dataclasses
import json

import pytest

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.replay import MissingAnswer, Replay
from rlgpt_jax.loop import events, two_loop
from rlgpt_jax.loop.record import read_json
from tests.corridor import HostCorridor
from tests.loop.script import ANSWERS, BATCHES, CONFIG, Script, corridor, tools


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One run without a stop: its tools, its model and what it returned."""
    script = Script()
    given = tools(tmp_path_factory.mktemp("whole"), script)
    return given, script, two_loop.run(CONFIG, given)


def test_requests_that_do_not_depend_on_each_other_are_asked_together(whole):
    _, script, _ = whole
    assert script.batches == BATCHES


def test_the_run_folder_tells_what_became_of_every_version(whole):
    given, _, _ = whole
    root = given.folder.iteration(0)
    found = {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()}
    assert found == {
        "plan.json", "fates.json", "trial_critiques.json", "eval.json", "critique.json",
        "macros/pause/try0.py", "macros/pause/try0.refusal.json",
        "macros/pause/try1.py", "macros/pause/try1.trial.json",
        "macros/walk/try0.py", "macros/walk/try0.trial.json",
        "macros/walk/try1.py", "macros/walk/try1.trial.json",
        "macros/stop/try0.py", "macros/stop/try0.refusal.json",
        "macros/stop/try1.py", "macros/stop/try1.refusal.json",
    }  # fmt: skip
    assert given.folder.macro(1, "walk", "kept.py").read_text() == (
        given.folder.macro(0, "walk", "try1.py").read_text()
    )


def test_a_part_without_accepted_code_is_left_to_learning(whole):
    given, script, _ = whole
    fates = {f["name"]: f for f in read_json(given.folder.iteration(0, "fates.json"))}
    assert (fates["stop"]["planned"], fates["stop"]["kind"]) == ("macro", "learn")
    assert fates["walk"]["used"] == "try1"
    assert "- stop (macro): no code was accepted, left to PPO." in script.prompts["iter1/slow"]


def test_refusals_and_critic_go_back_to_the_fast_agent(whole):
    _, script, _ = whole
    refusal = read_json(whole[0].folder.macro(0, "stop", "try0.refusal.json"))
    assert refusal["line"] == 1
    assert refusal["reason"] in script.prompts["iter0/fast/stop/try1"]
    assert "no ```python block" in script.prompts["iter0/fast/pause/try1"]
    assert "critic wants this changed: Walk 3 ticks." in script.prompts["iter0/fast/walk/try1"]


def test_the_space_holds_what_was_accepted(whole):
    _, _, run = whole
    first, second = (i.stage.space for i in run.iterations)
    assert first.names[:3] == ("pause", "walk", "") and first.script == (1,)
    assert first.offered[:2] == (False, True)
    assert second.names[:2] == ("pause", "walk") and second.script == ()
    assert second.offered[:2] == (True, True)
    assert run.iterations[1].stage.changed == (1,)  # walk kept its slot and its code


def test_training_evaluation_and_critic_see_the_same_numbers(whole):
    given, script, run = whole
    report = run.iterations[1].report
    assert report.describe() in script.prompts["iter1/critic"]
    assert read_json(given.folder.iteration(1, "eval.json")) == report.to_json()
    assert set(report.macro_ends) == {"pause", "walk"}
    rows = given.folder.path("metrics.csv").read_text().splitlines()
    assert [r.split(",")[:3] for r in rows[1:]] == [
        [str(i), str(u), str(128 * u)] for i, u in [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (1, 6)]
    ]
    assert run.result["ticks"] == 2 * CONFIG.ticks_per_iteration


def test_the_best_iteration_is_named_and_its_networks_can_be_read_back(whole):
    given, _, run = whole
    rates = [i.report.success_rate for i in run.iterations]
    assert run.best.report.success_rate == max(rates)
    final = read_json(given.folder.path("final_eval.json"))
    assert final["split"] == "eval" and run.best.report.split == "validation"
    assert run.result["success_rate"] == final["success_rate"]
    assert read_json(given.folder.path("result.json")) == run.result
    assert run.learning.params(run.best.stage).actor


@pytest.mark.parametrize(
    ("measured", "best"),
    [([(0.5, 30), (0.7, 90), (0.6, 10)], 1), ([(0.5, 30), (0.5, 20)], 1), ([(0.5, 9)] * 2, 0)],
)
def test_the_best_is_the_most_successful_then_the_quickest_then_the_first(whole, measured, best):
    report = whole[2].best.report
    reports = [
        dataclasses.replace(report, success_rate=rate, mean_ticks=ticks) for rate, ticks in measured
    ]
    assert two_loop.best_of(reports) == best


class Killed(BaseException):
    """Nothing in the loop may catch this."""


def run_with_kills(path, make_tools, points):
    """Runs again and again; start n is stopped by the event that `points[n]` accepts."""
    for point in points:
        def listen(event, point=point):
            if point(event):
                raise Killed

        with pytest.raises(Killed):
            two_loop.run(CONFIG, make_tools(path, on_event=listen))
    script = Script()
    two_loop.run(CONFIG, make_tools(path, provider=script))
    return script


def same_files(one, two):
    """Everything that a run repeats bit for bit."""
    patterns = ("iterations/**/*.*", "metrics.csv", "checkpoints/*/latest.json")
    files = [p for pattern in patterns for p in sorted(one.glob(pattern)) if p.is_file()]
    assert len(files) > 20
    for path in files:
        assert path.read_bytes() == (two / path.relative_to(one)).read_bytes(), path
    results = [read_json(p / "result.json") for p in (one, two)]
    for result in results:
        result.pop("wall_seconds")
    assert results[0] == results[1]
    asked = [[(e.request, e.answer.text) for e in transcript.read(p / "transcript.jsonl")]
             for p in (one, two)]
    assert asked[0] == asked[1]


POINTS = [
    lambda e: isinstance(e, events.Planned),
    lambda e: isinstance(e, events.Tried) and e.attempt == 1,
    lambda e: isinstance(e, events.Updated) and e.update == 1,  # before any checkpoint
    lambda e: isinstance(e, events.Updated) and e.update == 3,
    lambda e: isinstance(e, events.Evaluating),
    lambda e: isinstance(e, events.Evaluated),
    lambda e: isinstance(e, events.Asked) and e.keys == ("iter1/slow",),
    lambda e: isinstance(e, events.Updated) and e.update == 5,  # one after a checkpoint
    lambda e: isinstance(e, events.Criticised) and e.iteration == 1,
    lambda e: isinstance(e, events.Finished),
]


def test_a_run_killed_at_many_points_ends_with_the_same_bits(whole, tmp_path):
    def make_tools(path, provider=None, **changes):
        return tools(path, provider or Script(), **changes)

    script = run_with_kills(tmp_path, make_tools, POINTS)
    assert script.batches == []  # everything was answered before the last start
    same_files(whole[0].folder.root, tmp_path)


def test_a_world_on_the_host_is_restored_from_the_checkpoint(tmp_path):
    def make_tools(path, provider=None, **changes):
        make_env = lambda split, num_envs, seed: HostCorridor(num_envs=num_envs)  # noqa: E731
        return tools(path, provider or Script(), make_env=make_env, **changes)

    two_loop.run(CONFIG, make_tools(tmp_path / "whole"))
    run_with_kills(tmp_path / "killed", make_tools, [POINTS[7]])
    same_files(tmp_path / "whole", tmp_path / "killed")


def test_a_replay_of_the_run_asks_the_same_prompts(whole, tmp_path):
    replay = Replay(whole[0].folder.transcript)
    result = two_loop.run(CONFIG, tools(tmp_path, replay)).result
    assert (result["prompts_replayed"], result["prompts_differ"]) == (len(ANSWERS), 0)
    assert result["success_rate"] == whole[2].result["success_rate"]


def test_pure_code_runs_the_coded_parts_of_the_same_transcript(whole, tmp_path):
    config = dataclasses.replace(CONFIG, mode="pure_code")
    replay = Replay(whole[0].folder.transcript)
    run = two_loop.run(config, tools(tmp_path, replay))
    space = run.iterations[0].stage.space
    assert space.repeat_script and space.script == (1, 2) and not any(space.offered)
    assert set(run.iterations[0].report.action_counts) <= {"pause", "walk"}
    assert run.result["ticks"] == 0 and not (tmp_path / "checkpoints").exists()


def test_own_plans_of_pure_code_have_their_own_keys(whole, tmp_path):
    config = dataclasses.replace(CONFIG, mode="pure_code", pure_code_plan="own")
    with pytest.raises(MissingAnswer, match="pure_code/iter0/slow"):
        two_loop.run(config, tools(tmp_path, Replay(whole[0].folder.transcript)))


def test_pure_code_without_accepted_code_stands_still(tmp_path):
    config = dataclasses.replace(CONFIG, mode="pure_code", num_iterations=1, num_tries=1)
    learned = json.dumps(
        {"sub_actions": [{"name": "find", "kind": "learn", "instruction": "Find it."}]}
    )
    critique = json.dumps({"failure": "x", "sub_actions": [], "advice": "y"})
    script = Script(**{"iter0/slow": learned, "iter0/critic": critique})
    run = two_loop.run(config, tools(tmp_path, script))
    assert set(run.best.report.action_counts) == {"idle"} and run.best.report.successes == 0


def test_pure_rl_asks_nobody(tmp_path):
    config = dataclasses.replace(CONFIG, mode="pure_rl", num_iterations=1)
    run = two_loop.run(config, tools(tmp_path, None))
    assert not run.best.stage.space.uses_macros and not (tmp_path / "transcript.jsonl").exists()
    assert run.result["ticks"] == CONFIG.ticks_per_iteration


def test_a_plan_that_cannot_be_used_is_asked_again_and_then_replaced(tmp_path):
    config = dataclasses.replace(CONFIG, num_iterations=1, mode="pure_code")
    script = Script(**{
        "iter0/slow": "no", "iter0/slow/again": "no",
        "iter0/critic": "no", "iter0/critic/again": "no",
    })
    given = tools(tmp_path, script)
    two_loop.run(config, given)
    assert [b[0] for b in script.batches] == [
        "iter0/slow", "iter0/slow/again", "iter0/critic", "iter0/critic/again"
    ]
    plan = read_json(given.folder.iteration(0, "plan.json"))
    assert plan["sub_actions"][0]["kind"] == "learn" and "could not be used" in plan["note"]


def test_training_iterations_and_the_final_number_use_three_splits_of_worlds(tmp_path):
    asked = []

    def make_env(split, num_envs, seed):
        asked.append((split, num_envs, seed))
        return corridor(num_envs)

    config = dataclasses.replace(CONFIG, num_iterations=1, num_tries=1, eval_episodes=8)
    script = Script(**{"iter0/critic": ANSWERS["iter0/critic"]})
    two_loop.run(config, tools(tmp_path, script, make_env=make_env))
    splits = [split for split, _, _ in asked]
    # Trials and training have 8 lanes and share a world.
    assert splits == ["train", "validation", "eval"]
    assert len({seed for _, _, seed in asked}) == 3
