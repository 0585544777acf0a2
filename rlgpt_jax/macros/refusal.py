"""Why a macro was not accepted, in words that its author can act on."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Refusal:
    """A macro source that is outside the language, and what to write instead."""

    line: int  # 1-based; 0 if the whole text is meant
    column: int  # 1-based; 0 if unknown
    source_line: str
    reason: str
    instead: str

    def describe(self) -> str:
        """Returns the refusal as text for the author of the macro."""
        where = f"Line {self.line}, column {self.column}: " if self.line else ""
        shown = f"\n    {self.source_line.strip()}" if self.source_line.strip() else ""
        advice = f"\nInstead: {self.instead}" if self.instead else ""
        return f"{where}{self.reason}{shown}{advice}"


class Refused(Exception):
    """Carries a refusal from the place that found it to `parse_macro`."""

    def __init__(self, node: Any, reason: str, instead: str = ""):
        super().__init__(reason)
        self.line = getattr(node, "lineno", 0)
        self.column = getattr(node, "col_offset", -1) + 1
        self.reason = reason
        self.instead = instead

    def refusal(self, lines: list[str]) -> Refusal:
        """Adds the source line."""
        shown = lines[self.line - 1] if 0 < self.line <= len(lines) else ""
        return Refusal(self.line, self.column, shown[:200], self.reason, self.instead)


def close_names(name: str, known: Iterable[str]) -> str:
    """Returns advice that names the known words nearest to `name`."""
    found = difflib.get_close_matches(name[:64], list(known), n=4, cutoff=0.55)
    return "did you mean " + " or ".join(found) + "?" if found else ""
