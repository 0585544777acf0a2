"""Rows of measurements, as a printed table, as JSON and as a plot."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclasses.dataclass(frozen=True)
class Row:
    """One measurement."""

    part: str  # world, parts, pool, ppo, compile, craftax
    name: str
    numbers: dict[str, float]  # steps/s, seconds, or shares of the whole if named "share ..."


def show(console: Console, rows: Sequence[Row]) -> None:
    """Prints one table per part."""
    for part in dict.fromkeys(row.part for row in rows):
        chosen = [row for row in rows if row.part == part]
        names = list(dict.fromkeys(name for row in chosen for name in row.numbers))
        table = Table(title=part, title_justify="left")
        table.add_column("what")
        for name in names:
            table.add_column(name.replace("_", " "), justify="right")
        for row in chosen:
            table.add_row(row.name, *(_cell(name, row.numbers.get(name)) for name in names))
        console.print(table)


def _cell(name: str, value: float | None) -> str:
    if value is None or value != value:
        return ""
    if name.startswith("share"):
        return f"{value:.0%}"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"


def plot(path: Path, rows: Sequence[Row]) -> None:
    """Steps per second against lanes, one line per way of running."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    swept = [row for row in rows if "lanes" in row.numbers and "steps_per_second" in row.numbers]
    if not swept:
        return
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for key in dict.fromkeys((row.part, row.name) for row in swept):
        line = [row.numbers for row in swept if (row.part, row.name) == key]
        axes.plot(
            [n["lanes"] for n in line], [n["steps_per_second"] for n in line], marker="o",
            label=": ".join(key),
        )
    axes.set(xscale="log", yscale="log", xlabel="lanes", ylabel="steps per second")
    lanes = sorted({int(row.numbers["lanes"]) for row in swept})
    axes.set_xticks(lanes, [str(n) for n in lanes])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
