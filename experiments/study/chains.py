"""Long tasks that a planner has split: the whole, and each sub-task alone and in the chain."""

from collections.abc import Iterable
from typing import Any

from experiments.study.intervals import Count, counts_of, rate, these_agents
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, percent, rate_cell, rate_record, to

WORDS = (
    "The whole task is played from its start with the skills of all sub-tasks. `alone`: success "
    "of a sub-task that starts with what it needs, best iteration, held-out worlds. `reached`: "
    "share of the whole episodes in which its goal was held. Percent with 95 % intervals: over "
    "seeds for the whole and alone, of these agents for reached."
)
COLUMNS = ("configuration", "variant", "sub-task", "solved by", "alone", "reached", "seeds")


def chains(measured: Iterable[Measured]) -> Table:
    """A row for the whole, then one per sub-task that every seed has."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for m in measured:
        if not m.is_chain:
            continue
        head, seeds = (m.cell.config, m.cell.variant), str(len(m.seeds))
        whole = counts_of(m.final)
        rows.append((*head, "whole task", "", NONE, rate_cell(whole), seeds))
        about = {"config": m.cell.config, "variant": m.cell.variant, "seeds": list(m.seeds)}
        records.append({**about, "sub_task": "", **rate_record(whole, "reached_")})
        for parts in zip(*m.sub_tasks, strict=False):  # the same plan in every seed
            alone = [Count(round(p["alone"]["success_rate"] * p["alone"]["num_episodes"]),
                           p["alone"]["num_episodes"]) for p in parts if p["alone"]]  # fmt: skip
            reached = [Count(p["in_chain"]["reached"], r["num_episodes"])
                       for p, r in zip(parts, m.final, strict=True)]  # fmt: skip
            share = f"{percent(rate(reached))} ({to(these_agents(reached))})"
            part = parts[0]
            # A find of a searched plan has no success of its own.
            own = rate_cell(alone) if alone else NONE
            rows.append((*head, part["name"], part["solve"], own, share, seeds))
            of_own = rate_record(alone, "alone_") if alone else {}
            records.append(
                {**about, "sub_task": part["name"], **of_own, **rate_record(reached, "reached_")}
            )
    return Table("chains", "Long tasks", WORDS, COLUMNS, rows, records)
