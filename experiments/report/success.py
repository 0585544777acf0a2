"""The part of a report about success per outer iteration: a chart and a table."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from experiments.report import charts, html
from experiments.report.charts import BOTTOM, HEIGHT, Frame
from experiments.report.html import percent, tag, text
from experiments.report.load import Iteration, Run

VALIDATION, HELD_OUT = "validation", "held-out"
SHIFT = 0.07  # of iterations, so that two intervals stand side by side
WORDS = (
    "Every iteration is evaluated on validation worlds that training never sees; the best policy "
    "is then evaluated once more, on held-out worlds that nothing was chosen by. "
)
EVERY = (
    "The other held-out values were measured after the run; neither the agents nor the choice "
    "of the best iteration saw them. "
)
ALONE = (
    "Code: the coded parts of an iteration, one after the other and again from the first, in the "
    "same worlds without the policy; held-out those that did best in validation. The run ends "
    "with the better of policy and code in validation. "
)
END = (
    "Bars are 95 % Wilson intervals over episodes of this one seed. Later iterations have also "
    "been trained longer. "
)
EMBEDDED = (
    "The worlds are the embedded ones; the numbers cannot be compared with results in Minecraft "
    "itself."
)
SIMULATED = "The worlds are simulators', whose settings are ours (docs/control.md)."
MINEDOJO = "The worlds are what MineDojo's client was given: Minecraft's, or those of a stand-in."
PLACES = {"voxel": EMBEDDED, "minedojo": MINEDOJO}


@dataclasses.dataclass(frozen=True)
class Point:
    """One evaluation of one iteration."""

    iteration: int
    kind: str  # VALIDATION or HELD_OUT
    report: dict[str, Any]
    is_best: bool = False

    @property
    def note(self) -> str:
        r = self.report
        return (
            f"iteration {self.iteration}, {self.kind}: {percent(r['success_rate'])} "
            f"({100 * r['success_low']:.1f}–{100 * r['success_high']:.1f}), "
            f"{r['successes']} of {r['num_episodes']} episodes"
        )


def best_iteration(run: Run) -> Iteration | None:
    """The iteration that the result names, else the best evaluated so far."""
    done = [it for it in run.iterations if it.evaluation]
    named = [it for it in done if it.index == (run.result or {}).get("best_iteration")]
    if named:
        return named[0]
    return max(done, key=lambda it: it.evaluation["success_rate"], default=None)  # type: ignore


def held_out(run: Run, it: Iteration) -> dict[str, Any] | None:
    """The held-out evaluation of an iteration; the best one's is the run's own."""
    is_best = it is best_iteration(run)
    return run.final if it.held_out is None and is_best else it.held_out


def success(run: Run) -> str:
    """Chart and table of the success of every iteration."""
    if run.task_plan:
        return ""  # a long task has `sub_tasks.py`
    points = _points(run)
    if not points:
        none = tag("p", "No iteration has been evaluated yet.")
        return html.section("success", "Success", none)
    every = EVERY if any(it.held_out for it in run.iterations) else ""
    worlds = len((run.final or {}).get("by_world") or ())
    every += f"The held-out episodes are in {worlds} worlds of this seed's own. " * bool(worlds)
    words = WORDS + every + ALONE * bool(run.coded_parts) + END
    world = run.config.get("world")
    words += PLACES.get(world, SIMULATED) if isinstance(world, str) else EMBEDDED
    kinds = dict.fromkeys(point.kind for point in points)
    legend = html.legend(((kind, f"{kind} worlds") for kind in kinds), "Kinds of worlds")
    both = html.card(legend + success_chart(points)) + html.card(_table(points, run))
    inner = tag("p", text(words)) + tag("div", both, class_="grid2 uneven")
    return html.section("success", "Success per iteration", inner)


def _points(run: Run) -> list[Point]:
    best = best_iteration(run)
    points = []
    for it in run.iterations:
        if it.evaluation:
            points.append(Point(it.index, VALIDATION, it.evaluation, it is best))
        if report := held_out(run, it):
            points.append(Point(it.index, HELD_OUT, report, it is best))
    return points


def success_chart(points: Sequence[Point]) -> str:
    """Success rate per outer iteration, a line with intervals per kind of worlds."""
    last = max(point.iteration for point in points)
    frame = Frame(-0.35, last + 0.45, 0.0, 1.0)
    both = {point.iteration for point in points if point.kind == HELD_OUT}
    parts = [charts.y_axis(frame, (0, 0.25, 0.5, 0.75, 1), lambda v: f"{100 * v:.0f}%")]
    for kind in (VALIDATION, HELD_OUT):
        chosen = [point for point in points if point.kind == kind]
        parts.append(_line(frame, chosen, kind))
        for point in chosen:
            parts.append(_mark(frame, point))
            if kind == HELD_OUT or point.iteration not in both:
                parts.append(_value(frame, point))
    for number in range(last + 1):
        words = f"iteration {number}" if last < 5 else str(number)
        parts.append(charts.label(frame.x(number), HEIGHT - BOTTOM + 18, words, "middle"))
    described = "; ".join(point.note for point in points)
    return charts.svg(parts, f"Success per iteration: {described}")


def _at(frame: Frame, point: Point) -> tuple[float, float]:
    shift = SHIFT if point.kind == HELD_OUT else -SHIFT
    return frame.x(point.iteration + shift), frame.y(point.report["success_rate"])


def _line(frame: Frame, points: Sequence[Point], kind: str) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(frame, p) for p in points))
    return f'<polyline class="path {kind}" points="{places}"/>' if len(points) > 1 else ""


def _mark(frame: Frame, point: Point) -> str:
    x, y = _at(frame, point)
    top, bottom = frame.y(point.report["success_high"]), frame.y(point.report["success_low"])
    return (
        f'<g class="point {point.kind}"><title>{text(point.note)}</title>'
        f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}M{x - 6:.1f} {top:.1f}h12'
        f'M{x - 6:.1f} {bottom:.1f}h12"/><circle cx="{x:.1f}" cy="{y:.1f}" r="5.5"/></g>'
    )


def _value(frame: Frame, point: Point) -> str:
    x, y = _at(frame, point)
    return charts.label(x + 11, y + 4, percent(point.report["success_rate"]), "start", "value")


def _table(points: Sequence[Point], run: Run) -> str:
    columns = ("Iteration", "Worlds", "Success (95 %)", "Episodes", "Return", "Ticks", "Dead loops")
    rows, named = [], None
    for point in points:
        mark = " " + html.chip("best", "good") if point.is_best else ""
        shown = "" if point.iteration == named else f"{point.iteration}{mark}"
        named = point.iteration
        rows.append([shown, point.kind, *_cells(point.report)])
    for it in run.iterations:
        if it.coded_parts:
            rows.append([f"code {it.index}", VALIDATION, *_cells(it.coded_parts)])
    if run.coded_parts:
        rows.append(["code", HELD_OUT, *_cells(run.coded_parts)])
    return html.table(columns, rows)


def _cells(r: dict[str, Any]) -> list[str]:
    """Numbers of one evaluation."""
    dead = None if r.get("facts") else r.get("dead_loop_rate")
    return [
        html.rate(r),
        html.episodes(r["successes"], r["num_episodes"], r.get("lost", 0)),
        f"{r['mean_return']:.2f}" if "mean_return" in r else "–",
        f"{r['mean_ticks']:.0f}" if "mean_ticks" in r else "–",
        html.percent(dead) if isinstance(dead, int | float) else "–",
    ]
