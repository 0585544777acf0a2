"""The paper's ablations: what each part of the method and each iteration adds.

Source: table 3 of arXiv 2402.19299; its tasks and worlds are others, so only the order of rows
can be compared.
"""

from collections.abc import Sequence
from typing import Any

from experiments.study.intervals import counts_of
from experiments.study.measured import Measured, Report
from experiments.study.table import Table, rate_cell, rate_record
from experiments.tables.view import View

LAST = -1
VARIANTS = ("rl_gpt", "cold", "pure_rl", "code_alone", "without_sp")
WORDS = (
    "Held-out success, percent, with 95 % intervals over seeds, as table 3 of the "
    "paper. Zero-shot is iteration 0: one round of plans and code. Rows of iteration 0 have had "
    "the training of one iteration, rows of the last that of all; `from nothing`: every iteration "
    "is trained anew with the ticks of one. Pure code has a conversation of its own. SP is the "
    "part of the slow agent's prompt that pushes it to split further what code cannot do."
)


def ablation(view: View) -> Table:
    """One column per configuration."""
    entries: list[tuple[str, dict[str, str], dict[str, Sequence[Report]]]] = []

    def row(title: str, variant: str, iteration: int, is_always: bool = True) -> None:
        """`iteration` LAST is that of the agents' own run, if it was measured."""
        found = {c: r for c in view.tasks if (r := _reports(view, c, variant, iteration))}
        if found or is_always:
            lacks = {c: view.lack(c, variant) for c in view.tasks if view.of(c, variant) is None}
            entries.append((title, lacks, found))

    num = max((m.num_iterations for m in view.measured.values()), default=1)
    row("pure RL, trained as zero-shot", "pure_rl", 0)
    row("pure RL, trained as the last iteration", "pure_rl", LAST)
    row("pure code, last iteration", "code_alone", LAST)
    row("zero-shot (iteration 0)", "rl_gpt", 0)
    for i in range(1, num - 1):
        row(f"iteration {i} without SP", "without_sp", i, False)
        row(f"iteration {i}", "rl_gpt", i, False)
    row("last iteration without SP", "without_sp", LAST)
    row("last iteration", "rl_gpt", LAST)
    row("zero-shot, from nothing", "cold", 0)
    for i in range(1, num - 1):
        row(f"iteration {i}, from nothing", "cold", i, False)
    row("last iteration, from nothing", "cold", LAST)
    rows = tuple(
        (title, *(rate_cell(counts_of(found[c])) if c in found else lacks.get(c, "–")
                  for c in view.tasks))
        for title, lacks, found in entries
    )  # fmt: skip
    records: tuple[dict[str, Any], ...] = tuple(
        {"row": title, "config": config, **rate_record(counts_of(reports))}
        for title, _, found in entries
        for config, reports in found.items()
    )
    columns = ("variant", *view.tasks)
    return Table("ablation", "Ablations", WORDS, columns, rows, records, ("row", "config"))


def _reports(view: View, config: str, variant: str, iteration: int) -> Sequence[Report] | None:
    """Held out, after an iteration; the last one's are in the row LAST alone."""
    m, own = view.of(config, variant), view.of(config, "rl_gpt")
    if m is None or (m.is_chain and iteration != LAST):
        return None
    last = _last(m, own if variant == "pure_rl" else None)
    number = last if iteration == LAST else iteration
    return None if number > last or (iteration > 0 and number == last) else m.held_out[number]


def _last(m: Measured, own: Measured | None) -> int:
    """The last iteration; of pure RL that of the agents' run, which a critic may end early."""
    last = m.num_iterations - 1
    return last if own is None or own.is_chain else min(last, own.num_iterations - 1)
