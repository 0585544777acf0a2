"""The table of final numbers: the iteration that did best in validation, on held-out worlds."""

from collections.abc import Iterable

from experiments.study import intervals
from experiments.study.intervals import counts_of
from experiments.study.measured import Measured
from experiments.study.table import Table, percent, rate_record, to

WORDS = (
    "Held-out success in the embedded world (not Minecraft itself), percent, of the iteration "
    "that did best on other worlds (validation). Wilson pools the episodes of all seeds: how "
    "sure are we of these agents; over seeds and episodes: how sure are we of the method, "
    "roughly so with three seeds."
)
COLUMNS = (
    "configuration", "variant", "seeds", "training steps", "success", "Wilson 95 %",
    "over seeds 95 %", "over seeds and episodes 95 %", "by seed", "validation by iteration",
    "best iteration",
)  # fmt: skip


def overview(measured: Iterable[Measured]) -> Table:
    rows, records = [], []
    for m in measured:
        counts = counts_of(m.final)
        rates = [k / n for k, n in counts]
        seeds = intervals.over_seeds(rates)
        by_iteration = [intervals.rate(counts_of(reports)) for reports in m.validation]
        rows.append((
            m.cell.config, m.cell.variant, str(len(m.seeds)), f"{m.ticks[-1]:,}",
            percent(intervals.rate(counts)), to(intervals.pooled_wilson(counts)),
            to(seeds) if len(m.seeds) > 1 else "one seed", to(intervals.over_both(counts)),
            ", ".join(map(percent, rates)), " → ".join(map(percent, by_iteration)),
            ", ".join(map(str, m.best)),
        ))  # fmt: skip
        records.append({
            "config": m.cell.config, "variant": m.cell.variant, "task": m.task,
            "seeds": list(m.seeds), "ticks": m.ticks[-1], **rate_record(counts),
            "over_seeds_low": seeds[0], "over_seeds_high": seeds[1],
            "validation_by_iteration": by_iteration, "best_iteration": list(m.best),
            "wall_seconds": list(m.wall_seconds),
        })  # fmt: skip
    return Table("overview", "Final numbers", WORDS, COLUMNS, tuple(rows), tuple(records))
