"""Macros that lead: a policy that begins with what code would do."""

import dataclasses

import jax
import numpy as np
import pytest

from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.distribution import distribution
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.ppo import ppo
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.rl.macros_test import BACK, LONG, WALK, make_space, roll
from tests.rl.small import CONFIG

REST = "def rest(obs):\n    for i in range(3):\n        yield noop()\n"
SPACE = make_space(WALK, BACK, REST, lead=(1, 3))


def test_the_macro_whose_turn_it_is_is_nearly_always_chosen():
    params = actor_critic.init_params(CONFIG.network, jax.random.key(0))
    x = actor_critic.dummy_features(3)._replace(lead=np.array([0, 1, 3], np.uint8))
    logits = actor_critic.policy_logits(CONFIG.network, params, x)
    probs = distribution(logits.primitive, logits.macro, SPACE.arrays().masks).macro.probs
    # 665 against 12 for all primitives and 1 for each of two other macros.
    np.testing.assert_allclose([probs[1, 1], probs[2, 3]], 665 / 679, rtol=0.01)
    np.testing.assert_allclose(probs[0, :4], np.array([12, 1, 1, 1]) / 15, rtol=0.1)


def test_an_untrained_policy_is_where_its_lead_is_and_leaving_it_has_a_price():
    params = actor_critic.init_params(CONFIG.network, jax.random.key(0))
    masks = SPACE.arrays().masks
    x = actor_critic.dummy_features(3)._replace(lead=np.array([0, 1, 3], np.uint8))
    for factor, least, most in ((0.0, 0.0, 0.01), (-1.0, 3.0, 7.0)):  # as it is; never the lead
        logits = actor_critic.policy_logits(CONFIG.network, params, x)
        led = jax.nn.one_hot(x.lead, logits.macro.shape[-1]) * (x.lead > 0)[:, None]
        policy = distribution(logits.primitive, logits.macro + factor * 30 * led, masks)
        away = np.asarray(policy.away_from_lead(x.lead, masks))
        assert away[0] == 0 and ((away[1:] >= least) & (away[1:] <= most)).all(), away


@pytest.mark.slow
def test_the_loss_has_the_price_of_leaving_the_lead():
    batch, params = roll(LONG, SPACE), init_learner(LONG, SPACE, CONFIG, 0).params
    rows, _ = ppo.make_rows(CONFIG.ppo, CONFIG.network, params, batch)
    masks, real = SPACE.arrays().masks, rows.decision
    bias = params.actor["params"]["macro"]["bias"]
    params.actor["params"]["macro"]["bias"] = bias.at[0].add(8.0)  # so that the lead is left

    def loss(cost):
        config = dataclasses.replace(CONFIG.ppo, lead_cost=cost)
        return ppo._loss(params, CONFIG.network, config, masks, rows, real)[0]

    logits = actor_critic.policy_logits(CONFIG.network, params, rows.features)
    policy = distribution(logits.primitive, logits.macro, masks)
    away = policy.away_from_lead(rows.features.lead, masks)[np.asarray(real)].mean()
    assert away > 0.01
    np.testing.assert_allclose(loss(0.5) - loss(0.0), 0.5 * away, rtol=1e-3)


def test_the_lead_goes_on_when_it_was_followed_and_begins_again_with_the_episode():
    batch = roll(Corridor(num_envs=16, length=1000, horizon=14), SPACE)
    lead, chosen = np.asarray(batch.features.lead), np.asarray(batch.action.macro)
    follows = other = 0
    for lane in range(16):
        at = 0
        for tick in range(16):
            if batch.decision[tick, lane]:
                assert lead[tick, lane] == (1, 3)[at]
                is_led = chosen[tick, lane] == (1, 3)[at]
                at = 1 - at if is_led else at
                follows, other = follows + is_led, other + (not is_led)
            if batch.truncated[tick, lane]:
                at = 0
    assert follows > 10 * other


def test_without_a_lead_nothing_leads():
    assert not np.asarray(roll(LONG, make_space(WALK, BACK)).features.lead).any()


def test_the_update_sees_the_probabilities_of_the_rollout():
    batch, params = roll(LONG, SPACE), init_learner(LONG, SPACE, CONFIG, 0).params
    rows, _ = jax.jit(ppo.make_rows, static_argnums=(0, 1))(
        CONFIG.ppo, CONFIG.network, params, batch
    )
    logits = actor_critic.policy_logits(CONFIG.network, params, rows.features)
    policy = distribution(logits.primitive, logits.macro, SPACE.arrays().masks)
    keep = np.asarray(rows.decision)
    assert keep.any()
    np.testing.assert_allclose(
        np.asarray(policy.log_prob(rows.action))[keep], np.asarray(rows.log_prob)[keep], atol=1e-5
    )


@pytest.mark.parametrize(("slot", "name"), [(2, "lead"), (9, "lead")])
def test_a_lead_that_is_not_offered_is_refused(slot: int, name: str):
    with pytest.raises(ValueError, match=f"space.{name} names slot {slot}, which is not offered"):
        dataclasses.replace(make_space(WALK), lead=(slot,))


def test_a_policy_begins_where_its_code_is_and_training_keeps_that():
    """The lead walks 10 cells and rests: 30 cells in 60 ticks, which single steps never reach."""
    env = Corridor(num_envs=16, length=30, horizon=60)
    config = dataclasses.replace(CONFIG, reward=RewardConfig(distance=0.0))
    learner = init_learner(env, SPACE, config, 0)

    def success(learner):
        return evaluate(env, Policy(learner.params, SPACE, config), 7, num_episodes=64).success_rate

    before = success(learner)
    after = success(train(env, SPACE, config, learner, 6_144))
    assert before > 0.9 and after > 0.95
