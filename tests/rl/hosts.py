"""Training on eight devices of several processes, each one of the hosts; writes numbers.

    XLA_FLAGS=... python -m tests.rl.hosts corridor OUT -- HOSTS NUMBER PORT

    XLA_FLAGS=... python -m tests.rl.hosts speed LANES -- HOSTS NUMBER PORT

Trains four updates. `speed` prints the seconds of the wall
and of the processor that one update takes of this process, the mean of four after the first.
"""

import dataclasses
import sys
import time
from pathlib import Path

import jax
import numpy as np
from jax.experimental.multihost_utils import sync_global_devices


def speed(lanes: int) -> None:
    from rlgpt_jax.rl.train import init_learner, train
    from tests.corridor import Corridor
    from tests.rl.eight_devices import SPACE, settings

    config = settings(jax.device_count())
    ppo = dataclasses.replace(config.ppo, num_envs=lanes, unroll_length=32)
    config = dataclasses.replace(config, ppo=ppo)
    env, clocks = Corridor(num_envs=lanes, length=4, horizon=12), []

    def note(*_) -> None:
        clocks.append((time.perf_counter(), time.process_time()))

    train(env, SPACE, config, init_learner(env, SPACE, config, 0), 5 * lanes * 32, note)
    wall, processor = ((b - a) / 4 for a, b in zip(clocks[0], clocks[-1]))
    sys.stdout.write(f"{jax.device_count()} devices: {wall:.2f} s, processor {processor:.2f} s\n")


def main(world: str, out: Path, number: int) -> None:
    # Imported here: some make arrays when they are, and the hosts must have met before.
    from rlgpt_jax.rl import checkpoint, devices
    from rlgpt_jax.rl.train import init_learner, train
    from tests.rl.eight_devices import LANES, PPO, SPACE, make, settings

    half = 2 * LANES * PPO.unroll_length
    env, config, seen = make(world), settings(8), []

    def note(_, metrics) -> None:
        kept = {k: v for k, v in metrics.items() if "time" not in k and k != "steps_per_second"}
        seen.append(list(kept.values()))

    learner = train(env, SPACE, config, init_learner(env, SPACE, config, 0), half, note)
    began = time.perf_counter()
    learner = train(env, SPACE, config, learner, half, note)
    seconds = time.perf_counter() - began
    lanes = devices.gathered(learner.rollout.lanes)
    trees = (learner.params, learner.opt_state, lanes, learner.recent)
    leaves = map(checkpoint._to_numpy, jax.tree.leaves(trees))
    if number == 0:
        arrays = {f"x{i:04d}": x for i, x in enumerate(leaves)}
        np.savez(out, metrics=np.array(seen[-2:]), seconds=seconds, **arrays)


if __name__ == "__main__":
    at = sys.argv.index("--")
    what, *rest = sys.argv[1:at]
    hosts, number, port = sys.argv[at + 1 :]
    if int(hosts) > 1:
        jax.distributed.initialize(f"localhost:{port}", int(hosts), int(number))
        # While all have just begun: who compiles longer is not waited for when they first meet.
        sync_global_devices("begun")
    if what == "speed":
        speed(int(rest[0]))
    else:
        main(what, Path(rest[0]), int(number))
