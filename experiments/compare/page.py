"""The page and the picture of a comparison."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.compare import words
from experiments.compare.groups import Group, group, seed_of
from experiments.config_tree import different
from experiments.configs import worlds
from experiments.study import figure, intervals, pooled
from experiments.study.cells import Cell
from experiments.study.finished import curve_of, record_of
from experiments.study.intervals import counts_of
from experiments.study.measured import Measured, measured_of
from experiments.study.page import versions
from experiments.study.table import NONE, Table, percent, to

WORDS = (
    "Held-out success, percent, of what each run ended with. 95 % intervals: of these agents in "
    "other worlds (of one run beside that of its report, which takes episodes in one world as "
    "if they were in several), and of the method over seeds (Student's t). IQM: interquartile "
    "mean over the runs with rliable's stratified bootstrap, from {least} runs on. The last "
    "columns set the row beside the first of its task: the difference in percentage points, and "
    "the chance that a run of the row is above one of the first (ties count half)."
)
COLUMNS = (
    "task", "runs", "seeds", "training steps", "success", "these agents", "over seeds", "IQM",
    "minus first", "above first",
)  # fmt: skip


def compare(folders: Sequence[Path], out: Path, command: str) -> str:
    """Writes compare.md, curves.png and curves.svg. Returns what to print.

    Args:
      folders: run folders; one that is not finished gives its curve, plan and code alone.
      command: that is named as the one to repeat it.
    """
    groups = group(folders)
    measured = {one.label: found for one in groups if (found := _measured(one))}
    table = _table(groups, measured)
    figure.curves_figure(out, [measured.get(one.label) or _going(one) for one in groups])
    settings = _settings(groups)
    runs = [run for one in groups for run in one.runs]
    notes = [f"Not finished, so not in the table: {x.folder}" for x in runs if not x.result]
    smoke = [str(run.folder) for run in runs if run.smoke]
    notes += [f"{name} is measured in {place}" for name, place in _places(groups).items()]
    notes += [f"Smoke runs, whose numbers mean nothing: {', '.join(smoke)}"] * bool(smoke)
    if not pooled.is_there():
        notes.append("No IQM: that needs rliable; pip install -e '.[analysis]'")
    cells = {Cell(m.task, label): m for label, m in measured.items()}
    how = [f"- `{command}`", *(f"- {line}" for line in (*notes, *versions(cells)))]
    parts = [
        "# Runs compared\n", table.markdown(), f"![curves](curves.png)\n\n{figure.BAND_WORDS}\n",
        settings.markdown() if settings.rows else "", words.differences(groups),
        "## How\n\n" + "\n".join(how) + "\n",
    ]  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    (out / "compare.md").write_text("\n".join(filter(None, parts)), encoding="utf-8")
    told = [table.markdown(), *notes, f"Written: compare.md, curves.png, curves.svg in {out}"]
    return "\n".join(told)


def _places(groups: Sequence[Group]) -> dict[str, str]:
    """Which simulator a task's numbers come from."""
    tasks = [worlds.of_run(one.runs[0].config) for one in groups]
    return {task.name: task.place for task in tasks if task}


def _measured(one: Group) -> Measured | None:
    """The group's finished runs as a study's cell."""
    cell = Cell(one.task, one.variant)
    records = [record_of(cell, seed_of(run), run.folder) for run in one.runs if run.result]
    return measured_of(cell, records) if records else None


def _going(one: Group) -> Measured:
    """A group without a finished run: its curves are there."""
    return Measured(
        Cell(one.task, one.variant), one.task, tuple(map(seed_of, one.runs)),
        tuple({"curve": curve_of(run.folder)} for run in one.runs), held_out=(), validation=(),
        final=(), best=(), sight=NONE, ticks=(1,), wall_seconds=(),
    )  # fmt: skip


def _table(groups: Sequence[Group], measured: dict[str, Measured]) -> Table:
    first: dict[str, Measured] = {}  # by task
    found = [(one.task, m) for one in groups if (m := measured.get(one.label))]
    rows = [_row(m, first.setdefault(task, m)) for task, m in found]
    said = WORDS.format(least=pooled.MIN_SEEDS)
    return Table("compare", "Success", said, COLUMNS, rows, ())


def _row(m: Measured, first: Measured) -> tuple[str, ...]:
    counts, base = counts_of(m.final), counts_of(first.final)
    iqm = above = minus = NONE
    rates, others = (np.array([[c.rate] for c in cs]) for cs in (counts, base))
    if middle := pooled.iqm(rates):
        iqm = f"{percent(middle[0])} ({to(middle[1:])})"
    if m is not first:
        found = intervals.difference(counts, base, paired=m.seeds == first.seeds)
        minus = f"{found}, {found.verdict}"
        if chance := pooled.above(rates, others):
            above = f"{percent(chance[0])} ({to(chance[1:])})"
    agents, seeds = to(intervals.these_agents(counts)), "one seed"
    if len(counts) > 1:
        seeds = to(intervals.over_seeds(counts))
    elif (own := to([m.final[0][f"success_{end}"] for end in ("low", "high")])) != agents:
        agents += f" (in its report {own})"
    return (
        m.task, m.cell.variant, ", ".join(map(str, m.seeds)), f"{m.ticks[-1]:,}",
        percent(intervals.rate(counts)), agents, seeds, iqm, minus, above,
    )  # fmt: skip


def _settings(groups: Sequence[Group]) -> Table:
    fields = different([one.config for one in groups])
    rows = [(path, *(str(one.config.get(path, NONE))[:80] for one in groups)) for path in fields]
    columns = ("field", *(one.label for one in groups))
    said = "Fields in which the groups differ; all else is the same."
    return Table("settings", "Settings", said, columns, rows, ())
