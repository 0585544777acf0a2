"""Baselines are configurations that can be run, with the numbers that they are named for."""

import pytest

from experiments import checks, flags
from experiments.configs import base
from experiments.configs.baselines import MINEAGENT
from experiments.values import ConfigError
from rlgpt_jax.rl.ppo.minibatches import minibatch_size


@pytest.mark.parametrize("task", base.PAPER_TASKS)
def test_any_task_of_the_paper_can_be_given_to_mineagent(task: str) -> None:
    own = flags.load_config(f"{task}_paper")
    config = flags.override(own, MINEAGENT)
    checks.check_budget(config)
    assert not config.loop.asks and not config.loop.planner
    ours, theirs = own.ppo, config.ppo
    assert (ours.gamma, ours.num_envs, ours.unroll_length) == (
        theirs.gamma, theirs.num_envs, theirs.unroll_length
    )  # fmt: skip
    # As many gradient steps per tick as released, and as often a pass of imitation.
    ticks = theirs.num_envs * theirs.unroll_length
    rows = minibatch_size(theirs, ticks + theirs.num_envs)
    assert theirs.num_epochs / rows == pytest.approx(80 / 1000, rel=0.03)
    assert theirs.imitation_every * ticks == pytest.approx(100_000, rel=0.02)


def test_the_released_settings_are_those_of_the_script() -> None:
    config = flags.load_config("harvest_milk_released")
    checks.check_budget(config)
    ppo, reward, network = config.ppo, config.reward, config.network
    assert (ppo.num_envs, ppo.unroll_length) == (1, 1000)
    assert (ppo.num_epochs, ppo.num_minibatches) == (80, 1)
    assert (ppo.gamma, ppo.gae_lambda, ppo.clip, ppo.learning_rate) == (0.99, 0.95, 0.2, 1e-4)
    assert ppo.kl_limit == 0.75 and ppo.separate and ppo.entropy_cost == 0.0
    assert ppo.target_lambda == 1.0 and ppo.time_limit_ends
    assert (ppo.imitation_every, ppo.imitation_batch) == (100, 1000)
    assert ppo.imitation_trajectories == 500
    assert ppo.imitation_rows == ppo.imitation_trajectories * config.task_record.horizon
    assert (reward.success, reward.step_cost, reward.distance) == (100.0, 1.0, 0.0)
    assert (network.feature_width, network.fusion_width) == (128, 512)
    assert (network.head_width, network.head_depth, network.shared) == (256, 3, False)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ([], "ppo.imitation_every=3 is for loop.mode=pure_rl; in mode rl_gpt"),
        ([("loop.mode", "pure_rl"), ("world", "minedojo")], "lanes that step on their own"),
    ],
)
def test_self_imitation_is_refused_where_it_would_be_wrong(overrides: list, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        flags.override(
            flags.load_config("harvest_milk"), [*overrides, ("ppo.imitation_every", "3")]
        )
