"""The main command in a corridor in the place of Minecraft's land: all else is what users run.

    python -m tests.faults.small_run --config=harvest_milk --smoke --workdir=FOLDER ...

`FAULTS_WORLD=voxel` takes the embedded world and so what users run in full: a quarter of an hour of
injections becomes some hours.
"""

import contextlib
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from experiments import machine, main, signals
from tests.experiments import answers
from tests.faults import ROOT

IS_VOXEL = os.environ.get("FAULTS_WORLD") == "voxel"
NETWORK = dict(feature_width=8, feature_depth=1, fusion_width=16, head_width=16, head_depth=1)
FLAGS = (
    "--config=harvest_milk", "--smoke", "--config.loop.ticks_per_iteration=1024",
    "--config.loop.checkpoint_every=1", "--config.loop.trial_episodes=8",
    "--config.ppo.unroll_length=32",
    *(f"--config.network.{name}={value}" for name, value in NETWORK.items()),
)  # fmt: skip


def start_flags(folder: Path) -> tuple[str, ...]:
    """Flags of a new run, whose recorded conversation is written into `folder`."""
    path = folder / "small.jsonl"
    transcript = path if path.exists() else answers.write(path)
    return (*FLAGS, f"--config.llm.transcript={transcript}")


def command(folder: Path, *flags: str) -> list[str]:
    """A run in a process of its own."""
    return [sys.executable, "-m", "tests.faults.small_run", f"--workdir={folder}", *flags]


def run_here(folder: Path, *flags: str) -> tuple[int, str]:
    """A run in this process, where programs are compiled already: exit code and its words.

    What would end a process with a traceback is raised.
    """
    out = io.StringIO()
    quiet = contextlib.redirect_stdout(out), contextlib.redirect_stderr(out)
    with contextlib.ExitStack() as stack:
        for context in (*quiet, mock.patch.object(machine, "prepare", small_worlds(_nothing))):
            stack.enter_context(context)
        stack.enter_context(mock.patch.object(signals.Stop, "__enter__", lambda stop: stop))
        code = main.main([f"--workdir={folder}", *flags])
    return code, out.getvalue()


def _nothing(*args: Any, **options: Any) -> None:
    """`machine.prepare`, of a process that has imported jax long ago."""


def small_worlds(prepare: Callable[..., None]) -> Callable[..., None]:
    """`machine.prepare`, after which jax may be imported and the worlds are corridors."""

    def prepared(*args: Any, **options: Any) -> None:
        prepare(*args, **options)
        if IS_VOXEL:
            return
        from experiments import run
        from experiments.films import encoding
        from tests.loop.script import corridor

        def films(config: Any, tools: Any, *_: Any) -> list[Path]:
            frames = [np.full((64, 96, 3), 5 * i, np.uint8) for i in range(20)]
            return [encoding.write(frames, tools.folder.path("videos"), "success")]

        run.env_maker = lambda *_: lambda split, num_envs, seed, task=None: corridor(num_envs)
        run.choose.of_run = films

    return prepared


if __name__ == "__main__":
    os.chdir(ROOT)
    machine.prepare = small_worlds(machine.prepare)
    sys.exit(main.command())
