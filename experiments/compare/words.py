"""Plans and code of runs as text, and what differs between two of them."""

import difflib
from collections.abc import Sequence

from experiments.compare.groups import Group, seed_of
from experiments.report.load import Iteration, Run, load_sub_tasks

MOST_LINES = 200  # of a difference


def text_of(run: Run) -> str:
    """Plan and code of the best iteration, or of the last where none is known yet."""
    lines: list[str] = []
    for part in load_sub_tasks(run) or [run]:
        if part is not run:
            lines.append(f"### {part.name}")
        best = (part.result or {}).get("best_iteration")
        if part.iterations:
            lines += _lines(
                next((i for i in part.iterations if i.index == best), part.iterations[-1])
            )
    return "\n".join(lines)


def _lines(iteration: Iteration) -> list[str]:
    plan = iteration.plan.get("sub_actions", ())
    lines = [f"# {sub['kind']} {sub['name']}: {sub.get('instruction', '')}" for sub in plan]
    for name in dict.fromkeys([*iteration.macros, *iteration.kept]):
        lines += ["", *iteration.code.get(name, "").splitlines()]
    return lines


def differences(groups: Sequence[Group]) -> str:
    """Markdown: each group's plan and code beside those of the first."""
    first = text_of(groups[0].runs[0])
    parts = ["## Plans and code\n\nOf the best iteration of the first run of each group.\n"]
    for one in groups:
        own = text_of(one.runs[0])
        others = [str(seed_of(run)) for run in one.runs if text_of(run) != own]
        told = f"Other plans or code: seeds {', '.join(others)}." if others else ""
        shown = ""
        if one is groups[0]:
            words = "what the others are set beside." if len(groups) > 1 else "one group."
        elif own == first:
            words = "the same."
        else:
            words, shown = "differs.", f"\n\n{_fenced(first, own)}"
        parts.append(f"**{one.label}**: {words} {told}".strip() + f"{shown}\n")
    return "\n".join(parts)


def _fenced(before: str, after: str) -> str:
    """A unified difference. Words of models cannot end the fence."""
    diff = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    lines = list(diff)[2:]
    cut = [f"... {len(lines) - MOST_LINES} more lines"] * (len(lines) > MOST_LINES)
    text = "\n".join([*lines[:MOST_LINES], *cut]).replace("~~~", "~ ~ ~")
    return f"~~~~~diff\n{text}\n~~~~~"
