"""What a list of jobs shows while it runs: a live table of those that go on, and of failures."""

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from experiments.configs.base import Config
from experiments.sweep.jobs import Job
from rlgpt_jax.loop.record import read_rows

SECONDS = 2.0  # between two looks into the folders
MOST_ROWS = 20


class Board:
    """Lines for every start and end; above the prompt of a terminal a table besides."""

    def __init__(self, console: Console, configs: Mapping[Job, Config], minutes: float):
        """
        Args:
          configs: of every job, which say how long it trains.
          minutes: estimate of the whole.
        """
        self._console = console
        self._configs = configs
        self._minutes = minutes
        self._began = time.monotonic()
        self._states: dict[Job, tuple[str, float]] = {}  # -> (words, seconds since the start)
        self._live = Live(self.table(), console=console, auto_refresh=False, transient=True)
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Board":
        if self._console.is_terminal:
            self._live.start()
            self._watcher.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stop.set()
        if self._console.is_terminal:
            self._watcher.join()
            self._live.stop()

    def say(self, job: Job, words: str) -> None:
        """Hears what `run_all` tells."""
        self._states[job] = words, time.monotonic() - self._began
        self._console.print(f"{job.name}: {words}", highlight=False, soft_wrap=True, markup=False)

    def _watch(self) -> None:
        while not self._stop.wait(SECONDS):
            self._live.update(self.table(), refresh=True)

    def table(self) -> Table:
        """Where everything stands."""
        states = dict(self._states)
        going = [job for job, (words, _) in states.items() if words == "started"]
        failed = [job for job, (words, _) in states.items() if words.startswith("failed")]
        done = sum(words.startswith("done") for words, _ in states.values())
        spent = (time.monotonic() - self._began) / 60
        table = Table(
            *("run", "state", "iteration", "steps", "success", "minutes"),
            caption=f"{done} of {len(self._configs)} done, {len(going)} at work, {len(failed)} "
            f"failed; {spent:.0f} of about {self._minutes:.0f} minutes",
        )
        for job in [*going, *failed][:MOST_ROWS]:
            words, since = states[job]
            state, *cells = ("failed", "", "", "") if job in failed else self._position(job)
            minutes = "" if job in failed else f"{spent - since / 60:.0f}"
            colour = "red" if state == "failed" else "green"
            table.add_row(escape(job.name), f"[{colour}]{state}[/]", *cells, minutes)
        return table

    def _position(self, job: Job) -> Sequence[str]:
        """State, iteration, steps and success of a job that was started."""
        if job.has_result:
            return "evaluating", "", "", ""
        iteration, ticks, success = position(job.folder / "metrics.csv")
        if iteration is None:
            return "at work" if job.log.exists() else "queued", "", "", ""
        loop = self._configs[job].loop
        goal = loop.num_iterations * loop.ticks_per_iteration
        return "at work", str(iteration), f"{ticks:,} of {goal:,}", success


def position(path: Path) -> tuple[int | None, int, str]:
    """(iteration, ticks, success) of the last whole row of a metrics.csv; None before the first."""
    rows = read_rows(path)
    if not rows:
        return None, 0, ""
    last = rows[-1]
    success = f"{float(last['success_rate']):.0%}" if last.get("success_rate") else ""
    return int(float(last["iteration"])), int(float(last["ticks"])), success
