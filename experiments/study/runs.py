"""The runs of a study: one process each, skipped if done, resumed if killed.

After a run, another process evaluates all of its iterations in held-out worlds.
"""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from experiments import flags
from experiments.study import held_out
from experiments.study.cells import Cell, Overrides
from rlgpt_jax import files


@dataclasses.dataclass(frozen=True)
class Run:
    """One cell with one seed."""

    cell: Cell
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.cell.name} seed {self.seed}"

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    @property
    def has_result(self) -> bool:
        return (self.folder / "result.json").exists()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left: every iteration has its held-out evaluation too."""
        if not self.has_result:
            return False
        files = held_out.files_of(self.folder)
        return bool(files) and all(path.exists() for path in files)

    @property
    def follows(self) -> "Run | None":
        """The run that must be done before."""
        if self.cell.variant != "agents_setup":
            return None
        cell = Cell(self.cell.config, "rl_gpt")
        return Run(cell, self.seed, self.folder.with_name(_folder_name(cell, self.seed)))

    @property
    def overrides(self) -> Overrides:
        """Flags of the cell, and of the run that this one follows."""
        first = self.follows
        return (*self.cell.overrides, *((("set_up", str(first.folder)),) if first else ()))

    def command(self, extra: Sequence[str]) -> list[str]:
        """Starts the run, or goes on with what a kill has left."""
        start = [sys.executable, "-m", "experiments.main", f"--workdir={self.folder}"]
        if (self.folder / "config.json").exists():
            return [*start, "--resume"]
        own = overrides_of(self.overrides)
        return [*start, f"--config={self.cell.config}", f"--seed={self.seed}", *extra, *own]

    def held_out_command(self) -> list[str]:
        return [sys.executable, "-m", "experiments.study", "held_out", str(self.folder)]


@dataclasses.dataclass(frozen=True)
class Failure:
    """A run that did not end well."""

    run: Run
    reason: str  # last words of its log


Say = Callable[[Run, str], None]


def plan_runs(out: Path, cells: Sequence[Cell], seeds: Sequence[int]) -> list[Run]:
    """All runs; the seeds of one cell are far apart, so that early tables are even."""
    return [
        Run(cell, seed, out.resolve() / "runs" / _folder_name(cell, seed))
        for seed in seeds
        for cell in cells
    ]


def _folder_name(cell: Cell, seed: int) -> str:
    return f"{flags.stem_of(cell.config)}-{cell.variant}-seed{seed}"


def overrides_of(assignments: Sequence[tuple[str, str]]) -> list[str]:
    return [f"--config.{path}={text}" for path, text in assignments]


def run_all(runs: Sequence[Run], extra: Sequence[str], jobs: int, say: Say) -> list[Failure]:
    """Does all that is not done, `jobs` runs at a time. Returns what failed and why."""
    for run in runs:
        if run.is_done:
            say(run, "done before")
    waiting = [run for run in runs if not run.is_done]
    # Here and not in the threads: configurations are parsed, which Python does not do well there.
    commands = {run: run.command(extra) for run in waiting}

    def do(run: Run) -> Failure | None:
        say(run, "started")
        try:
            ok = _do(run, commands[run], jobs)
            reason = "" if ok else last_words(run.log)
        except Exception as error:  # one run must not end the others
            reason = f"{type(error).__name__}: {error}"
        say(run, f"failed: {reason}" if reason else "done")
        return Failure(run, reason) if reason else None

    first = [run for run in waiting if not run.follows]
    waves = first, [run for run in waiting if run.follows]
    pool = ThreadPoolExecutor(jobs)
    try:
        return [failure for wave in waves for failure in pool.map(do, wave) if failure]
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C nothing new begins


def _do(run: Run, command: Sequence[str], jobs: int) -> bool:
    """The processes of one run. Returns whether nothing of it is left."""
    run.folder.parent.mkdir(parents=True, exist_ok=True)
    if not run.has_result and not (_process(run, command, jobs) and run.has_result):
        return False
    held_out.copy_best(run.folder)
    return run.is_done or (_process(run, run.held_out_command(), jobs) and run.is_done)


def _process(run: Run, command: Sequence[str], jobs: int) -> bool:
    """It gets its share of the CPUs, and the same one when the run is resumed."""
    threads = str(max(1, len(os.sched_getaffinity(0)) // jobs))
    environment = {**os.environ, "NUMBA_NUM_THREADS": threads}
    if not (run.folder / "version.json").exists():
        environment.setdefault("NPROC", threads)
    with run.log.open("a") as log:
        done = subprocess.run(
            command, cwd=files.CHECKOUT, env=environment, stdout=log,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    return done.returncode == 0


def last_words(log: Path) -> str:
    """Why a run ended, from the end of its log: its own words, else the last line."""
    if not log.exists():
        return "it wrote no log"
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith("Go on with")]
    told = [line for line in lines[-20:] if line.startswith(("error:", "Stopped:"))]
    return (told or lines or ["it wrote nothing"])[-1][:300]
