"""Seconds of compiling per configuration, cold and warm: the first update in new processes.

Both processes are given the same empty cache folders, so the first compiles everything and
the second finds it. What a warm start still pays is tracing in Python. Pools of worlds
are made beforehand: they are data, and kept elsewhere.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jax.monitoring

from experiments.bench.ppo import one_macro
from experiments.bench.setting import Setting
from experiments.bench.table import Row, from_json
from experiments.compiles import Compiles
from rlgpt_jax import files
from rlgpt_jax.rl.train import init_learner, train

HIT = "/jax/compilation_cache/cache_hits"
MISS = "/jax/compilation_cache/cache_misses"


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


def first(setting: Setting, lanes: int) -> list[Row]:
    """One row: seconds to the end of the first two updates, and what was compiled in each."""
    compiles, seen = Compiles(), collections.Counter[str]()
    jax.monitoring.register_event_listener(lambda event, **about: seen.update([event]))
    began = time.perf_counter()
    world, space, rl = setting.world(lanes), one_macro(), setting.rl(lanes)
    learner = init_learner(world, space, rl, seed=0)
    per_update = rl.ppo.num_envs * rl.ppo.unroll_length
    learner = train(world, space, rl, learner, per_update)
    first, programs = time.perf_counter() - began, sum(compiles.counts.values())
    train(world, space, rl, learner, per_update)
    compiles.close()
    numbers = {
        "lanes": float(lanes), "seconds_to_first_update": first,
        "compile_seconds": compiles.total, "programs": float(programs),
        "programs_later": float(sum(compiles.counts.values()) - programs),
        "cache_hits": float(seen[HIT]), "cache_misses": float(seen[MISS]),
    }  # fmt: skip
    return [Row("first", f"{setting.name}, {setting.driver} driver", numbers)]
