"""How many tokens an exchange took: counted by the provider, else estimated here.

The only place that turns characters and pictures into tokens.
"""

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rlgpt_jax.agents.llm.base import Usage

# Of English and code with today's tokenizers; they differ by about a fifth either way.
CHARACTERS_PER_TOKEN = 3.6
IMAGE_TOKENS = 1500  # of a picture with about a megapixel
# Columns of the table; the critic of trials and that of iterations are one agent.
AGENTS = ("planner", "slow", "fast", "critic", "one")
_SAME = {"trial_critic": "critic"}
_ITERATION = re.compile(r"(?:^|/)iter(\d+)(?:/|$)")
_TASK = re.compile(r"(?:^|/)task/([^/]+)(?:/|$)")


@dataclasses.dataclass(frozen=True)
class Cell:
    """What one agent used in one iteration."""

    task: str = ""  # of a planner's chain; "" if there is one task only
    iteration: int | None = None  # None: before the iterations
    agent: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    price: float | None = 0.0  # US dollars; None if that of any call is not known
    estimated: bool = False  # nobody counted the tokens of one of the calls

    def plus(self, other: "Cell") -> "Cell":
        known = self.price is not None and other.price is not None
        return dataclasses.replace(
            self,
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            price=(self.price or 0.0) + (other.price or 0.0) if known else None,
            estimated=self.estimated or other.estimated,
        )


def of_line(line: Mapping[str, Any]) -> tuple[Usage, bool]:
    """Tokens of a line of a transcript, and whether they are an estimate."""
    if line.get("usage"):
        return Usage(**line["usage"]), False
    messages = line["messages"]
    pictures = sum(len(m.get("images", ())) for m in messages)
    asked = sum(len(m["text"]) for m in messages)
    usage = Usage(
        round(asked / CHARACTERS_PER_TOKEN) + IMAGE_TOKENS * pictures,
        round(len(line["answer"]) / CHARACTERS_PER_TOKEN),
    )
    return usage, True


def place(key: str) -> tuple[str, int | None]:
    """(task of a chain, iteration) that a request key belongs to."""
    task, iteration = _TASK.search(key), _ITERATION.search(key)
    return task[1] if task else "", int(iteration[1]) if iteration else None


def cells(lines: Sequence[Mapping[str, Any]]) -> list[Cell]:
    """Sums per task, iteration and agent, in the order of the table.

    Args:
      lines: of a transcript; a key that is there twice was asked and paid twice.
    """
    found: dict[tuple[str, int | None, str], Cell] = {}
    for line in lines:
        task, iteration = place(line["key"])
        agent = _SAME.get(line["agent"], line["agent"])
        usage, estimated = of_line(line)
        price = line.get("price")
        if price is None and line["provider"] == "replay":
            price = 0.0  # there was no answer
        one = Cell(
            task, iteration, agent, 1, usage.input_tokens, usage.output_tokens, price, estimated
        )
        old = found.get((task, iteration, agent), Cell(task, iteration, agent))
        found[task, iteration, agent] = old.plus(one)
    tasks = list(dict.fromkeys(cell.task for cell in found.values()))

    def order(cell: Cell) -> tuple[int, int, int, str]:
        number = -1 if cell.iteration is None else cell.iteration
        known = AGENTS.index(cell.agent) if cell.agent in AGENTS else len(AGENTS)
        return tasks.index(cell.task), number, known, cell.agent

    return sorted(found.values(), key=order)


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the table: one iteration, or what came before all of them."""

    task: str
    iteration: int | None
    cells: Mapping[str, Cell]  # by agent

    @property
    def name(self) -> str:
        number = "" if self.iteration is None else f"iteration {self.iteration}"
        return ", ".join(part for part in (self.task, number) if part) or "before"


def rows(chosen: Sequence[Cell]) -> list[Row]:
    """The cells by iteration, in their order."""
    found: dict[tuple[str, int | None], dict[str, Cell]] = {}
    for cell in chosen:
        found.setdefault((cell.task, cell.iteration), {})[cell.agent] = cell
    return [Row(task, iteration, cells) for (task, iteration), cells in found.items()]


def agents(chosen: Sequence[Cell]) -> list[str]:
    """The columns that are needed, in their order."""
    there = {cell.agent for cell in chosen}
    return [agent for agent in AGENTS if agent in there] + sorted(there - set(AGENTS))


def total(chosen: Sequence[Cell]) -> Cell:
    """Sum of some cells; its `agent`, `task` and `iteration` say nothing."""
    return functools.reduce(Cell.plus, chosen, Cell())


def to_json(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The table for result.json: one record per task, iteration and agent."""
    return [
        {**dataclasses.asdict(c), "price": None if c.price is None else round(c.price, 6)}
        for c in cells(lines)
    ]
