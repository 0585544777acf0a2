import dataclasses
import json
from types import SimpleNamespace

import pytest

from rlgpt_jax.agents import prompts, rl_setup
from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import MISSING
from rlgpt_jax.agents.llm.replay import MissingAnswer, Replay
from rlgpt_jax.agents.prompt_state import Fate, Memory, Plan, PromptState, SubAction
from rlgpt_jax.loop import events, two_loop
from rlgpt_jax.loop.compare import compare
from rlgpt_jax.loop.one_loop import plan_and_code
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.loop.result import Iteration, best_of, finish
from rlgpt_jax.loop.trials import Trials
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.interface import DEFAULT, RewardTerms, RLInterface
from tests.corridor import HostCorridor
from tests.loop.kills import kill_at_each
from tests.loop.script import (
    ANSWERS,
    BATCHES,
    CONFIG,
    ONE,
    ONE_BATCHES,
    PAUSE,
    UNJUDGED,
    UNJUDGED_BATCHES,
    Script,
    block,
    corridor,
    critique,
    plan,
    tools,
)


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
        "plan.json", "fates.json", "interface.json", "trial_critiques.json", "eval.json",
        "coded_parts_eval.json", "critique.json",
        "macros/pause/try0.py", "macros/pause/try0.refusal.json",
        "macros/pause/try1.py", "macros/pause/try1.trial.json",
        "macros/walk/try0.py", "macros/walk/try0.trial.json",
        "macros/walk/try1.py", "macros/walk/try1.trial.json",
        # Once more, for the comparison: by then it starts after `pause`.
        "macros/walk/try0.again1.trial.json",
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


def test_the_last_trial_is_told_by_its_facts_where_nobody_judges_it(whole):
    given, script, _ = whole
    words = read_json(given.folder.macro(0, "walk", "try1.trial.json"))["words"]
    told = "- walk (macro): code accepted, 2 version(s). Its last trial: " + " ".join(words.split())
    assert told in script.prompts["iter0/critic"] and told in script.prompts["iter1/slow"]
    assert len(read_json(given.folder.iteration(0, "trial_critiques.json"))) == 1


def test_the_critic_speaks_to_the_right_agent(whole):
    _, script, run = whole
    again = script.prompts["iter1/fast/pause/try0"]
    assert "In iteration 1 this code of the same name was in use" in again
    assert PAUSE in again and "critic wants this changed: Wait longer." in again
    assert run.iterations[0].fates[0].facts.split()[0] in again.split("Its last trial: ")[1]
    assert "The critic says to you: Train longer." in script.prompts["iter1/fast/rl"]
    assert "Wait longer." not in script.prompts["iter1/slow"]
    assert "Advice: Walk more." in script.prompts["iter1/slow"]


def test_the_critic_compares_with_the_iteration_before(whole):
    _, script, run = whole
    assert "There is no iteration before this one." in script.prompts["iter0/critic"]
    told = script.prompts["iter1/critic"].split("## Before and after\n")[1].split("\n\n")[0]
    assert told == compare(run.iterations[0].report, run.iterations[1].report)
    assert told.startswith("Success: ") and "walk " in told


def test_the_set_up_of_the_training_is_used_and_told(whole):
    given, script, run = whole
    assert [i.stage.interface.ticks for i in run.iterations] == [256, None]
    assert read_json(given.folder.iteration(0, "interface.json"))["ticks"] == 256
    words = rl_setup.describe(run.iterations[0].stage.interface)
    assert words in script.prompts["iter0/critic"]
    assert f"Training set-up: {words}" in script.prompts["iter1/slow"]
    assert (
        "- pause (code): its code is being written (version 2)."
        in (script.prompts["iter0/fast/rl"])
    )
    assert "- walk (macro): earlier code kept." in script.prompts["iter1/fast/rl"]


def test_answers_of_pure_json_carry_a_schema(whole):
    _, script, _ = whole
    for key, schema in script.schemas.items():
        assert (schema is None) == ("/try" in key and "/fast/" in key), key
        if schema is not None:
            assert next(iter(schema["properties"])) == "reasoning"


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
    assert EvalReport.from_json(read_json(given.folder.iteration(1, "eval.json"))) == report
    assert set(report.macro_ends) == {"pause", "walk"}
    rows = given.folder.path("metrics.csv").read_text().splitlines()
    assert [r.split(",")[:3] for r in rows[1:]] == [
        [str(i), str(u), str(128 * u)] for i, u in [(0, 1), (0, 2), (1, 3), (1, 4), (1, 5)]
    ]
    assert run.result["ticks"] == 256 + CONFIG.ticks_per_iteration


def test_the_best_iteration_is_named_and_its_networks_can_be_read_back(whole):
    given, _, run = whole
    rates = [i.report.success_rate for i in run.iterations]
    assert run.best.report.success_rate == max(rates)
    final = read_json(given.folder.path("final_eval.json"))
    assert final["split"] == "eval" and run.best.report.split == "validation"
    assert run.result["policy"]["success_rate"] == final["success_rate"]
    assert read_json(given.folder.path("result.json")) == run.result
    assert run.learning.params(run.best.stage).actor


def test_code_alone_is_evaluated_in_the_same_worlds(whole, tmp_path):
    """It is what a run of pure code measures with that plan."""
    given, _, run = whole
    alone = read_json(given.folder.path("coded_parts_eval.json"))
    told = run.result["coded_parts"]
    assert told["parts"] == ["pause", "walk"] and alone["split"] == "eval"
    assert set(alone["action_counts"]) <= {"pause", "walk"}, "the policy has acted"
    for name in ("success_rate", "success_low", "success_high", "num_episodes", "successes"):
        assert told[name] == alone[name]
    config = dataclasses.replace(CONFIG, mode="pure_code")
    code = two_loop.run(config, tools(tmp_path, Replay(given.folder.transcript)))
    stage = code.iterations[told["iteration"]].stage
    assert code.learning.held_out(stage) == EvalReport.from_json(alone)
    for own, other in zip(run.iterations, code.iterations, strict=True):
        assert own.alone.report == other.report and own.alone.report.split == "validation"
    rates = [i.report.success_rate for i in code.iterations]
    assert told["validation_by_iteration"] == rates and rates[told["iteration"]] == max(rates)
    assert "coded_parts" not in code.result


@pytest.mark.parametrize(
    ("policy", "code", "ends_with"),
    [((0.4, 0.6), (0.5, 0.5), "policy"), ((0.4, 0.6), (0.7, 0.5), "coded_parts")],
)
def test_a_run_ends_with_what_was_better_in_validation(whole, tmp_path, policy, code, ends_with):
    _, _, run = whole
    done = tuple(
        dataclasses.replace(it, report=rated(it.report, a), alone=dataclasses.replace(
            it.alone, report=rated(it.alone.report, b)
        )) for it, a, b in zip(run.iterations, policy, code, strict=True)
    )  # fmt: skip
    held_out = {"final_eval.json": 0.55, "coded_parts_eval.json": 0.45}
    learning = SimpleNamespace(
        ticks=0, trial_ticks=0, evaluate_held_out=lambda stage, file="final_eval.json": rated(
            run.best.report, held_out[file]
        ),
    )  # fmt: skip
    told = finish(CONFIG, tools(tmp_path, None), done, learning)
    assert told["ends_with"] == ends_with and told["best_iteration"] == 1
    assert told["policy"]["success_rate"] == 0.55
    assert told["coded_parts"]["success_rate"] == 0.45 and told["coded_parts"]["iteration"] == 0
    assert told["success_rate"] == told[ends_with]["success_rate"]
    iteration, stage = two_loop.Run(told, done, run.learning).ends_with
    assert stage is (done[1].stage if ends_with == "policy" else done[0].alone.stage)
    assert iteration is done[ends_with == "policy"]


def rated(report, rate):
    return dataclasses.replace(report, success_rate=rate)


@pytest.mark.parametrize(
    ("measured", "best"),
    [([(0.5, 30), (0.7, 90), (0.6, 10)], 1), ([(0.5, 30), (0.5, 20)], 1), ([(0.5, 9)] * 2, 0)],
)
def test_the_best_is_the_most_successful_then_the_quickest_then_the_first(whole, measured, best):
    report = whole[2].best.report
    reports = [
        dataclasses.replace(report, success_rate=rate, mean_ticks=ticks) for rate, ticks in measured
    ]
    assert best_of(reports) == best


def run_with_kills(path, make_tools, points, config=CONFIG, answers=ANSWERS):
    """Runs again and again, killed at each of the points, and then to the end."""
    kill_at_each(points, lambda listen: two_loop.run(config, make_tools(path, on_event=listen)))
    script = Script(answers)
    two_loop.run(config, make_tools(path, provider=script))
    return script


def same_files(one, two):
    """Everything that a run repeats bit for bit."""
    patterns = ("iterations/**/*.*", "*_eval.json", "metrics.csv", "checkpoints/*/latest.json")
    files = [p for pattern in patterns for p in sorted(one.glob(pattern)) if p.is_file()]
    assert len(files) >= 20
    for path in files:
        assert path.read_bytes() == (two / path.relative_to(one)).read_bytes(), path
    results = [read_json(p / "result.json") for p in (one, two)]
    for result in results:
        result.pop("wall_seconds")
    assert results[0] == results[1]
    asked = [
        [(e.request, e.answer.text) for e in transcript.read(p / "transcript.jsonl")]
        for p in (one, two)
    ]
    assert asked[0] == asked[1]


POINTS = [
    lambda e: isinstance(e, events.Planned),
    lambda e: isinstance(e, events.Tried) and e.attempt == 1,
    lambda e: isinstance(e, events.InterfaceSet),
    lambda e: isinstance(e, events.Updated) and e.update == 1,  # before any checkpoint
    lambda e: isinstance(e, events.Updated) and e.update == 2,
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


@pytest.mark.slow
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


# Questions that were not recorded, and which versions the second iteration uses then.
UNRECORDED = {
    "plan": (("iter1/slow",), {"pause": "kept", "walk": "kept"}),
    "code": (("iter0/fast/walk/try1", "iter1/fast/pause/try0"), {"pause": "kept", "walk": "kept"}),
    "verdicts": (("iter0/trial_critic/try0", "iter1/trial_critic/try0"), {"pause": "try0"}),
    "words and set-up": (("iter0/critic", "iter0/fast/rl", "iter1/fast/rl"), {"pause": "try0"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", UNRECORDED)
def test_a_lenient_replay_goes_on_without_what_was_not_recorded(whole, tmp_path, case):
    missing, used = UNRECORDED[case]
    recording, heard = tmp_path / "talk.jsonl", []
    lines = whole[0].folder.transcript.read_text().splitlines(keepends=True)
    recording.write_text("".join(x for x in lines if json.loads(x)["key"] not in missing))
    given = tools(tmp_path / "run", Replay(recording), on_event=heard.append)
    run = two_loop.run(CONFIG, given)
    unanswered = [
        e.key for e in heard if isinstance(e, events.Answered) and e.answer.stop == MISSING
    ]
    assert set(missing) <= set(unanswered) and len(set(unanswered)) == len(unanswered)
    assert run.result["prompts_unanswered"] == len(unanswered) and len(run.iterations) == 2
    assert used.items() <= {f.name: f.used for f in run.iterations[1].fates}.items()


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
        two_loop.run(config, tools(tmp_path, Replay(whole[0].folder.transcript, strict=True)))


def test_pure_code_without_accepted_code_stands_still(tmp_path):
    config = dataclasses.replace(CONFIG, mode="pure_code", num_iterations=1, num_tries=1)
    learned = json.dumps(
        {"sub_actions": [{"name": "find", "kind": "learn", "instruction": "Find it."}]}
    )
    told = json.dumps({"failure": "x", "sub_actions": [], "advice": "y"})
    script = Script(**{"iter0/slow": learned, "iter0/critic": told})
    run = two_loop.run(config, tools(tmp_path, script))
    assert set(run.best.report.action_counts) == {"idle"} and run.best.report.successes == 0


def test_pure_rl_asks_nobody(tmp_path):
    config = dataclasses.replace(CONFIG, mode="pure_rl", num_iterations=1)
    run = two_loop.run(config, tools(tmp_path, None))
    assert not run.best.stage.space.uses_macros and not (tmp_path / "transcript.jsonl").exists()
    assert "coded_parts" not in run.result
    assert run.result["ticks"] == CONFIG.ticks_per_iteration


@pytest.mark.slow
def test_pure_rl_trains_as_it_is_set_up(tmp_path):
    config = dataclasses.replace(CONFIG, mode="pure_rl")
    wanted = RLInterface(primitives=("forward", "turn_left"), reward=RewardTerms(step_cost=0.5))
    given = dataclasses.replace(tools(tmp_path, None), set_up=wanted)
    run = two_loop.run(config, given)
    for iteration in run.iterations:
        assert iteration.stage.interface == wanted
        assert set(iteration.report.action_counts) <= {"forward", "turn_left", "nothing"}


def test_a_plan_that_cannot_be_used_is_asked_again_and_then_replaced(tmp_path):
    config = dataclasses.replace(CONFIG, num_iterations=1, mode="pure_code")
    script = Script(
        **{
            "iter0/slow": "no",
            "iter0/slow/again": "no",
            "iter0/critic": "no",
            "iter0/critic/again": "no",
        }
    )
    given = tools(tmp_path, script)
    two_loop.run(config, given)
    assert [b[0] for b in script.batches] == [
        "iter0/slow",
        "iter0/slow/again",
        "iter0/critic",
        "iter0/critic/again",
    ]
    used = read_json(given.folder.iteration(0, "plan.json"))
    assert used["sub_actions"][0]["kind"] == "learn" and "could not be used" in used["note"]


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


def change(**changes):
    return dataclasses.replace(CONFIG, **changes)


def test_without_a_critic_the_agents_read_bare_facts(tmp_path):
    config, script = change(agents="slow_fast"), Script(UNJUDGED)
    given = tools(tmp_path, script)
    kept = []
    run = two_loop.run(config, dataclasses.replace(given, on_event=lambda e: kept.append(e)))
    assert script.batches == UNJUDGED_BATCHES
    assert [e.name for e in kept if isinstance(e, events.Kept)] == ["walk"]
    used = {fate.name: fate.used for fate in run.iterations[0].fates}
    assert used == {"pause": "try1", "walk": "try0", "stop": ""}
    facts = read_json(given.folder.macro(0, "walk", "try0.trial.json"))["words"]
    asked = script.prompts["iter0/fast/walk/try1"]
    assert f"What happened: {facts}" in asked and "single word KEEP" in asked
    assert "single word KEEP" not in script.prompts["iter0/fast/stop/try1"]
    later = script.prompts["iter1/slow"]
    assert run.iterations[0].report.describe() in later
    assert "critic" not in "".join(script.prompts.values()).lower()
    assert not list(tmp_path.rglob("*critique*"))
    assert run.iterations[1].slots[0].source == run.iterations[0].fates[1].source


@pytest.mark.slow
def test_one_agent_gives_all_and_then_only_what_it_changes(tmp_path):
    config, script = change(agents="one", num_tries=3), Script(ONE)
    given = tools(tmp_path, script)
    run = two_loop.run(config, given)
    assert script.batches == ONE_BATCHES
    first, second = run.iterations
    assert {fate.name: fate.used for fate in first.fates} == {"pause": "try0", "walk": "try1"}
    parts = read_json(given.folder.iteration(0, "plan.json"))["sub_actions"]
    assert [s["name"] for s in parts] == ["pause", "walk", "find"]
    assert parts[0]["instruction"] == "Wait 1 tick."
    assert (first.stage.interface.ticks, second.stage.interface.ticks) == (384, None)
    assert [fate.used for fate in second.fates] == ["kept"]
    refused = read_json(given.folder.macro(0, "stop", "try0.refusal.json"))
    assert "held no ```python block with def stop(obs)" in refused["reason"]
    again = script.prompts["iter0/one/try1"]
    assert refused["reason"] in again and PAUSE in again and "Answer only with what you" in again
    third = script.prompts["iter0/one/try2"]
    facts = read_json(given.folder.macro(0, "walk", "try1.trial.json"))["words"]
    assert facts in third and "- version 1: ran." in third and "def stop" not in third
    later = script.prompts["iter1/one/try0"]
    assert "walk (macro):\n```python\ndef walk(obs):" in later
    assert run.iterations[0].report.describe() in later


@pytest.mark.slow
def test_an_unusable_answer_of_one_agent_falls_back_or_changes_nothing(tmp_path):
    config = change(agents="one", num_tries=3, num_iterations=1)
    script = Script(
        {
            "iter0/one/try0": ONE["iter0/one/try0"],
            "iter0/one/try1": "Well.",
            "iter0/one/try1/again": "Well.",
        }
    )
    run = two_loop.run(config, tools(tmp_path / "later", script))
    assert [b[0] for b in script.batches] == list(script.answers)
    assert "The answer changes nothing" in script.prompts["iter0/one/try1/again"]
    assert [fate.used for fate in run.best.fates] == ["try0", "try0", ""]
    script = Script({"iter0/one/try0": "no", "iter0/one/try0/again": "no"})
    run = two_loop.run(config, tools(tmp_path / "first", script))
    note = read_json(tmp_path / "first" / "iterations" / "0" / "plan.json")["note"]
    assert "could not be used" in note
    assert "could not be used" in run.best.stage.interface.note


def test_one_agent_is_told_that_the_set_up_is_the_run_s_own_after_unusable_answers(tmp_path):
    config = change(agents="one")
    keys = ("iter1/one/try0", "iter1/one/try0/again", "iter1/one/try1")
    script = Script(dict(zip(keys, ("Well.", "Well.", "KEEP"), strict=True)))
    given = tools(tmp_path, script)
    failed = Memory(Plan((SubAction("stop", "macro", "Stand."),)), (Fate("stop", "macro"),), "", "")
    state = PromptState(two_loop.make_setting(config, given), 1, (failed,))
    _, _, interface = plan_and_code(Trials(config, given, state))
    told = script.prompts["iter1/one/try1"]
    assert rl_setup.describe(interface) in told and "There is none in this run" not in told
    assert "could not be used" in interface.note


@pytest.mark.parametrize(
    "agents", ["slow_fast_critic", pytest.param("one", marks=pytest.mark.slow)]
)
def test_where_only_the_reward_is_designed_nothing_is_coded(tmp_path, agents):
    config = change(agents=agents, design="reward", num_iterations=1)
    learned = plan(("find", "learn", "Find the end."))
    rl = {"reward": {"step_cost": 0.5}}
    script = Script(
        {
            "iter0/slow": plan(("walk", "macro", "Walk.")),
            "iter0/slow/again": learned,
            "iter0/fast/rl": block("json", json.dumps(rl)),
            "iter0/critic": critique(),
            "iter0/one/try0": plan(("walk", "macro", "Walk.")),
            "iter0/one/try0/again": block(
                "json",
                json.dumps(
                    {
                        "sub_actions": [{"name": "find", "kind": "learn", "instruction": "Go."}],
                        "rl": rl,
                    }
                ),
            ),
        }
    )
    run = two_loop.run(config, tools(tmp_path, script))
    assert run.result["coded_parts"] == {"parts": []}
    assert not (tmp_path / "coded_parts_eval.json").exists()
    expected = (
        ["iter0/one/try0", "iter0/one/try0/again"]
        if agents == "one"
        else ["iter0/slow", "iter0/slow/again", "iter0/fast/rl", "iter0/critic"]
    )
    assert [key for batch in script.batches for key in batch] == expected
    first = script.prompts[expected[0]]
    assert "In this run nothing is coded" in first and "```python" not in first
    assert 'every sub-action must be "learn"' in script.prompts[expected[1]]
    assert not run.best.stage.space.uses_macros
    assert run.best.stage.interface.reward.step_cost == 0.5


@pytest.mark.slow
def test_where_only_actions_are_designed_the_reward_stays(tmp_path):
    rl = block("json", json.dumps({"reward": {"step_cost": 0.5}}))
    script = Script(**{"iter1/fast/rl": rl, "iter1/fast/rl/again": rl})
    given = tools(tmp_path, script)
    run = two_loop.run(change(design="action"), given)
    assert run.iterations[1].stage.interface.reward == DEFAULT.reward
    assert "could not be used" in run.iterations[1].stage.interface.note
    assert "could not be used" in read_json(given.folder.iteration(1, "interface.json"))["note"]


@pytest.mark.slow
def test_the_special_prompt_can_be_left_out_and_nothing_else_changes(tmp_path):
    asked = {}
    for decompose in (True, False):
        script = Script()
        two_loop.run(change(decompose=decompose), tools(tmp_path / str(decompose), script))
        asked[decompose] = script.prompts
    sections = [
        "## Splitting further\n" + prompts.load().fill(f"slow.{name}")
        for name in ("decompose", "decompose_again")
    ]
    assert list(asked[True]) == list(asked[False])
    for key, text in asked[True].items():
        for section in sections:
            text = text.replace("\n\n" + section, "")
        assert text == asked[False][key]
    assert sections[0] in asked[True]["iter0/slow"] and sections[1] in asked[True]["iter1/slow"]


@pytest.mark.slow
def test_a_solved_task_ends_the_outer_loop_if_that_is_wanted(tmp_path):
    solved = json.loads(ANSWERS["iter0/critic"].split("```json\n")[1].split("\n```")[0])
    script = Script(**{"iter0/critic": json.dumps(solved | {"solved": True})})
    run = two_loop.run(change(stop_when_solved=True), tools(tmp_path / "stops", script))
    assert len(run.iterations) == 1 and script.batches[-1] == ("iter0/critic",)
    assert len(run.result["validation_by_iteration"]) == 1
    script = Script(**{"iter0/critic": json.dumps(solved | {"solved": True})})
    run = two_loop.run(CONFIG, tools(tmp_path / "goes_on", script))
    assert len(run.iterations) == 2 and "nothing is left to gain" in script.prompts["iter1/slow"]


@pytest.mark.slow
def test_every_key_of_a_sub_task_has_its_prefix(tmp_path):
    answers = {f"task/cow/{key}": text for key, text in ANSWERS.items()}
    script = Script(answers)
    two_loop.run(CONFIG, tools(tmp_path, script, key_prefix="task/cow/"))
    assert script.batches == [tuple(f"task/cow/{key}" for key in batch) for batch in BATCHES]


@pytest.mark.slow
def test_the_last_try_is_not_judged_also_if_it_is_the_only_one(tmp_path):
    script = Script(**{"iter0/critic": critique(pause="", walk="", stop="")})
    two_loop.run(change(num_tries=1, num_iterations=1), tools(tmp_path, script))
    assert script.batches == [
        ("iter0/slow",),
        ("iter0/fast/pause/try0", "iter0/fast/walk/try0", "iter0/fast/stop/try0", "iter0/fast/rl"),
        ("iter0/critic",),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agents", "answers"), [("slow_fast", UNJUDGED), ("one", ONE)], ids=["slow_fast", "one"]
)
def test_other_structures_go_on_after_a_kill_too(tmp_path, agents, answers):
    config = change(agents=agents, num_tries=3 if agents == "one" else 2)

    def make_tools(path, provider=None, **changes):
        return tools(path, provider or Script(answers), **changes)

    points = [
        lambda e: isinstance(e, events.Planned),
        lambda e: isinstance(e, events.Tried) and e.attempt == 1,
        lambda e: isinstance(e, events.Kept),
        lambda e: isinstance(e, events.InterfaceSet),
        lambda e: isinstance(e, events.Evaluated) and e.iteration == 1,
    ]
    two_loop.run(config, make_tools(tmp_path / "whole"))
    script = run_with_kills(tmp_path / "killed", make_tools, points, config, answers)
    assert script.batches == []
    same_files(tmp_path / "whole", tmp_path / "killed")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mode": "pure_code", "design": "reward"}, "lets nothing be coded"),
        ({"memory_characters": 4_000}, "needs at least"),
        ({"agents": "two"}, "must be one of one, slow_fast, slow_fast_critic"),
    ],
)
def test_settings_that_cannot_work_are_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        change(**changes)


def test_who_goes_on_with_the_best_network_goes_on_with_its_slots(tmp_path):
    a, b = (Fate(n, "macro", source=f"def {n}(obs):\n    yield noop()\n") for n in "ab")
    given, done = tools(tmp_path, None), ()
    for number, (fates, rate) in enumerate([((a, b), 0.5), ((b, a), 0.9), ((a,), 0.1)]):
        state = two_loop.PromptState(two_loop.make_setting(CONFIG, given), number, fates=fates)
        slots, made = two_loop._make_stage(CONFIG, given, state, RLInterface(), done)
        report = SimpleNamespace(success_rate=rate, mean_ticks=9.0)
        done += (Iteration(fates, slots, made, report),)
    assert [f.name for f in done[1].slots] == ["a", "b"]  # kept from the first
    best = RLInterface(network="best")
    slots, made = two_loop._make_stage(CONFIG, given, state.replace(fates=(a, b)), best, done)
    assert made.before is done[2].stage and made.begins is done[1].stage and made.changed == ()
    slots, made = two_loop._make_stage(
        CONFIG, given, state.replace(fates=(a, b)), RLInterface(), done
    )
    assert made.begins is done[2].stage and made.changed == (2,)
