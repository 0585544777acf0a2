"""The parts of a report for whoever wants to repeat it: settings, versions, transcript."""

from typing import Any

from experiments.config_tree import leaves
from experiments.report import html, limits
from experiments.report.html import tag, text
from experiments.report.load import Run


def settings(run: Run) -> str:
    """The resolved configuration and the versions that ran it."""
    config = html.table(("Field", "Value"), _rows(run.config))
    versions = html.table(("What", "Value"), _rows(run.version))
    inner = html.details("Configuration, every field", config)
    inner += html.details("Versions and machine", versions)
    inner += _seconds(run)
    return html.section("settings", "Settings", html.card(inner))


def _seconds(run: Run) -> str:
    rows = [[text(name), html.duration(float(value))] for name, value in run.seconds.items()]
    if run.wall_seconds:
        rest = run.wall_seconds - sum(run.seconds.values())
        rows.append(["other: agents, trials, worlds, checks", html.duration(max(rest, 0.0))])
        rows.append(["all, to the end of the videos", html.duration(run.wall_seconds)])
    slow = [pair for start in run.compiles for pair in start["programs"].items()]
    programs = [[tag("code", text(name)), html.duration(seconds)] for name, seconds in slow]
    found = html.details("Wall time by phase", html.table(("Phase", "Time"), rows)) * bool(rows)
    about = "Compiling, the slowest programs of each start (inside of the phases)"
    return found + html.details(about, html.table(("Program", "Time"), programs)) * bool(slow)


def _rows(tree: dict[str, Any]) -> list[list[str]]:
    """One row per single value, with its dotted path."""
    shown = {path: "none" if value is None else value for path, value in leaves(tree).items()}
    return [[tag("code", text(path)), text(value)] for path, value in shown.items()]


def transcript(run: Run) -> str:
    """Every question to a model, who answered, and the full words on a click."""
    if not run.transcript:
        return ""
    answers = {line["key"]: line for line in run.transcript}
    models = sorted({f"{line['model']} ({line['provider']})" for line in answers.values()})
    lead = f"{len(answers)} questions, answered by {', '.join(models)}."
    parts = "".join(_exchange(line, run.text_limit) for line in answers.values())
    body = tag("p", text(lead)) + _mismatches(run) + html.card(parts)
    return html.section("transcript", "Transcript", body)


def _mismatches(run: Run) -> str:
    """A replay says how far it is from its recording."""
    result = run.result or {}
    count, total = result.get("prompts_differ"), result.get("prompts_replayed")
    if count is None:
        return ""
    words = f"{count} of {total} prompts differ from the recorded ones"
    why = ": the answers were given to slightly different measurements than this run's"
    words += f"{why * bool(count)}."
    if unanswered := result.get("prompts_unanswered"):
        words += f" {unanswered} questions were not recorded and had no answer."
    return tag("p", text(words))


def _exchange(line: dict[str, Any], limit: int) -> str:
    size = sum(len(message["text"]) for message in line["messages"])
    summary = tag("code", text(line["key"])) + tag(
        "span", f"{size:,} characters asked, {len(line['answer']):,} answered", class_="quiet"
    )
    asked = "".join(
        tag("h4", text(message["role"].capitalize())) + _verbatim(message["text"], limit)
        for message in line["messages"]
    )
    return html.details(summary, asked + tag("h4", "Answer") + _verbatim(line["answer"], limit))


def _verbatim(words: str, limit: int) -> str:
    return tag("pre", text(limits.shorten(words, limit)), class_="code words", tabindex="0")
