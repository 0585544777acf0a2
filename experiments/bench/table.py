"""Rows of measurements, as tables and as JSON."""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

from experiments.study.table import Table


@dataclasses.dataclass(frozen=True)
class Row:
    """One measurement."""

    part: str  # of `PARTS` in `__main__`
    name: str
    numbers: dict[str, float]  # steps/s, seconds, or shares of the whole if named "share ..."
    device: str = ""  # what it ran on, such as "cpu: ..." or "gpu: NVIDIA H200"


def markdown(rows: Sequence[Row], missing: Sequence[str] = ()) -> str:
    """One table per part, and a list of what could not be measured."""
    parts = dict.fromkeys(row.part for row in rows)
    several = len({row.device for row in rows}) > 1
    texts = [_table(part, [r for r in rows if r.part == part], several) for part in parts]
    if missing:
        texts.append("## Not measured\n\n" + "".join(f"- {words}\n" for words in missing))
    return "\n".join(texts)


def _table(part: str, rows: Sequence[Row], several: bool) -> str:
    """The rows of a part, with their devices where there are several."""
    names = list(dict.fromkeys(name for row in rows for name in row.numbers))
    columns = ("what", *["device"] * several, *(name.replace("_", " ") for name in names))
    cells = tuple(
        (row.name, *[row.device] * several, *(_cell(n, row.numbers.get(n)) for n in names))
        for row in rows
    )
    return Table(part, part, "", columns, cells, ()).markdown()


def to_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """JSON has no NaN: what a driver does not measure is left out."""
    return [
        {"part": row.part, "name": row.name, "device": row.device,
         **{name: value for name, value in row.numbers.items() if math.isfinite(value)}}
        for row in rows
    ]  # fmt: skip


def from_json(written: Iterable[dict[str, Any]]) -> list[Row]:
    """What `to_json` wrote."""
    words = ("part", "name", "device")
    return [
        Row(**{name: entry.get(name, "") for name in words},
            numbers={name: float(x) for name, x in entry.items() if name not in words})
        for entry in written
    ]  # fmt: skip


def _cell(name: str, value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return ""
    if name.startswith("share"):
        return f"{value:.0%}"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"
