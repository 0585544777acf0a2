"""The parts of a report about the whole run: head and curves."""

from collections.abc import Sequence

from experiments.configs import sight as sights
from experiments.configs import worlds
from experiments.report import html
from experiments.report.charts import line_chart
from experiments.report.html import tag, text
from experiments.report.load import Run
from experiments.report.success import best_iteration

SMOKE = "A tiny budget to try the path: the numbers of this page mean nothing."
# Column of metrics.csv, title, plotted range (None: that of the data).
CURVES: tuple[tuple[str, str, tuple[float, float] | None], ...] = (
    ("success_rate", "Success of the lanes' last training episodes", (0.0, 1.0)),
    ("episode_return", "Return of training episodes", None),
    ("episode_ticks", "Ticks of training episodes", None),
    ("decisions", "Share of ticks that are decisions of PPO", (0.0, 1.0)),
    ("entropy", "Entropy of the policy (nats)", None),
    ("explained_variance", "Explained variance of the critic", None),
    ("steps_per_second", "Environment steps per second", None),
)


def head(run: Run, words: str) -> str:
    """Title, the task in words, and the numbers a reader looks for first."""
    mode = run.config.get("loop", {}).get("mode", "")
    title = tag("p", "RL-GPT run report", class_="kicker") + tag("h1", text(run.name))
    lead = tag("p", text(f"{words[:1].upper()}{words[1:]}."), class_="lead")
    if run.smoke:
        lead += html.note("Smoke run", SMOKE, "bad")
    facts = "".join(
        f'<div class="{kind}"><dt>{text(name)}</dt><dd>{value}</dd></div>'
        for name, value, kind in _facts(run, mode)
    )
    return title + lead + tag("dl", facts, class_="facts")


def _facts(run: Run, mode: str) -> list[tuple[str, str, str]]:
    best, task = best_iteration(run), worlds.of_run(run.config)
    facts = []
    e = run.quoted or (best.evaluation if best is not None else run.validation)
    if e:
        inside = f"95 %: {100 * e['success_low']:.1f}–{100 * e['success_high']:.1f}"
        rate = html.percent(e["success_rate"])
        name = "Held-out success" if run.quoted else "Validation success so far"
        name += ", of code alone" * run.ends_with_code
        facts.append((name, rate + _small(inside), "first"))
        facts += _coded_parts(run)
        if best is not None:
            count = _small(f"of 0 to {len(run.iterations) - 1}")
            facts.append(("Best iteration", f"{best.index}{count}", ""))
        if run.task_plan:
            facts.append(("Sub-tasks", str(len(run.task_plan["sub_tasks"])), ""))
        seconds = e["mean_ticks"] * (task.spec.step_seconds if task else 1 / 20)
        seconds = _small(f"{seconds:.1f} s of the world's time")
        facts.append(("Mean episode", f"{e['mean_ticks']:.0f} ticks{seconds}", ""))
    ticks = max((row.get("ticks", 0.0) for row in run.metrics), default=0.0)
    ticks = ticks or (run.result or {}).get("ticks", 0)
    if ticks:
        facts.append(("Trained on", f"{ticks:,.0f}{_small('environment steps')}", ""))
    if tried := (run.result or {}).get("trial_ticks"):
        facts.append(("Tried macros on", f"{tried:,.0f}{_small('environment steps')}", ""))
    lost = sum(row.get("lost", 0.0) for row in run.metrics)
    if lost:
        facts.append(("Lost in training", f"{lost:,.0f}{_small('episodes, with their games')}", ""))
    facts += _times(run)
    if sight := run.config.get("sight"):  # runs of older versions have no such field
        words = sights.SPEC_WORDS if task else sights.WORDS
        facts.append(("Sight", text(sight) + _small(words[sight]), ""))
    seed = run.config.get("seed", 0)
    facts.append(("Mode", text(mode or "–") + _small(f"seed {seed}"), ""))
    return facts


def _coded_parts(run: Run) -> list[tuple[str, str, str]]:
    """The control beside the success: the best code without a policy, or the best policy."""
    result = run.result or {}
    alone = result.get("policy" if run.ends_with_code else "coded_parts")
    name = "Best policy" if run.ends_with_code else "Coded parts alone"
    if not alone:
        return []
    if not alone.get("parts", True):
        return [(name, "–" + _small("no code was accepted"), "")]
    inside = f"95 %: {100 * alone['success_low']:.1f}–{100 * alone['success_high']:.1f}"
    return [(name, html.percent(alone["success_rate"]) + _small(inside), "")]


def _small(words: str) -> str:
    return tag("span", text(words), class_="quiet")


def _times(run: Run) -> list[tuple[str, str, str]]:
    """Wall time of all starts of the program, and what of it was compiling."""
    facts = []
    if run.wall_seconds:
        whole = html.duration(max(run.wall_seconds, sum(run.seconds.values())))
        facts.append(("Wall time", whole + _small("from start to videos, over all starts"), ""))
    elif run.seconds:
        total = html.duration(sum(run.seconds.values()))
        facts.append(("Time of the phases", total + _small("of the loops; not the whole run"), ""))
    if run.compiles:
        seconds = sum(start["seconds"] for start in run.compiles)
        starts = len(run.compiles)
        words = f"of the wall time, in {starts} start{'s' * (starts > 1)}"
        facts.append(("Compile time", html.duration(seconds) + _small(words), ""))
    return facts


def curves(run: Run) -> str:
    """Training metrics against environment steps, with the iterations marked."""
    starts = _starts(run.metrics)
    cards = []
    for column, title, y_range in CURVES:
        rows = [row for row in run.metrics if column in row and "ticks" in row]
        x, y = ([row[name] for row in rows] for name in ("ticks", column))
        if chart := line_chart(title, x, y, starts, y_range):
            cards.append(html.card(tag("h3", text(title)) + chart))
    if not cards:
        return ""
    words = tag(
        "p",
        "Pale: every update. Strong: running mean. Dashed: a new iteration begins. Success is the "
        "share of lanes whose last finished episode succeeded; a lane that has finished none yet "
        "counts as a failure, so a curve begins at 0. Return and ticks are of the episodes that "
        "ended in an update: right after a start only quick, successful ones have ended.",
    )
    return html.section(
        "curves", "Learning curves", words + tag("div", "".join(cards), class_="grid2")
    )


def _starts(rows: Sequence[dict[str, float]]) -> list[float]:
    """Environment steps at which each iteration's training began."""
    starts: dict[int, float] = {}
    end = 0.0
    for row in rows:
        starts.setdefault(int(row.get("iteration", 0)), end)
        end = row.get("ticks", end)
    return [starts[i] for i in sorted(starts)]
