"""Recorded answers of a language model stay accepted when the language changes."""

import json
from pathlib import Path

import pytest

from tests.macros import accept

RECORDED = Path(__file__).parent / "answers/macro_answers.jsonl"
TRANSCRIPTS = sorted((Path(__file__).parents[2] / "experiments/transcripts").glob("*.jsonl"))
WALK = (
    'def walk(obs):\n    """Walks on."""\n\n    if obs.life > 2.5:  # healthy\n'
    '        obs = yield craft("planks")\n    for _ in range(3):\n        obs = yield forward()\n'
)
WRONG = "def walk(obs):\n    obs = yield forward()\n    x = obs.helth\n"
# What each of them uses is told in docs/results.md, "Macro answers".
REFUSED_AT_FIRST = {"bare-06-chase_cow", "bare-38-go_up", "bare-45-three_wool"}


@pytest.mark.slow
def test_what_was_accepted_is_accepted() -> None:
    outcomes = [accept.judge(answer) for answer in accept.read(RECORDED, "paper")]
    assert len(outcomes) > 60
    assert {o.answer.id for o in outcomes if not o.first} == REFUSED_AT_FIRST


@pytest.mark.slow
def test_every_macro_of_the_shipped_conversations_is_accepted() -> None:
    answers = [a for path in TRANSCRIPTS for a in accept.read(path, "full")]
    assert len(answers) > 60
    refused = {a.id: words for a in answers if (words := accept.judge(a).refusals)}
    assert set(refused) == {"pure_code/iter2/fast/find_wood/try1"}  # calls over 8 deep


def answer(source: str) -> str:
    return f"Well.\n```python\n{source}```\n"


def write_answers(path: Path) -> None:
    row = {"task": "t", "sensors": "paper", "name": "walk", "prompt": "p", "split": "design"}
    rows = [
        row | {"id": "a", "style": "short", "answer": answer(WALK)},
        row | {"id": "b", "style": "short", "answer": answer(WRONG), "again": answer(WALK)},
        row | {"id": "c", "style": "long", "answer": "I cannot.", "again": answer(WRONG)},
        row | {"id": "d", "style": "long", "answer": answer("def walk(obs):\n    r = obs.rays\n"
                "    yield noop()\n"), "sensors": "full", "split": "held"},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")


def test_answers_are_counted_by_split_and_style(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path, out = tmp_path / "answers.jsonl", tmp_path / "out.json"
    write_answers(path)
    assert accept.main([str(path), "--verbose", f"--json={out}"]) == 0
    shown = capsys.readouterr().out
    assert "b (short): Line 3" in shown and "c (long), second answer: Line 3" in shown
    assert "there is no field helth" in shown and "no ```python block" in shown
    rows = {(r["split"], r["style"]): r for r in json.loads(out.read_text())}
    assert set(rows) == {
        ("design", "short"), ("design", "long"), ("design", "all"), ("held", "long"),
        ("all", "all"),
    }  # fmt: skip
    whole = rows["all", "all"]
    assert (whole["answers"], whole["first_try"]) == (4, 2)
    assert (whole["asked_again"], whole["accepted_then"]) == (2, 1)
    assert whole["low"] == pytest.approx(0.15, abs=0.005)  # Wilson interval of 2 of 4
    assert rows["held", "long"]["first_try"] == 1  # at its own sensor level


def test_a_transcript_of_a_run_counts_its_fast_agent(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    rays = answer("def walk(obs):\n    r = obs.rays\n    yield noop()\n")
    rows = [
        {"agent": "slow", "key": "iter0/slow", "answer": "{}"},
        {"agent": "fast", "key": "task/stick/pure_code/iter0/fast/walk/try1", "answer": rays},
        {"agent": "fast", "key": "iter0/fast/walk/try2", "answer": "keep"},
        {"agent": "fast", "key": "iter0/fast/rl", "answer": "{}"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    for sensors, accepted in (("paper", False), ("full", True)):
        (found,) = accept.read(path, sensors)
        assert (found.name, found.split) == ("walk", "talk")
        assert accept.judge(found).first is accepted


@pytest.mark.parametrize("text", ["{", "[]", '{"name": "walk"}', '{"name": "a", "answer": 3}'])
def test_a_line_that_is_no_answer_is_named(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f"\n{text}\n")
    assert accept.main([str(path)]) == 2
    assert f"{path}, line 2: " in capsys.readouterr().err
