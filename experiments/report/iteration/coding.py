"""The part of an iteration about its code: every version of every macro and its fate."""

from experiments.report import html
from experiments.report.highlight import code
from experiments.report.html import tag, text
from experiments.report.iteration.critic import is_of_another_run
from experiments.report.iteration.plan import fate
from experiments.report.load import Iteration, Run, Try


def code_of(it: Iteration, is_open: bool, run: Run) -> str:
    """Every version of every macro with its fate."""
    if not it.macros and not it.kept:
        return ""
    counts = (it.evaluation or {}).get("action_counts", {})
    parts = [tag("h3", "Code of the fast agent", class_="later")]
    for name, tries in it.macros.items():
        inner = "".join(_try(run, it, attempt, len(tries)) for attempt in tries)
        if name in it.fates:
            inner += html.note("In the end", it.fates[name]["words"], "")
        parts.append(html.details(_summary(name, fate(it, name), counts), inner, is_open))
    for name, source in it.kept.items():
        parts.append(html.details(_summary(name, fate(it, name), counts), code(source), is_open))
    return "".join(parts)


def _summary(name: str, chip: str, counts: dict[str, int]) -> str:
    words = tag("code", text(name)) + chip
    if name in counts:
        words += tag("span", f"chosen {counts[name]:,} times in evaluation", class_="quiet")
    return words


def _try(run: Run, it: Iteration, attempt: Try, count: int) -> str:
    title = tag("h4", f"Version {attempt.number + 1}") if count > 1 else ""
    refusal = attempt.refusal or {}
    line = refusal.get("line")
    inner = title + code(attempt.source, line) if attempt.source else title
    if refusal:
        where = f"Refused in line {line}" if line else "Refused"
        words = refusal["reason"]
        if refusal.get("instead"):
            words += f"\n\nInstead: {refusal['instead']}"
        inner += html.note(where, words, "bad")
    if attempt.trial:
        inner += html.note("Trial episodes", attempt.trial["words"], "")
    if attempt.verdict:
        content = attempt.verdict == "ok"
        words = attempt.change or ("Nothing to change." if content else "")
        who = "Trial critic: good" if content else "Trial critic: revise"
        key = f"iter{it.index}/trial_critic/try{attempt.number}"
        who += ", to another run" * is_of_another_run(run, key)
        inner += html.note(who, words, "good" if content else "warn")
    return inner
