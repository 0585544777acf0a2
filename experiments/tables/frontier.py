"""Where learning adds to code: RL-GPT beside code alone, each with its own conversation."""

from collections.abc import Sequence
from typing import Any

from experiments.config_files import PAPER, RAYS, TRANSCRIPTS
from experiments.study.cells import Cell
from experiments.study.intervals import counts_of, difference
from experiments.study.measured import Measured
from experiments.study.table import NONE, Table, rate_cell, rate_record
from experiments.tables.main_table import steps_words
from experiments.tables.view import View

WORDS = (
    "Held-out success, percent, of code alone and of RL-GPT, each by a conversation of its own, "
    "and their difference in percentage points, with 95 % intervals over seeds. `rays`: code and "
    "policy see what stands where; `blind_code`: the policy alone; `pixels`: the policy sees a "
    "picture of 64 x 64, code as little as at `blind_code`, so its row there is the same run. Of "
    "the paper's ten tasks (`NAME_paper`) two are given at all three, at `rays` with the budget of "
    "`NAME_rays`. "
    "Steps: of training + trials of macros. Tokens: read and written."
)
COLUMNS = (
    "task", "sight", "code alone", "RL-GPT", "RL-GPT minus code", "verdict",
    "steps of code", "steps of RL-GPT", "tokens of code", "tokens of RL-GPT",
)  # fmt: skip
Pair = tuple[Cell, Cell]


def by_sight(task: str) -> dict[str, Pair]:
    """Cells of code alone and of RL-GPT; a task that is given at one sight has that alone."""
    own = Cell(task, "code_alone"), Cell(task, "rl_gpt")
    if task.endswith(RAYS):
        return {"rays": own}
    sister = f"{task.removesuffix(PAPER)}{RAYS}"
    if task.endswith(PAPER) and not (TRANSCRIPTS / f"{sister}.jsonl").exists():
        return {"blind_code": own}
    rays = Cell(sister, "code_alone"), Cell(sister, "rl_gpt")
    return {"rays": rays, "blind_code": own, "pixels": (own[0], Cell(task, "pixels"))}


def frontier_cells(tasks: Sequence[str]) -> list[Cell]:
    return [cell for task in tasks for pair in by_sight(task).values() for cell in pair]


def frontier(view: View) -> list[Table]:
    rows, records = [], []
    for task in view.tasks:
        for sight, pair in by_sight(task).items():
            code, both = (view.measured.get(cell) for cell in pair)
            told = [rate_cell(counts_of(m.final)) if m else view.lack(c.config, c.variant)
                    for c, m in zip(pair, (code, both), strict=True)]  # fmt: skip
            minus, verdict = NONE, NONE
            if code and both:
                counts = counts_of(both.final), counts_of(code.final)
                found = difference(*counts, paired=both.seeds == code.seeds)
                minus, verdict = str(found), found.verdict
            steps = [steps_words(m) if m else NONE for m in (code, both)]
            tokens = [f"{m.tokens:,}" if m and m.tokens is not None else NONE for m in (code, both)]
            rows.append((task, sight, *told, minus, verdict, *steps, *tokens))
            for method, m in (("code alone", code), ("RL-GPT", both)):
                records += [_record(task, sight, method, m)] if m else []
    title = "What learning adds to code"
    axes = ("task and sight", "method")
    return [Table("frontier", title, WORDS, COLUMNS, rows, records, axes)]


def _record(task: str, sight: str, method: str, m: Measured) -> dict[str, Any]:
    return {
        "task and sight": f"{task}, {sight}", "method": method, "seeds": list(m.seeds),
        "training_steps": m.ticks[-1], "trial_steps": m.trial_ticks, "tokens": m.tokens,
        **rate_record(counts_of(m.final)),
    }  # fmt: skip
