"""The table of final numbers: the iteration that did best in validation, on held-out worlds."""

from collections.abc import Iterable

from experiments.study import intervals
from experiments.study.intervals import counts_of
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, percent, rate_record, to

WORDS = (
    "Held-out success, percent, of the iteration that did best on other worlds (validation). Sight "
    "is what macros and policy see. In the embedded world every seed has held-out worlds of its "
    "own. Trial steps: of macros that were tried before training. These agents: how sure are we "
    "of what was trained here; over seeds: how sure are we of the method (Student's t: wide with "
    "two to four seeds)."
)
COLUMNS = (
    "configuration", "variant", "sight", "seeds", "training steps", "trial steps", "success",
    "these agents 95 %", "over seeds 95 %", "by seed", "validation by iteration",
    "best iteration",
)  # fmt: skip


def overview(measured: Iterable[Measured]) -> Table:
    rows, records = [], []
    for m in measured:
        counts = counts_of(m.final)
        seeds = to(intervals.over_seeds(counts)) if len(m.seeds) > 1 else "one seed"
        by_iteration = [intervals.rate(counts_of(reports)) for reports in m.validation]
        rows.append((
            m.cell.config, m.cell.variant, m.sight, str(len(m.seeds)), f"{m.ticks[-1]:,}",
            NONE if m.trial_ticks is None else f"{m.trial_ticks:,}",
            percent(intervals.rate(counts)), to(intervals.these_agents(counts)), seeds,
            ", ".join(percent(c.rate) for c in counts), " → ".join(map(percent, by_iteration)),
            ", ".join(map(str, m.best)),
        ))  # fmt: skip
        records.append({
            "config": m.cell.config, "variant": m.cell.variant, "task": m.task,
            "sight": m.sight, "seeds": list(m.seeds), "ticks": m.ticks[-1],
            "trial_ticks": m.trial_ticks, **rate_record(counts),
            "validation_by_iteration": by_iteration, "best_iteration": list(m.best),
            "wall_seconds": list(m.wall_seconds),
        })  # fmt: skip
    return Table("overview", "Final numbers", WORDS, COLUMNS, rows, records)
