"""A run that was saved and restored gives the same bits as one that was not."""

import dataclasses

import numpy as np
import pytest

from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor, HostCorridor
from tests.rl import small
from tests.rl.small import assert_same_bits

CONFIG = dataclasses.replace(small.CONFIG, reward=RewardConfig(items=(("milk_bucket", 1.0),)))
SPACE = empty_space()


@pytest.mark.parametrize(
    "kind", ["host", "wrapped", pytest.param("device", marks=pytest.mark.slow)]
)
def test_a_resumed_run_gives_the_same_bits(kind, tmp_path):
    make = HostCorridor if kind == "host" else Corridor
    config = dataclasses.replace(CONFIG, driver="device" if kind == "device" else "auto")
    env = make(num_envs=16)
    learner = train(env, SPACE, config, init_learner(env, SPACE, config, 3), 2 * 256)
    checkpoint.save(tmp_path / "c", learner, env)

    other = make(num_envs=16)
    restored = checkpoint.load(tmp_path / "c", other, SPACE, config)
    assert_same_bits(restored, learner)
    assert (restored.ticks, restored.num_updates) == (512, 2)
    straight = train(env, SPACE, config, learner, 3 * 256)  # takes over the worlds
    assert_same_bits(train(other, SPACE, config, restored, 3 * 256), straight)


def test_a_checkpoint_without_rewarded_items_can_be_saved(tmp_path):
    """An array without entries, which Orbax refuses, is part of such a learner."""
    config = dataclasses.replace(CONFIG, reward=RewardConfig())
    env = Corridor(num_envs=16)
    learner = init_learner(env, SPACE, config, 0)
    checkpoint.save(tmp_path / "c", learner, env)
    assert_same_bits(checkpoint.load(tmp_path / "c", env, SPACE, config), learner)


def test_saving_twice_keeps_the_later_one(tmp_path):
    env = Corridor(num_envs=16)
    learner = init_learner(env, SPACE, CONFIG, 0)
    for ticks in (1, 2):
        checkpoint.save(tmp_path / "c", learner.replace(ticks=ticks), env)
    assert checkpoint.load(tmp_path / "c", env, SPACE, CONFIG).ticks == 2


@pytest.mark.slow
def test_other_sizes_are_refused(tmp_path):
    env = Corridor(num_envs=16)
    checkpoint.save(tmp_path / "c", init_learner(env, SPACE, CONFIG, 0), env)
    wider = dataclasses.replace(CONFIG, network=dataclasses.replace(small.NETWORK, head_width=8))
    with pytest.raises(ValueError, match="another structure"):
        checkpoint.load(tmp_path / "c", env, SPACE, wider)


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing_here"):
        checkpoint.load(tmp_path / "nothing_here", Corridor(num_envs=16), SPACE, CONFIG)


def test_more_than_ten_thousand_arrays_come_back_in_order():
    tree = [np.full((1,), i) for i in range(10_001)]
    arrays, shapes = checkpoint._flat(tree, "world")
    restored = checkpoint._rebuild(arrays, shapes, tree, "world", check=True)
    assert [x.item() for x in restored] == list(range(10_001))
