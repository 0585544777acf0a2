"""Tokens that the agents took in each iteration, from recorded conversations: nothing is run.

Source: the paper's appendix says that they rise with the iterations; its numbers are not at hand.
"""

from collections.abc import Sequence
from typing import Any

from experiments.study.agents import Conversation, conversations
from experiments.study.cells import loaded
from experiments.study.table import NONE, Table
from experiments.tables.view import View
from rlgpt_jax import files
from rlgpt_jax.agents.llm import tokens

WORDS = (
    "Tokens read + written by all agents together, by outer iteration of each recorded "
    "conversation. ~ marks estimates from characters "
    f"({tokens.CHARACTERS_PER_TOKEN} a token). Every iteration's prompts tell the ones before, up "
    "to `loop.memory_characters`."
)


def recorded(view: View) -> list[Table]:
    """One row per conversation."""
    by_task = {task: _conversations(task) for task in view.tasks}
    found = [c for own in by_task.values() for c in own]
    longest = max((len(c.iterations) for c in found), default=0)
    rows = [_row(c, longest) for c in found]
    lacking = [task for task, own in by_task.items() if not own]
    rows += [(task, "not recorded", *[NONE] * (longest + 1)) for task in lacking]
    numbers = (f"iteration {i}" for i in range(longest))
    columns = ("conversation", "calls", *numbers, "last by first")
    records = [record for c in found for record in _records(c)]
    return [Table("tokens", "Tokens per iteration", WORDS, columns, tuple(rows), records)]


def _conversations(task: str) -> list[Conversation]:
    path = files.CHECKOUT / loaded(task).llm.transcript
    return conversations([path]) if path.is_file() else []


def _row(found: Conversation, longest: int) -> tuple[str, ...]:
    spent = [it.spent for it in found.iterations]
    cells = [f"{'~' * s.estimated}{s.input_tokens:,} + {s.output_tokens:,}" for s in spent]
    rise = _total(spent[-1]) / _total(spent[0]) if len(spent) > 1 else None
    return (
        found.name, str(sum(s.calls for s in spent)), *cells, *[NONE] * (longest - len(cells)),
        NONE if rise is None else f"× {rise:.2f}",
    )  # fmt: skip


def _total(spent: tokens.Cell) -> int:
    return spent.input_tokens + spent.output_tokens


def _records(found: Conversation) -> Sequence[dict[str, Any]]:
    return [
        {"conversation": found.name, "iteration": it.number, "task": it.task,
         "calls": it.spent.calls, "input_tokens": it.spent.input_tokens,
         "output_tokens": it.spent.output_tokens, "estimated": it.spent.estimated}
        for it in found.iterations
    ]  # fmt: skip
