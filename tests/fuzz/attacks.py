"""Known attacks on the macro language, and what becomes of each.

    python -m tests.fuzz attacks [--kind=unicode] [--long]

Each text is handed to the compiler. What is accepted is run for 201 ticks on the host
interpreter, with made-up views: it must only hand out actions of the table, inside its
bounds. Ends with 1 if one of them does not.
"""

import argparse
import dataclasses
import sys
from collections import Counter
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tests.fuzz.attack_texts import ATTACKS

REFUSED, HARMLESS, ESCAPED = "refused", "harmless", "ESCAPED"


@dataclasses.dataclass(frozen=True)
class Attack:
    """One text that tries to make a macro do more than act."""

    kind: str
    name: str
    source: str


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of an attack: `REFUSED`, `HARMLESS` or `ESCAPED`, and why."""

    what: str
    why: str


def every() -> Iterator[Attack]:
    for kind, texts in ATTACKS.items():
        for name, source in texts.items():
            yield Attack(kind, name, source)


def outcome(attack: Attack) -> Outcome:
    """Compiles an attack, and runs it if it is accepted."""
    from rlgpt_jax.macros.language import parse_or_raise
    from rlgpt_jax.macros.refusal import Refusal
    from tests.fuzz import trial  # imports jax

    try:
        program = parse_or_raise(attack.source, None, "full")
        if isinstance(program, Refusal):
            where = f"line {program.line}: " if program.line else ""
            return Outcome(REFUSED, where + program.reason)
        return Outcome(HARMLESS, trial.run(program).describe())
    except Exception as error:
        return Outcome(ESCAPED, f"{type(error).__name__}: {error}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=sorted(ATTACKS), help="only this class of attacks")
    parser.add_argument("--long", action="store_true", help="one line per attack, not cut")


def run(options: argparse.Namespace) -> int:
    """Prints the table. Returns the exit code: 1 if an attack escaped."""
    console = Console(file=sys.stdout)
    table = Table("class", "attack", "outcome", "why", box=None, pad_edge=False)
    counts: Counter[str] = Counter()
    for attack in every():
        if options.kind in (None, attack.kind):
            end = outcome(attack)
            counts[end.what] += 1
            why = end.why if options.long else end.why[:72]
            style = "red" if end.what == ESCAPED else ""
            table.add_row(attack.kind, escape(attack.name), end.what, escape(why), style=style)
    console.print(table)
    console.print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts[ESCAPED] else 0
