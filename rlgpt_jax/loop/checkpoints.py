"""Checkpoints of iterations that no kill, full disk or damaged file can spoil.

`checkpoints/<i>/latest.json` names the folder of the last whole checkpoint of iteration
i; it is replaced after that folder is complete. The folder before it is kept too, in case
that the last one is damaged: each holds its own position, the rows of metrics until then
(`rows_until`), and hashes of all its files.
"""

import dataclasses
import functools
import json
import shutil
from pathlib import Path

from rlgpt_jax.agents.llm import disk
from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.loop.tools import World
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.train import Learner

LATEST, POSITION = "latest.json", "position.json"
ROWS = ("metrics.csv", "timing.csv")
KEPT = 2


@dataclasses.dataclass(frozen=True)
class Position:
    """Where the training of an iteration stands: the content of `latest.json`."""

    folder: str  # of the checkpoint, beside this file
    start_ticks: int  # ticks of the whole run when the iteration began
    ticks: int  # of the whole run
    update: int  # of the whole run


def folder_of(run: RunFolder, iteration: int) -> Path:
    """Where the checkpoints of an iteration lie."""
    return run.path("checkpoints", iteration)


def position(run: RunFolder, iteration: int) -> Position | None:
    """Where its training stands; None before the first checkpoint."""
    saved = read_json(folder_of(run, iteration) / LATEST)
    return Position(**saved) if saved else None


def save(run: RunFolder, iteration: int, learner: Learner, world: World, start_ticks: int) -> None:
    """Writes a checkpoint, then makes it the latest, then removes those before the last.

    Raises:
      OSError: the disk refused it; what was there before stays.
    """
    folder = folder_of(run, iteration)
    name = f"update_{int(learner.num_updates):06d}"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / name, ignore_errors=True)  # left by a kill while saving
    now = Position(name, start_ticks, int(learner.ticks), int(learner.num_updates))
    beside = {file: run.path(file).read_bytes() for file in ROWS if run.path(file).exists()}
    beside[POSITION] = json.dumps(dataclasses.asdict(now)).encode()
    check_room = functools.partial(disk.check_room, folder / name)
    try:
        checkpoint.save(folder / name, learner, world, beside, check_room)
        write_json(folder / LATEST, dataclasses.asdict(now))
    except OSError:
        for part in folder.glob(f"{name}*"):
            shutil.rmtree(part, ignore_errors=True)  # it takes room on a full disk
        raise
    kept = _folders(folder)[-KEPT:]
    for old in folder.iterdir():  # and what kills left half written
        if old.is_dir() and old not in kept and ".damaged" not in old.name:
            shutil.rmtree(old)


def mend(folder: Path) -> tuple[list[str], bool]:
    """Makes `latest.json` of an iteration name its last whole checkpoint.

    Args:
      folder: `checkpoints/<i>`.

    Returns:
      What was damaged and what is taken instead, and whether training has lost updates by that.
    """
    words = []
    for found in _folders(folder):
        if not checkpoint.is_whole(found):
            kept = disk.set_aside(found)
            words.append(f"{found} is damaged and is now {kept.name}.")
    latest = folder / LATEST
    try:
        if (folder / Position(**json.loads(latest.read_bytes())).folder).is_dir():
            return words, False
    except (OSError, ValueError, TypeError):
        words += [f"{latest} is damaged."] * latest.exists()
    whole = [p for p in _folders(folder) if (p / checkpoint.HASHES).exists()]
    if whole:
        write_json(latest, json.loads((whole[-1] / POSITION).read_bytes()))
        return [*words, f"Its training goes on from {whole[-1].name}."], True
    latest.unlink(missing_ok=True)
    return [*words, *["Its training begins anew."] * bool(words)], bool(words)


def rows_until(run: RunFolder, file: str) -> bytes:
    """The rows of a CSV file when the newest checkpoint of a run was made; b"" without one."""
    newest: dict[int, Path] = {}
    for latest in run.path("checkpoints").glob(f"*/{LATEST}"):
        now = Position(**read_json(latest))
        newest[now.update] = latest.parent / now.folder / file
    path = newest[max(newest)] if newest else None
    return path.read_bytes() if path and path.exists() else b""


def _folders(folder: Path) -> list[Path]:
    """Checkpoints of an iteration, the oldest first."""
    return sorted(p for p in folder.glob("update_*") if p.is_dir() and "." not in p.name)
