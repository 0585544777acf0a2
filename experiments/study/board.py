"""What a study shows while it runs: a bar of the whole and a line per run that goes on."""

import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from experiments.study.runs import Run
from rlgpt_jax.loop.record import read_rows

POLL_SECONDS = 2.0


class Board:
    """Lines for every start and end; bars where the output is a terminal."""

    def __init__(self, console: Console, minutes: Mapping[Run, float], targets: Mapping[Run, int]):
        """
        Args:
          minutes: estimate of each run.
          targets: ticks of training of each run.
        """
        self._console = console
        self._minutes = minutes
        self._targets = targets
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[words]}"),
            TimeElapsedColumn(), console=console, transient=True,
            disable=not console.is_terminal,
        )  # fmt: skip
        total = max(sum(minutes.values()), 1e-9)
        self._all = self._progress.add_task("all runs", total=total, words="")
        self._going: dict[Run, TaskID] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Board":
        self._progress.start()
        self._watcher.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._watcher.join()
        self._progress.stop()

    def say(self, run: Run, words: str) -> None:
        """Hears what `run_all` tells."""
        self._console.print(f"{run.name}: {words}", highlight=False, soft_wrap=True, markup=False)
        with self._lock:
            if words == "started":
                self._going[run] = self._progress.add_task(run.name, total=1.0, words="")
                return
            if run in self._going:
                self._progress.remove_task(self._going.pop(run))
        self._progress.advance(self._all, self._minutes.get(run, 0.0))

    def _watch(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            with self._lock:
                for run, task in self._going.items():
                    share, words = self._state(run)
                    self._progress.update(task, completed=share, words=words)

    def _state(self, run: Run) -> tuple[float, str]:
        if run.has_result:
            return 1.0, "held-out evaluation"
        iteration, ticks = position(run.folder / "metrics.csv")
        target = self._targets.get(run, 0)
        if not target or iteration is None:
            return 0.0, "at work"
        return min(ticks / target, 1.0), f"iteration {iteration}, {ticks:,} of {target:,} steps"


def position(path: Path) -> tuple[int | None, int]:
    """(iteration, ticks) of the last whole row of a metrics.csv; (None, 0) before the first."""
    rows = read_rows(path)
    return (int(float(rows[-1]["iteration"])), int(float(rows[-1]["ticks"]))) if rows else (None, 0)
