"""Why a macro was not accepted, in words that its author can act on."""

import ast
import difflib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MAX_REASON, MAX_INSTEAD, MAX_WORD = 300, 500, 60  # characters: all goes into a prompt
MAX_LINE = 4_000  # characters of the source line that are kept
SHOWN = 100  # columns of the source line that are shown
BEFORE = 60  # of these, at most so many left of the mark


@dataclass(frozen=True)
class Refusal:
    """A macro source that is outside the language, and what to write instead."""

    line: int  # 1-based; 0 if the whole text is meant
    column: int  # 1-based, in characters; 0 if unknown
    source_line: str
    reason: str
    instead: str
    fault: str = ""  # of ours: where the compiler failed; for the record, not for the author

    def describe(self) -> str:
        """Returns the refusal as text for the author of the macro, below 1,200 characters."""
        where = f"Line {self.line}, column {self.column}: " if self.line else ""
        shown = f"\n{self.marked()}" if self.source_line.strip() else ""
        advice = f"\nInstead: {self.instead}" if self.instead else ""
        return f"{where}{self.reason}{shown}{advice}"

    def marked(self) -> str:
        """Returns the source line, cut to what fits, and a mark under the column."""
        line = "".join(c if c.isprintable() else " " for c in self.source_line.expandtabs(4))
        at = len(self.source_line[: max(self.column - 1, 0)].expandtabs(4))
        indent = len(line) - len(line.lstrip())
        first = indent if at - indent <= BEFORE else at - BEFORE
        text = line[first : first + SHOWN].rstrip()
        left = "..." if first > indent else ""
        right = "..." if len(line.rstrip()) > first + SHOWN else ""
        if not self.column or at < indent:
            return f"    {left}{text}{right}"
        return f"    {left}{text}{right}\n    {' ' * width(left + line[first:at])}^"


def width(text: str) -> int:
    """Returns how many columns a text fills on a terminal."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


class Refused(Exception):
    """Carries a refusal from the place that found it to `parse_macro`."""

    def __init__(self, node: Any, reason: str, instead: str = ""):
        super().__init__(reason)
        self.line = getattr(node, "lineno", 0)
        self.column = getattr(node, "col_offset", -1) + 1
        self.in_bytes = isinstance(node, ast.AST)  # how Python counts columns of its nodes
        self.reason = plain(reason, MAX_REASON)
        self.instead = plain(instead, MAX_INSTEAD)

    def refusal(self, lines: list[str]) -> Refusal:
        """Adds the source line."""
        shown = lines[self.line - 1][:MAX_LINE] if 0 < self.line <= len(lines) else ""
        column = self.column
        if self.in_bytes and column and not shown.isascii():
            before = shown.encode("utf-8", "replace")[: column - 1]
            column = len(before.decode("utf-8", "ignore")) + 1
        return Refusal(self.line, min(column, len(shown) + 1), shown, self.reason, self.instead)


def plain(text: str, longest: int) -> str:
    """Returns a text in one line, with long words and what follows `longest` cut."""
    text = "".join(c if c.isprintable() else " " for c in text[: 10 * longest])
    text = re.sub(rf"\S{{{MAX_WORD},}}", lambda m: m[0][: MAX_WORD - 3] + "...", text)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def close_names(name: str, known: Iterable[str]) -> str:
    """Returns advice that names the known words nearest to `name`."""
    found = difflib.get_close_matches(name[:64], list(dict.fromkeys(known)), n=4, cutoff=0.55)
    near = [difflib.SequenceMatcher(None, word, name[:64]).ratio() for word in found]
    good = [word for word, ratio in zip(found, near, strict=True) if ratio > near[0] - 0.17]
    return "did you mean " + " or ".join(good) + "?" if good else ""
