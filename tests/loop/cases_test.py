"""Runs of code alone mend the best program, and keep the episodes that programs fail in."""

import dataclasses
import json

import jax
import numpy as np
import pytest

from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.loop import cases, events, two_loop
from rlgpt_jax.loop.record import read_json
from tests.loop.kills import kill_at_each
from tests.loop.script import CONFIG, Script, block, corridor, critique, plan, tools, verdicts

OWN = dataclasses.replace(CONFIG, mode="pure_code", pure_code_plan="own", num_iterations=3)
LENGTH, HORIZON = 10, 40  # of `corridor`, where an episode starts in cell 0, 1 or 2


def go(*ticks):
    """Walks so many ticks from cell 0, 1 and 2, and then stands until the episode ends."""
    source = "def go(obs):\n    ticks = 0\n"
    for cell, number in enumerate(ticks):
        source += f"    if round(obs.z) == {cell}:\n        ticks = {number}\n"
    source += "    for _ in range(ticks):\n        yield forward()\n"
    return source + "    for _ in range(100):\n        yield noop()\n"


FIRST, WORSE, STAY = go(9, 9, 9), go(10, 0, 0), "def stay(obs):\n    yield noop()\n"
ANSWERS = {
    f"pure_code/{key}": text
    for key, text in {
        "iter0/slow": plan(("go", "code", "Go.")),
        "iter0/fast/go/try0": block("python", FIRST),
        "iter0/trial_critic/try0": verdicts(go=""),
        "iter0/critic": critique(go="Walk on."),
        "iter1/slow": plan(("go", "code", "Go on.")),
        "iter1/fast/go/try0": block("python", WORSE),
        "iter1/trial_critic/try0": verdicts(go=""),
        "iter1/critic": critique(go="Walk elsewhere."),
        "iter2/slow": plan(("go", "code", "keep"), ("stay", "code", "Stay.")),
        "iter2/fast/stay/try0": block("python", STAY),
        "iter2/trial_critic/try0": verdicts(stay=""),
        "iter2/critic": critique(go="", stay=""),
    }.items()
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Tools, model and result of a run whose second program is worse than its first."""
    script = Script(ANSWERS)
    given = tools(tmp_path_factory.mktemp("cases"), script)
    return given, script, two_loop.run(OWN, given)


def starts(reset):
    """int[8]  the cells in which the lanes begin."""
    state, _ = corridor(8).reset((), jax.random.key(reset))
    return np.asarray(state.z).astype(int)


def outcome(cell, ticks):
    """Success and ticks of an episode, by hand."""
    solved = cell + ticks[cell] >= LENGTH
    return solved, LENGTH - cell if solved else HORIZON


def test_the_record_of_every_episode_is_what_the_program_does(run):
    for iteration, ticks in ((0, (9, 9, 9)), (1, (10, 0, 0))):
        reports = [run[0].folder.iteration(iteration, f) for f in ("eval.json", cases.FILE)]
        for path, count in zip(reports, (8, 8 * cases.TIMES), strict=True):
            episodes = read_json(path)["episodes"]
            assert [e["number"] for e in episodes] == list(range(count))
            cells = {reset: starts(reset) for reset, _ in (e["start"] for e in episodes)}
            assert len(cells) == count // 8
            for e in episodes:
                reset, lane = e["start"]
                assert lane == e["number"] % 8
                assert (e["success"], e["ticks"]) == outcome(cells[reset][lane], ticks)
                assert e["end"] == ("solved the task" if e["success"] else "death or time")


def test_all_iterations_meet_the_same_episodes(run):
    met = [[(e.number, e.start) for e in i.report.episodes] for i in run[2].iterations]
    assert met[0] == met[1] == met[2]
    first, _, last = (i.report.episodes for i in run[2].iterations)
    assert first == last, "the same program"
    assert not run[0].folder.iteration(2, cases.FILE).exists(), "nobody follows who needs it"


def test_critic_and_planner_are_told_case_by_case(run):
    _, script, result = run
    episodes = [result.iterations[i].report.episodes for i in (0, 1)]
    pairs = [(a.success, b.success) for a, b in zip(*episodes, strict=True)]
    told = (
        "Against iteration 1, whose program was in use: Of the same 8 episodes, case by case: "
        f"{pairs.count((True, True))} solved in both, {pairs.count((False, True))} newly solved, "
        f"{pairs.count((True, False))} newly broken, {pairs.count((False, False))} failed in both."
    )
    assert pairs.count((True, False)) and pairs.count((False, True))
    broken = next(e for e in episodes[1] if not e.success)
    named = f"Newly broken: episode {broken.number} (tick 40, death or time, last mostly go, a cow"
    for key in ("iter1/critic", "iter2/slow"):
        assert told in script.prompts[f"pure_code/{key}"]
        assert named in script.prompts[f"pure_code/{key}"]
    assert "case by case" not in script.prompts["pure_code/iter0/critic"].split("## The eval")[1]
    kept = "The kept cases, of the training worlds: Fewer of them are solved. Of the same 32"
    assert kept in script.prompts["pure_code/iter1/critic"]
    last = script.prompts["pure_code/iter2/critic"].split("## The evaluation")[1]
    assert "The kept cases, of" not in last.split("## Earlier iterations")[0]


def test_the_best_program_is_the_one_that_is_mended(run):
    _, script, result = run
    assert result.result["best_iteration"] == 0
    asked = script.prompts["pure_code/iter1/fast/go/try0"]
    assert FIRST in asked and "critic wants this changed: Walk on." in asked
    again = script.prompts["pure_code/iter2/slow"].split("## The program in use\n")[1]
    assert again.startswith("It is that of iteration 1,") and FIRST in again and WORSE not in again
    assert result.iterations[2].fates[0].source == FIRST and result.iterations[2].fates[0].kept
    assert WORSE in script.prompts["pure_code/iter1/critic"]


def test_half_of_the_trials_start_in_episodes_that_the_program_in_use_fails_in(run):
    given, script, _ = run
    failed = [e for e in read_json(given.folder.iteration(0, cases.FILE))["episodes"]
              if not e["success"]]  # fmt: skip
    assert len(failed) >= 4 and all(starts(e["start"][0])[e["start"][1]] == 0 for e in failed)
    tried = read_json(given.folder.macro(1, "go", "try0.trial.json"))["report"]["episodes"]
    assert [e["case"] for e in tried] == [False] * 4 + [True] * 4
    assert [e["ticks"] for e in tried[4:]] == [LENGTH] * 4 and all(e["success"] for e in tried[4:])
    facts = script.prompts["pure_code/iter1/trial_critic/try0"]
    assert "each of 8 episodes, 4 of them CASES in which the program in use fails" in facts
    first = read_json(given.folder.macro(0, "go", "try0.trial.json"))["report"]["episodes"]
    assert len(first) == 8 and not any(e["case"] for e in first)


def test_their_ticks_are_samples_too(run):
    given, _, result = run
    trials = given.folder.root.rglob("*.trial.json")
    kept = [read_json(given.folder.iteration(i, cases.FILE)) for i in (0, 1)]
    assert result.result["trial_ticks"] == sum(
        read_json(path)["report"]["env_ticks"] for path in trials
    ) + sum(e["ticks"] for report in kept for e in report["episodes"])


@pytest.mark.slow  # `two_loop_test.py` kills runs by default
def test_kept_cases_survive_a_kill(run, tmp_path):
    given, _, _ = run
    points = [
        lambda e: isinstance(e, events.Evaluating) and e.num_episodes == 8 * cases.TIMES,
        lambda e: isinstance(e, events.Criticised),
        lambda e: isinstance(e, events.Tried) and e.iteration == 1,
        lambda e: isinstance(e, events.Planned) and e.iteration == 2,
    ]
    kill_at_each(
        points, lambda listen: two_loop.run(OWN, tools(tmp_path, Script(ANSWERS), on_event=listen))
    )
    script = Script(ANSWERS)
    two_loop.run(OWN, tools(tmp_path, script))
    assert not any("iter0" in key or "iter1" in key for batch in script.batches for key in batch)
    files = [p for p in given.folder.path("iterations").rglob("*.*") if p.is_file()]
    assert len(files) > 20
    for path in files:
        copy = tmp_path / path.relative_to(given.folder.root)
        assert path.read_bytes() == copy.read_bytes(), path


def test_other_modes_keep_none(tmp_path):
    config = dataclasses.replace(OWN, pure_code_plan="coded_parts", num_iterations=2)
    answers = {key.removeprefix("pure_code/"): text for key, text in ANSWERS.items()}
    script = Script(answers)
    two_loop.run(config, tools(tmp_path, script))
    assert not list(tmp_path.rglob(cases.FILE))
    assert not any("program in use" in text for text in script.prompts.values())


@pytest.mark.slow
def test_a_replay_of_the_conversation_asks_the_same(run, tmp_path):
    given, _, result = run
    again = two_loop.run(OWN, tools(tmp_path, Replay(given.folder.transcript, strict=True)))
    assert again.result["prompts_differ"] == again.result["prompts_unanswered"] == 0
    assert [i.report for i in again.iterations] == [i.report for i in result.iterations]


@pytest.mark.slow
def test_a_conversation_without_later_answers_goes_on_with_the_best_program(run, tmp_path):
    """As one of an earlier version, in which other questions followed."""
    given, _, _ = run
    lines = given.folder.transcript.read_text().splitlines(keepends=True)
    recording = tmp_path / "recording.jsonl"
    recording.write_text("".join(x for x in lines if "iter2" not in json.loads(x)["key"]))
    again = two_loop.run(OWN, tools(tmp_path / "run", Replay(recording)))
    assert again.iterations[2].fates[0].source == FIRST and again.result["prompts_unanswered"]
