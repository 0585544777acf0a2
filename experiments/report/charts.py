"""Charts as inline SVG. Colours come from style.css, so a page follows light and dark.

Coordinates are in a fixed view box; the page scales the picture to its column.
"""

import dataclasses
import math
from collections.abc import Sequence

from experiments.report.html import tag, text

WIDTH, HEIGHT = 440, 240
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 24, 42


@dataclasses.dataclass(frozen=True)
class Frame:
    """The plotted range, and the map from data to the view box."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        share = (value - self.x_low) / ((self.x_high - self.x_low) or 1.0)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.y_low) / ((self.y_high - self.y_low) or 1.0)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def line_chart(
    name: str,
    x: Sequence[float],
    y: Sequence[float],
    boundaries: Sequence[float] = (),
    y_range: tuple[float, float] | None = None,
) -> str:
    """One curve against environment steps; `boundaries` are starts of iterations."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(a) and math.isfinite(b)]
    if not pairs:
        return ""
    xs, ys = [p[0] for p in pairs], [p[1] for p in pairs]
    y_low, y_high = y_range or _padded(min(ys), max(ys))
    frame = Frame(0.0, max(max(xs), 1.0), y_low, y_high)
    parts = [
        y_axis(frame, marks := ticks(y_low, y_high, 4), lambda v: mark_words(v, marks)),
        x_axis(frame, ticks(0.0, frame.x_high, 5), "environment steps"),
    ]
    for i, start in enumerate(boundaries):
        parts.append(f'<path class="boundary" d="M{frame.x(start):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        words = f"iteration {i}" if len(boundaries) <= 3 else str(i)
        parts.append(label(frame.x(start), TOP - 8, words, "start", "quiet"))
    if len(pairs) > 20:
        parts.append(_curve(frame, xs, ys, "raw"))
        ys = smooth(ys, max(3, len(ys) // 25))
    parts.append(_curve(frame, xs, ys, "curve"))
    return svg(parts, f"{name} against environment steps, last value {short(ys[-1])}")


def smooth(values: Sequence[float], width: int) -> list[float]:
    """Centred mean over `width` values, shorter at the ends."""
    half = width // 2
    windows = [values[max(0, i - half) : i + half + 1] for i in range(len(values))]
    return [sum(window) / len(window) for window in windows]


def ticks(low: float, high: float, count: int) -> list[float]:
    """About `count` round numbers in [low, high]."""
    raw = (high - low) / count or 1.0
    scale = 10.0 ** math.floor(math.log10(raw))
    step = min((m * scale for m in (1, 2, 2.5, 5, 10)), key=lambda s: abs(s - raw))
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def short(value: float) -> str:
    """`200k`, `1.5M`, `0.25`: at most four characters where that is honest."""
    size = abs(value)
    for limit, suffix in ((1e6, "M"), (1e3, "k")):
        if size >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:.3g}"


def mark_words(value: float, marks: Sequence[float]) -> str:
    """A mark of an axis with as many decimals as its step needs."""
    step = abs(marks[1] - marks[0]) if len(marks) > 1 else abs(value)
    if step >= 1 or step == 0:
        return short(value)
    decimals = next(d for d in range(1, 9) if abs(round(step, d) - step) < 1e-3 * step)
    return f"{value:.{decimals}f}"


def _padded(low: float, high: float) -> tuple[float, float]:
    pad = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return (0.0 if 0.0 <= low < 0.5 * high else low - pad), high + pad


def _curve(frame: Frame, xs: Sequence[float], ys: Sequence[float], kind: str) -> str:
    points = " ".join(f"{frame.x(a):.1f},{frame.y(b):.1f}" for a, b in zip(xs, ys, strict=True))
    dot = ""
    if len(xs) == 1:
        dot = f'<circle class="dot" cx="{frame.x(xs[0]):.1f}" cy="{frame.y(ys[0]):.1f}" r="4"/>'
    return f'<polyline class="{kind}" points="{points}"/>{dot}'


def y_axis(frame: Frame, values: Sequence[float], words) -> str:
    lines = []
    for value in values:
        y = frame.y(value)
        lines.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        lines.append(label(LEFT - 8, y + 4, words(value), "end"))
    return "".join(lines)


def x_axis(frame: Frame, values: Sequence[float], words: str) -> str:
    y = HEIGHT - BOTTOM
    marks = [label(frame.x(v), y + 18, short(v), "middle") for v in values]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return "".join(marks) + label(middle, y + 34, words, "middle", "quiet")


def label(x: float, y: float, words: str, anchor: str, kind: str = "") -> str:
    return tag("text", text(words), x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, class_=kind)


def svg(parts: Sequence[str], description: str) -> str:
    box = f"0 0 {WIDTH} {HEIGHT}"
    return tag(
        "svg", "".join(parts), viewBox=box, role="img", aria_label=description, class_="chart"
    )
