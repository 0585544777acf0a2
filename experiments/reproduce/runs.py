"""The runs that are compared: undisturbed, killed and resumed, on another number of devices."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from experiments.configs.base import Config
from experiments.reproduce.contents import metrics_files
from experiments.sweep.fields import Assignments
from experiments.sweep.jobs import Job, last_words, run_all, work
from rlgpt_jax.loop.record import read_rows

FIRST_UPDATES = 2  # that are compared with another number of devices
FORCED = "--xla_force_host_platform_device_count"  # CPUs that JAX counts as devices
ASK = "import jax; print(jax.default_backend(), jax.device_count())"
THREADS = len(os.sched_getaffinity(0))
Say = Callable[[str], None]


class RunFailed(RuntimeError):
    """A run that did not end well; the message holds its last words."""


@dataclasses.dataclass(frozen=True)
class Copy(Job):
    """A run of the configuration."""

    config: str
    folder: Path
    overrides: Assignments = ()


@dataclasses.dataclass(frozen=True)
class Moment:
    """When a run is killed: a file of metrics has so many rows."""

    file: str
    rows: int


def whole(job: Copy, extra: tuple[str, ...], say: Say) -> None:
    """Does a run, or what is left of it, to its end.

    Raises:
      RunFailed: it has no result.
    """
    began = time.monotonic()
    for failed in run_all([job], extra, work, 1, THREADS, lambda *_: None):
        raise RunFailed(f"{job.name}: {failed.reason}; its words are in {job.log}")
    say(f"{job.name}: ended after {(time.monotonic() - began) / 60:.1f} min")


def part(job: Copy, extra: tuple[str, ...], moment: Moment, say: Say) -> bool:
    """Starts a run and kills it without warning at a moment. Returns False if it ended before that.

    Raises:
      RunFailed: it ended before, without a result.
    """
    rows = lambda: len(read_rows(job.folder / moment.file))  # noqa: E731
    [task] = job.tasks(job.command(extra), THREADS)
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(work, task)
        try:
            while not ended.done() and rows() < moment.rows:
                time.sleep(0.02)
        finally:
            with contextlib.suppress(OSError, IndexError):  # not even begun, or done
                if not ended.done():
                    os.kill(int((job.folder / "lock").read_text().split()[1]), signal.SIGKILL)
    if rows() < moment.rows or (ended.result() and ended.result() != -signal.SIGKILL):
        raise RunFailed(f"{job.name}: {last_words(job.log)}; its words are in {job.log}")
    if job.has_result:
        return False
    say(f"{job.name}: killed after update {rows()}")
    return True


def middle(folder: Path) -> Moment | None:
    """In the middle of the longest iteration of a finished run; None where nothing is trained."""
    for file in metrics_files(folder):
        iterations = [row["iteration"] for row in read_rows(folder / file)]
        longest = max(iterations, key=iterations.count)
        half = (iterations.count(longest) + 1) // 2
        return Moment(file, iterations.index(longest) + half)
    return None


def other_devices(config: Config) -> int:
    """With how many devices a configuration can be run besides.

    Raises:
      ValueError: why it cannot.
    """
    if config.world != "voxel" or config.driver == "host" or config.reward.clip:
        raise ValueError("the host driver is in use, which has one")
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    backend, count = done.stdout.split()
    if backend == "cpu" and config.driver != "device":
        raise ValueError("the host driver is in use, which has one; --config.driver=device")
    groups = config.ppo.groups
    if not groups:
        raise ValueError("rows are dealt by device; --config.ppo.groups=2 fixes the dealing")
    from rlgpt_jax.rl.devices import num_devices  # imports jax

    available = max(groups, int(count)) if backend == "cpu" else int(count)
    own = num_devices(config.rl, True, available, backend)
    others = [n for n in range(1, available + 1) if n != own and groups % n == 0]
    if not others:
        raise ValueError(f"ppo.groups={groups} is for no other number than {own} of {available}")
    return others[0]


def see_devices(num: int) -> None:
    """Processes that are started from now on see so many CPUs as devices."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FORCED}={num}".strip()
