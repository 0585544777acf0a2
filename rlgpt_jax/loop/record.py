"""The run folder: the truth about a run, written so that a kill at any time does no harm.

    config.json version.json transcript.jsonl final_eval.json result.json timing.json
    config.copy.json                 read where config.json is damaged (`loop/mend.py`)
    coded_parts_eval.json            the best code alone, in the worlds of final_eval.json
    transcript_images/<sha256>.png   pictures of prompts
    report.html clock.json           clock.json: seconds over all starts, for the budget
    lock                             held by the process that runs it: its number and host
    mineclip.json                    what weights `reward.clip` is computed with
    set_up.json library/             what was taken from another run, from a library
    metrics.csv timing.csv tensorboard/ checkpoints/<i>/
    videos/<outcome>.mp4 .gif .json  what the run ends with, and who acts in it when
    videos/iteration<i>/             the same of an iteration
    iterations/<i>/plan.json fates.json interface.json trial_critiques.json eval.json
    iterations/<i>/coded_parts_eval.json critique.json
    iterations/<i>/cases.json        (`loop/cases.py`)
    iterations/<i>/macros/<name>/try<t>.py, then try<t>.refusal.json or try<t>.trial.json
                                 (try<t>.again<n>.trial.json, try<t>.png: `loop/trials.py`);
                                 kept.py where earlier code stays in use
    iterations/<i>/frames/           pictures of the evaluation (`loop/pictures/frames.py`)

Every file but the transcript and the metrics is replaced as a whole. A step whose file
exists is not done again.
"""

import contextlib
import csv
import fcntl
import io
import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rlgpt_jax.agents.llm.disk import Damaged, sync_folder, write_atomically

Kept = TypeVar("Kept")
CODED_PARTS = "coded_parts"  # in result.json: what a run ends with, if it is not the policy


class FolderNotHeld(RuntimeError):
    """A run folder that cannot be written, or in which another process is running."""


@contextlib.contextmanager
def held(root: Path) -> Iterator[None]:
    """Holds a run folder for this process: two in one folder would ask, and pay, all twice.

    The system lets go of it when the process ends, however it ends.

    Raises:
      FolderNotHeld: another process holds it, or it cannot be written.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        file = (root / "lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise FolderNotHeld(
            f"{error.filename} cannot be written: {error.strerror}. Choose another --workdir."
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise FolderNotHeld(
                f"{root} is in use by {file.read().strip() or 'another process'}. Wait for its "
                "end, stop it, or choose another --workdir."
            ) from None
        except OSError:
            pass  # a file system without locks: nothing can be held there
        name = f"process {os.getpid()} on {socket.gethostname()}\n"
        with contextlib.suppress(OSError):  # a full disk: what it says is for people alone
            file.truncate(0)
            file.write(name)
            file.flush()
        yield


class RunFolder:
    """Reads and writes the files of one run. Paths are relative to `root`."""

    def __init__(self, root: Path):
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def path(self, *parts: str | int) -> Path:
        return self.root.joinpath(*map(str, parts))

    def iteration(self, iteration: int, *parts: str) -> Path:
        return self.path("iterations", iteration, *parts)

    def macro(self, iteration: int, name: str, file: str) -> Path:
        return self.iteration(iteration, "macros", name, file)

    @property
    def transcript(self) -> Path:
        return self.path("transcript.jsonl")

    @property
    def has_work(self) -> bool:
        """Whether a run was started here before."""
        return self.transcript.exists() or self.path("metrics.csv").exists()

    @contextlib.contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Adds the wall time of a phase to `timing.json`, over all starts of the run."""
        began = time.monotonic()
        yield
        seconds = self.seconds()
        seconds[phase] = round(seconds.get(phase, 0.0) + time.monotonic() - began, 3)
        write_json(self.path("timing.json"), seconds)

    def seconds(self) -> dict[str, float]:
        return read_json(self.path("timing.json")) or {}


@contextlib.contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` as a whole or not at all."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    yield part
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(part, folder)
    sync_folder(folder.parent)


def read_json(path: Path) -> Any:
    """The value of a file, None if it does not exist.

    Raises:
      Damaged: it is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    except (ValueError, RecursionError) as error:
        raise Damaged(
            f"{path} is damaged: {error}. Going on with the run (experiments.main --resume) sets "
            "it aside and does its step again; or restore it."
        ) from error


def kept(path: Path, read: Callable[[Any], Kept], make: Callable[[], Kept]) -> Kept:
    """The report that a file holds, or a new one, which is written there."""
    saved = read_json(path)
    if saved is not None:
        return read(saved)
    made: Any = make()
    write_json(path, made.to_json())
    return made


def read_rows(path: Path) -> list[dict[str, str]]:
    """Whole rows of a CSV file as text, by column; a row torn by a kill is left out."""
    if not path.exists():
        return []
    text = path.read_text(errors="replace")
    whole = text[: text.rfind("\n") + 1]
    return list(csv.DictReader(io.StringIO(whole)))


def read_text(path: Path) -> str:
    """A file's text with the line ends that it has."""
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def write_json(path: Path, value: Any) -> None:
    """Writes readable JSON atomically; floats that are not finite are refused."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, default=_number)
    write_atomically(path, text + "\n")


def _number(value: Any) -> int | float | bool:
    """NumPy numbers are written as plain ones."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not plain data. Write numbers, texts, lists and mappings.")
