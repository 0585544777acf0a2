"""The rows of the doctor on the screen and as plain data."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.minedojo.checks import MISSING, OK, UNKNOWN, Row

COLOURS = {OK: "green", MISSING: "red", UNKNOWN: "yellow"}


def show(console: Console, rows: Sequence[Row]) -> None:
    """A table, and below it what to do, in lines that can be copied."""
    table = Table()
    for name in ("what", "state", "found"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(row.name, f"[{COLOURS[row.state]}]{row.state}[/]", escape(row.found))
    console.print(table)
    for row in rows:
        if row.cure:
            words = f"[bold {COLOURS[row.state]}]{row.name}[/]: {escape(row.cure)}"
            console.print(words, highlight=False, soft_wrap=True)


def to_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [row._asdict() for row in rows]


def is_well(rows: Sequence[Row]) -> bool:
    """Whether nothing is known to be missing."""
    return all(row.state != MISSING for row in rows)
