"""Programs that one run compiled are found by the next one, and give the same bits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAIN = """
import hashlib, json
import jax.monitoring
import numpy as np

seen = {"hits": 0, "misses": 0}

def note(event, **about):
    name = event.removeprefix("/jax/compilation_cache/cache_")
    if name in seen:
        seen[name] += 1

jax.monitoring.register_event_listener(note)
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.networks.actor_critic import init_params
from rlgpt_jax.rl.policy import Policy
from tests.corridor import Corridor
from tests.rl.small import CONFIG

params = init_params(CONFIG.network, jax.random.key(0))
world = Corridor(num_envs=16, horizon=12)
report = evaluate(world, Policy(params, empty_space(), CONFIG), 1, num_episodes=16)
bits = hashlib.sha256(repr(report).encode())
for leaf in jax.tree.leaves(params):
    bits.update(np.asarray(leaf).tobytes())
print(json.dumps({**seen, "bits": bits.hexdigest()}))
"""


def run(cache: Path) -> dict:
    environment = {
        **os.environ, "JAX_COMPILATION_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", TRAIN], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow  # compiles everything in a process of its own
def test_the_second_run_finds_every_program_of_the_first(tmp_path: Path) -> None:
    first, second = run(tmp_path), run(tmp_path)
    assert first["misses"] > 5, "the listener hears what is compiled"
    assert second["misses"] == 0 and second["hits"] >= first["misses"]
    assert second["bits"] == first["bits"]
