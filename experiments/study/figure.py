"""Figures of a study, each as PNG and SVG: success per outer iteration, learning curves."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import EngFormatter, MaxNLocator, PercentFormatter

from experiments.study import intervals, pooled
from experiments.study.cells import WORDS
from experiments.study.intervals import counts_of
from experiments.study.measured import Measured
from experiments.study.table import Table

COLOURS = {"rl_gpt": "#0b6e63", "pure_rl": "#23589c", "pure_code": "#a8480c", "cold": "#8a2f6b",
           "agents_setup": "#6b7a1f", "without_macros": "#7a4a2b"}  # fmt: skip
MARKERS = {"rl_gpt": "o", "pure_rl": "s", "pure_code": "D", "cold": "^", "agents_setup": "v",
           "without_macros": "P"}  # fmt: skip
NUM_POINTS = 60  # of a curve
PER_ROW = 3  # panels
plt.rcParams["svg.hashsalt"] = "rlgpt_jax"  # equal data give equal files
plt.rcParams["svg.fonttype"] = "none"  # words stay words

SPARE = ("#0b6e63", "#a8480c", "#23589c", "#8a2f6b", "#6b7a1f", "#7a4a2b", "#4d4d4d", "#b8860b")
BAND_WORDS = (
    "Lines: training success, the interquartile mean over runs with its 95 % interval (rliable) "
    "from three runs on, else their mean and span. Dots: success in validation worlds where an "
    "iteration ended. Dashed: code without training, held out, in the colour of its runs."
)


def _colours(chosen: Iterable[Measured]) -> dict[str, str]:
    """Of every variant, the same in all panels: its own, else one that no other has."""
    variants = dict.fromkeys(m.cell.variant for m in chosen)
    own = {COLOURS.get(variant) for variant in variants}
    spare = itertools.cycle([colour for colour in SPARE if colour not in own] or SPARE)
    return {variant: COLOURS.get(variant) or next(spare) for variant in variants}


def iterations_figure(folder: Path, measured: Iterable[Measured]) -> list[Path]:
    """Held-out success after each outer iteration: one panel per configuration."""
    chosen = [m for m in measured if m.cell.variant != "pure_code"]
    return _figure(folder / "iterations", chosen, _iterations_panel)


def curves_figure(folder: Path, measured: Iterable[Measured]) -> list[Path]:
    """Training success against environment steps: one panel per configuration."""
    return _figure(folder / "curves", list(measured), _curves_panel)


def _figure(
    stem: Path,
    chosen: Sequence[Measured],
    panel: Callable[[Axes, list[Measured], Mapping[str, str]], None],
) -> list[Path]:
    """Draws the panels; nothing is written before the first run is done."""
    colours = _colours(chosen)
    configs = list(dict.fromkeys(m.cell.config for m in chosen))
    if not configs:
        return []
    columns = 2 if len(configs) == 4 else min(PER_ROW, len(configs))
    lines = -(-len(configs) // columns)
    figure, grid = plt.subplots(
        lines, columns, figsize=(max(7.0, 4.4 * columns), 3.6 * lines + 0.5), squeeze=False,
        sharey=True, layout="constrained",
    )  # fmt: skip
    for axes, config in zip(grid.flat, configs, strict=False):
        panel(axes, [m for m in chosen if m.cell.config == config], colours)
        axes.set_title(config, fontsize="small")  # the longest are as wide as a panel
        axes.set(ylim=(-0.02, 1.02))  # marks at 0 and 1 stay whole
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in list(grid.flat)[len(configs) :]:
        axes.set_axis_off()
    for line in grid:
        line[0].set_ylabel("success")
    entries = {
        label: handle
        for axes in grid.flat
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    legend(figure, list(entries.values()), list(entries))
    return _save(figure, stem)


def legend(figure: Figure, handles: list[Artist], labels: list[str]) -> Legend:
    """A legend under the panels: in two columns if the words leave room for them."""
    for columns in (2, 1):
        drawn = figure.legend(
            handles, labels, frameon=False, ncols=columns, loc="outside lower center",
            fontsize="small",
        )  # fmt: skip
        figure.draw_without_rendering()
        if columns == 1 or drawn.get_window_extent().width <= figure.bbox.width:
            break
        drawn.remove()
    return drawn


def _save(figure: Figure, stem: Path) -> list[Path]:
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    for path in paths:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
    return paths


def points_figure(stem: Path, table: Table) -> list[Path]:
    """The rates of a table's records with their intervals, groups from top to bottom; hollow marks
    are numbers of the paper, which are of another world."""
    drawn = [r for r in table.records if table.axes and r.get("rate") is not None]
    if not drawn:
        return []
    along, whose = table.axes or ("", "")
    groups, series = (list(dict.fromkeys(str(r[name]) for r in drawn)) for name in (along, whose))
    series.sort(key=lambda name: " (paper" in name)
    kinds = list(dict.fromkeys(name.partition(" (paper")[0] for name in series))
    height = 1.6 + 0.13 * len(groups) * (len(series) + 1.5)
    figure, axes = plt.subplots(figsize=(8.0, max(3.0, height)), layout="constrained")
    for place, name in enumerate(series):
        own = [r for r in drawn if str(r[whose]) == name]
        shift = (place - (len(series) - 1) / 2) * 0.8 / len(series)
        at = np.array([groups.index(str(r[along])) for r in own]) + shift
        rates = np.array([r["rate"] for r in own])
        ends = np.array([[r.get("low", r["rate"]), r.get("high", r["rate"])] for r in own])
        colour = SPARE[kinds.index(name.partition(" (paper")[0]) % len(SPARE)]
        axes.errorbar(
            rates, at, xerr=np.abs(ends.T - rates), fmt="o", ms=4, capsize=2, lw=1, label=name,
            color=colour, mfc="none" if own[0].get("source") else colour,
        )  # fmt: skip
    hollow = "\nHollow: the paper, MineDojo." * any(r.get("source") for r in drawn)
    figure.suptitle(table.source + hollow, fontsize="small")
    axes.set(xlim=(-0.02, 1.02), xlabel="success", ylim=(len(groups) - 0.4, -0.6))
    axes.set_yticks(range(len(groups)), groups)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(alpha=0.25, axis="x")
    axes.spines[["top", "right"]].set_visible(False)
    legend(figure, *axes.get_legend_handles_labels())
    return _save(figure, stem)


def _iterations_panel(axes: Axes, chosen: list[Measured], colours: Mapping[str, str]) -> None:
    """Means with intervals over seeds; small dots are single seeds."""
    for place, m in enumerate(chosen):
        shift = 0.07 * (place - (len(chosen) - 1) / 2)  # so that bars stand side by side
        counts = [counts_of(reports) for reports in m.held_out]
        x = np.arange(len(counts)) + shift
        y = np.array([intervals.rate(c) for c in counts])
        bounds = np.array([intervals.over_seeds(c) for c in counts])
        variant = m.cell.variant
        colour = colours[variant]
        axes.errorbar(
            x, y, yerr=np.abs(bounds.T - y), color=colour, marker=MARKERS.get(variant, "o"),
            ms=6, lw=1.8, capsize=4, label=label(variant),
        )  # fmt: skip
        for at, c in zip(x, counts, strict=True):
            axes.plot([at - 0.025] * len(c), [one.rate for one in c], ".", color=colour,
                      alpha=0.5, ms=5, markeredgewidth=0)  # fmt: skip
    axes.set_xlabel("outer iteration")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def label(variant: str) -> str:
    return f"{variant}: {WORDS[variant]}" if variant in WORDS else variant


def _curves_panel(axes: Axes, chosen: list[Measured], colours: Mapping[str, str]) -> None:
    """`BAND_WORDS`."""
    for m in chosen:
        colour = colours[m.cell.variant]
        curves = [(x, y) for x, y in (record["curve"] for record in m.records) if len(x)]
        if m.ticks[-1]:
            if curves:
                _band(axes, curves, label(m.cell.variant), colour)
            _dots(axes, m, colour)
        untrained = m.coded_parts if m.ticks[-1] else m.final
        if untrained:  # one level
            name = "its code" if m.ticks[-1] else m.cell.variant
            rate = intervals.rate(counts_of(untrained))
            axes.axhline(rate, color=colour, linestyle="--", lw=1.2, label=label(name))
    axes.set_xlabel("environment steps")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))


def _band(
    axes: Axes, curves: Sequence[tuple[Sequence[float], Sequence[float]]], name: str, colour: str
) -> None:
    end = min(x[-1] for x, _ in curves)
    grid = np.linspace(0, end, NUM_POINTS)[1:]
    values = np.stack([np.interp(grid, x, y) for x, y in curves])
    span = values.mean(axis=0), values.min(axis=0), values.max(axis=0)
    middle, low, high = pooled.iqm_curve(values) or span
    axes.plot(grid, middle, color=colour, label=name)
    axes.fill_between(grid, low, high, color=colour, alpha=0.15, lw=0)


def _dots(axes: Axes, m: Measured, colour: str) -> None:
    """Validation success where each iteration ended, pooled over seeds."""
    for ticks, reports in zip(m.ticks, m.validation):
        counts = counts_of(reports)
        low, high = intervals.these_agents(counts)
        rate = intervals.rate(counts)
        axes.errorbar(ticks, rate, yerr=[[rate - low], [high - rate]], color=colour, marker="o",
                      ms=4, capsize=3, lw=1)  # fmt: skip
