"""Runs the checks group by group, shows the table, writes it."""

import argparse
import importlib
import sys
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from rlgpt_jax.loop.record import write_json
from tests.fidelity.row import Row


def run(options: argparse.Namespace) -> int:
    """Returns the exit code."""
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 160)
    rows: list[Row] = []
    for group in options.only:
        check = importlib.import_module(f"tests.fidelity.{group}")
        began = time.perf_counter()
        with console.status(f"{group}: compiling and measuring"):
            try:
                found = check.rows(options.trajectory) if group == "motion" else check.rows()
            except ValueError as error:
                console.print(f"error: {error}", style="red", highlight=False, soft_wrap=True)
                return 2
        rows += found
        seconds = time.perf_counter() - began
        console.print(f"{group}: {len(found)} rows in {seconds:.0f} s", highlight=False)
    console.print(_table(rows))
    broken = [row for row in rows if not row.holds]
    for row in broken:
        console.print(
            f"BROKEN {row.group}, {row.rule}: {row.measured}; must be {row.bound}",
            style="red", highlight=False, soft_wrap=True,
        )  # fmt: skip
    console.print(f"{len(rows) - len(broken)} of {len(rows)} rows hold.", highlight=False)
    if options.out:
        if options.out.suffix == ".json":
            write_json(options.out, {"rows": [row._asdict() for row in rows]})
        else:
            options.out.write_text(markdown(rows))
        console.print(f"Written: {options.out}", highlight=False)
    return 1 if broken else 0


def _table(rows: Sequence[Row]) -> Table:
    table = Table(title="Fidelity to Minecraft 1.11.2", title_justify="left")
    for column in ("group", "rule", "measured", "must be", ""):
        table.add_column(column, overflow="fold")
    for row in rows:
        mark = "[green]holds[/]" if row.holds else "[red]BROKEN[/]"
        table.add_row(row.group, row.rule, row.measured, row.bound, mark)
    return table


def markdown(rows: Sequence[Row]) -> str:
    """The table for docs/fidelity.md."""
    lines = ["| group | rule | measured | must be | |", "|---|---|---|---|---|"]
    for row in rows:
        cells = (row.group, row.rule, row.measured, row.bound, "holds" if row.holds else "BROKEN")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
