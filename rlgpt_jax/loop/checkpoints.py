"""Checkpoints of iterations that a kill cannot spoil.

`checkpoints/<i>/latest.json` names the folder of the last whole checkpoint of iteration
i; it is replaced after that folder is complete, and older folders go afterwards.
"""

import dataclasses
import shutil
from pathlib import Path

from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.loop.tools import World
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.train import Learner


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
    saved = read_json(folder_of(run, iteration) / "latest.json")
    return Position(**saved) if saved else None


def save(run: RunFolder, iteration: int, learner: Learner, world: World, start_ticks: int) -> None:
    """Writes a checkpoint, then makes it the latest, then removes the others."""
    folder = folder_of(run, iteration)
    name = f"update_{int(learner.num_updates):06d}"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / name, ignore_errors=True)  # left by a kill while saving
    checkpoint.save(folder / name, learner, world)
    now = Position(name, start_ticks, int(learner.ticks), int(learner.num_updates))
    write_json(folder / "latest.json", dataclasses.asdict(now))
    for old in folder.iterdir():
        if old.is_dir() and old.name != name:
            shutil.rmtree(old)
