"""A wrong setting is refused with the path of its field."""

import dataclasses

import pytest

from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RewardConfig, RLConfig


@pytest.mark.parametrize(
    ("config", "fields", "path"),
    [
        (PPOConfig, dict(num_minibatches=0), "ppo.num_minibatches is 0.*at least 1"),
        (PPOConfig, dict(num_envs=0), "ppo.num_envs is 0.*at least 1"),
        (PPOConfig, dict(unroll_length=2.5), "ppo.unroll_length is 2.5.*integer"),
        (PPOConfig, dict(num_epochs=True), "ppo.num_epochs is True"),
        (PPOConfig, dict(gamma=1.1), "ppo.gamma is 1.1.*at most 1"),
        (PPOConfig, dict(gae_lambda=-0.1), "ppo.gae_lambda"),
        (PPOConfig, dict(learning_rate=float("nan")), "ppo.learning_rate is nan"),
        (PPOConfig, dict(clip="0.2"), "ppo.clip is '0.2'"),
        (PPOConfig, dict(target_kl=0.0), "ppo.target_kl"),
        (PPOConfig, dict(target_lambda=1.5), "ppo.target_lambda is 1.5.*at most 1"),
        (PPOConfig, dict(separate=1), "ppo.separate is 1.*true or false"),
        (PPOConfig, dict(imitation_every=-1), "ppo.imitation_every is -1.*at least 0"),
        (NetworkConfig, dict(fusion_width=0), "network.fusion_width"),
        (RewardConfig, dict(step_cost=-1.0), "reward.step_cost"),
        (RewardConfig, dict(items=(("logg", 1.0),)), r"reward.items\[0\] is 'logg'"),
        (RewardConfig, dict(items=("log",)), r"reward.items\[0\].*pair"),
        (RLConfig, dict(driver="gpu"), "driver is 'gpu'.*auto, host, device"),
    ],
)
def test_a_wrong_field_is_named(config, fields, path):
    with pytest.raises(ValueError, match=path):
        config(**fields)


def test_configs_are_hashable_and_compare_by_value():
    listed, tuples = (RewardConfig(items=x) for x in ([["log", 1.0]], (("log", 1.0),)))
    assert hash(RLConfig(reward=listed)) == hash(RLConfig(reward=tuples))


def test_every_number_of_every_config_is_checked():
    """A string in any field must be refused, so that no field was forgotten."""
    for config in (PPOConfig, NetworkConfig, RewardConfig):
        for field in dataclasses.fields(config):
            with pytest.raises((ValueError, TypeError)):
                config(**{field.name: "x"})
