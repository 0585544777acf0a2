"""How much is the model's luck: the same agents asked again, in conversations of their own."""

import statistics

from experiments.study import intervals
from experiments.study.intervals import counts_of
from experiments.study.table import NONE, Table, percent, rate_cell, rate_record
from experiments.tables.view import View

DRAWS = ("rl_gpt", "second", "third")  # variants, each a conversation about the same task
WORDS = (
    "Held-out success, percent, of what did best in validation, for conversations of one model "
    "about one task, each recorded once and replayed in every seed; 95 % intervals over seeds. The "
    "last row of a task: the standard deviation of the conversations' rates beside the mean one of "
    "seeds within a conversation, both percentage points. With two or three conversations the "
    "first is known to its order alone."
)
COLUMNS = ("configuration", "conversation", "success", "by seed", "by iteration", "seeds")


def draws(view: View) -> list[Table]:
    rows, records = [], []
    for task in view.tasks:
        found = []
        for name, variant in zip(("first", *DRAWS[1:]), DRAWS):
            m = view.of(task, variant)
            if m is None:
                rows.append((task, name, view.lack(task, variant), *[NONE] * 3))
                continue
            counts = counts_of(m.final)
            by_iteration = [intervals.rate(counts_of(reports)) for reports in m.held_out]
            rows.append((
                task, name, rate_cell(counts), ", ".join(percent(c.rate) for c in counts),
                " → ".join(map(percent, by_iteration)), str(len(m.seeds)),
            ))  # fmt: skip
            records.append({"config": task, "conversation": name, "seeds": list(m.seeds),
                            **rate_record(counts)})  # fmt: skip
            found.append([c.rate for c in counts])
        if len(found) > 1:
            rows.append((task, "spread", _spread(found), *[NONE] * 3))
    title = "Conversations about one task"
    axes = ("config", "conversation")
    return [Table("draws", title, WORDS, COLUMNS, rows, records, axes)]


def _spread(rates: list[list[float]]) -> str:
    between = statistics.stdev(statistics.mean(of_seeds) for of_seeds in rates)
    within = [statistics.stdev(of_seeds) for of_seeds in rates if len(of_seeds) > 1]
    seeds = percent(statistics.mean(within)) if within else NONE
    return f"conversations {percent(between)}, seeds {seeds}"
