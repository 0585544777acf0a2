"""Macros on disk: NAME.py with NAME.json, which holds where it is from and its record.

python -m experiments.macro library save runs/harvest_milk-seed0-... macros
python -m experiments.macro library list macros
python -m experiments.macro library show macros approach_cow
python -m experiments.macro library add macros go_to_log.py --task=harvest_log
python -m experiments.main --config=harvest_wool --config.macros.library=macros
"""

import argparse
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.macro import source
from experiments.values import suggest

if TYPE_CHECKING:
    from rlgpt_jax.loop.library.store import Entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="list|show|add|save")
    listing = what.add_parser("list", help="one line per macro")
    one = what.add_parser("show", help="code, origin and record of one macro")
    new = what.add_parser("add", help="macros from files")
    of_run = what.add_parser("save", help="macros in use in a run, with their record")
    of_run.add_argument("run", type=Path, help="a run folder")
    for command in (listing, one, new, of_run):
        command.add_argument("folder", type=Path, metavar="DIR", help="the library")
    one.add_argument("name")
    new.add_argument("files", nargs="+", metavar="FILE", help="as `check` takes them")
    new.add_argument("--task", default="", help="for which they are written")
    new.add_argument("--instruction", default="", help="what they are for, in words")
    words = "all, best, or a number (default: all)"
    of_run.add_argument("--iteration", default="all", help=words)


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 0 done, 1 a file is refused."""
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 140)
    commands = {"list": list_, "show": show, "add": add, "save": save}
    return commands[options.what](console, options)


def list_(console: Console, options: argparse.Namespace) -> int:
    from rlgpt_jax.loop.library import store

    entries = store.load(options.folder)
    table = Table(title=f"{options.folder}: {len(entries)} macros", title_justify="left")
    for column in ("name", "task", "sensors", "kind", "uses", "returned", "success", "what"):
        table.add_column(column, overflow="fold")
    for entry in entries:
        table.add_row(
            *map(escape, (entry.name, entry.task, entry.sensors, entry.kind)),
            *use(entry),
            escape(entry.doc),
        )
    console.print(table)
    for name in store.unfinished(options.folder):
        console.print(f"{name} has no JSON file: left by a kill; it does not count")
    return 0


def use(entry: "Entry") -> tuple[str, str, str]:
    """Activations in evaluations, share that returned, success where it was last used."""
    total = sum(row.get("activations", 0) for row in entry.record)
    returned = sum(row.get("ends", {}).get("returned", 0) for row in entry.record)
    share = f"{returned / total:.0%}" if total else ""
    if not entry.record or "evaluation" not in entry.record[-1]:
        return f"{total:,}", share, ""
    last = entry.record[-1]["evaluation"]
    rate = f"{last['success_rate']:.0%} ({last['success_low']:.0%} to {last['success_high']:.0%})"
    return f"{total:,}", share, rate


def show(console: Console, options: argparse.Namespace) -> int:
    from rlgpt_jax.loop.library import store

    entries = {entry.name: entry for entry in store.load(options.folder)}
    if options.name not in entries:
        near = suggest(options.name, entries)
        raise store.LibraryError(f"{options.folder} has no macro {options.name!r}. {near}")
    entry = entries[options.name]
    say = functools.partial(console.print, highlight=False, markup=False)
    say(f"# {entry.name}: {entry.doc}")
    say(f"# written for {entry.task or 'no task'}, sensors {entry.sensors}, kind {entry.kind}")
    if entry.instruction:
        say(f"# {entry.instruction}", soft_wrap=True)
    say(entry.source.rstrip(), soft_wrap=True)
    if not entry.record:
        console.print("\nNo record of use.")
        return 0
    table = Table(title="Record of use", title_justify="left")
    for column in ("run", "iteration", "role", "task", "activations", "ends", "success", "trial"):
        table.add_column(column, overflow="fold")
    for row in entry.record:
        trial, rated = row.get("trial"), row.get("evaluation", {})
        table.add_row(
            *(escape(str(row.get(key))) for key in ("run", "iteration", "role", "task")),
            f"{row.get('activations', 0):,}",
            ends(row.get("ends", {})),
            f"{rated['success_rate']:.0%} of {rated['num_episodes']}" if rated else "",
            f"{ends(trial['ends'])}; {trial['mean_ticks']:.0f} ticks" if trial else "",
        )
    console.print(table)
    return 0


def ends(counts: dict[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in counts.items() if n)


def add(console: Console, options: argparse.Namespace) -> int:
    from rlgpt_jax.agents import parse
    from rlgpt_jax.loop.library import store
    from rlgpt_jax.macros.language import parse_macro
    from rlgpt_jax.macros.refusal import Refusal
    from rlgpt_jax.macros.skills import skills

    known = store.load(options.folder) if options.folder.is_dir() else ()
    found = []
    for path in options.files:
        text = source.read(path)
        for sensors in source.SENSOR_LEVELS:  # the lowest level that accepts it
            library = skills.sources(sensors) | {e.name: e.source for e in known}
            program = parse_macro(text, None, sensors, library)
            if not isinstance(program, Refusal):
                break
        if isinstance(program, Refusal):
            print(f"{path}: refused: {program.describe()}", file=sys.stderr)
            return 1
        if not parse.is_name(program.name):
            raise store.LibraryError(
                f"{path}: {program.name!r} is not a snake_case name of at most 40 characters"
            )
        found.append(store.Entry(
            name=program.name, source=text, task=options.task, sensors=sensors,
            instruction=options.instruction,
        ))  # fmt: skip
    return told(console, options, store.add(options.folder, found))


def save(console: Console, options: argparse.Namespace) -> int:
    from rlgpt_jax.loop.library import saving, store

    if options.iteration == "all":
        iterations = None
    elif options.iteration == "best":
        iterations = [saving.best_iteration(options.run)]
    elif options.iteration.isdigit():
        iterations = [int(options.iteration)]
    else:
        raise store.LibraryError(f"--iteration={options.iteration}: needs all, best or a number")
    added = store.add(options.folder, saving.entries_of(options.run, iterations))
    return told(console, options, added)


def told(console: Console, options: argparse.Namespace, names: list[tuple[str, str]]) -> int:
    for old, new in names:
        words = old if old == new else f"{new} (other code is called {old} already)"
        console.print(words, highlight=False)
    console.print(f"{len(names)} macros in {options.folder}", highlight=False)
    return 0
