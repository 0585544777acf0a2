"""Success against environment steps: how many samples a method needs."""

import statistics

from experiments.study import intervals
from experiments.study.intervals import counts_of
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, percent
from experiments.tables.main_table import TITLES
from experiments.tables.view import View

LEVELS = (0.25, 0.5, 0.75)
WORDS = (
    "Validation success, percent, after each iteration @ the environment steps trained until then, "
    "mean over seeds; then the training steps until success in training (smoothed) first was so "
    "high: median over the seeds that came there, and how many did. Steps of trials of macros come "
    "on top. A method that does not learn takes none."
)


def samples(view: View) -> list[Table]:
    rows, records = [], []
    for task in view.tasks:
        for variant in view.variants:
            m = view.of(task, variant)
            name = TITLES.get(variant, variant)
            if m is None:
                rows.append((task, name, view.lack(task, variant), *[NONE] * 5))
                continue
            rates = [intervals.rate(counts_of(reports)) for reports in m.validation]
            ends = list(zip(rates, m.ticks))
            trials = NONE if m.trial_ticks is None else f"{m.trial_ticks:,}"
            rows.append((
                task, name, " → ".join(f"{percent(r)} @ {t / 1000:.0f}k" for r, t in ends),
                *(_first(m, level) for level in LEVELS), trials, str(len(m.seeds)),
            ))  # fmt: skip
            records += [{"task": task, "method": name, "iteration": i, "steps": t, "validation": r}
                        for i, (r, t) in enumerate(ends)]  # fmt: skip
    columns = ("task", "method", "validation by iteration",
               *(f"steps to {level:.0%}" for level in LEVELS), "trial steps", "seeds")  # fmt: skip
    return [Table("samples", "Success against steps", WORDS, columns, rows, records)]


def _first(m: Measured, level: float) -> str:
    """`410k (3 of 3)`."""
    curves = [zip(*record["curve"]) for record in m.records]
    firsts = [next((at for at, rate in curve if rate >= level), None) for curve in curves]
    found = [at for at in firsts if at is not None]
    if not found:
        return "never" if m.ticks[-1] else NONE
    return f"{statistics.median(found) / 1000:.0f}k ({len(found)} of {len(m.seeds)})"
