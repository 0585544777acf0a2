"""Tasks pooled with rliable: interquartile mean, and how often RL-GPT is above a control.

Source: Agarwal et al. 2021, Deep Reinforcement Learning at the Edge of the Statistical
Precipice (arXiv:2108.13264). All numbers are made by their library, the extra `analysis`.
"""

import importlib.util
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.study.cells import WORDS, Cell
from experiments.study.intervals import counts_of
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, percent, to

MIN_TASKS, MIN_SEEDS = 2, 3
REPS = 2000  # of the bootstrap
TABLE_WORDS = (
    "Held-out success, {tasks} pooled by rliable: the interquartile mean "
    "over tasks and seeds, percent (the middle half of the values, so that one task at 0 or 100 "
    "does not decide it), and the chance, percent, that a seed of `rl_gpt` is above one of the row "
    "on the same task (ties count half), the mean over tasks. Intervals: 95 %, percentiles of "
    "{reps} stratified bootstraps over the seeds of each task; with a few seeds they are too "
    "narrow, and they are of these tasks alone."
)
COLUMNS = ("variant", "what plays", "tasks", "seeds", "IQM", "IQM 95 %", "rl_gpt above it", "95 %")

Scores = dict[str, np.ndarray]  # variant -> float[seeds, tasks], held-out rates


def is_there() -> bool:
    """Whether rliable is."""
    return importlib.util.find_spec("rliable") is not None


def missing(measured: Mapping[Cell, Measured], variants: Sequence[str]) -> list[str]:
    """A line for what the whole table lacks, or for each of the variants that it leaves out."""
    return _scores(measured, variants)[1]


def pooled(measured: Mapping[Cell, Measured], variants: Sequence[str]) -> Table:
    """A row for each of the variants that can be pooled, `rl_gpt` among them."""
    scores = _scores(measured, variants)[0]
    records = [_record(variant, scores) for variant in scores]
    words = TABLE_WORDS.format(tasks=", ".join(_tasks(measured)), reps=f"{REPS:,}")
    rows = tuple(map(_row, records))
    return Table("pooled", "Tasks pooled", words, COLUMNS, rows, tuple(records))


def _tasks(measured: Mapping[Cell, Measured]) -> list[str]:
    """Configurations whose `rl_gpt` was measured, and is no chain of skills."""
    return [c.config for c, m in measured.items() if c.variant == "rl_gpt" and not m.is_chain]


def _scores(measured: Mapping[Cell, Measured], variants: Sequence[str]) -> tuple[Scores, list[str]]:
    """What can be pooled, and a line for what cannot."""
    if not is_there():
        return {}, ["Tasks are not pooled (IQM, probability of improvement): that needs rliable; "
                    "pip install -e '.[analysis]'"]  # fmt: skip
    tasks = _tasks(measured)
    if len({measured[Cell(task, "rl_gpt")].task for task in tasks}) < MIN_TASKS:
        found = ", ".join(tasks) or "none"
        return {}, [f"Tasks are not pooled: rl_gpt of at least {MIN_TASKS} is needed, and {found} "
                    "was measured"]  # fmt: skip
    scores, lines = {}, []
    for variant in (*variants, "its code"):
        rates = {task: _rates(measured, task, variant) for task in tasks}
        seeds = sorted(set.intersection(*(set(found) for found in rates.values())))
        if len(seeds) >= MIN_SEEDS:
            scores[variant] = np.array([[rates[task][s] for task in tasks] for s in seeds])
            continue
        has = ", ".join(f"{task} {len(found)}" for task, found in rates.items())
        lines.append(f"{variant} is not pooled: {MIN_SEEDS} seeds that all tasks have are needed, "
                     f"and there are {len(seeds)} ({has})")  # fmt: skip
    if "rl_gpt" not in scores:  # with whom all others are compared
        return {}, [line for line in lines if line.startswith("rl_gpt ")]
    return scores, lines


def _rates(measured: Mapping[Cell, Measured], task: str, variant: str) -> dict[int, float]:
    """Held-out rate by seed."""
    m = measured.get(Cell(task, "rl_gpt" if variant == "its code" else variant))
    if m is None:
        return {}
    counts = counts_of(m.coded_parts if variant == "its code" else m.final)
    return {seed: count.rate for seed, count in zip(m.seeds, counts)}


def _record(variant: str, scores: Scores) -> dict[str, Any]:
    own = scores[variant]
    middle, low, high = iqm(own) or (math.nan,) * 3
    record = {"variant": variant, "tasks": own.shape[1], "seeds": own.shape[0],
              "iqm": middle, "iqm_low": low, "iqm_high": high}  # fmt: skip
    if variant == "rl_gpt":
        return record
    chance, low, high = above(scores["rl_gpt"], own) or (math.nan,) * 3
    return {**record, "above": chance, "above_low": low, "above_high": high}


def _row(record: Mapping[str, Any]) -> tuple[str, ...]:
    variant, above = record["variant"], (NONE, NONE)
    if "above" in record:
        above = percent(record["above"]), to((record["above_low"], record["above_high"]))
    return (
        variant, WORDS[variant], str(record["tasks"]), str(record["seeds"]),
        percent(record["iqm"]), to((record["iqm_low"], record["iqm_high"])), *above,
    )  # fmt: skip


Estimate = tuple[float, ...]  # with the ends of its 95 % interval


def iqm(scores: np.ndarray) -> Estimate | None:
    """Interquartile mean of float[runs, tasks]; None for a few runs, or without rliable."""
    if len(scores) < MIN_SEEDS or not is_there():
        return None
    from rliable import metrics

    found = _interval(scores, lambda x: np.array([metrics.aggregate_iqm(x)]))
    return tuple(float(x[0]) for x in found)


def iqm_curve(values: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """The same of float[runs, points], point by point: three arrays [points]."""
    if len(values) < MIN_SEEDS or not is_there():
        return None
    from scipy.stats import trim_mean  # what rliable's own `aggregate_iqm` is

    return _interval(values[:, None], lambda x: trim_mean(x[:, 0], 0.25, axis=0))


def above(ours: np.ndarray, theirs: np.ndarray) -> Estimate | None:
    """How often a run of ours is above one of theirs, float[runs, tasks] both; None as of `iqm`."""
    if min(len(ours), len(theirs)) < MIN_SEEDS or not is_there():
        return None
    from rliable.metrics import probability_of_improvement

    found = _interval([ours, theirs], lambda x, y: np.array([probability_of_improvement(x, y)]))
    return tuple(float(x[0]) for x in found)


def _interval(scores: Any, statistic: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A statistic with its interval, the same in every call."""
    from rliable import library

    np.random.seed(0)  # noqa: NPY002 - rliable draws from it and from no generator it is given
    points, bounds = library.get_interval_estimates({"": scores}, statistic, reps=REPS)
    return points[""], *bounds[""]
