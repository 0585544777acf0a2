"""The paper's first table: its ten tasks by all methods, with the same budget of training.

Source: table 1 of arXiv 2402.19299.
"""

from collections.abc import Sequence
from typing import Any

from experiments.config_files import PAPER
from experiments.study import intervals, pooled
from experiments.study.intervals import counts_of
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, percent, rate_cell, rate_record, to
from experiments.tables import paper
from experiments.tables.view import View

TITLES = {
    "mineagent": "MineAgent", "mineagent_autocraft": "MineAgent + autocraft",
    "plan4mc": "Plan4MC", "code_alone": "code alone", "pure_rl_autocraft": "PPO + autocraft",
    "agents_setup": "PPO, agents' set-up", "rl_gpt": "RL-GPT",
}  # fmt: skip
METHODS = tuple(TITLES)
MARK = "(paper, MineDojo)"  # of columns that are another world's
SUCCESS_WORDS = (
    "Held-out success, percent, of what did best in validation, with 95 % intervals over seeds. "
    "All methods have the same budget of training steps; macros that are tried take steps besides "
    "(next table). Last row: the mean over the tasks that were measured, with an interval for "
    "these tasks, no narrower than the one of their episodes, which is all that one seed tells. "
    "`0, nothing crafts` is known without a run and counts as no success of RL-GPT's episodes. "
    "Where nothing on the way is crafted, autocraft has the runs without it. "
)
OVER_WORDS = (
    "RL-GPT minus each method, percentage points, the mean over the tasks that both have, with all "
    "their seeds; 95 % for tasks like these (Student's t over the tasks' differences). Above: on "
    "how many tasks RL-GPT is; shown: on how many the 95 % interval of the task's difference, over "
    "seeds where there are several, is above zero."
)
STEPS_WORDS = (
    "Environment steps of each run, training + trials of macros, mean over seeds, and how many "
    "answers of models they were; what a method may use is the same for all, agents may ask for "
    "less. Code alone has as many iterations as RL-GPT; how many answers they take, plans decide."
)


def tables(view: View) -> list[Table]:
    """Success, RL-GPT over the others, steps, tasks pooled."""
    pool = pooled.pooled(view.measured, view.variants)
    return [_success(view), _over(view), _steps(view), pool]


def notes(view: View) -> list[str]:
    return pooled.missing(view.measured, view.variants)


def _success(view: View) -> Table:
    theirs = [
        m for m in paper.METHODS if any(_paper_rate(task, m) is not None for task in view.tasks)
    ]
    columns = (
        "task",
        *(TITLES[method] for method in view.variants),
        *(f"{TITLES[method]} {MARK}" for method in theirs),
    )
    rows, records = [], []
    for task in view.tasks:
        row = [_name(task)]
        for method in view.variants:
            m = view.of(task, method)
            row.append(rate_cell(counts_of(m.final)) if m else view.lack(task, method))
            records += [_record(task, method, m)] if view.counts(task, method) else []
        for method in theirs:
            rate = _paper_rate(task, method)
            row.append(NONE if rate is None else percent(rate))
            if rate is not None:
                records.append({"task": _name(task), "method": f"{TITLES[method]} {MARK}",
                                "source": "paper", "world": "minedojo", "rate": rate})  # fmt: skip
        rows.append(tuple(row))
    if rows:
        rows.append(_mean_row(view, theirs))
    said = SUCCESS_WORDS + (paper.WORDS if theirs else "")
    title = "Success on the paper's tasks"
    axes = ("task", "method")
    return Table("main", title, said.strip(), columns, rows, records, axes)


def _mean_row(view: View, theirs: Sequence[str]) -> tuple[str, ...]:
    cells = ["mean"]
    for method in view.variants:
        found = [counts for task in view.tasks if (counts := view.counts(task, method))]
        if not found:
            cells.append(NONE)
            continue
        mean, pair = intervals.over_tasks(found)
        some = f", {len(found)} of {len(view.tasks)} tasks" * (len(found) < len(view.tasks))
        cells.append(f"{percent(mean)} ({to(pair)}){some}")
    for method in theirs:
        rates = [_paper_rate(task, method) for task in view.tasks]
        known = [rate for rate in rates if rate is not None]
        cells.append(percent(sum(known) / len(known)) if len(known) == len(rates) else NONE)
    return tuple(cells)


def _record(task: str, method: str, m: Measured | None) -> dict[str, Any]:
    """A rate with where it is from; without a measurement that which is known."""
    told = {"task": _name(task), "method": TITLES[method], "variant": method}
    if m is None:
        return {**told, "seeds": [], "rate": 0.0}
    return {
        **told, "seeds": list(m.seeds),
        "training_steps": m.ticks[-1], "trial_steps": m.trial_ticks,
        **rate_record(counts_of(m.final)),
    }  # fmt: skip


def _over(view: View) -> Table:
    rows, records = [], []
    for method in view.variants:
        found = [(ours, theirs, view.of(task, method)) for task in view.tasks
                 if (ours := view.of(task, "rl_gpt"))
                 and (theirs := view.counts(task, method))]  # fmt: skip
        both = [(counts_of(ours.final), theirs) for ours, theirs, _ in found]
        if method == "rl_gpt" or not both:
            continue
        over = intervals.difference_over_tasks(both)
        each = [intervals.difference(*pair, paired=m is None or m.seeds == ours.seeds)
                for pair, (ours, _, m) in zip(both, found, strict=True)]  # fmt: skip
        above, shown = (sum(x > 0 for x in xs) for xs in zip(*((d.size, d.low) for d in each)))
        rows.append((TITLES[method], str(len(both)), str(above), str(shown), str(over)))
        records.append({"method": TITLES[method], "tasks": len(both), "above": above,
                        "shown": shown, "minus": over.size, "minus_low": over.low,
                        "minus_high": over.high})  # fmt: skip
    columns = ("method", "tasks", "RL-GPT above", "shown", "RL-GPT minus it")
    return Table("main_over", "RL-GPT over the others", OVER_WORDS, columns, rows, records)


def _name(task: str) -> str:
    name = task.removesuffix(PAPER)
    return name + "†" * (name in paper.INFERRED and task != name)


def _paper_rate(task: str, method: str) -> float | None:
    """Of the configurations that are the paper's tasks; the others only sound like them."""
    if not task.endswith(PAPER):
        return None
    return paper.TABLE_1.get(task.removesuffix(PAPER), {}).get(method)


def _steps(view: View) -> Table:
    found = {task: [view.of(task, method) for method in view.variants] for task in view.tasks}
    rows = [(_name(t), *(_spent(m) if m else NONE for m in own)) for t, own in found.items()]
    records = [
        {"task": _name(task), "method": TITLES[m.cell.variant], "training_steps": m.ticks[-1],
         "trial_steps": m.trial_ticks, "answers": _answers(m), "tokens": m.tokens}
        for task, own in found.items() for m in own if m
    ]  # fmt: skip
    columns = ("task", *(TITLES[method] for method in view.variants))
    return Table("main_steps", "Steps and answers", STEPS_WORDS, columns, rows, records)


def _spent(m: Measured) -> str:
    return steps_words(m) + f", {_answers(m)} answers" * (_answers(m) > 0)


def _answers(m: Measured) -> int:
    """Of models, in each run; mean over seeds."""
    return round(sum(len(record["answers"]) for record in m.records) / len(m.records))


def steps_words(m: Measured) -> str:
    """`614k + 35k`: training and trials."""
    tried = NONE if m.trial_ticks is None else f"{m.trial_ticks / 1000:.0f}k"
    return f"{m.ticks[-1] / 1000:.0f}k + {tried}"
