"""The part of a report about a long task: its plan, and what every sub-task came to."""

from typing import Any

from experiments.report import html
from experiments.report.html import tag, text
from experiments.report.load import Run, load_sub_tasks

WORDS = (
    "{who} has split the task. Every sub-task was solved alone, from its needs in the "
    "inventory; then the whole task was played from its own start, where {picks} the "
    "skill by the inventory. Alone: held-out success of the sub-task by itself; code alone: the "
    "same without its policy. Reached: share of the held-out episodes of the "
    "whole task in which its goal was held at some tick. "
    "Brackets: 95 % Wilson intervals over episodes of this one seed."
)
COLUMNS = (
    "Sub-task", "Goal", "Needs", "Solved by", "Alone (95 %)", "Code alone",
    "Reached (95 %)", "First at tick", "Ticks in an episode", "Starts",
)  # fmt: skip


def sub_tasks(run: Run) -> str:
    """The section; "" where no planner took part."""
    if not run.task_plan:
        return ""
    chain = run.final or run.validation or {}
    searched = run.config.get("loop", {}).get("mode") == "pure_rl"
    reached = {s["name"]: s for s in chain.get("sub_tasks", ())}
    begun = {sub.folder.name: sub for sub in load_sub_tasks(run)}
    rows = [
        _row(sub, begun.get(sub["name"]), reached.get(sub["name"]), searched)
        for sub in run.task_plan["sub_tasks"]
    ]
    who, picks = (
        ("A search over basic skills", "the search, made again after every skill, picks")
        if searched
        else ("A planner", "a fixed rule picks")
    )
    inner = tag("p", text(WORDS.format(who=who, picks=picks)))
    whose = "Search" if searched else "Planner"
    inner += html.notes(run.task_plan, ("note", whose, "bad"), ("reasoning", whose, ""))
    inner += html.card(html.table(COLUMNS, rows)) + _whole(run)
    return html.section("success", "Sub-tasks and the whole", inner)


def _row(
    sub: dict[str, Any], own: Run | None, in_chain: dict[str, Any] | None, searched: bool
) -> list[str]:
    name = text(sub["name"])
    if own:
        name = tag("a", name, href=f"tasks/{sub['name']}/report.html")
    needs = ", ".join(f"{number} {item}" for item, number in sub["needs"]) or "nothing"
    by = "code" if sub["solve"] == "code" else "learning" if searched else "code and learning"
    if searched and sub["name"] == "find":  # has no success of its own
        own = None
    row = [name, text(f"{sub['quantity']} {sub['item']}"), text(needs), by]
    row += map(html.rate, (own.quoted, own.coded_parts) if own else (None, None))
    if in_chain is None:
        return [*row, *["–"] * 4]
    first = in_chain["mean_tick"]
    return [
        *row, html.rate(in_chain, "reached"), "–" if first is None else f"{first:.0f}",
        f"{in_chain['mean_ticks']:.0f}", f"{in_chain['mean_starts']:.1f}",
    ]  # fmt: skip


def _whole(run: Run) -> str:
    """The whole task in both kinds of worlds."""
    columns = ("The whole task", "Success (95 %)", "Episodes", "Ticks", "Dead loops")
    rows = [
        [
            f"{kind} worlds", html.rate(e),
            html.episodes(e["successes"], e["num_episodes"], e.get("lost", 0)),
            f"{e['mean_ticks']:.0f}", html.percent(e["dead_loop_rate"]),
        ]
        for kind, e in (("validation", run.validation), ("held-out", run.final)) if e
    ]  # fmt: skip
    if not rows:
        return tag("p", "The whole task has not been played yet.")
    return html.card(html.table(columns, rows))
