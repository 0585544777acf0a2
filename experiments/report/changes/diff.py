"""Two texts side by side, a line each; what is equal is left out but for some lines around."""

import dataclasses
import difflib
from collections.abc import Sequence

from experiments.report.html import scroll, tag, text

CONTEXT = 2  # equal lines around a change


@dataclasses.dataclass(frozen=True)
class Diff:
    """The table, and how many lines are gone and new."""

    html: str
    removed: int
    added: int

    @property
    def words(self) -> str:
        if not self.removed + self.added:
            return "unchanged"
        return f"{self.removed} lines gone, {self.added} new"


def side_by_side(old: str, new: str) -> Diff:
    """The difference of two texts; its table is "" if there is none."""
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=len(before) > 2000)
    rows, removed, added = [], 0, 0
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT)):
        if number:
            rows.append('<tr class="gap"><td>…</td><td>…</td></tr>')
        for kind, a, b, c, d in group:
            if kind == "equal":
                rows += [_row(line, line, "same") for line in before[a:b]]
                continue
            removed, added = removed + b - a, added + d - c
            rows += _changed(before[a:b], after[c:d])
    if not rows:
        return Diff("", 0, 0)
    body = tag("table", tag("tbody", "".join(rows)), class_="diff")
    return Diff(scroll(body, "Before and after, side by side"), removed, added)


def _changed(before: Sequence[str], after: Sequence[str]) -> list[str]:
    size = max(len(before), len(after))
    left, right = ([*lines, *[None] * (size - len(lines))] for lines in (before, after))
    return [_row(a, b, "") for a, b in zip(left, right, strict=True)]


def _row(old: str | None, new: str | None, kind: str) -> str:
    left = tag("td", _line(old, "" if kind else "del"))
    right = tag("td", _line(new, "" if kind else "ins"))
    return f'<tr class="{kind}">{left}{right}</tr>' if kind else f"<tr>{left}{right}</tr>"


def _line(words: str | None, kind: str) -> str:
    if words is None:
        return ""
    return tag(kind, text(words) or " ") if kind else text(words)
