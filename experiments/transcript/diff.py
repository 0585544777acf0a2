"""Compares prompts and answers by key: a replay with its recording, or any two.

    python -m experiments.transcript diff runs/my_replay
    python -m experiments.transcript diff runs/a runs/b

As with `diff`, the exit code is 0 if nothing differs and 1 if something does.
"""

import argparse
import difflib
from pathlib import Path

from rich.console import Console
from rich.text import Text

from experiments.shown import printable
from experiments.transcript.source import Line, console, load, recording_of
from rlgpt_jax.agents.llm.replay import difference, prompt_of

COLOURS = {"+": "green", "-": "red", "@": "cyan", "p": "magenta"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", type=Path, help="run folder or .jsonl file")
    words = "what to compare RUN with (default: the recording that it replayed)"
    parser.add_argument("other", metavar="OTHER", type=Path, nargs="?", help=words)


def run(options: argparse.Namespace) -> int:
    out, other = console(), options.other
    paths = (options.run, other) if other else (recording_of(options.run), options.run)
    (old_file, old), (new_file, new) = map(_by_key, paths)
    both = [key for key in old if key in new]
    prompts = {key: _prompts(old[key], new[key]) for key in both}
    answers = {key: _answers(old[key], new[key]) for key in both}
    only_old = [key for key in old if key not in new]
    only_new = [key for key in new if key not in old]
    for key in both:
        _show(out, prompts[key])
        _show(out, answers[key])
    for file, keys in ((old_file, only_old), (new_file, only_new)):
        for key in keys:
            _show(out, f"only in {file}: {key}")
    num_prompts, num_answers = (sum(map(bool, d.values())) for d in (prompts, answers))
    out.print(
        f"{num_prompts} of {len(both)} prompts and {num_answers} of {len(both)} answers differ; "
        f"{len(only_old)} keys are only in {old_file}, {len(only_new)} only in {new_file}.",
        soft_wrap=True,
    )
    return 1 if num_prompts or num_answers or only_old or only_new else 0


def _by_key(path: Path) -> tuple[Path, dict[str, Line]]:
    file, lines = load(path)
    return file, {x["key"]: x for x in lines}


def _prompts(old: Line, new: Line) -> str:
    name = f"prompt of {old['key']}"
    words = difference(prompt_of(old), prompt_of(new), name, name)
    return words if not words or words.startswith("---") else f"--- {name}\n{words}"


def _answers(old: Line, new: Line) -> str:
    if old["answer"] == new["answer"]:
        return ""
    name = f"answer to {old['key']}"
    lines = difflib.unified_diff(
        old["answer"].splitlines(), new["answer"].splitlines(), name, name, lineterm="", n=1
    )
    return "\n".join(lines) or f"--- {name}\nthe line ends differ"


def _show(console: Console, words: str) -> None:
    for line in printable(words).splitlines():
        bold = "bold " if line.startswith(("---", "+++")) else ""
        style = "dim" if line.startswith(" ") else bold + COLOURS.get(line[:1], "default")
        console.print(Text(line, style=style), soft_wrap=True)
