"""Trials in the inner loop: as the plan runs, compared, and with code that calls other code."""

import dataclasses
import json

import pytest

from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.loop import events, two_loop
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.loop.trials import Trials
from rlgpt_jax.macros.linked import split
from tests.loop.script import CONFIG, PAUSE, REFUSED, Script, block, plan, tools, verdicts, walk

GO_ON = block("python", "def go_on(obs):\n    yield from walk(obs)\n")
TRAP = block("python", "def walk(obs):\n    yield turn(1 / (obs.pitch * 0), 0)\n")
PLAN = plan(("walk", "code", "Walk."), ("go_on", "macro", "Go on."), ("find", "learn", "Find."))
ANSWERS = {
    "iter0/slow": PLAN,
    "iter0/fast/walk/try0": walk("walk", 4), "iter0/fast/go_on/try0": REFUSED,
    "iter0/trial_critic/try0": verdicts(walk="Faster."),
    "iter0/fast/walk/try1": TRAP, "iter0/fast/go_on/try1": GO_ON,
    "iter0/fast/rl": block("json", "{}"),
}  # fmt: skip


def designed(path, answers=ANSWERS, **changes):
    """One iteration up to its training: state, model, tools and events."""
    config, script, told = dataclasses.replace(CONFIG, **changes), Script({**answers}), []
    given = tools(path, script, on_event=told.append)
    state = PromptState(two_loop.make_setting(config, given))
    return two_loop.design(Trials(config, given, state))[0], script, given, told


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return designed(tmp_path_factory.mktemp("trials"))


def report(given, name, file):
    return read_json(given.folder.macro(0, name, f"{file}.trial.json"))["report"]


def test_a_version_that_does_worse_is_not_used_and_everybody_is_told(made):
    state, _, given, told = made
    walked = state.fates[0]
    assert walked.used == "try0" and "range(4)" in walked.source
    why = "Against version 1 in the same episodes: as to 'ended by a mistake' it was better in 0"
    assert f"The last did worse in its trial and is not in use. {why}" in walked.describe()
    assert walked.facts == walked.attempts[0].trial
    first, second = read_json(given.folder.iteration(0, "fates.json"))
    assert first["used"] == "try0" and first["why"].startswith(why) and second["why"] == ""
    tried = [(e.name, e.attempt, bool(e.worse)) for e in told if isinstance(e, events.Tried)]
    assert tried == [("walk", 0, False), ("walk", 1, True), ("go_on", 1, False)]


def test_a_macro_starts_after_the_code_in_use_in_situations_of_play(made):
    _, _, given, _ = made
    trial = report(given, "go_on", "try1")
    assert trial["before"] == ["walk"] and trial["player"] == "random play and search"
    assert min(e["ticks_before"] for e in trial["episodes"]) >= 4
    assert report(given, "walk", "try0")["before"] == []
    assert report(given, "walk", "try0")["player"] == ""


def test_other_parts_can_be_called_once_they_are_accepted(made):
    state, script, given, _ = made
    assert "Accepted code of other parts" not in script.prompts["iter0/fast/go_on/try0"]
    asked = script.prompts["iter0/fast/go_on/try1"]
    assert "walk (code):\n```python\ndef walk(obs):\n    for _ in range(4):" in asked
    called = state.fates[1]
    assert list(split(called.source)[1]) == ["walk"] and "range(4)" in called.source
    trial = report(given, "go_on", "try1")
    assert max(e["actions"].get("forward", 0) for e in trial["episodes"]) == 4
    assert given.folder.macro(0, "go_on", "try1.py").read_text() == called.source


def test_code_of_the_same_try_cannot_be_called(tmp_path):
    answers = ANSWERS | {"iter0/fast/go_on/try0": GO_ON}
    _, _, given, told = designed(tmp_path, answers)
    refused = [e for e in told if isinstance(e, events.Refused)]
    assert [(e.name, e.attempt) for e in refused] == [("go_on", 0)]
    assert "walk is a part of the plan without accepted code" in refused[0].reason


def test_what_is_refused_depends_on_the_latest_words_and_not_on_numbers(tmp_path):
    """Version 2 of `walk` is not in use, but it is the one that could be called last."""
    mute = "def walk(obs):\n    return\n    yield turn(1 / (obs.pitch * 0), 0)\n"
    answers = ANSWERS | {
        "iter0/fast/walk/try1": TRAP, "iter0/fast/go_on/try1": block("python", PAUSE.replace(
            "pause", "go_on")),
        "iter0/trial_critic/try1": verdicts(walk="Again.", go_on="Call walk."),
        "iter0/fast/walk/try2": block("python", mute), "iter0/fast/go_on/try2": GO_ON,
    }  # fmt: skip
    state, _, _, _ = designed(tmp_path, answers, num_tries=3)
    assert "range(4)" in state.fates[1].source, "linked with the version that is in use"


def test_in_pure_code_all_parts_run_in_their_order(tmp_path):
    answers = {k: v for k, v in ANSWERS.items() if k != "iter0/fast/rl"}
    _, _, given, _ = designed(tmp_path, answers, mode="pure_code")
    trial = report(given, "go_on", "try1")
    assert trial["before"] == ["walk"] and trial["player"] == ""
    assert {e["ticks_before"] for e in trial["episodes"]} == {4}


def test_ticks_of_trials_are_counted_apart(tmp_path):
    config = dataclasses.replace(CONFIG, num_iterations=1, mode="pure_code")
    critique = {"failure": "x", "advice": "y", "sub_actions": [
        {"name": n, "verdict": "keep", "reason": "z"} for n in ("walk", "go_on")]}  # fmt: skip
    script = Script({**ANSWERS, "iter0/critic": json.dumps(critique)})
    given = tools(tmp_path, script)
    result = two_loop.run(config, given).result
    files = list(tmp_path.rglob("*.trial.json"))
    assert len(files) == 3 and result["ticks"] == 0
    assert result["trial_ticks"] == sum(read_json(f)["report"]["env_ticks"] for f in files) > 0
