"""The runs of a sweep or a study: processes of their own, skipped if done, resumed if killed."""

import ctypes
import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from experiments.sweep.fields import Assignments

LIBC = ctypes.CDLL(None)  # looked up before any fork


@dataclasses.dataclass(frozen=True)
class Task:
    """One process of a job, as plain data that may travel to another host.

    Hosts see the same files under the same names, or nothing here can work.
    """

    command: tuple[str, ...]  # without the interpreter, which is that of the host
    again: tuple[str, ...]  # the same where the folder holds a run that was begun
    folder: Path
    log: Path
    threads: int
    cwd: Path = dataclasses.field(default_factory=Path.cwd)  # flags hold paths of this folder


def work(task: Task) -> int:
    """Runs a task to its end. Returns the exit code of its process.

    A run keeps the number of threads that it began with.
    """
    task.folder.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "NUMBA_NUM_THREADS": str(task.threads)}
    if not (task.folder / "version.json").exists():
        environment.setdefault("NPROC", str(task.threads))
    begun = (task.folder / "config.json").exists()
    with task.log.open("a") as log:
        return subprocess.run(
            [sys.executable, *(task.again if begun else task.command)], cwd=task.cwd,
            env=environment, stdout=log, stderr=subprocess.STDOUT, check=False,
            preexec_fn=_ends_with_parent,
        ).returncode  # fmt: skip


def _ends_with_parent() -> None:
    """A run must not outlive a worker that was killed: its folder would stay held."""
    if sys.platform == "linux":
        LIBC.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Job:
    """One run of `experiments.main` in a folder of its own. Subclasses are frozen dataclasses."""

    folder: Path
    config: str  # name of a configuration
    overrides: Assignments  # fields that this job sets
    evaluates = False  # whether every iteration is played in held-out worlds afterwards

    @property
    def kind(self) -> tuple[str, Assignments]:
        """Jobs that differ in nothing but the seed have the same."""
        return self.config, tuple(pair for pair in self.overrides if pair[0] != "seed")

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def follows(self) -> "Job | None":
        """The job that must be done before."""
        return None

    @property
    def log(self) -> Path:
        # No `with_suffix`: names hold dots.
        return self.folder.parent / f"{self.folder.name}.log"

    @property
    def has_result(self) -> bool:
        return (self.folder / "result.json").exists()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self.has_result

    def command(self, extra: Sequence[str] = ()) -> list[str]:
        """Starts the run anew."""
        own = overrides_of(self.overrides)
        names = {flag.partition("=")[0] for flag in own}  # a flag may be given once
        extra = [flag for flag in extra if flag.partition("=")[0] not in names]
        return ["-m", "experiments.main", f"--config={self.config}", *extra, *own]

    def tasks(self, command: Sequence[str], threads: int) -> Iterator[Task]:
        """What is left to do, one process after the other."""
        if not self.has_result:
            here = f"--workdir={self.folder}"
            again = ("-m", "experiments.main", here, "--resume")
            yield Task((*command, here), again, self.folder, self.log, threads)


@dataclasses.dataclass(frozen=True)
class PlainJob(Job):
    """A configuration with other values of some fields."""

    config: str
    folder: Path
    overrides: Assignments = ()


@dataclasses.dataclass(frozen=True)
class Failure:
    """A job that did not end well; its folder and log stay, and the same command retries it."""

    job: Job
    reason: str  # last words of its log


Say = Callable[[Job, str], None]
Call = Callable[[Task], int]  # `work`, somewhere


def overrides_of(assignments: Sequence[tuple[str, str]]) -> list[str]:
    return [f"--{'' if path == 'seed' else 'config.'}{path}={text}" for path, text in assignments]


def run_all(
    jobs: Sequence[Job], extra: Sequence[str], call: Call, many: int, threads: int, say: Say
) -> list[Failure]:
    """Does all that is not done, `many` jobs at a time. Returns what failed and why.

    Args:
      extra: flags that every job is given.
      call: does a task, on this machine or another.
      threads: of each job.
    """
    for job in jobs:
        if job.is_done:
            say(job, "done before")
    waiting = [job for job in jobs if not job.is_done]
    # Here and not in the threads: configurations are parsed, which Python does not do well there.
    commands = {job: job.command(extra) for job in waiting}

    def do(job: Job) -> Failure | None:
        say(job, "started")
        try:
            ok = all(call(task) == 0 for task in job.tasks(commands[job], threads))
            reason = "" if ok and job.is_done else last_words(job.log)
        except Exception as error:  # one run must not end the others
            reason = f"{type(error).__name__}: {error}"
        say(job, f"failed: {reason}" if reason else "done")
        return Failure(job, reason) if reason else None

    waves = [j for j in waiting if not j.follows], [j for j in waiting if j.follows]
    pool = ThreadPoolExecutor(many)
    try:
        return [failure for wave in waves for failure in pool.map(do, wave) if failure]
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C nothing new begins


def last_words(log: Path) -> str:
    """Why a run ended, from the end of its log: its own words, else the last line."""
    if not log.exists():
        return "it wrote no log"
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith("Go on with")]
    told = [line for line in lines[-20:] if line.startswith(("error:", "Stopped:"))]
    return (told or lines or ["it wrote nothing"])[-1][:300]


def to_json(jobs: Sequence[Job], failed: Sequence[Failure], extra: Sequence[str]) -> dict[str, Any]:
    """What a list of jobs came to, for sweep.json and study.json."""
    return {
        "runs": [
            {"config": job.config, **dict(job.overrides), "folder": str(job.folder),
             "done": job.is_done, "command": "python " + " ".join(job.command(extra))}
            for job in jobs
        ],
        "failed": [{"run": f.job.name, "reason": f.reason, "log": str(f.job.log)} for f in failed],
    }  # fmt: skip
