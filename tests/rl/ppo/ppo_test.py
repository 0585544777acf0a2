"""The update: which rows it uses, and that it improves what it should."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.rl.actions import HybridAction, Masks
from rlgpt_jax.rl.config import PPOConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.ppo import minibatches, ppo
from rlgpt_jax.rl.rollout.one_tick import Batch, Episodes, OpenDecisions
from tests.rl.small import NETWORK

T, N = 8, 4
PPO = PPOConfig(num_envs=N, unroll_length=T, num_minibatches=4, num_epochs=2, learning_rate=3e-3)
ONE_EPOCH = dataclasses.replace(PPO, num_epochs=1)
MASKS = Masks((np.ones(12, bool), np.ones(3, bool)), np.array([True, True] + [False] * 7))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_every_decision_is_dealt_once_to_as_few_minibatches_as_hold_them(share):
    decision = jnp.array(np.random.default_rng(0).random(96) < share)
    rows, real, num = minibatches.deal(jax.random.key(1), decision, 16)
    dealt = np.asarray(rows)[np.asarray(real)]
    np.testing.assert_array_equal(np.sort(dealt), np.flatnonzero(decision))
    assert int(num) == -(-int(decision.sum()) // 16)
    assert not np.asarray(real)[int(num) :].any()
    sizes = np.asarray(real).sum(axis=1)[: int(num)]
    assert len(sizes) == 0 or sizes.max() - sizes.min() <= 1


def test_another_key_deals_in_another_order():
    decision = jnp.ones(64, bool)
    a, b = (minibatches.deal(jax.random.key(k), decision, 16)[0] for k in (0, 1))
    assert not np.array_equal(a, b)


def nothing_carried(features) -> OpenDecisions:
    zeros = np.zeros(N, np.float32)
    first = jax.tree.map(lambda x: np.zeros_like(x[0]), features)
    action = HybridAction(np.zeros((N, 2), np.int32), np.zeros(N, np.int32))
    return OpenDecisions(zeros > 0, first, action, zeros, zeros, zeros, None, None)


def make_batch(share: float = 0.5) -> Batch:
    rng = np.random.default_rng(0)
    features = jax.tree.map(
        lambda x: rng.integers(0, 5, x.shape).astype(x.dtype).reshape(T, N, *x.shape[1:]),
        actor_critic.dummy_features(T * N),
    )
    macro = rng.integers(0, 2, (T, N)).astype(np.int32)
    flags = np.zeros((T, N), bool)
    return Batch(
        features=features,
        action=HybridAction(rng.integers(0, 3, (T, N, 2)).astype(np.int32), macro),
        log_prob=np.full((T, N), -3.0, np.float32), decision=rng.random((T, N)) < share,
        reward=rng.normal(size=(T, N)).astype(np.float32), terminated=flags, truncated=flags,
        final_value=np.zeros((T, N), np.float32), carried=nothing_carried(features),
        episodes=Episodes(flags, flags, np.zeros((T, N)), np.zeros((T, N), np.int32)),
    )  # fmt: skip


def fresh():
    params = actor_critic.init_params(NETWORK, jax.random.key(0))
    return ppo.TrainState(params, ppo.make_optimizer(PPO).init(params))


def update(batch: Batch, config: PPOConfig = PPO):
    return ppo.update(config, NETWORK, fresh(), batch, MASKS, jax.random.key(7))


def test_rows_without_a_decision_do_not_change_the_update():
    """Features, actions and probabilities of macro ticks are noise to PPO."""
    batch = make_batch()
    noise = ~batch.decision
    changed = batch._replace(
        log_prob=np.where(noise, 5.0, batch.log_prob).astype(np.float32),
        action=batch.action._replace(macro=np.where(noise, 1, batch.action.macro)),
        features=batch.features._replace(
            ray=np.where(noise[..., None], 9, batch.features.ray).astype(np.uint8)
        ),
    )
    for a, b in zip(jax.tree.leaves(update(batch)), jax.tree.leaves(update(changed)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_rollout_without_decisions_changes_nothing():
    (params, _), metrics = update(make_batch(share=0.0))
    for a, b in zip(jax.tree.leaves(params), jax.tree.leaves(fresh()[0]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert all(np.isfinite(x) for x in metrics.values())
    assert metrics["decisions"] == 0.0


def test_the_critic_fits_its_targets():
    batch, state = make_batch(), fresh()
    first = None
    for i in range(40):
        state, metrics = ppo.update(ONE_EPOCH, NETWORK, state, batch, MASKS, jax.random.key(i))
        first = metrics["value_loss"] if first is None else first
    assert metrics["value_loss"] < 0.5 * first


def test_values_are_the_critics_where_a_decision_was_made_and_zero_elsewhere():
    batch, (params, _) = make_batch(), fresh()
    flat = jax.tree.map(lambda x: jnp.array(x.reshape(T * N, *x.shape[2:])), batch.features)
    decision = batch.decision.reshape(-1)
    got = ppo.decision_values(NETWORK, params, flat, jnp.array(decision), 8)
    expected = np.where(decision, actor_critic.values(NETWORK, params, flat), 0.0)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def ahead_of(reward: np.ndarray, final: np.ndarray, ended: np.ndarray) -> np.ndarray:
    """Discounted rewards to go [T, N] where every tick is a decision and some episodes have ended
    after it, with what is expected then."""
    out, ahead = np.zeros_like(reward), np.zeros(N, np.float32)
    for t in reversed(range(T)):
        ahead = reward[t] + PPO.gamma * np.where(ended[t], final[t], ahead)
        out[t] = ahead
    return out


@pytest.mark.parametrize("ends", [False, True])
def test_the_critic_may_learn_discounted_rewards_to_go_and_a_time_limit_may_be_an_end(ends):
    batch, rng = make_batch(share=2.0), np.random.default_rng(1)
    late = rng.random((T, N)) < 0.3
    late[-1] = True  # so that no decision is open
    final = np.where(late, 5.0, 0.0).astype(np.float32)
    batch = batch._replace(truncated=late, final_value=final)
    config = dataclasses.replace(PPO, target_lambda=1.0, time_limit_ends=ends)
    rows, _ = ppo.make_rows(config, NETWORK, fresh().params, batch)
    expected = ahead_of(batch.reward, final * (not ends), late)
    np.testing.assert_allclose(rows.target[N:].reshape(T, N), expected, rtol=1e-4, atol=1e-4)
    plain = dataclasses.replace(config, target_lambda=None)
    others, _ = ppo.make_rows(plain, NETWORK, fresh().params, batch)
    np.testing.assert_array_equal(others.advantage, rows.advantage)
    assert not np.allclose(others.target, rows.target)


@pytest.mark.slow
def test_a_small_target_kl_stops_the_epochs_early():
    batch, stopped = make_batch(), dataclasses.replace(PPO, target_kl=1e-9)
    early, one = (jax.tree.leaves(update(batch, c)[0].params) for c in (stopped, ONE_EPOCH))
    for a, b in zip(early, one, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_the_callers_parameters_are_given_away():
    state = fresh()
    ppo.update(PPO, NETWORK, state, make_batch(), MASKS, jax.random.key(0))
    assert all(x.is_deleted() for x in jax.tree.leaves(state.params))
