"""Learning curves of a study: training success against environment steps.

Lines are means over seeds, bands span the seeds; dots are the validation of every iteration.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from experiments.study.runs import Run
from experiments.study.table import evaluations, pooled

COLOURS = {"rl_gpt": "#0b6e63", "pure_rl": "#23589c", "pure_code": "#a8480c"}
NUM_POINTS = 60  # of a curve; each is the mean success of the episodes in that window


def write_figure(path: Path, runs: Sequence[Run]) -> None:
    """One panel per task; nothing is written before the first run is done."""
    done = [run for run in runs if run.is_done]
    tasks = list(dict.fromkeys(run.task for run in done))
    if not tasks:
        return
    figure, panels = plt.subplots(
        1, len(tasks), figsize=(4.4 * len(tasks), 3.8), squeeze=False, sharey=True,
        layout="constrained",
    )  # fmt: skip
    for axes, task in zip(panels[0], tasks, strict=True):
        _panel(axes, task, [run for run in done if run.task == task])
    panels[0][0].set_ylabel("success")
    panels[0][0].legend(frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _panel(axes: Axes, task: str, runs: Sequence[Run]) -> None:
    for mode in dict.fromkeys(run.mode for run in runs):
        chosen = [run for run in runs if run.mode == mode]
        colour = COLOURS[mode]
        curves = [curve(run) for run in chosen]
        if all(len(x) for x, _ in curves):
            _band(axes, curves, mode, colour)
            _dots(axes, chosen, curves, colour)
        else:  # nothing is trained: one level
            rate = pooled([evaluations(run)[-1] for run in chosen])["rate"]
            axes.axhline(rate, color=colour, linestyle="--", label=mode)
    axes.set(title=task, xlabel="environment steps", ylim=(0, 1))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(alpha=0.25)


def _band(
    axes: Axes, curves: Sequence[tuple[np.ndarray, np.ndarray]], label: str, colour: str
) -> None:
    end = min(x[-1] for x, _ in curves)
    grid = np.linspace(0, end, NUM_POINTS)[1:]
    values = np.stack([np.interp(grid, x, y) for x, y in curves])
    axes.plot(grid, values.mean(axis=0), color=colour, label=label)
    axes.fill_between(grid, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, lw=0)


def _dots(
    axes: Axes, runs: Sequence[Run], curves: Sequence[tuple[np.ndarray, np.ndarray]], colour: str
) -> None:
    """Validation success where each iteration ended, pooled over seeds."""
    reports = [evaluations(run) for run in runs]
    count = min(map(len, reports))
    for i in range(count):
        x = np.mean([steps[-1] for steps, _ in curves]) * (i + 1) / count
        p = pooled([r[i] for r in reports])
        low, high = p["wilson"]
        error = [[p["rate"] - low], [high - p["rate"]]]
        axes.errorbar(x, p["rate"], yerr=error, color=colour, marker="o", ms=4, capsize=3, lw=1)


def curve(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """(environment steps, training success smoothed over about 1/30 of the run)."""
    path = run.folder / "metrics.csv"
    if not path.exists():
        return np.empty(0), np.empty(0)
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("success_rate")]
    x = np.array([float(row["ticks"]) for row in rows])
    y = np.array([float(row["success_rate"]) for row in rows])
    weight = np.array([float(row.get("episodes") or 1) for row in rows])
    width = max(1, len(y) // 30)
    window = np.ones(width)
    total = np.convolve(weight, window, "same")
    return x, np.convolve(y * weight, window, "same") / np.maximum(total, 1)
