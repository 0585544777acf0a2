"""Shows what was asked and answered: one line per exchange, or whole pages.

python -m experiments.transcript show runs/my_run
python -m experiments.transcript show runs/my_run --key='iter0/fast/*' --full | less -R
"""

import argparse
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from experiments.report.html import duration
from experiments.shown import printable
from experiments.transcript.source import Line, chosen, console, load, pictures
from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.llm.exchange import images_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", type=Path, help="run folder or .jsonl file")
    parser.add_argument("--key", default="", metavar="GLOB", help="only these request keys")
    parser.add_argument("--agent", default="", help="only what this agent was asked")
    pages = parser.add_mutually_exclusive_group()
    pages.add_argument("--full", action="store_true", help="prompts and answers, whole")
    pages.add_argument("--answers-only", action="store_true", help="answers, whole")


def run(options: argparse.Namespace) -> int:
    out = console()
    file, lines = load(options.run)
    lines = chosen(lines, options.key, options.agent)
    if options.full or options.answers_only:
        for line in lines:
            page(out, file, line, options.full)
    else:
        listing(out, lines)
        out.print(
            f"{len(lines)} exchanges in {file}. Whole: --full or --answers-only, some of them: "
            "--key=GLOB, --agent=NAME.", style="dim", soft_wrap=True,
        )  # fmt: skip
    return 0


def listing(console: Console, lines: list[Line]) -> None:
    """One line per exchange."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("key", no_wrap=True)
    for name in ("asked", "answered", "price", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("model", no_wrap=True)
    table.add_column("", overflow="fold")  # the one that may be broken
    for line in lines:
        usage, estimated = tokens.of_line(line)
        mark = "≈" if estimated else ""
        table.add_row(
            Text(printable(line["key"])), f"{mark}{usage.input_tokens:,}",
            f"{mark}{usage.output_tokens:,}", dollars(line["price"]), duration(line["seconds"]),
            Text(printable(f"{line['model']} ({line['provider']})")), Text(notes(line)),
        )  # fmt: skip
    console.print(table)


def page(console: Console, file: Path, line: Line, with_prompt: bool) -> None:
    """One exchange, whole."""
    usage, estimated = tokens.of_line(line)
    counted = "estimated" if estimated else "counted"
    console.print(Rule(Text(printable(line["key"])), align="left"))
    facts = [
        line["agent"], f"{line['model']} ({line['provider']})", line["date"],
        duration(line["seconds"]), f"{usage.input_tokens:,} + {usage.output_tokens:,} tokens "
        f"({counted})", dollars(line["price"]), notes(line), line["request_id"],
    ]  # fmt: skip
    _words(console, " · ".join(fact for fact in facts if fact and fact != "–"), "dim")
    if with_prompt:
        for message in line["messages"]:
            _words(console, f"\n[{message['role'].upper()}]", "bold cyan")
            for image in message.get("images", ()):
                path = images_folder(file) / f"{image['sha256']}.png"
                gone = "" if path.is_file() else " (the file is missing)"
                _words(console, f"[picture {image['name']}: {path}{gone}]", "magenta")
            _words(console, message["text"])
        if line["request_schema"] is not None:
            _words(console, "[an answer of a given JSON schema was asked for]", "dim")
    _words(console, "\n[ANSWER]", "bold green")
    _words(console, line["answer"] + "\n")


def notes(line: Line) -> str:
    """What is worth saying about an exchange beside its numbers."""
    count = len(pictures(line))
    parts = [f"{count} picture{'s' * (count > 1)}"] if count else []
    if line["stop"] != "end":
        parts.append(f"stopped: {line['stop']}")
    if line["retries"]:
        parts.append(f"{line['retries']} {'retry' if line['retries'] == 1 else 'retries'}")
    return ", ".join(parts)


def dollars(price: float | None) -> str:
    if price is None:
        return "–"
    return f"${price:.2f}" if price >= 1 or price == 0 else f"${price:.4f}"


def _words(console: Console, words: str, style: str = "") -> None:
    console.print(Text(printable(words), style=style), soft_wrap=True)
