"""The part of an iteration about what its policy did: actions, macros and how they ended."""

from typing import Any

from experiments.report import html
from experiments.report.html import tag, text

ENDS = (
    ("returned", "returned", ""),
    ("trapped", "trapped (an error in its code)", "bad"),
    ("tick_limit", "tick limit", "warn"),
    ("interrupted", "cut by the end of the episode", "info"),
)
MAX_ACTIONS = 14  # rows of the table of action use


def action_use(evaluation: dict[str, Any]) -> str:
    """How often each action was chosen, its share of the ticks, and how macros ended."""
    ticks = evaluation.get("action_ticks", {})
    counts = evaluation.get("action_counts", {})
    ends = evaluation.get("macro_ends", {})
    total = sum(ticks.values()) or 1
    names = sorted({**ticks, **counts}, key=lambda n: -ticks.get(n, 0))
    used = [n for n in names if ticks.get(n) or counts.get(n)]
    shown = [n for i, n in enumerate(used) if i < MAX_ACTIONS or n in ends]
    rows = [_use_row(n, counts.get(n, 0), ticks.get(n, 0) / total, ends.get(n)) for n in shown]
    rest = len(used) - len(shown)
    told = html.legend(((kind, label) for _, label, kind in ENDS), "How a macro ended")
    inner = told if ends else ""
    inner += html.table(("Action", "Share of ticks", "", "Chosen", "How it ended"), rows)
    if rest > 0:
        inner += tag("p", f"{rest} further primitive actions were used less.", class_="quiet")
    for message, count in evaluation.get("trap_messages", {}).items():
        inner += html.note("Trap", f"{message} ({count} times)", "bad")
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
    return tag("span", parts, class_="bar", role="img", aria_label=words, title=words)
