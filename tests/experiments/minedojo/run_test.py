"""A whole run with `--config.world=minedojo`, whose workers play a double of the game client."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlgpt_jax.files import CHECKOUT

DOUBLE = CHECKOUT / "tests" / "envs" / "minedojo" / "double"
RUN = (
    "--config=harvest_log", "--config.loop.mode=pure_rl", "--config.world=minedojo",
    "--config.minedojo.workers=2",
    "--config.minedojo.image_size=8,12", "--config.ppo.num_envs=4",
    "--config.ppo.unroll_length=16", "--config.ppo.num_minibatches=2",
    "--config.task.horizon=20", "--config.loop.num_iterations=1",
    "--config.loop.ticks_per_iteration=256", "--config.loop.eval_episodes=4",
)  # fmt: skip


@pytest.mark.slow  # compiles the networks of the default size
def test_a_run_trains_is_judged_and_filmed(tmp_path: Path) -> None:
    environment = {**os.environ, "DOUBLE_FOLDER": str(tmp_path)}
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{DOUBLE}:{CHECKOUT}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    folder = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-m", "experiments.main", *RUN, f"--workdir={folder}",
         f"--config.minedojo.python={python}"],
        cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "in Minecraft through MineDojo" in " ".join(done.stdout.split())
    result = json.loads((folder / "result.json").read_text())
    assert (result["ticks"], result["num_episodes"]) == (256, 4)
    rows = (folder / "metrics.csv").read_text().splitlines()
    assert len(rows) == 1 + 4  # an update has 4 * 16 ticks, whatever the number of workers
    assert list((folder / "videos").glob("*.mp4"))
