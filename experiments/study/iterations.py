"""Does success rise with the outer iterations, and is it the plans or the training?

Every iteration of every run is evaluated on the same held-out episodes after the run.
Between the first and the last iteration of an ordinary run two things change: plans and
code, and how long the networks were trained. Two controls tell them apart.
"""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from experiments.study.cells import Cell
from experiments.study.intervals import counts_of, difference
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, rate_cell, rate_record

CHANGES = {
    "rl_gpt": "plans, code and training",
    "pure_rl": "training alone",
    "agents_setup": "training alone",
    "without_macros": "training alone",
    "cold": "plans and code alone",
    "pure_code": "plans and code alone",
}
WORDS = (
    "Success on held-out episodes after each outer iteration, percent, with 95 % intervals over "
    "seeds; agents and the choice of an iteration never saw these worlds. **Later "
    "iterations of an ordinary run have also been trained longer** (networks go on), so its rise "
    "is not the plans' alone: `pure_rl` has the same ticks per iteration and no plans, and in "
    "`cold` every iteration is trained from nothing with the ticks of one, so that what rises "
    "there are plans and code. Last minus first in percentage points; the verdict is the "
    "interval's: above zero, below zero, or holding it."
)
AGAINST_WORDS = (
    "Held-out success of `rl_gpt` minus that of `pure_rl` after the same iteration, percentage "
    "points, 95 % interval over seeds, paired by seed where both have the same ones. Where the "
    "agents asked for less training, `rl_gpt` has had fewer ticks."
)


def iterations(measured: Iterable[Measured]) -> Table:
    """One row per cell; cells with one iteration have no difference, chains no iterations."""
    chosen = [m for m in measured if not m.is_chain]
    longest = max((m.num_iterations for m in chosen), default=0)
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for m in chosen:
        counts = [counts_of(reports) for reports in m.held_out]
        cells = [rate_cell(c) for c in counts] + [NONE] * (longest - len(counts))
        records += [
            {"config": m.cell.config, "variant": m.cell.variant, "task": m.task,
             "seeds": list(m.seeds), "iteration": i, "ticks": m.ticks[i], **rate_record(c)}
            for i, c in enumerate(counts)
        ]  # fmt: skip
        change, verdict = NONE, NONE
        if len(counts) > 1:
            rise = difference(counts[-1], counts[0], paired=True)
            change, verdict = str(rise), rise.trend
            records[-1] |= {"minus_first": rise.size, "minus_first_low": rise.low,
                            "minus_first_high": rise.high, "verdict": verdict}  # fmt: skip
        rows.append((
            m.cell.config, m.cell.variant, str(len(m.seeds)), _trained(m), *cells, change,
            CHANGES.get(m.cell.variant, ""), verdict,
        ))  # fmt: skip
    columns = (
        "configuration", "variant", "seeds", "ticks trained",
        *(f"iteration {i}" for i in range(longest)), "last minus first", "what changes", "verdict",
    )  # fmt: skip
    return Table("iterations", "Success per outer iteration", WORDS, columns, rows, records)


def _trained(m: Measured) -> str:
    """Ticks behind the networks of each iteration, in thousands."""
    ends = [0, *m.ticks]
    if m.cell.variant == "cold":
        return ", ".join(f"{(b - a) / 1000:.0f}k" for a, b in itertools.pairwise(ends))
    return " → ".join(f"{t / 1000:.0f}k" for t in m.ticks) if m.ticks[-1] else "none"


def against_pure_rl(measured: Mapping[Cell, Measured]) -> Table:
    """The agents' part at equal training, where both were measured."""
    rows, records = [], []
    for cell, m in measured.items():
        other = measured.get(Cell(cell.config, "pure_rl"))
        if cell.variant != "rl_gpt" or other is None or m.is_chain:
            continue
        for i, reports in enumerate(zip(m.held_out, other.held_out, strict=False)):
            ours, theirs = map(counts_of, reports)
            minus = difference(ours, theirs, paired=m.seeds == other.seeds)
            rows.append((cell.config, str(i), rate_cell(ours), rate_cell(theirs),
                         f"{100 * minus.size:+.1f}", minus.interval, minus.verdict))  # fmt: skip
            records.append({
                "config": cell.config, "iteration": i, "difference": minus.size, "low": minus.low,
                "high": minus.high, "verdict": minus.verdict,
            })  # fmt: skip
    columns = ("configuration", "iteration", "rl_gpt", "pure_rl", "difference", "95 %", "verdict")
    title = "Agents against training alone"
    return Table("against_pure_rl", title, AGAINST_WORDS, columns, rows, records)
