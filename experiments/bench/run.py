"""Measures what was asked for and writes the results."""

import argparse
import datetime
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments import machine
from experiments.bench import (
    agree,
    breakdown,
    compiling,
    frames,
    learn,
    memory,
    parts,
    peers,
    plots,
    pools,
    ppo,
    setting,
    table,
    world,
)
from experiments.bench.setting import Setting
from experiments.bench.table import Row
from experiments.compiles import Compiles
from experiments.values import ConfigError
from rlgpt_jax.loop.record import write_json

VERSIONS = ("python", "processor", "cpus", "nproc", "device", "commit", "changed_files")
Measure = Callable[[Setting, argparse.Namespace, int], Iterable[Row | str]]
# What a part measures of a configuration, with so many lanes.
OF_WORLD: dict[str, Measure] = {
    "pool": lambda one, o, lanes: pools.measure(one.config.voxel),
    "agree": lambda one, o, lanes: agree.measure(one.env(lanes)),
    "frames": lambda one, o, lanes: frames.measure(one.env, one.driver, lanes, o.sizes, o.seconds),
    "peers": lambda one, o, lanes: peers.measure(one.env(lanes), one.driver, o.seconds),
    "world": lambda one, o, lanes: world.measure(one.env(lanes), one.driver, o.seconds),
    "parts": lambda one, o, lanes: parts.measure(one.env(lanes), o.seconds),
}
OF_TRAINING: dict[str, Measure] = {
    "breakdown": lambda one, o, lanes: breakdown.measure(one, lanes, o.seconds),
    "memory": lambda one, o, lanes: memory.measure(one, lanes),
    "compile": lambda one, o, lanes: compiling.measure(one, lanes),
    "first": lambda one, o, lanes: compiling.first(one, lanes),
    "learn": lambda one, o, lanes: learn.measure(one, lanes, o.level, o.ticks),
    "ppo": lambda one, o, lanes: ppo.measure(one, lanes, o.seconds),
}
SWEPT = ("world", "parts", "ppo")  # over lanes


def run(options: argparse.Namespace) -> int:
    """Returns the exit code."""
    console = Console(file=sys.stdout, highlight=False, markup=False, soft_wrap=True)
    try:
        settings = [setting.load(name, options.driver) for name in options.configs]
        beside = [read(path) for path in options.beside]
    except ConfigError as error:
        console.print(f"error: {error}", style="red")
        return 2
    compiles, rows, missing = Compiles(), [], []
    about = machine.describe()
    for part in options.parts:
        for found in measure(part, settings, options):
            if isinstance(found, str):
                missing.append(found)
                console.print(f"{part}: not measured: {found}")
                continue
            rows.append(Row(found.part, found.name, found.numbers, place(about)))
            words = ", ".join(f"{k} {v:,.4g}" for k, v in found.numbers.items())
            console.print(f"{found.part}, {found.name}: {words}")
            # After every row, so that what was measured is kept if a later part fails.
            write(options.out, rows, missing, about, compiles.total)
    compiles.close()
    for others, not_there in reversed(beside):
        rows, missing = [*others, *rows], [*not_there, *missing]
    console.print(table.markdown(rows))
    files = write(options.out, rows, missing, about, compiles.total)
    files += plots.draw(options.out, rows)
    console.print("Written: " + ", ".join(str(path) for path in files))
    return 0


def measure(
    part: str, settings: Sequence[Setting], options: argparse.Namespace
) -> Iterator[Row | str]:
    """Yields the rows of one part as they are ready, and a line for what could not be."""
    if part == "show":
        return
    of_world = part in OF_WORLD  # that of the first configuration
    call = OF_WORLD[part] if of_world else OF_TRAINING[part]
    for one in settings[:1] if of_world else settings:
        for lanes in options.lanes if part in SWEPT else [options.at]:
            yield from call(one, options, lanes)


def place(about: dict[str, Any]) -> str:
    """What rows ran on: the processor by its name, or the accelerator by its own."""
    if about["device"].startswith("cpu"):
        return f"{about['cpus']} cores of {about['processor']}"
    return about["device"]


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
    (folder / "bench.md").write_text(f"{heading(about)}\n\n{table.markdown(rows, missing)}")
    return [folder / "bench.json", folder / "bench.md"]


def read(path: Path) -> tuple[list[Row], list[str]]:
    """The rows of another run, each with the device that it ran on, and what it missed.

    Raises:
      ConfigError: no such file, or none of this command.
    """
    try:
        written = json.loads(path.read_text())
        return table.from_json(written["rows"]), list(written["missing"])
    except (OSError, ValueError, TypeError, KeyError):
        raise ConfigError(f"--beside={path}: needs the bench.json of another run.") from None


def heading(about: dict[str, Any]) -> str:
    """The machine and the versions, in Markdown."""
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    lines = [f"- {name.replace('_', ' ')}: {about[name]}" for name in VERSIONS if name in about]
    return "\n".join(["# Benchmarks", "", *lines, f"- packages: {packages}"])
