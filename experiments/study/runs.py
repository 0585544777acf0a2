"""The runs of a study: one process each, skipped if done, resumed if killed."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from experiments import machine

MODES = ("rl_gpt", "pure_rl", "pure_code")


@dataclasses.dataclass(frozen=True)
class Run:
    """One cell of the study."""

    task: str
    mode: str
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.task} {self.mode} seed {self.seed}"

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    @property
    def is_done(self) -> bool:
        return (self.folder / "result.json").exists()

    def command(self, extra: Sequence[str]) -> list[str]:
        """Starts the run, or goes on with what a kill has left."""
        start = [sys.executable, "-m", "experiments.main", f"--workdir={self.folder}"]
        if (self.folder / "config.json").exists():
            return [*start, "--resume"]
        flags = [f"--config={self.task}", f"--seed={self.seed}", f"--config.loop.mode={self.mode}"]
        return [*start, *flags, *extra]


def plan_runs(
    out: Path, tasks: Sequence[str], modes: Sequence[str], seeds: Sequence[int]
) -> list[Run]:
    """All runs; the seeds of one cell are far apart, so that early tables are even."""
    return [
        Run(task, mode, seed, out.resolve() / "runs" / f"{task}-{mode}-seed{seed}")
        for seed in seeds
        for task in tasks
        for mode in modes
    ]


def overrides_of(assignments: Sequence[tuple[str, str]]) -> list[str]:
    return [f"--config.{path}={text}" for path, text in assignments]


def run_all(
    runs: Sequence[Run], extra: Sequence[str], jobs: int, say: Callable[[Run, str], None]
) -> list[Run]:
    """Does all runs that are not done, `jobs` at a time. Returns those that failed."""
    waiting = [run for run in runs if not run.is_done]
    for run in runs:
        if run.is_done:
            say(run, "done before")

    def do(run: Run) -> bool:
        say(run, "started")
        ok = _run(run, extra, jobs)
        say(run, "done" if ok else "failed")
        return ok

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(do, waiting))
    return [run for run, ok in zip(waiting, results, strict=True) if not ok]


def _run(run: Run, extra: Sequence[str], jobs: int) -> bool:
    """One process; it gets its share of the CPUs, and the same one when it is resumed."""
    run.folder.parent.mkdir(parents=True, exist_ok=True)
    threads = str(max(1, len(os.sched_getaffinity(0)) // jobs))
    environment = {**os.environ, "NUMBA_NUM_THREADS": threads}
    if not (run.folder / "version.json").exists():
        environment.setdefault("NPROC", threads)
    with run.log.open("a") as log:
        done = subprocess.run(
            run.command(extra), cwd=machine.CHECKOUT, env=environment, stdout=log,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    return done.returncode == 0 and run.is_done
