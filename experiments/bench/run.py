"""Measures what was asked for and writes the results."""

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from experiments import machine
from experiments.bench import (
    agree,
    breakdown,
    compiling,
    first,
    frames,
    learn,
    memory,
    parts,
    plots,
    pools,
    ppo,
    setting,
    table,
    world,
)
from experiments.bench.peers import run as peers
from experiments.bench.setting import Setting
from experiments.bench.table import Row
from experiments.compiles import Compiles
from experiments.values import ConfigError
from rlgpt_jax.loop.record import write_json

VERSIONS = ("python", "processor", "cpus", "nproc", "device", "commit", "changed_files")


def run(options: argparse.Namespace) -> int:
    """Returns the exit code."""
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 140)
    try:
        settings = [setting.load(name, options.driver) for name in options.configs]
    except ConfigError as error:
        console.print(f"error: {error}", style="red")
        return 2
    compiles, rows, missing = Compiles(), [], []
    about = machine.describe()
    for part in options.parts:
        for found in measure(part, settings, options):
            if isinstance(found, str):
                missing.append(found)
                console.print(f"{part}: not measured: {escape(found)}", soft_wrap=True)
                continue
            rows.append(Row(found.part, found.name, found.numbers, place(found, about)))
            words = ", ".join(f"{k} {v:,.4g}" for k, v in found.numbers.items())
            console.print(f"{found.part}, {found.name}: {words}", highlight=False, soft_wrap=True)
            # After every row, so that what was measured is kept if a later part fails.
            write(options.out, rows, missing, about, compiles.total)
    compiles.close()
    for path in reversed(options.beside):
        others, not_there = read(path)
        rows, missing = [*others, *rows], [*not_there, *missing]
    table.show(console, rows)
    files = write(options.out, rows, missing, about, compiles.total)
    files += plots.draw(options.out, rows)
    console.print("Written: " + ", ".join(str(path) for path in files), highlight=False)
    return 0


def measure(
    part: str, settings: Sequence[Setting], options: argparse.Namespace
) -> Iterator[Row | str]:
    """Yields the rows of one part as they are ready, and a line for what could not be."""
    one = settings[0]
    if part == "show":
        return
    if part == "pool":
        yield from pools.measure(one.config.voxel)
    elif part == "agree":
        yield from agree.measure(one.env(options.at))
    elif part == "frames":
        yield from frames.measure(one.env, one.driver, options.at, options.sizes, options.seconds)
    elif part == "peers":
        rows, missing = peers.measure(
            one.env(options.at), one.driver, options.seconds, options.jaxenstein, options.minedojo
        )
        yield from rows
        yield from missing
    elif part in ("world", "parts"):
        for lanes in options.lanes:
            if part == "parts":
                yield from parts.measure(one.env(lanes), options.seconds)
            else:
                yield from world.measure(one.env(lanes), one.driver, options.seconds)
    else:
        for each in settings:
            yield from measure_training(part, each, options)


def measure_training(part: str, one: Setting, options: argparse.Namespace) -> Iterator[Row]:
    """The parts that train, for one configuration."""
    if part == "breakdown":
        yield from breakdown.measure(one, options.at, options.seconds)
    elif part == "memory":
        yield from memory.measure(one, options.at)
    elif part == "compile":
        yield from compiling.measure(one, options.at)
    elif part == "first":
        yield from first.measure(one, options.at)
    elif part == "learn":
        yield from learn.measure(one, options.at, options.level, options.ticks)
    else:
        for lanes in options.lanes:
            yield from ppo.measure(one, lanes, options.seconds)


def place(row: Row, about: dict[str, Any]) -> str:
    """What a row ran on: the processor by its name, or the accelerator by its own."""
    if row.device == "cpu" or about["device"].startswith("cpu"):
        return f"{about['cpus']} cores of {about['processor']}"
    return row.device or about["device"]


def write(
    folder: Path,
    rows: Sequence[Row],
    missing: Sequence[str],
    about: dict[str, Any],
    compile_seconds: float,
) -> list[Path]:
    """bench.json and bench.md of this machine."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": about,
        "compile_seconds": round(compile_seconds, 2),
        "rows": table.to_json(rows),
        "missing": list(missing),
    }
    write_json(folder / "bench.json", written)
    (folder / "bench.md").write_text(table.markdown(rows, missing, heading(about)))
    return [folder / "bench.json", folder / "bench.md"]


def read(path: Path) -> tuple[list[Row], list[str]]:
    """The rows of another run, each with the device that it ran on, and what it missed."""
    written = json.loads(path.read_text())
    return table.from_json(written["rows"]), written["missing"]


def heading(about: dict[str, Any]) -> str:
    """The machine and the versions, in Markdown."""
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    lines = [f"- {name.replace('_', ' ')}: {about[name]}" for name in VERSIONS if name in about]
    return "\n".join(["# Benchmarks", "", *lines, f"- packages: {packages}"])
