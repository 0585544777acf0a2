"""Atari Pong by envpool (PyPI `envpool`), for scale: C++ worlds on threads, 4 x 84 x 84.

One step is 4 frames of the game, as in every Atari benchmark; steps are counted here.
"""

import os

import numpy as np

from experiments.bench.peers.missing import Missing
from experiments.bench.turns import Contestant

NAME = "envpool Pong"
TASK = "Pong-v5"
TICKS = 4  # of one call
MOST_LANES = 256  # each takes megabytes, and more lanes than threads are not faster


def make(lanes: int) -> Contestant:
    """Starts the lanes.

    Raises:
      Missing: the package, or its files of games, are not installed.
    """
    try:
        import envpool
    except (ImportError, OSError) as error:
        raise Missing(
            f"{NAME}: {error}. pip install -e '.[bench]' installs PyPI's envpool."
        ) from error
    lanes = min(lanes, MOST_LANES)
    threads = min(lanes, len(os.sched_getaffinity(0)))
    env = envpool.make(TASK, env_type="gymnasium", num_envs=lanes, num_threads=threads, seed=0)
    env.reset()
    rng = np.random.default_rng(0)
    actions = rng.integers(0, env.action_space.n, (64, lanes)).astype(np.int32)
    held = [0]

    def run() -> None:
        for _ in range(TICKS):
            env.step(actions[held[0] % len(actions)])
            held[0] += 1

    return Contestant(NAME, lanes, run, TICKS, "cpu")
