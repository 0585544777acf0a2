"""Recorded answers of a language model stay accepted when the language changes."""

from pathlib import Path

from experiments.macro import accept

RECORDED = Path(__file__).parents[2] / "experiments/answers/macro_answers.jsonl"
TRANSCRIPTS = sorted((RECORDED.parents[1] / "transcripts").glob("*.jsonl"))
# What each of them uses is told in docs/results.md, "Macro answers".
REFUSED_AT_FIRST = {
    "bare-06-chase_cow", "bare-23-explore_grid", "bare-38-go_up", "bare-45-three_wool",
}  # fmt: skip


def test_what_was_accepted_is_accepted() -> None:
    outcomes = [accept.judge(answer) for answer in accept.read(RECORDED, "paper")]
    assert len(outcomes) > 60
    assert {o.answer.id for o in outcomes if not o.first} == REFUSED_AT_FIRST


def test_every_macro_of_the_shipped_conversations_is_accepted() -> None:
    answers = [a for path in TRANSCRIPTS for a in accept.read(path, "full")]
    assert len(answers) > 60
    refused = {a.id: words for a in answers if (words := accept.judge(a).refusals)}
    assert not refused
