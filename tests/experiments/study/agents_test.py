"""What a conversation says about its agents, counted from answers made by hand."""

import json
from pathlib import Path

import pytest

from experiments.study import __main__ as command
from experiments.study import agents
from experiments.study.conversation import Iteration, read
from tests.experiments import answers, run_folder
from tests.experiments.answers import MILK, REFUSED, WANDER, block, judgement

PLAN = block("json", json.dumps(answers.PLAN))
CRITIQUE = block("json", json.dumps(answers.CRITIQUE))


def line(key: str, answer: str, **more) -> dict:
    agent = key.removeprefix("task/stick/").split("/")[1]
    return {**run_folder.exchange(key, agent), "answer": answer, **more}


def iteration(given: dict[str, str]) -> Iteration:
    (found,) = read([line(f"iter0/{key}", text) for key, text in given.items()], "paper")
    return found


def test_the_recorded_conversation_of_the_tests_is_counted() -> None:
    first, second = read([line(k, text) for k, text in answers.ANSWERS.items()], "paper")
    assert first.kinds == {"code": 0, "lead": 0, "macro": 2, "learn": 1} and first.kept == 0
    wander, milk = first.macros
    assert not wander.first_accepted
    assert wander.second is not None and wander.second.outcome == "accepted"
    assert (wander.end, wander.versions) == ("last try", 2)
    assert (milk.end, milk.versions, milk.second) == ("ok", 1, None)
    assert first.failure == "Too little training." and first.verdicts == {"keep": 2}
    assert second.kept == 2 and second.macros == ()


def test_accepted_in_the_last_try_counts_as_success_nobody_is_asked_then() -> None:
    found = iteration({
        "slow": PLAN,
        "fast/wander/try0": block("python", REFUSED), "fast/wander/try1": block("python", WANDER),
        "fast/milk_cow/try0": block("python", MILK),
        "trial_critic/try0": block("json", json.dumps(
            {"macros": [{"name": "milk_cow", "verdict": "revise", "change": "Use it once."}]})),
        "fast/milk_cow/try1": block("python", REFUSED.replace("wander", "milk_cow")),
    })  # fmt: skip
    by_name = {m.name: m for m in found.macros}
    assert (by_name["wander"].end, by_name["wander"].versions) == ("last try", 2)
    assert (by_name["milk_cow"].end, by_name["milk_cow"].versions) == ("never", None)


def test_a_part_whose_name_is_no_text_has_no_code() -> None:
    plan = block("json", json.dumps({"sub_actions": [{"name": ["milk_cow"], "kind": "code"}]}))
    found = iteration({"one/try0": f"{plan}\n\n{block('python', MILK)}"})
    assert found.macros == () and found.kinds["code"] == 1


def test_keep_is_an_answer_and_no_refusal() -> None:
    """Without a critic the fast agent says itself that it is content."""
    found = iteration({
        "slow": PLAN, "fast/milk_cow/try0": block("python", MILK),
        "fast/milk_cow/try1": "It did what was asked.\n\nKEEP",
    })  # fmt: skip
    (macro,) = found.macros
    assert [t.outcome for t in macro.tries] == ["accepted", "keep"]
    assert (macro.end, macro.versions) == ("content", 1)


def test_one_agent_for_everything_has_plan_and_code_in_one_answer() -> None:
    both = PLAN + block("python", REFUSED) + block("python", MILK)
    found = iteration({"one/try0": both, "one/try1": block("python", WANDER)})
    assert found.kinds["macro"] == 2
    by_name = {m.name: m for m in found.macros}
    assert not by_name["wander"].first_accepted and by_name["milk_cow"].first_accepted
    assert by_name["wander"].versions == 2 and by_name["milk_cow"].versions == 1


def test_a_second_answer_replaces_the_first_and_is_counted() -> None:
    found = iteration({
        "slow": "no plan", "slow/again": PLAN, "critic": "nothing", "critic/again": CRITIQUE,
        "fast/rl": "no block", "fast/rl/again": "```json\n{}\n```",
        "fast/milk_cow/try0": block("python", MILK),
        "trial_critic/try0": "hm", "trial_critic/try0/again": block(
            "json", json.dumps(judgement("milk_cow"))),
    })  # fmt: skip
    assert found.asked_again == 4 and found.has_plan
    assert found.failure == "Too little training." and found.macros[0].end == "ok"
    assert [m.name for m in found.macros] == ["milk_cow"]


def test_code_may_call_what_was_accepted_in_an_earlier_try() -> None:
    calls = block("python", MILK.replace("yield use()", "yield from wander(obs)"))
    given = {"slow": PLAN, "fast/wander/try0": block("python", WANDER), "fast/milk_cow/try0": calls}
    same = iteration(given)
    later = iteration({**given, "fast/milk_cow/try1": calls})
    assert [m.first_accepted for m in same.macros] == [True, False]
    assert later.macros[1].second is not None and later.macros[1].second.outcome == "accepted"


def test_code_of_another_world_is_compiled_in_its_words() -> None:
    (found,) = agents.conversations([agents.SHIPPED / "mountain_car.jsonl"])
    macros = [macro for it in found.iterations for macro in it.macros]
    assert macros and all(macro.first_accepted for macro in macros)


def test_answers_that_hold_nothing_leave_nothing() -> None:
    found = iteration({"slow": "I do not know.", "critic": "```json\n[1, 2]\n```"})
    assert not found.has_plan and found.macros == () and found.failure == ""


def test_tasks_of_a_chain_are_apart() -> None:
    lines = [line("planner/x", "[]"), line("task/stick/iter0/slow", PLAN), line("iter0/slow", PLAN)]
    assert [(it.task, it.number) for it in read(lines, "paper")] == [("stick", 0), ("", 0)]


def test_tokens_are_those_of_the_iteration() -> None:
    usage = dict(input_tokens=1000, output_tokens=50, cached_tokens=0, cache_write_tokens=0,
                 reasoning_tokens=0)  # fmt: skip
    lines = [line("iter0/slow", PLAN, usage=usage, price=0.25),
             line("iter1/slow", PLAN, usage=usage, price=0.5)]  # fmt: skip
    first, second = read(lines, "paper")
    assert (first.spent.input_tokens, first.spent.price, first.spent.calls) == (1000, 0.25, 1)
    table = {t.name: t for t in agents.tables([conversation("a", first, second)])}["agents_spent"]
    assert table.rows[-1] == ("a", "all", "2", "2,000", "100", "0.7500")


def conversation(name: str, *iterations: Iteration) -> agents.Conversation:
    return agents.Conversation(name, Path(name), iterations)


def test_tables_give_rates_with_wilson_and_a_sum(tmp_path: Path, capsys) -> None:
    path = answers.write(tmp_path / "harvest_milk.jsonl")
    answers.write(tmp_path / "other.jsonl")
    assert agents.main([str(tmp_path), f"--out={tmp_path / 'out'}"]) == 0
    shown = capsys.readouterr().out
    assert "| harvest_milk | 0 | 2 | 50.0 (9.5 to 90.5), 1 of 2 | 1 of 1 | 1.50 |" in shown
    assert "| all | all | 4 | 50.0 (15.0 to 85.0), 2 of 4 | 2 of 2 | 1.50 |" in shown
    saved = json.loads((tmp_path / "out/agents.json").read_text())
    assert saved["transcripts"]["harvest_milk"] == str(path)
    code = [r for r in saved["tables"]["agents_code"] if r["config"] == "other"]
    assert code[-1]["versions"] == [2, 1] and code[-1]["end_ok"] == 1
    assert (tmp_path / "out/agents_failures.csv").read_text().count("Too little training.") == 4


def test_a_run_folder_is_a_transcript_with_its_own_sensors(tmp_path: Path) -> None:
    answers.write(tmp_path / "transcript.jsonl")
    sees = WANDER.replace("not obs.on_ground", "obs.nearest('log').distance < 2")
    with (tmp_path / "transcript.jsonl").open("a") as file:
        file.write(json.dumps(line("iter1/fast/wander/try0", block("python", sees))) + "\n")
    accepted = {}
    for sight in ("blind_code", "rays"):
        config = {"task": "harvest_milk", "sight": sight}
        run_folder.write(tmp_path / "config.json", {"name": "x", "config": config})
        (found,) = agents.conversations([tmp_path])
        accepted[sight] = found.iterations[1].macros[0].first_accepted
    assert accepted == {"blind_code": False, "rays": True}


@pytest.mark.parametrize("make", [Path.mkdir, lambda p: p.write_text("no json\n{}\n")])
def test_what_holds_no_conversation_is_said(make, tmp_path: Path, capsys) -> None:
    make(tmp_path / "x")
    assert command.main(["agents", str(tmp_path / "x")]) == 2
    assert str(tmp_path / "x") in capsys.readouterr().err
