"""Numbers of every update: `metrics.csv` for what a run repeats bit for bit, `timing.csv`
for wall-clock numbers.

After a kill both are cut back to the last checkpoint, so that a run that was killed
and one that was not have the same rows.
"""

import csv
import io
import math
from collections.abc import Mapping
from pathlib import Path

from rlgpt_jax.agents.llm.disk import append, write_atomically
from rlgpt_jax.loop.record import RunFolder, read_rows

INDEX = ("iteration", "update", "ticks")


def is_timing(name: str) -> bool:
    """Whether a metric depends on the clock and not on the run alone."""
    return name.startswith("time_") or name.endswith("_per_second")


class Metrics:
    """The files of one run."""

    def __init__(self, folder: RunFolder, num_updates: int):
        """Rows after update `num_updates` are dropped."""
        self._paths = {False: folder.path("metrics.csv"), True: folder.path("timing.csv")}
        for path in self._paths.values():
            _cut(path, num_updates)
        rows = read_rows(self._paths[False])
        self._last = int(rows[-1]["update"]) if rows else 0

    def add(self, iteration: int, update: int, ticks: int, metrics: Mapping[str, float]) -> None:
        """Appends one row to each file; `update` and `ticks` count over the whole run.

        An update that is made again, since its checkpoint was damaged, has its rows.
        """
        if update <= self._last:
            return
        index = dict(zip(INDEX, (iteration, update, ticks), strict=True))
        for timing, path in self._paths.items():
            row = {name: x for name, x in metrics.items() if is_timing(name) == timing}
            if row:
                _append(path, index | row)


def _append(path: Path, row: Mapping[str, float]) -> None:
    names = list(row)
    new = not path.exists()
    if not new:
        with path.open() as file:
            names = file.readline().strip().split(",")
        if set(names) != set(row):
            raise ValueError(
                f"{path} has columns {names}, but this update gave {list(row)}. Start a new "
                "run folder: this one was begun by another version."
            )
    cells = {name: _cell(value) for name, value in row.items()}
    append(path, _text(names, [cells], new).encode())


def _cell(value: float) -> str:
    """Nothing for a number that there was nothing to measure of."""
    if isinstance(value, int):
        return str(value)
    return "" if math.isnan(value) else repr(float(value))


def _cut(path: Path, num_updates: int) -> None:
    kept = [row for row in read_rows(path) if int(row["update"]) <= num_updates]
    if kept:
        write_atomically(path, _text(list(kept[0]), kept, True))
    else:
        path.unlink(missing_ok=True)


def _text(names: list[str], rows: list[dict[str, str]], heads: bool) -> str:
    """Rows as CSV, below their names if wanted."""
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    if heads:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
