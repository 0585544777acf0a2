"""A table that is written as Markdown and LaTeX for people, as CSV and JSON for programs."""

import csv
import dataclasses
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.study import intervals
from experiments.study.intervals import Counts

NONE = "–"


@dataclasses.dataclass(frozen=True)
class Table:
    """One table."""

    name: str  # of its files
    title: str
    words: str  # what it shows, and what it does not
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    records: Sequence[dict[str, Any]]  # the same numbers unrounded; one CSV row each
    # Of a figure of its records: the fields that say what stands along the axis, and whose it is.
    axes: tuple[str, str] | None = None
    source: str = ""  # which world its numbers come from

    @property
    def said(self) -> str:
        """All that is told of it."""
        return f"{self.words} {self.source}".strip()

    def markdown(self) -> str:
        head = f"| {' | '.join(self.columns)} |\n|{'---|' * len(self.columns)}\n"
        lines = "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in self.rows)
        return "\n\n".join(filter(None, (f"## {self.title}", self.said, f"{head}{lines}")))

    def csv(self) -> str:
        """Lists of numbers stand in one cell, separated by blanks."""
        names = list(dict.fromkeys(name for record in self.records for name in record))
        text = io.StringIO()
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        for record in self.records:
            writer.writerow({name: _plain(value) for name, value in record.items()})
        return text.getvalue()

    def latex(self) -> str:
        """A `table` for the package booktabs; its caption is all that is said of it."""
        lines = [" & ".join(map(_tex, row)) + r" \\" for row in (self.columns, *self.rows)]
        head, *rows = lines
        return "\n".join([
            r"\begin{table}", r"\centering", rf"\caption{{{_tex(self.title)}. {_tex(self.said)}}}",
            rf"\label{{tab:{self.name}}}", rf"\begin{{tabular}}{{{'l' * len(self.columns)}}}",
            r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}",
        ]) + "\n"  # fmt: skip

    def write(self, folder: Path) -> list[Path]:
        """Writes `<name>.md`, `<name>.tex` and `<name>.csv`."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = {".md": self.markdown(), ".tex": self.latex(), ".csv": self.csv()}
        made = {folder / f"{self.name}{suffix}": text for suffix, text in texts.items()}
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
        return list(made)


TEX = {
    "\\": r"\textbackslash{}", "→": r"$\to$", "–": "--", "~": r"\textasciitilde{}",
    "†": r"\textdagger{}", "×": r"$\times$", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "`": "", "**": "",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}  # fmt: skip
SIGNS = re.compile("|".join(map(re.escape, TEX)))


def _tex(text: str) -> str:
    return SIGNS.sub(lambda found: TEX[found[0]], text.replace("\n", " "))


def _cell(text: str) -> str:
    """Words of models may hold what would end a cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return "" if value is None else value


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}"


def to(pair: Sequence[float]) -> str:
    """`61.0 to 69.5`, in percent."""
    return f"{100 * pair[0]:.1f} to {100 * pair[1]:.1f}"


def rate_cell(counts: Counts) -> str:
    """`65.5 (61.0 to 69.5)`: percent with the interval over seeds."""
    return f"{percent(intervals.rate(counts))} ({to(intervals.over_seeds(counts))})"


def rate_record(counts: Counts, prefix: str = "") -> dict[str, Any]:
    """A rate with its intervals for CSV and JSON."""
    agents, seeds = intervals.these_agents(counts), intervals.over_seeds(counts)
    return {
        f"{prefix}successes": sum(c.successes for c in counts),
        f"{prefix}episodes": sum(c.episodes for c in counts),
        f"{prefix}rate": intervals.rate(counts),
        f"{prefix}low": seeds[0],
        f"{prefix}high": seeds[1],
        f"{prefix}agents_low": agents[0],
        f"{prefix}agents_high": agents[1],
        f"{prefix}by_seed": [c.rate for c in counts],
    }
