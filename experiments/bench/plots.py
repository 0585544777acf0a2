"""Plots of the measurements: against lanes, against image size, by device."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.bench.table import Row

SWEPT = ("world", "ppo")  # parts that are swept over lanes
NAMED = 12  # bars that a plot by device shows at most


def draw(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """Writes every plot that has something to show. Returns the files."""
    plots: dict[str, Callable[[Any, Sequence[Row]], bool]] = {
        "lanes": against_lanes, "image_size": against_size, "devices": by_device,
        "breakdown": shares,
    }  # fmt: skip
    files = {folder / f"{name}.png": plot for name, plot in plots.items()}
    return [path for path, plot in files.items() if _draw(path, plot, rows)]


def _draw(path: Path, plot: Callable[[Any, Sequence[Row]], bool], rows: Sequence[Row]) -> bool:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5.2), layout="constrained")
    drawn = plot(axes, rows)
    if drawn:
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return drawn


def against_lanes(axes: Any, rows: Sequence[Row]) -> bool:
    """Steps per second against lanes, one line per way of running."""
    found = [row for row in rows if row.part in SWEPT and "steps_per_second" in row.numbers]
    _lines(axes, found, "lanes")
    axes.set(xlabel="lanes", ylabel="steps per second")
    return bool(found)


def against_size(axes: Any, rows: Sequence[Row]) -> bool:
    """Pictures per second, the world's step included, against pixels of a picture."""
    found = [row for row in rows if row.part == "frames" and row.numbers.get("pixels")]
    _lines(axes, found, "pixels")
    sizes = {row.numbers["pixels"]: _size(row) for row in found}
    axes.set_xticks(sorted(sizes), [sizes[pixels] for pixels in sorted(sizes)])
    axes.set(xlabel="picture, height x width", ylabel="pictures per second, with the world's step")
    return bool(found)


def by_device(axes: Any, rows: Sequence[Row]) -> bool:
    """The best rate of everything on every device it ran on."""
    best: dict[tuple[str, str], float] = {}
    for row in rows:
        rate = row.numbers.get("steps_per_second")
        if rate and row.part in (*SWEPT, "frames"):
            key = (_what(row), row.device)
            best[key] = max(best.get(key, 0.0), rate)
    names = list(dict.fromkeys(name for name, _ in best))[:NAMED]
    devices = list(dict.fromkeys(device for _, device in best))
    height = 0.8 / max(1, len(devices))
    for i, device in enumerate(devices):
        rates = [best.get((name, device), 0.0) for name in names]
        places = [at + (i - (len(devices) - 1) / 2) * height for at in range(len(names))]
        bars = axes.barh(places, rates, height, label=device)
        labels = [f"{rate:,.0f}" if rate else "" for rate in rates]
        axes.bar_label(bars, labels, fontsize=7, padding=2)
    axes.set(xscale="log", xlabel="steps per second, best number of lanes")
    _names(axes, names)
    axes.margins(x=0.15)
    if best:
        axes.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    return bool(best)


def shares(axes: Any, rows: Sequence[Row]) -> bool:
    """Where the time of training goes, one bar per driver and configuration."""
    found = [row for row in rows if row.part == "breakdown"]
    kinds = dict.fromkeys(k for row in found for k in row.numbers if k.startswith("share "))
    left = [0.0] * len(found)
    for kind in kinds:
        values = [max(0.0, row.numbers.get(kind, 0.0)) for row in found]
        bars = axes.barh(range(len(found)), values, 0.6, left, label=kind.removeprefix("share "))
        labels = [f"{value:.0%}" if value >= 0.03 else "" for value in values]
        axes.bar_label(bars, labels, label_type="center", fontsize=7)
        left = [a + b for a, b in zip(left, values)]
    axes.set(xlabel="share of the time of one update", xlim=(0, max([1.0, *left])))
    _names(axes, [f"{row.name}\n{row.device}" for row in found])
    if found:
        axes.legend(
            frameon=False, fontsize=8, ncols=7, loc="lower center", bbox_to_anchor=(0.4, 1.0)
        )
    return bool(found)


def _lines(axes: Any, rows: Sequence[Row], over: str) -> None:
    """One line per name and device on two logarithmic axes."""
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    several = len({row.device for row in rows}) > 1
    for key in dict.fromkeys((row.part, row.name, row.device) for row in rows):
        chosen = [row.numbers for row in rows if (row.part, row.name, row.device) == key]
        line = sorted((n[over], n["steps_per_second"]) for n in chosen)
        label = ": ".join(key[:2]) + (f", {key[2]}" if several else "")
        axes.plot(*zip(*line), marker="o", label=label)
    axes.set(xscale="log", yscale="log")
    places = sorted({row.numbers[over] for row in rows})
    axes.set_xticks(places, [f"{place:,.0f}" for place in places])
    axes.minorticks_off()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if rows:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        axes.legend(frameon=False, fontsize=7, ncols=1 if several else 2, **place)


def _names(axes: Any, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()


def _what(row: Row) -> str:
    """A name under which the fastest ways of different devices are compared."""
    if row.part == "frames":
        return f"world with pictures, {_size(row)}"
    if row.part == "ppo":
        return f"PPO, {row.name.partition(',')[0]}"
    return "world, no rays" if "no rays" in row.name else "world with rays"


def _size(row: Row) -> str:
    return f"{int(row.numbers['height'])}x{int(row.numbers['width'])}"
