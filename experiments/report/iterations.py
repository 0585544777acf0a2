"""The part of a report about each turn of the outer loop: plan, code, use, critique."""

from typing import Any

from experiments.report import html
from experiments.report.highlight import code
from experiments.report.html import tag, text
from experiments.report.load import Iteration, Run, Try
from experiments.report.summary import best_iteration

ENDS = (
    ("returned", "returned", ""),
    ("trapped", "trapped (an error in its code)", "bad"),
    ("tick_limit", "tick limit", "warn"),
    ("interrupted", "cut by the end of the episode", "info"),
)
VERDICT_KIND = {"keep": "good", "revise": "warn", "drop": "bad"}
MAX_ACTIONS = 14  # rows of the table of action use


def iterations(run: Run) -> str:
    """All turns in order."""
    if not any(it.plan for it in run.iterations):
        return "".join(_use_only(it) for it in run.iterations)
    best = best_iteration(run)
    return "".join(_iteration(it, best is not None and it is best) for it in run.iterations)


def _iteration(it: Iteration, is_best: bool) -> str:
    inner = _plan(it.plan) + _macros(it, is_best)
    if it.evaluation:
        inner += tag("h3", "What the policy used", class_="later") + action_use(it.evaluation)
    inner += _critique(it.critique)
    body = tag("div", inner, class_="card")
    return html.section(f"iteration-{it.index}", f"Iteration {it.index}", body)


def _use_only(it: Iteration) -> str:
    """A run without agents: the evaluation alone."""
    if not it.evaluation:
        return ""
    body = tag("div", action_use(it.evaluation), class_="card")
    return html.section(f"iteration-{it.index}", f"Iteration {it.index}: action use", body)


def _plan(plan: dict[str, Any]) -> str:
    """Sub-actions with who does them, and the slow agent's words."""
    rows = [
        [
            tag("code", text(sub["name"])),
            html.chip(sub["kind"], sub["kind"]),
            text(sub.get("instruction", "")),
        ]
        for sub in plan.get("sub_actions", [])
    ]
    inner = tag("h3", "Plan of the slow agent")
    if plan.get("note"):
        inner += note("", plan["note"], "warn")
    if rows:
        inner += html.table(("Sub-action", "Who", "Instruction"), rows)
    if plan.get("reasoning"):
        inner += html.details("Its reasoning", html.paragraphs(plan["reasoning"]))
    return inner


def _macros(it: Iteration, is_open: bool) -> str:
    """Every version of every macro with its fate."""
    if not it.macros and not it.kept:
        return ""
    counts = (it.evaluation or {}).get("action_counts", {})
    parts = [tag("h3", "Code of the fast agent", class_="later")]
    for name, tries in it.macros.items():
        inner = "".join(_try(attempt, len(tries)) for attempt in tries)
        if name in it.fates:
            inner += note("In the end", it.fates[name]["words"], "")
        parts.append(html.details(_summary(name, _fate(tries), counts), inner, is_open))
    for name, source in it.kept.items():
        chip = html.chip("kept from before", "good")
        parts.append(html.details(_summary(name, chip, counts), code(source), is_open))
    return "".join(parts)


def _summary(name: str, chip: str, counts: dict[str, int]) -> str:
    words = tag("code", text(name)) + chip
    if name in counts:
        words += tag("span", f"chosen {counts[name]:,} times in evaluation", class_="quiet")
    return words


def _fate(tries: tuple[Try, ...]) -> str:
    accepted = [attempt for attempt in tries if attempt.refusal is None]
    if not accepted:
        return html.chip("refused, left to PPO", "bad")
    words = "accepted" if len(tries) == 1 else f"accepted, {len(tries)} versions"
    if accepted[-1].verdict == "revise":
        return html.chip(f"{words}, critic not content", "warn")
    return html.chip(words, "good")


def _try(attempt: Try, count: int) -> str:
    title = tag("h4", f"Version {attempt.number + 1}") if count > 1 else ""
    refusal = attempt.refusal or {}
    line = refusal.get("line")
    inner = title + code(attempt.source, line) if attempt.source else title
    if refusal:
        where = f"Refused in line {line}" if line else "Refused"
        words = refusal["reason"]
        if refusal.get("instead"):
            words += f"\n\nInstead: {refusal['instead']}"
        inner += note(where, words, "bad")
    if attempt.trial:
        inner += note("Trial episodes", attempt.trial["words"], "")
    if attempt.verdict:
        content = attempt.verdict == "ok"
        words = attempt.change or ("Nothing to change." if content else "")
        who = "Trial critic: good" if content else "Trial critic: revise"
        inner += note(who, words, "good" if content else "warn")
    return inner


def note(who: str, words: str, kind: str) -> str:
    """Words of an agent or a check, set off by a coloured edge; text is escaped here."""
    name = tag("span", text(who), class_="who") if who else ""
    return tag("div", name + html.paragraphs(words), class_=f"note {kind}")


def _critique(critique: dict[str, Any] | None) -> str:
    """Why it failed, a verdict per coded sub-action, and advice for the next plan."""
    if not critique:
        return ""
    inner = tag("h3", "Critic", class_="later")
    if critique.get("failure"):
        inner += note("What went wrong", critique["failure"], "")
    rows = [
        [
            tag("code", text(word.get("name", ""))),
            html.chip(word.get("verdict", ""), VERDICT_KIND.get(word.get("verdict", ""), "")),
            text(word.get("reason", "")),
        ]
        for word in critique.get("sub_actions", [])
    ]
    if rows:
        inner += html.table(("Sub-action", "Verdict", "Reason"), rows)
    if critique.get("advice"):
        inner += note("Advice for the next plan", critique["advice"], "")
    return inner


def action_use(evaluation: dict[str, Any]) -> str:
    """How often each action was chosen, its share of the ticks, and how macros ended."""
    ticks = evaluation.get("action_ticks", {})
    counts = evaluation.get("action_counts", {})
    ends = evaluation.get("macro_ends", {})
    total = sum(ticks.values()) or 1
    names = sorted(set(ticks) | set(counts), key=lambda n: -ticks.get(n, 0))
    used = [n for n in names if ticks.get(n) or counts.get(n)]
    shown = [n for i, n in enumerate(used) if i < MAX_ACTIONS or n in ends]
    rows = [_use_row(n, counts.get(n, 0), ticks.get(n, 0) / total, ends.get(n)) for n in shown]
    rest = len(used) - len(shown)
    inner = _legend() if ends else ""
    inner += html.table(("Action", "Share of ticks", "", "Chosen", "How it ended"), rows)
    if rest > 0:
        inner += tag("p", f"{rest} further primitive actions were used less.", class_="quiet")
    for message, count in evaluation.get("trap_messages", {}).items():
        inner += note("Trap", f"{message} ({count} times)", "bad")
    return inner


def _use_row(name: str, count: int, share: float, ends: dict[str, int] | None) -> list[str]:
    kind = "" if ends is not None else "info"
    bar = f'<span class="bar"><i class="{kind}" style="width:{100 * share:.1f}%"></i></span>'
    label = tag("code", text(name)) + (" " + html.chip("macro", "code") if ends is not None else "")
    return [label, bar, html.percent(share), f"{count:,}", _ends(ends)]


def _ends(ends: dict[str, int] | None) -> str:
    """A stacked bar with the counts in words for readers who do not see it."""
    if not ends or not sum(ends.values()):
        return ""
    total = sum(ends.values())
    words = ", ".join(f"{ends[k]} {label}" for k, label, _ in ENDS if ends.get(k))
    parts = "".join(
        f'<i class="{kind}" style="width:{100 * ends[k] / total:.1f}%"></i>'
        for k, _, kind in ENDS
        if ends.get(k)
    )
    return f'<span class="bar" role="img" aria-label="{text(words)}" title="{text(words)}">' \
        f"{parts}</span>"


def _legend() -> str:
    items = "".join(f'<li><i class="{kind}"></i>{text(label)}</li>' for _, label, kind in ENDS)
    return f'<ul class="legend" aria-label="How a macro ended">{items}</ul>'

