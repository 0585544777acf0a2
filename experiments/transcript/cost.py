"""Tokens and US dollars of a run, per iteration and agent.

python -m experiments.transcript cost runs/my_run
python -m experiments.transcript cost runs/my_run --model=claude-sonnet-5-5 --csv=tokens.csv
"""

import argparse
import csv
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from experiments.transcript.show import dollars
from experiments.transcript.source import Line, console, load
from experiments.values import ConfigError
from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.llm.endpoint import MODEL_NAMES
from rlgpt_jax.agents.llm.prices import price
from rlgpt_jax.agents.llm.tokens import Cell

# What is told of every cell, in this order.
FIGURES: dict[str, Callable[[Cell], str]] = {
    "calls": lambda cell: f"{cell.calls:,}",
    "input tokens": lambda cell: f"{_mark(cell)}{cell.input_tokens:,}",
    "output tokens": lambda cell: f"{_mark(cell)}{cell.output_tokens:,}",
    "price": lambda cell: _mark(cell) * bool(cell.price) + dollars(cell.price),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", type=Path, help="run folder or .jsonl file")
    words = "price the same tokens at this model's rates"
    parser.add_argument("--model", default="", metavar="NAME", help=words)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table there too")


def run(options: argparse.Namespace) -> int:
    out = console()
    file, lines = load(options.run)
    if options.model:
        lines = priced_as(lines, options.model)
    cells = tokens.cells(lines)
    out.print(table(cells))
    out.print(" ".join(notes(lines, cells, options.model)), soft_wrap=True, style="dim")
    if options.csv:
        write_csv(options.csv, cells)
        out.print(f"Written: {options.csv}", soft_wrap=True)
    return 0


def priced_as(lines: list[Line], model: str) -> list[Line]:
    """The lines with the list price that another model would have had.

    Raises:
      ConfigError: if that price is not known.
    """
    priced = [{**x, "price": price("", model, tokens.of_line(x)[0])} for x in lines]
    if any(line["price"] is None for line in priced):
        names = ", ".join(MODEL_NAMES[name] for name in ("anthropic", "openai"))
        raise ConfigError(f"--model={model}: no price is known. Try: {names}.")
    return priced


def table(cells: list[Cell]) -> Table:
    """Rows are the figures of an iteration, columns its agents."""
    agents = tokens.agents(cells)
    shown = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("", "", *agents, "total"):
        shown.add_column(name, justify="right" if name else "left", no_wrap=True)
    rows = [(row.name, row.cells) for row in tokens.rows(cells)]
    by_agent = {a: tokens.total([c for c in cells if c.agent == a]) for a in agents}
    for name, here in [*rows, ("total", by_agent)]:
        summed = tokens.total(list(here.values()))
        for figure, words in FIGURES.items():
            shown.add_row(
                Text(name if figure == "calls" else "", style="bold"), figure,
                *(words(here[a]) if a in here else "" for a in agents), words(summed),
            )  # fmt: skip
        if name != "total":
            shown.add_row()
    return shown


def notes(
    lines: Sequence[Line], cells: Sequence[Cell], model: str = "", how: str = "--model=NAME"
) -> list[str]:
    """What a reader has to know about the numbers; `how` prices them."""
    words = []
    if any(cell.estimated for cell in cells):
        words.append(
            f"≈ estimated: nobody counted, so {tokens.CHARACTERS_PER_TOKEN:g} characters are "
            f"taken for a token and a picture for {tokens.IMAGE_TOKENS:,}."
        )
    if model:
        words.append(f"Prices are what {model} would have cost.")
    elif any(line["provider"] == "replay" for line in lines):
        words.append(f"Replayed answers cost nothing; {how} prices their tokens.")
    elif any(cell.price is None for cell in cells):
        words.append(f"–: the price is not known; {how} prices the same tokens.")
    return words


def write_csv(path: Path, cells: list[Cell]) -> None:
    """One row per task, iteration and agent; an unknown price is an empty cell."""
    names = [field.name for field in dataclasses.fields(Cell)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(dataclasses.asdict(cell) for cell in cells)


def _mark(cell: Cell) -> str:
    return "≈" if cell.estimated else ""
