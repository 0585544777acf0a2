"""The part of an iteration about its plan: who does what, and what became of it."""

from typing import Any

from experiments.report import html
from experiments.report.html import tag, text
from experiments.report.load import Iteration, Try

LONG, SHOWN = 400, 220  # characters of an instruction
WHO = {
    "code": "runs at the start of every episode",
    "lead": "what the policy does at first, in turn",
    "macro": "one more action of the policy",
    "learn": "left to PPO",
}


def plan_of(it: Iteration) -> str:
    """The sub-actions as a list, with the slow agent's words."""
    inner = tag("h3", "Plan") + html.notes(it.plan, ("note", "", "warn"))
    items = "".join(_sub_action(it, sub) for sub in it.plan.get("sub_actions", []))
    if items:
        inner += tag("ol", items, class_="plan")
    return inner + html.reasons(it.plan, "Reasons of the slow agent")


def _sub_action(it: Iteration, sub: dict[str, Any]) -> str:
    """Name, kind, what became of it, how much it was used, and the instruction."""
    name, kind, instruction = sub["name"], sub["kind"], sub.get("instruction", "")
    head = tag("code", text(name)) + html.chip(kind, kind)
    if kind != "learn":
        head += fate(it, name)
    who = [WHO.get(kind, ""), used(it.evaluation or {}, name) if kind != "learn" else ""]
    body = tag("p", text(", ".join(w for w in who if w)), class_="quiet")
    if instruction != "keep":
        body += _instruction(instruction)
    return tag("li", tag("div", head, class_="who") + body)


def _instruction(words: str) -> str:
    """The whole of a short one; of a long one its beginning, the rest on a click."""
    if len(words) <= LONG:
        return tag("p", text(words))
    begin = words[:SHOWN].rpartition(" ")[0]
    return tag("p", text(f"{begin} …")) + html.details("Whole instruction", tag("p", text(words)))


def fate(it: Iteration, name: str) -> str:
    """What became of the code of one sub-action, as a coloured word."""
    tries = it.macros.get(name, ())
    if not tries:
        return html.chip("earlier code kept", "good") if name in it.kept else ""
    version = it.used(name)
    if version is None:
        return html.chip("refused, left to PPO", "bad")
    number = version.number + 1
    words = "accepted" if number == len(tries) == 1 else f"accepted, version {number}"
    if refused := sum(attempt.refusal is not None for attempt in tries):
        words += f", {refused} refused"
    return html.chip(words, "good") + _content(version)


def _content(attempt: Try) -> str:
    """Whether the trial critic wanted more; nobody is asked after the last try."""
    if attempt.verdict == "ok":
        return html.chip("trial good", "good")
    return html.chip("critic wanted more", "warn") if attempt.verdict == "revise" else ""


def used(evaluation: dict[str, Any], name: str) -> str:
    """How often the evaluation used it, in words."""
    ends = evaluation.get("macro_ends", {}).get(name)
    if ends is None:
        return ""
    started = max(evaluation.get("action_counts", {}).get(name, 0), sum(ends.values()))
    if not started:
        return "never used"
    ticks = evaluation.get("action_ticks", {})
    share = ticks.get(name, 0) / max(sum(ticks.values()), 1)
    episodes = evaluation.get("num_episodes") or 1
    return f"used {started / episodes:.1f} times an episode, {share:.0%} of the ticks"
