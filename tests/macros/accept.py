"""Counts how many recorded macro answers the language takes as they are.

    python -m tests.macros.accept tests/macros/answers/macro_answers.jsonl --verbose

Lines are {"id", "style", "task", "sensors", "name", "answer", "split", ...}, where "again"
may hold a second answer after one refusal; of a run's transcript.jsonl the answers of the
fast agent that hold code count, with the sensors of --sensors. Nothing is run.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from rlgpt_jax.agents.parse import python_source, says
from rlgpt_jax.agents.prompt_state import KEEP
from rlgpt_jax.agents.prompt_state import Refusal as NoCode
from rlgpt_jax.envs.control.table import TASKS
from rlgpt_jax.loop.record import write_json
from rlgpt_jax.macros.language import link_macro, parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.skills import skills
from rlgpt_jax.rl.evaluate.report import wilson


class BadLine(ValueError):
    """A file that is not in one of the two forms."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """One recorded answer of a model."""

    id: str
    style: str
    split: str
    sensors: str
    name: str
    texts: tuple[str, ...]  # the first answer, and perhaps one after a refusal
    # Of a run's transcript: name -> latest earlier code of other parts, which it may call.
    others: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of an answer."""

    answer: Answer
    refusals: tuple[str, ...]  # in words, one per refused text; the last text may be accepted

    @property
    def first(self) -> bool:
        return not self.refusals

    @property
    def accepted(self) -> bool:
        return len(self.refusals) < len(self.answer.texts)


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 2 for a file that cannot be read."""
    try:
        answers = [a for path in options.files for a in read(path, options.sensors)]
    except BadLine as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    outcomes = [judge(answer) for answer in answers]
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 120)
    if options.verbose:
        for outcome in outcomes:
            for number, words in enumerate(outcome.refusals, 1):
                which = "" if number == 1 else ", second answer"
                console.print(
                    f"{outcome.answer.id} ({outcome.answer.style}){which}: {words}\n",
                    highlight=False,
                    markup=False,
                    soft_wrap=True,
                )
    rows = counts(outcomes)
    console.print(table(rows))
    if options.json:
        write_json(options.json, rows)
    return 0


def read(path: Path, sensors: str) -> Iterator[Answer]:
    """The answers of a file.

    Raises:
      BadLine: no such file, no JSON, or fields are missing.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadLine(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    parts: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = of_line(json.loads(line), path, sensors)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadLine(
                f"{path}, line {number}: {type(error).__name__}: {error}. Each line needs an "
                'object with "answer" and "name", or an exchange of a transcript.'
            ) from None
        if found is None:
            continue
        if found.style != "run":
            yield found
            continue
        others = {name: source for name, source in parts.items() if name != found.name}
        yield dataclasses.replace(found, others=others)
        source = python_source(found.texts[-1])
        if isinstance(source, str):
            parts[found.name] = source


def of_line(line: dict[str, Any], path: Path, sensors: str) -> Answer | None:
    """The answer in a line, None if it holds no macro."""
    if "agent" in line:  # a run's transcript
        if line["agent"] != "fast":
            return None
        name = line["key"].split("fast/")[1].split("/")[0]
        if name == "rl" or says(line["answer"], KEEP):
            return None
        return Answer(line["key"], "run", path.stem, sensors, name, (line["answer"],))
    texts = (line["answer"], *([line["again"]] if line.get("again") else []))
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("an answer is no text")
    level = line.get("sensors") or sensors
    if level not in ("paper", "full"):
        raise ValueError(f"sensors={level!r}")
    return Answer(
        str(line.get("id", "")), str(line.get("style", "")), str(line.get("split", "")), level,
        line["name"], texts,
    )  # fmt: skip


def judge(answer: Answer) -> Outcome:
    """Compiles the first answer, then the second one if that was refused."""
    refusals: list[str] = []
    # A conversation is named after its task, perhaps with more: assembly_blind.
    worlds = [t for t in TASKS if answer.style == "run" and f"{answer.split}_".startswith(f"{t}_")]
    spec = TASKS[max(worlds, key=len)].spec if worlds else None
    library = skills.sources(answer.sensors, spec) if spec else {}
    for text in answer.texts:
        source = python_source(text)
        if isinstance(source, NoCode):
            refusals.append(source.reason)
            continue
        linked = link_macro(source, answer.name, answer.others)
        program = linked if isinstance(linked, Refusal) else parse_macro(
            linked, answer.name, answer.sensors, library, spec
        )  # fmt: skip
        if not isinstance(program, Refusal):
            break
        refusals.append(program.describe())
    return Outcome(answer, tuple(refusals))


def counts(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """One row per split and style, one per split, one of all; plain data."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for o in outcomes:
        for key in ((o.answer.split, o.answer.style), (o.answer.split, "all"), ("all", "all")):
            groups.setdefault(key, []).append(o)
    styles = {split: {s for p, s in groups if p == split} - {"all"} for split, _ in groups}
    for split in [s for s in styles if s != "all" and len(styles[s]) == 1]:
        del groups[split, "all"]  # would say the same twice
    order = sorted(groups, key=lambda k: (k[0] == "all", k[0], k[1] == "all", k[1]))
    return [row(*key, groups[key]) for key in order]


def row(split: str, style: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    first = sum(o.first for o in outcomes)
    asked = [o for o in outcomes if not o.first and len(o.answer.texts) > 1]
    low, high = wilson(first, len(outcomes))
    return {
        "split": split, "style": style, "answers": len(outcomes), "first_try": first,
        "low": low, "high": high, "asked_again": len(asked),
        "accepted_then": sum(o.accepted for o in asked),
    }  # fmt: skip


def table(rows: Sequence[dict[str, Any]]) -> Table:
    made = Table(title="Recorded answers accepted as they are", title_justify="left")
    for column in ("split", "style"):
        made.add_column(column)
    for column in ("answers", "at first try", "rate", "95 %", "after one refusal"):
        made.add_column(column, justify="right")
    for r in rows:
        rate = f"{r['first_try'] / r['answers']:.1%}"
        again = f"{r['accepted_then']} of {r['asked_again']}" if r["asked_again"] else ""
        made.add_row(
            r["split"], r["style"], str(r["answers"]), str(r["first_try"]), rate,
            f"{r['low']:.1%} to {r['high']:.1%}", again,
        )  # fmt: skip
    return made


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(
        "python -m tests.macros.accept", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    parser.add_argument(
        "--sensors",
        choices=("paper", "full"),
        default="paper",
        help="for lines that do not say (default: paper, as the shipped runs)",
    )
    parser.add_argument("--verbose", action="store_true", help="shows every refusal")
    parser.add_argument("--json", type=Path, help="also write the counts to this file")
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
