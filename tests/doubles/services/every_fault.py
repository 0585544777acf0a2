"""The whole table of faults against loopback servers of the three formats.

    python -m tests.doubles.services.every_fault --out=faults

Needs no key and no network, about a minute. Writes faults.md and faults.json.
"""

import argparse
import dataclasses
import json
import sys
import tempfile
from pathlib import Path

from tests.doubles.services import WIRES, conversation
from tests.doubles.services.conversation import Outcome
from tests.doubles.services.faults import FAULTS, Row


def main(argv: list[str]) -> int:
    """Returns 1 if a fault did not end as it must."""
    parser = argparse.ArgumentParser(
        "python -m tests.doubles.services.every_fault", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[str, str, bool], Outcome] = {}
    for row in FAULTS:
        for provider in WIRES:
            for stream in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    outcome = conversation.run(provider, stream, row, Path(folder))
                found[row.name, provider, stream] = outcome
        print(f"{row.name}: {told(row, found)}", flush=True)
    records = [
        {"fault": name, "provider": provider, "stream": stream, **dataclasses.asdict(outcome)}
        for (name, provider, stream), outcome in found.items()
    ]
    (options.out / "faults.json").write_text(json.dumps(records, indent=1) + "\n")
    end = summary(found)
    (options.out / "faults.md").write_text(f"{table(found)}\n\n{end}\n")
    print(end)
    return 0 if all(is_right(row, o) for row in FAULTS for o in outcomes(row, found)) else 1


def outcomes(row: Row, found: dict[tuple[str, str, bool], Outcome]) -> list[Outcome]:
    return [outcome for (name, _, _), outcome in found.items() if name == row.name]


def is_right(row: Row, outcome: Outcome) -> bool:
    """Whether a fault ended as it must."""
    ended = outcome.survived
    if row.ends == "stopped":
        ended = outcome.stopped_well and row.says in outcome.words
    whole = outcome.finished and outcome.as_sent
    return ended and whole and not outcome.lost and not outcome.twice


def told(row: Row, found: dict[tuple[str, str, bool], Outcome]) -> str:
    right = [is_right(row, outcome) for outcome in outcomes(row, found)]
    return f"{sum(right)} of {len(right)} {row.ends} as they must"


def table(found: dict[tuple[str, str, bool], Outcome]) -> str:
    """Fault x provider: how it ended, and how many requests five questions took."""
    columns = [(provider, stream) for provider in WIRES for stream in (False, True)]
    names = [f"{provider}{', stream' if stream else ''}" for provider, stream in columns]
    lines = [f"| fault | {' | '.join(names)} | lost | twice |", "|---" * (len(names) + 3) + "|"]
    for row in FAULTS:
        cells = []
        for column in columns:
            outcome = found[(row.name, *column)]
            end = "survived" if outcome.survived else "stopped, resumed"
            wrong = "" if is_right(row, outcome) else " (WRONG)"
            cells.append(f"{end}, {outcome.requests}{wrong}")
        lost = sum(outcome.lost for outcome in outcomes(row, found))
        twice = sum(outcome.twice for outcome in outcomes(row, found))
        lines.append(f"| {row.name} | {' | '.join(cells)} | {lost} | {twice} |")
    return "\n".join(lines)


def summary(found: dict[tuple[str, str, bool], Outcome]) -> str:
    all_outcomes = found.values()
    stopped = [outcome for outcome in all_outcomes if not outcome.survived]
    clear = sum(outcome.stopped_well and outcome.finished for outcome in stopped)
    return (
        f"{len(found) - len(stopped)} faults survived out of {len(found)} injected; "
        f"{clear} of the other {len(stopped)} stopped with one line and went on when resumed. "
        f"Answers lost: {sum(o.lost for o in all_outcomes)}. Asked twice: "
        f"{sum(o.twice for o in all_outcomes)}."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
