"""A real training run compiles everything before its first update ends, and nothing later.

The horizon is longer than a rollout, so that ends of episodes, time limits and resets come
first in later updates.
"""

import dataclasses

import pytest

from experiments.compiles import Compiles
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import PPOConfig
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.envs.voxel import host_test
from tests.rl.small import CONFIG

UNROLL = 4  # ticks; a third of an episode of 12
PPO = PPOConfig(num_envs=host_test.N, unroll_length=UNROLL, num_minibatches=2)
WORLDS = {
    "the embedded world": ("host", lambda: HostVoxel(host_test.make_env(horizon=12))),
    "a pure world on the host": ("host", lambda: Corridor(num_envs=host_test.N, horizon=12)),
    "a pure world on the device": ("device", lambda: Corridor(num_envs=host_test.N, horizon=12)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_nothing_is_compiled_after_the_first_update(name: str) -> None:
    driver, make = WORLDS[name]
    world = make()
    config = dataclasses.replace(CONFIG, ppo=PPO, driver=driver)
    compiled: list[str] = []
    compiles = Compiles(on_end=lambda program, seconds: compiled.append(program))
    counts: list[int] = []
    ended = 0.0

    def note(learner, metrics) -> None:
        nonlocal ended
        counts.append(len(compiled))
        ended += metrics["episodes"]

    try:
        learner = init_learner(world, empty_space(), config, seed=0)
        train(world, empty_space(), config, learner, 8 * UNROLL * host_test.N, note)
    finally:
        compiles.close()
    assert ended > 0 and len(counts) == 8, "episodes ended in a later update than the first"
    assert counts[0] > 0, "the listener hears what is compiled"
    assert counts[-1] == counts[0], compiled[counts[0] :]
