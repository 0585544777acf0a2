"""Seconds of compiling, cold and warm: the PPO measurement in two fresh processes.

Both are given the same empty cache folders, so the first compiles everything and the
second finds it. What a warm start still pays is tracing in Python.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from experiments import machine
from experiments.bench.table import Row


def measure(config: str, lanes: int) -> list[Row]:
    """One row each for a cold and a warm start."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cold", "warm"):
            seconds, wall = _child(config, lanes, Path(folder))
            numbers = {"lanes": float(lanes), "compile_seconds": seconds, "wall_seconds": wall}
            rows.append(Row("compile", name, numbers))
    return rows


def _child(config: str, lanes: int, caches: Path) -> tuple[float, float]:
    """Runs a minimal PPO measurement. Returns its seconds of compiling and of wall time."""
    environment = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(caches / "jax"),
        "NUMBA_CACHE_DIR": str(caches / "numba"),
    }
    command = [
        sys.executable, "-m", "experiments.bench", "ppo", f"--lanes={lanes}", "--seconds=0.1",
        f"--config={config}", f"--out={caches / 'out'}",
    ]  # fmt: skip
    began = time.perf_counter()
    subprocess.run(command, cwd=machine.CHECKOUT, env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - began
    written = json.loads((caches / "out" / "bench.json").read_text())
    return written["compile_seconds"], wall
