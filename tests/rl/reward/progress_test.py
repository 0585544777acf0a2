"""Progress of fields: a new best of an episode, or a new least, is rewarded once."""

import dataclasses

import numpy as np
import pytest

from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.spec import Sensed
from rlgpt_jax.rl.config import NetworkConfig, RewardConfig, RLConfig
from rlgpt_jax.rl.reward import progress
from tests.plane import FIELDS, SPEC

CONFIG = RewardConfig(
    success=5.0, step_cost=0.1, environment=2.0, progress=(("x", 2.0), ("y", -3.0))
)


def sensed(x: float, y: float) -> Sensed:
    return Sensed(np.array([[x, y, 0.0, 0.0, 0.0]], np.float32))


def follow(*places, config=CONFIG, done_at=None):
    """Rewards of ticks that end in these places, from the first."""
    terms = progress.make_arrays(config, SPEC)
    memory, rewards = progress.start(terms, sensed(*places[0])), []
    for tick, place in enumerate(places[1:]):
        done = np.array([tick == done_at])
        info = {"success": done, "busy": np.zeros(1, bool)}
        obs = sensed(0.0, 0.0) if tick == done_at else sensed(*place)
        reward = np.ones(1, np.float32)
        step = Step(obs, reward, done, np.zeros(1, bool), sensed(*place), info)
        reward, memory = progress.score(terms, memory, step)
        rewards.append(float(reward[0]))
    return np.array(rewards) + config.step_cost - config.environment


def test_a_new_best_and_a_new_least_are_rewarded_by_their_weights():
    got = follow((0, 0), (0.5, 0), (0.2, 0), (0.6, 0), (0.6, -0.5), (0.6, 0.5))
    np.testing.assert_allclose(got, [1.0, 0.0, 0.2, 1.5, 0.0], atol=1e-6)


def test_success_is_rewarded_and_a_new_episode_begins_from_its_own_start():
    got = follow((0, 0), (0.5, 0), (0.6, 0), (0.3, 0), done_at=1)
    np.testing.assert_allclose(got, [1.0, 5.2, 0.6], atol=1e-6)


def test_without_progress_of_its_own_a_configuration_has_the_worlds():
    weights = progress.make_arrays(RewardConfig(), SPEC).weights
    np.testing.assert_array_equal(weights, [0, 0, 0, 0, -1])
    assert FIELDS.index("distance") == 4


def test_a_field_that_is_none_is_refused_before_anything_starts():
    with pytest.raises(ValueError, match=r"reward.progress\[0\] is 'door'; it must be one of x, y"):
        RLConfig(reward=RewardConfig(progress=(("door", 1.0),)), spec=SPEC)
    with pytest.raises(ValueError, match=r"reward.progress\[0\] is 'x'; .* no spec"):
        RLConfig(reward=RewardConfig(progress=(("x", 1.0),)))


def test_a_configuration_may_change_its_world():
    config = RLConfig(network=NetworkConfig(fusion_width=8), spec=SPEC)
    assert config.network.spec == SPEC and config.network.fusion_width == 8
    back = dataclasses.replace(config, spec=None)
    assert back == RLConfig(network=NetworkConfig(fusion_width=8)) and back.network.spec is None
