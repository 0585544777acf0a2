"""Tables that set kinds of agents side by side, each with a conversation of its own.

Sources: tables 4 and 5 of arXiv 2402.19299 and its comparison of language models; its numbers are
not at hand, and its tasks and worlds are others.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.study import intervals
from experiments.study.cells import MODEL, Cell, other_models
from experiments.study.intervals import counts_of, dead_loops_of
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, percent, rate_cell, rate_record, to
from experiments.tables.view import View

SPREAD = "One conversation each, so the spread over conversations is not in the intervals."
DEAD = (
    "A dead loop is counted as rlgpt_jax/rl/evaluate/dead_loops.py says; the paper's definition is "
    "not published."
)
STRUCTURES = {
    "one agent": "one_agent",
    "slow + fast": "slow_fast",
    "slow + fast + critic": "rl_gpt",
}
DESIGNS = {"reward": "reward", "action space": "action", "both": "rl_gpt"}
ADVICE = {"with advice": "rl_gpt", "without advice": "without_advice"}
VISION = {"blind": "rl_gpt", "seeing": "seeing"}
COLUMNS = (
    "configuration", "success", "these agents 95 %", "by seed",
    "dead loops (these agents 95 %)", "by iteration", "tokens", "seeds",
)  # fmt: skip


def structure(view: View) -> list[Table]:
    words = (
        "Held-out success of the last iteration, as table 4 of the paper: one agent for "
        f"everything; a slow and a fast agent that read bare facts; both with a critic. {SPREAD}"
    )
    return [_table("structure", "Structure of the agents", words, "agents", STRUCTURES, view)]


def interface(view: View) -> list[Table]:
    words = (
        "Held-out success and share of episodes that end in a dead loop, last iteration, as table "
        "5 of the paper: the fast agent may set reward terms, the action space, or both. "
        f"{SPREAD} {DEAD}"
    )
    return [_table("interface", "The RL interface", words, "may be designed", DESIGNS, view)]


def advice(view: View) -> list[Table]:
    words = (
        "Held-out success of the last iteration with and without the advice of "
        "prompts/advice.txt: what to code, what to learn, and numbers that make a solution easy. "
        f"{SPREAD}"
    )
    return [_table("advice", "Advice in the prompts", words, "prompts", ADVICE, view)]


def vision(view: View) -> list[Table]:
    words = (
        "Held-out success of the last iteration with a critic that reads numbers alone, and with "
        f"one that sees pictures of the episodes. {SPREAD}"
    )
    return [_table("vision", "What the critic sees", words, "critic", VISION, view)]


def models(view: View) -> list[Table]:
    """One column per model."""
    words = (
        "Held-out success of the last iteration with 95 % intervals over seeds, then the share of "
        "episodes that end in a dead loop, by the model that answered; as the paper's comparison "
        f"of models. {SPREAD} Live models answer in every seed anew. {DEAD}"
    )
    rows, records = [], []
    for task in view.tasks:
        row = [task]
        for variant in view.variants:
            m = view.of(task, variant)
            row.append(_with_dead_loops(m) if m else view.lack(task, variant))
            if m:
                records.append({"config": task, "model": _model(variant, view),
                                **rate_record(counts_of(m.last)),
                                **rate_record(dead_loops_of(m.last), "dead_")})  # fmt: skip
        rows.append(tuple(row))
    columns = ("configuration", *(_model(variant, view) for variant in view.variants))
    axes = ("config", "model")
    return [Table("models", "Models", words, columns, rows, records, axes)]


def _with_dead_loops(m: Measured) -> str:
    dead = intervals.rate(dead_loops_of(m.last))
    return f"{rate_cell(counts_of(m.last))}, dead loops {percent(dead)}"


def _model(variant: str, view: View) -> str:
    """The names that the runs of a variant told, else its own."""
    told = {name for cell, m in view.measured.items() if cell.variant == variant
            for record in m.records for name in record["models"] if name}  # fmt: skip
    return ", ".join(sorted(told)) or variant.removeprefix(MODEL)


def model_cells(tasks: Sequence[str], live: Sequence[str]) -> list[Cell]:
    """Recorded models, then those that are to answer now."""
    recorded = dict.fromkeys(variant for task in tasks for variant in other_models(task))
    return [Cell(task, v) for v in ("rl_gpt", *recorded, *live) for task in tasks]


def _table(
    name: str, title: str, words: str, what: str, variants: Mapping[str, str], view: View
) -> Table:
    """A row per configuration and kind of agents."""
    rows, records = [], []
    for task in view.tasks:
        for label, variant in variants.items():
            m = view.of(task, variant)
            if m is None:
                rows.append((task, label, view.lack(task, variant), *[NONE] * 6))
                continue
            rows.append((task, label, *_row(m)))
            records.append({
                "config": task, "value": label, "seeds": list(m.seeds),
                "iteration": m.num_iterations - 1, **rate_record(counts_of(m.last)),
                **rate_record(dead_loops_of(m.last), "dead_"), "tokens": m.tokens,
            })  # fmt: skip
    columns = (COLUMNS[0], what, *COLUMNS[1:])
    return Table(name, title, words, columns, rows, records, ("config", "value"))


def _row(m: Measured) -> tuple[str, ...]:
    counts, dead = counts_of(m.last), dead_loops_of(m.last)
    by_iteration: list[Any] = [intervals.rate(counts_of(reports)) for reports in m.held_out]
    return (
        rate_cell(counts),
        to(intervals.these_agents(counts)),
        ", ".join(percent(c.rate) for c in counts),
        f"{percent(intervals.rate(dead))} ({to(intervals.these_agents(dead))})",
        " → ".join(map(percent, by_iteration)),
        NONE if m.tokens is None else f"{m.tokens:,}",
        str(len(m.seeds)),
    )
