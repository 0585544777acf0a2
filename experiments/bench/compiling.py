"""Seconds of compiling per configuration, cold and warm: the first update in new processes.

Both processes are given the same empty cache folders, so the first compiles everything and
the second finds it. What a warm start still pays is tracing in Python. Pools of worlds
are made beforehand: they are data, and kept elsewhere.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from experiments.bench.setting import Setting
from experiments.bench.table import Row, from_json
from rlgpt_jax import files


def measure(setting: Setting, lanes: int) -> list[Row]:
    """One row each for a cold and a warm start."""
    setting.world(1)  # makes the pool
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cold", "warm"):
            one = child(setting, lanes, Path(folder))
            rows.append(Row("compile", f"{one.name}, {name}", one.numbers))
    return rows


def child(setting: Setting, lanes: int, caches: Path) -> Row:
    """The row that a new process measures with its programs kept in `caches`."""
    environment = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(caches / "jax"),
        "NUMBA_CACHE_DIR": str(caches / "numba"),
    }
    command = [
        sys.executable, "-m", "experiments.bench", "first", f"--at={lanes}",
        f"--config={setting.name}", f"--driver={setting.driver}", f"--out={caches / 'out'}",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=files.CHECKOUT, env=environment, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
    written = json.loads((caches / "out" / "bench.json").read_text())
    return from_json(written["rows"])[0]
