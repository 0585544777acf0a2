"""The part of an iteration about the critic's words after training."""

from typing import Any

from experiments.report import html
from experiments.report.html import marked, tag, text
from experiments.report.iteration.foreign import WARNING

VERDICT_KIND = {"keep": "good", "revise": "warn", "drop": "bad"}


def words_of(critique: dict[str, Any] | None, foreign: frozenset[str] | None = None) -> str:
    """Why it failed, a verdict per coded sub-action, advice for each agent.

    `foreign`: numbers of another run, to which a replayed critic spoke (`foreign.py`).
    """
    if not critique:
        return ""
    inner = tag("h3", "Critic", class_="later")
    if foreign is not None:
        inner += html.note("Words of another run", WARNING, "warn")
    if critique.get("solved"):
        inner += html.chip("solved: no further iteration", "good")
    if critique.get("failure"):
        inner += html.note("What went wrong", critique["failure"], "", foreign)
    rows = [_row(word, foreign) for word in critique.get("sub_actions", [])]
    if rows:
        inner += html.table(("Sub-action", "Verdict", "Reason"), rows)
    for field, title in (
        ("advice", "Advice for the next plan"), ("to_rl", "To the agent that sets up training")
    ):  # fmt: skip
        if critique.get(field):
            inner += html.note(title, critique[field], "", foreign)
    if critique.get("reasoning"):
        inner += html.details("Its reasoning", html.paragraphs(critique["reasoning"]))
    return inner


def _row(word: dict[str, Any], foreign: frozenset[str] | None) -> list[str]:
    verdict = word.get("verdict", "")
    reason = marked(word.get("reason", ""), foreign)
    if word.get("to_fast"):
        change = tag("strong", "To the coder: ") + marked(word["to_fast"], foreign)
        reason += tag("p", change, class_="change")
    return [
        tag("code", text(word.get("name", ""))),
        html.chip(verdict, VERDICT_KIND.get(verdict, "")),
        reason,
    ]
