"""The part of an iteration about its failed episodes: how they ended, and what with."""

import collections
from typing import Any

import numpy as np

from experiments.report import html
from experiments.report.html import tag, text
from rlgpt_jax.rl.evaluate import failures

MAX_KINDS = 6  # rows of the table


def failures_of(evaluation: dict[str, Any]) -> str:
    """Kinds of failures, the most frequent first; "" if none failed or none was kept."""
    failed = [e for e in evaluation.get("episodes", ()) if not e["success"]]
    goals = evaluation.get("goal_names", ())
    sentences = failures.describe(
        evaluation.get("failures", {}), goals, loops=not evaluation.get("facts")
    )
    if not failed and not sentences:
        return ""
    inner = tag("h3", "Typical failures", class_="later")
    inner += "".join(tag("p", text(words)) for words in sentences)
    kinds = collections.defaultdict(list)
    for episode in failed:
        kinds[episode["end"], episode["doing"]].append(episode)
    order = sorted(kinds.items(), key=lambda pair: -len(pair[1]))
    rows = [_row(kind, episodes, len(failed)) for kind, episodes in order[:MAX_KINDS]]
    if len(order) > MAX_KINDS:
        rest = sum(len(episodes) for _, episodes in order[MAX_KINDS:])
        rows.append([f"{len(order) - MAX_KINDS} other kinds", "", *_share(rest, len(failed)), ""])
    head = ("It ended with", "Last mostly", "Episodes", "Share of failures", "Ticks, median")
    return inner + (html.table(head, rows) if rows else "")


def _row(kind: tuple[str, str], episodes: list[dict[str, Any]], total: int) -> list[str]:
    end, doing = kind
    ticks = f"{np.median([e['ticks'] for e in episodes]):.0f}"
    return [text(end), tag("code", text(doing)), *_share(len(episodes), total), ticks]


def _share(count: int, total: int) -> list[str]:
    return [str(count), html.percent(count / total)]
