"""The part of an iteration about the critic's words after training."""

import re
from typing import Any

from experiments.report import html
from experiments.report.html import tag, text
from experiments.report.load import Run, question

WARNING = (
    "Replayed: these words were given to the recorded run, whose measurements differ from this "
    "run's."
)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
VERDICT_KIND = {"keep": "good", "revise": "warn", "drop": "bad"}


def is_of_another_run(run: Run, key: str) -> bool:
    """Whether the recorded question of this key told numbers that this run's does not."""
    line = next((x for x in run.transcript if x["key"].endswith(key)), None)
    recorded = run.recorded.get(line["key"]) if line and line["provider"] == "replay" else None
    if line is None or recorded is None:
        return False
    return bool(set(NUMBER.findall(recorded)) - set(NUMBER.findall(question(line))))


def words_of(critique: dict[str, Any] | None, is_foreign: bool = False) -> str:
    """Why it failed, a verdict per coded sub-action, advice for each agent.

    `is_foreign`: whether a replayed critic spoke of the measurements of another run.
    """
    if not critique:
        return ""
    inner = tag("h3", "Critic", class_="later")
    if is_foreign:
        inner += html.note("Words of another run", WARNING, "warn")
    if critique.get("solved"):
        inner += html.chip("solved: no further iteration", "good")
    inner += html.notes(critique, ("failure", "What went wrong", ""))
    rows = [_row(word) for word in critique.get("sub_actions", [])]
    if rows:
        inner += html.table(("Sub-action", "Verdict", "Reason"), rows)
    advice = ("advice", "Advice for the next plan", "")
    inner += html.notes(critique, advice, ("to_rl", "To the agent that sets up training", ""))
    return inner + html.reasons(critique, "Its reasoning")


def _row(word: dict[str, Any]) -> list[str]:
    verdict = word.get("verdict", "")
    reason = text(word.get("reason", ""))
    if word.get("to_fast"):
        change = tag("strong", "To the coder: ") + text(word["to_fast"])
        reason += tag("p", change, class_="change")
    return [
        tag("code", text(word.get("name", ""))),
        html.chip(verdict, VERDICT_KIND.get(verdict, "")),
        reason,
    ]
