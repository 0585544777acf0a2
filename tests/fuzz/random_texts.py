"""Hands random texts to the compiler and runs what it accepts; nothing may go wrong.

    python -m tests.fuzz texts --minutes=10 [--seed=0] [--out=fuzz]
    python -m tests.fuzz texts --worst

Texts are recorded answers, benchmark macros and known attacks, with words, lines, parts
of trees or characters changed, two texts in one, and programs drawn from Python's own
grammar. Each is compiled under a watch of its time and memory. What is accepted is
verified, and runs some ticks with made-up views on the host interpreter. A crash, a
compilation of more than the bounds, or an action that the world does not know is written
to a file, and the command ends with 1.

`--worst` compiles the known worst texts instead, and prints their time, work and memory.
With NUMBA_DISABLE_JIT=1 the interpreter is plain Python, which checks every index.
"""

import argparse
import contextlib
import dataclasses
import gc
import random
import resource
import signal
import sys
import time
import traceback
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

MAX_SECONDS = 0.2  # CPU of one compilation, on a quiet machine
MAX_BYTES = 50_000_000  # of one compilation, above what was there before
HANG = 20  # seconds until an input counts as one that never ends
TICKS, LANES = 12, 3  # of an accepted program


@dataclasses.dataclass
class Tally:
    """What happened so far."""

    kinds: Counter[str] = dataclasses.field(default_factory=Counter)
    refused: int = 0
    accepted: int = 0
    ticks: int = 0  # of lanes in which an accepted program acted
    slow: int = 0  # over MAX_SECONDS also when tried again
    large: int = 0
    failures: list[str] = dataclasses.field(default_factory=list)
    slowest: list[tuple[float, str, str]] = dataclasses.field(default_factory=list)
    largest: list[tuple[int, str, str]] = dataclasses.field(default_factory=list)
    work: int = 0  # largest count of `work.spent`

    @property
    def inputs(self) -> int:
        return self.refused + self.accepted + len(self.failures)


class Hang(Exception):
    """An input took longer than `HANG` seconds."""


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Raises `Hang` in the block when it does not end."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang(f"more than {HANG} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def one(tally: Tally, kind: str, text: str, seed: int, deep: bool) -> None:
    """Compiles and runs one text, and adds what happened to the tally."""
    from rlgpt_jax.macros.compiler import work
    from rlgpt_jax.macros.language import parse_or_raise
    from rlgpt_jax.macros.refusal import Refusal
    from tests.fuzz import trial

    tally.kinds[kind] += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    with watched():
        program = parse_or_raise(text, None, "full")
    seconds = time.process_time() - begin
    tally.work = max(tally.work, work.spent())
    if seconds > MAX_SECONDS:  # others may have used the machine: the best of three counts
        seconds = min(seconds, *(seconds_of(text) for _ in range(3)))
        tally.slow += seconds > MAX_SECONDS
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
    if deep or seconds > MAX_SECONDS / 4 or grown > 4_000:
        size = peak_of(text)
        tally.large += size > MAX_BYTES
        tally.largest = sorted([*tally.largest, (size, kind, text)])[-5:]
    if not tally.slowest or len(tally.slowest) < 5 or seconds > tally.slowest[0][0]:
        tally.slowest = sorted([*tally.slowest, (seconds, kind, text)])[-5:]
    if isinstance(program, Refusal):
        if not program.reason or len(program.describe()) > 1_200:
            raise trial.Escaped("a refusal without words, or with too many")
        tally.refused += 1
        return
    with watched():
        fate = trial.run(program, TICKS, LANES, seed, fresh=4)
    tally.ticks += fate.ticks
    tally.accepted += 1


def seconds_of(text: str) -> float:
    from rlgpt_jax.macros.language import parse_or_raise

    begin = time.process_time()
    parse_or_raise(text, None, "full")
    return time.process_time() - begin


def peak_of(text: str) -> int:
    """Returns the most bytes that a compilation holds at a time."""
    from rlgpt_jax.macros.language import parse_or_raise

    tracemalloc.start()
    try:
        parse_or_raise(text, None, "full")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def inputs(seed: int, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yields number, kind and text without end; each depends on its number alone."""
    from tests.fuzz import mutate

    number = 0
    while True:
        rng = random.Random(f"{seed} {number}")
        yield number, *mutate.draw(rng, texts)
        number += 1


def tried(tally: Tally, number: int, kind: str, text: str) -> str:
    """Tries one input. Returns what went wrong, "" if nothing did."""
    try:
        one(tally, kind, text, number, deep=number % 200 == 0)
    except Exception:
        tally.failures.append(kind)
        return traceback.format_exc()
    return ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--inputs", type=int, default=0, help="stop after so many (0: by time)")
    parser.add_argument("--out", type=Path, default=Path("fuzz"), help="folder for findings")
    parser.add_argument("--worst", action="store_true", help="only compile the known worst texts")


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 1 if something went wrong."""
    console = Console(file=sys.stdout)
    if options.worst:
        from tests.fuzz import worst

        return worst.show(console)
    from tests.fuzz.corpus import corpus  # imports jax

    texts, tally = corpus(), Tally()
    gc.collect()
    gc.freeze()  # what was there before is not looked through again and again
    first = memory()
    end = time.monotonic() + 60 * options.minutes
    columns = TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        for number, kind, text in inputs(options.seed, texts):
            wrong = tried(tally, number, kind, text)
            if wrong:
                path = saved(options.out, f"{options.seed}-{number}-{kind}", text, wrong)
                bar.print(f"{path}: {wrong.splitlines()[-1]}", markup=False)
            if number == 500:
                first = memory()  # caches are filled
            if number % 50 == 0:
                bar.update(task, description=words(tally))
            if time.monotonic() > end or 0 < options.inputs <= number + 1:
                break
    return report(console, tally, first, options.out)


def saved(folder: Path, name: str, text: str, wrong: str) -> Path:
    """Writes a finding; returns the path of its text."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.txt"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    if wrong:
        (folder / f"{name}.error.txt").write_text(wrong, encoding="utf-8", errors="replace")
    return path


def memory() -> float:
    """Returns what the process holds now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def words(tally: Tally) -> str:
    return (
        f"{tally.inputs} inputs, {tally.refused} refused, {tally.accepted} accepted, "
        f"{len(tally.failures)} crashes"
    )


def report(console: Console, tally: Tally, first: float, folder: Path) -> int:
    """Prints the counts, keeps the slowest inputs. Returns the exit code."""
    console.print(words(tally) + f"; {tally.ticks} ticks acted")
    console.print("made by: " + ", ".join(f"{n} {kind}" for kind, n in tally.kinds.most_common()))
    table = Table("", "kind", "characters", "CPU ms", "peak MB", box=None, pad_edge=False)
    for seconds, kind, text in reversed(tally.slowest):
        table.add_row("slowest", kind, str(len(text)), f"{1e3 * seconds:.0f}", "")
    for size, kind, text in reversed(tally.largest):
        table.add_row("largest", kind, str(len(text)), "", f"{size / 1e6:.1f}")
    console.print(table)
    for i, (seconds, kind, text) in enumerate(reversed(tally.slowest)):
        if seconds > MAX_SECONDS:
            saved(folder, f"slowest-{i}-{kind}", text, "")
    for i, (size, kind, text) in enumerate(reversed(tally.largest)):
        if size > MAX_BYTES:
            saved(folder, f"largest-{i}-{kind}", text, "")
    console.print(
        f"most work {tally.work}; over {1e3 * MAX_SECONDS:.0f} ms: {tally.slow}; over "
        f"{MAX_BYTES / 1e6:.0f} MB: {tally.large}; the process holds {memory():.0f} MB, "
        f"{memory() - first:+.0f} since the 500th input"
    )
    return 1 if tally.failures or tally.slow or tally.large else 0
