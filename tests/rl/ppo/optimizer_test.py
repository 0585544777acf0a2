"""Actor and critic apart: two optimisers where their steps differ, one where they do not."""

import dataclasses

import jax
import numpy as np
import pytest

from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RLConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.ppo import ppo
from rlgpt_jax.rl.ppo.optimizer import TrainState, make_optimizer
from tests.rl.ppo.ppo_test import MASKS, PPO, make_batch
from tests.rl.small import NETWORK, assert_same_bits

FREE = dataclasses.replace(PPO, max_grad_norm=1e9)
APART = dataclasses.replace(FREE, separate=True)


def updated(config: PPOConfig) -> TrainState:
    params = actor_critic.init_params(NETWORK, jax.random.key(0))
    state = TrainState(params, make_optimizer(config).init(params))
    return ppo.update(config, NETWORK, state, make_batch(), MASKS, jax.random.key(7))[0]


def counts(state: TrainState) -> set[int]:
    return {int(x) for x in jax.tree.leaves(state.opt_state) if x.dtype == np.int32}


def test_two_adams_with_equal_steps_are_one_where_nothing_is_clipped():
    one, two = updated(FREE), updated(APART)
    assert len(jax.tree.leaves(two.opt_state)) == len(jax.tree.leaves(one.opt_state)) + 1  # counts
    for a, b in zip(jax.tree.leaves(one.params), jax.tree.leaves(two.params), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def test_kl_stops_the_policy_alone_before_the_step_at_which_it_is_too_high():
    """The probabilities of the batch are not those of the networks, so that no step is made."""
    free, stopped = updated(APART), updated(dataclasses.replace(APART, target_kl=1e-9))
    assert_same_bits(stopped.params.critic, free.params.critic)
    assert_same_bits(
        stopped.params.actor, actor_critic.init_params(NETWORK, jax.random.key(0)).actor
    )
    (num,) = counts(free)
    assert num >= PPO.num_epochs and counts(stopped) == {0, num}


def test_networks_that_share_a_body_have_one_optimiser():
    with pytest.raises(ValueError, match=r"network.shared is True.*false with ppo.separate"):
        RLConfig(ppo=APART, network=NetworkConfig(shared=True))
