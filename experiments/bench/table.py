"""Rows of measurements, as a printed table, as Markdown and as JSON."""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclasses.dataclass(frozen=True)
class Row:
    """One measurement."""

    part: str  # of `PARTS` in `__main__`
    name: str
    numbers: dict[str, float]  # steps/s, seconds, or shares of the whole if named "share ..."
    device: str = ""  # what it ran on, such as "cpu: ..." or "gpu: NVIDIA H200"


def show(console: Console, rows: Sequence[Row]) -> None:
    """Prints one table per part."""
    for part, chosen in by_part(rows):
        names = columns(chosen)
        table = Table(title=part, title_justify="left")
        table.add_column("what")
        for name in names:
            table.add_column(name.replace("_", " "), justify="right")
        for row in chosen:
            table.add_row(row.name, *(cell(name, row.numbers.get(name)) for name in names))
        console.print(table)


def markdown(rows: Sequence[Row], missing: Sequence[str] = (), head: str = "") -> str:
    """The same tables as Markdown, and a list of what could not be measured."""
    several = len({row.device for row in rows}) > 1
    lines = [head] if head else []
    for part, chosen in by_part(rows):
        names = columns(chosen)
        titles = ["what", *(["device"] if several else []), *names]
        lines += ["", f"## {part}", "", _line(title.replace("_", " ") for title in titles)]
        lines.append("|---" * (2 if several else 1) + "|---:" * len(names) + "|")
        for row in chosen:
            first = [row.name, *([row.device] if several else [])]
            lines.append(_line([*first, *(cell(n, row.numbers.get(n)) for n in names)]))
    if missing:
        lines += ["", "## Not measured", "", *(f"- {words}" for words in missing)]
    return "\n".join(lines).strip() + "\n"


def to_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """JSON has no NaN: what a driver does not measure is left out."""
    return [
        {"part": row.part, "name": row.name, "device": row.device,
         **{name: value for name, value in row.numbers.items() if math.isfinite(value)}}
        for row in rows
    ]  # fmt: skip


def from_json(written: Iterable[dict[str, Any]]) -> list[Row]:
    """What `to_json` wrote."""
    rows = []
    for entry in written:
        values = dict(entry)
        part, name = values.pop("part"), values.pop("name")
        device = values.pop("device", "")
        rows.append(Row(part, name, {key: float(value) for key, value in values.items()}, device))
    return rows


def by_part(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The parts in order of appearance, each with its rows."""
    parts = dict.fromkeys(row.part for row in rows)
    return [(part, [row for row in rows if row.part == part]) for part in parts]


def columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.numbers))


def cell(name: str, value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return ""
    if name.startswith("share"):
        return f"{value:.0%}"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(text.replace("|", "/") for text in cells) + " |"
