"""The part of a report that sets iterations side by side, and shows what changed in each."""

import itertools
import re

from experiments.configs import worlds
from experiments.report import html, limits
from experiments.report.changes.diff import Diff, side_by_side
from experiments.report.html import tag, text
from experiments.report.iteration.interface import described
from experiments.report.iteration.plan import fate
from experiments.report.load import Iteration, Run, question
from rlgpt_jax.envs.control.task import ControlTask

KEY = re.compile(r"(?:^|/)iter(\d+)/(.+)$")
SENTENCE = re.compile(r"(?<=[.;:])\s+")
AGENTS = {"slow": "Prompt of the slow agent", "critic": "Prompt of the critic"}


def changes(run: Run) -> str:
    """A column per iteration, then plan, code and prompts against the iteration before."""
    its = [it for it in run.iterations if it.plan]
    if len(its) < 2:
        return ""
    head = ("", *(f"Iteration {it.index}" for it in its))
    rows = [[name, *(cell(it) for it in its)] for name, cell in ROWS.items()]
    table = tag("div", html.table(head, rows, "Iterations side by side"), class_="card beside")
    pairs = "".join(_pair(run, a, b) for a, b in itertools.pairwise(its))
    words = tag("p", "Left: before; right: after. Equal lines are left out.")
    inner = table + words + tag("div", pairs, class_="card")
    return html.section("changes", "What changed", inner)


def _plan(it: Iteration) -> str:
    subs = it.plan.get("sub_actions", [])
    items = (tag("code", text(s["name"])) + " " + html.chip(s["kind"], s["kind"]) for s in subs)
    return tag("ul", "".join(tag("li", item) for item in items), class_="plain")


def _code(it: Iteration) -> str:
    names = [s["name"] for s in it.plan.get("sub_actions", []) if s["kind"] != "learn"]
    found = ((name, fate(it, name)) for name in names)
    items = "".join(tag("li", tag("code", text(name)) + " " + chip) for name, chip in found if chip)
    return tag("ul", items, class_="plain") if items else "–"


ROWS = {
    "Validation success (95 %)": lambda it: html.rate(it.evaluation),
    "Code alone (95 %)": lambda it: html.rate(it.coded_parts),
    "Plan": _plan,
    "Code": _code,
}


def _pair(run: Run, old: Iteration, new: Iteration) -> str:
    """All differences of two iterations, each on a click."""
    plans = (
        plan_text(it, instructions(run, it.index), worlds.of_run(run.config)) for it in (old, new)
    )
    found = [("Plan", side_by_side(*plans))]
    before, after = old.code, new.code
    for name in dict.fromkeys([*before, *after]):
        kind = "" if name in before and name in after else " (new)" if name in after else " (gone)"
        found.append(
            (f"Code of {name}{kind}", side_by_side(before.get(name, ""), after.get(name, "")))
        )
    asked_before, asked_after = (_prompts(run, it.index) for it in (old, new))
    for key, words in asked_after.items():
        if key in asked_before:
            title = AGENTS.get(key, f"Prompt {key}")
            found.append((title, side_by_side(asked_before[key], words)))
    title = tag("h3", f"From iteration {old.index} to iteration {new.index}")
    return title + "".join(_entry(name, diff) for name, diff in found)


def _entry(name: str, diff: Diff) -> str:
    label = text(name) + tag("span", diff.words, class_="quiet")
    return html.details(label, diff.html) if diff.html else tag("p", label, class_="unchanged")


def instructions(run: Run, iteration: int) -> dict[str, str]:
    """The words for every sub-action so far; "keep" stands for those of an earlier plan."""
    found: dict[str, str] = {}
    for it in run.iterations[: iteration + 1]:
        for sub in it.plan.get("sub_actions", []):
            words = sub.get("instruction", "")
            found[sub["name"]] = found.get(sub["name"], words) if words == "keep" else words
    return found


def plan_text(it: Iteration, told: dict[str, str], task: ControlTask | None = None) -> str:
    """A plan and the set-up of its training, a sentence a line; `task` of worlds with a spec."""
    lines = []
    for sub in it.plan.get("sub_actions", []):
        lines += [f"{sub['name']} ({sub['kind']})"]
        lines += [f"  {line}" for line in SENTENCE.split(told[sub["name"]]) if line]
    if it.interface:
        lines += [
            "set-up of the training",
            *described(it.interface, task.spec if task else None).splitlines(),
        ]
    return "\n".join(lines)


def _prompts(run: Run, iteration: int) -> dict[str, str]:
    """Questions of an iteration, by the rest of their key."""
    found = {}
    for line in run.transcript:
        match = KEY.search(line["key"])
        if match and int(match[1]) == iteration:
            found[match[2]] = limits.shorten(question(line), run.text_limit)
    return found
