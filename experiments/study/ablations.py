"""The paper's ablations: parts of the method, structure of the agents, RL interface.

Sources: tables 3, 4 and 5 of arXiv 2402.19299; its tasks and worlds are others, so only the
order of rows can be compared.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.study import intervals
from experiments.study.cells import Cell, compared, without_sp
from experiments.study.intervals import counts_of, dead_loops_of
from experiments.study.measured import Measured, Report
from experiments.study.table import NONE, Table, percent, rate_cell, rate_record, to

LAST = -1
ABLATION_WORDS = (
    "Held-out success, percent, with 95 % intervals over seeds, as table 3 of the "
    "paper. Zero-shot is iteration 0: one round of plans and code. Rows of iteration 0 have had "
    "the training of one iteration, rows of the last that of all. SP is the part of the slow "
    "agent's prompt that pushes it to split further what code cannot do. " + NONE + " was not "
    "measured; what was never recorded is listed below."
)
STRUCTURE_WORDS = (
    "Held-out success of the last iteration on one task, as table 4 of the paper: one agent for "
    "everything; a slow and a fast agent that read bare facts; both with a critic. Each structure "
    "has a recorded conversation of its own, one each, so the spread over conversations is not "
    "in the intervals."
)
DESIGN_WORDS = (
    "Held-out success and share of episodes that end in a dead loop, last iteration on one task, "
    "as table 5 of the paper: the fast agent may set reward terms, the action space, or both. One "
    "recorded conversation each, so the spread over conversations is not in the intervals. A dead "
    "loop is counted as rlgpt_jax/rl/evaluate/dead_loops.py says; the paper gives no definition."
)


def ablation(measured: Mapping[Cell, Measured], configs: Sequence[str]) -> Table:
    """One column per configuration."""
    entries: list[tuple[str, dict[str, Sequence[Report]]]] = []

    def row(title: str, variant: str, iteration: int, of=lambda config: config) -> None:
        """`iteration` LAST is that of the agents' own run, if it was measured."""
        found: dict[str, Sequence[Report]] = {}
        for config in configs:
            m, own = measured.get(Cell(of(config), variant)), measured.get(Cell(config, "rl_gpt"))
            if m is None or (m.is_chain and iteration != LAST):
                continue
            last = m.num_iterations - 1
            if variant == "pure_rl" and own is not None and not own.is_chain:
                last = min(last, own.num_iterations - 1)  # a critic may end a run early
            number = last if iteration == LAST else iteration
            if number <= last and not (iteration > 0 and number == last):
                found[config] = m.held_out[number]
        if found or iteration in (0, LAST):
            entries.append((title, found))

    row("pure RL, trained as zero-shot", "pure_rl", 0)
    row("pure RL, trained as the last iteration", "pure_rl", LAST)
    row("pure code, last iteration", "pure_code", LAST)
    row("zero-shot (iteration 0)", "rl_gpt", 0)
    row("last iteration without SP", "rl_gpt", LAST, without_sp)
    for i in range(1, max((m.num_iterations for m in measured.values()), default=1) - 1):
        row(f"iteration {i}", "rl_gpt", i)
    row("last iteration", "rl_gpt", LAST)
    rows = tuple(
        (title, *(rate_cell(counts_of(found[c])) if c in found else NONE for c in configs))
        for title, found in entries
    )
    records = tuple(
        {"row": title, "config": config, **rate_record(counts_of(reports))}
        for title, found in entries
        for config, reports in found.items()
    )
    return Table("ablation", "Ablations", ABLATION_WORDS, ("variant", *configs), rows, records)


def compared_table(preset: str, measured: Mapping[Cell, Measured]) -> Table:
    """The table of structures or of designs."""
    rows, records = [], []
    for value, config in compared(preset):
        m = measured.get(Cell(config, "rl_gpt"))
        if m is None:
            rows.append((value, "not recorded or not run", *[NONE] * 5))
            continue
        rows.append(_compared_row(value, m))
        records.append({
            "value": value, "config": config, "seeds": list(m.seeds),
            "iteration": m.num_iterations - 1, **rate_record(counts_of(m.last)),
            **rate_record(dead_loops_of(m.last), "dead_"),
        })  # fmt: skip
    name = "agents" if preset == "structures" else "may be designed"
    columns = (
        name, "success", "these agents 95 %", "by seed", "dead loops (these agents 95 %)",
        "by iteration", "seeds",
    )  # fmt: skip
    title = "Structure of the agents" if preset == "structures" else "The RL interface"
    words = STRUCTURE_WORDS if preset == "structures" else DESIGN_WORDS
    return Table(preset, title, words, columns, tuple(rows), tuple(records))


def _compared_row(value: str, m: Measured) -> tuple[str, ...]:
    counts, dead = counts_of(m.last), dead_loops_of(m.last)
    by_iteration: list[Any] = [intervals.rate(counts_of(reports)) for reports in m.held_out]
    return (
        value,
        rate_cell(counts),
        to(intervals.these_agents(counts)),
        ", ".join(percent(c.rate) for c in counts),
        f"{percent(intervals.rate(dead))} ({to(intervals.these_agents(dead))})",
        " → ".join(map(percent, by_iteration)),
        str(len(m.seeds)),
    )
