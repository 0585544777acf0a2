"""Segments of lanes that step on their own: which networks acted, valued and remembered."""

from typing import Any

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.base import Step
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.distribution import distribution
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.networks.features import action_id
from rlgpt_jax.rl.policy import PolicyArrays
from rlgpt_jax.rl.rollout import rollout_host
from rlgpt_jax.rl.worlds.minecraft import Seen
from tests.rl.own_pace import OwnPace
from tests.rl.rollout.rollout_async_test import FAR, LANES, PACES, TICKS, collect, places, rolling
from tests.rl.small import CONFIG


def log_probs(params: actor_critic.Params, batch: Any) -> np.ndarray:
    """float32[T, N]: of the actions of a batch, by these networks."""
    masks = empty_space().arrays().masks

    def of_tick(features: Any, action: Any) -> jax.Array:
        logits = actor_critic.policy_logits(CONFIG.network, params, features)
        return distribution(logits.primitive, logits.macro, masks).log_prob(action)

    return np.asarray(jax.vmap(of_tick)(batch.features, batch.action))


@pytest.mark.slow
def test_a_row_holds_the_probability_that_its_own_networks_gave_it() -> None:
    """One network acts until the fast lanes are in the middle of a segment, then another."""
    env = OwnPace(PACES, **FAR)
    made, first = rolling(env)
    second = actor_critic.init_params(CONFIG.network, jax.random.key(9))
    second = jax.tree.map(lambda x: 10 * x, second)  # far from indifferent
    while len(env.sent[0]) < TICKS // 2:
        made.step(first)
    turn = np.array([len(sent) for sent in env.sent])
    for batch in collect(made, second, 2):
        lane, number = np.array(places(env, batch)).T
        tick = TICKS * number + np.arange(TICKS)[:, None]
        by_first, by_second = log_probs(first, batch), log_probs(second, batch)
        expected = np.where(tick < turn[lane], by_first, by_second)
        np.testing.assert_allclose(batch.log_prob, expected, rtol=1e-4, atol=1e-5)
        assert np.abs(by_first - by_second).mean() > 0.05, "the networks must differ"
    assert len(set(turn)) > 1


def test_the_age_of_the_networks_that_acted_is_told_in_updates() -> None:
    """Lanes of pace 1 and 2. Batches at 16: none; at 32: two segments of each fast lane; at 48:
    the slow lanes' first ones, acted before an update, and fast ones, acted after it."""
    env = OwnPace(np.repeat([1.0, 2.0], LANES // 2), **FAR)
    made, params = rolling(env)
    told = []
    for update in range(2):
        while not made.is_whole:
            made.step(params, update)
        told.append(made.batch(params, update)[1])
    assert [(m["policy_age"], m["policy_age_max"]) for m in told] == [(0.0, 0.0), (0.5, 1.0)]


def noted(env: OwnPace) -> list[list[Step]]:
    """The answers of each lane from now on, in order."""
    answers: list[list[Step]] = [[] for _ in range(env.num_envs)]
    receive = env.receive

    def noting() -> tuple[np.ndarray, Step]:
        lanes, step = receive()
        for i, lane in enumerate(lanes):
            answers[lane].append(jax.tree.map(lambda x, i=i: x[i : i + 1], step))
        return lanes, step

    env.receive = noting  # type: ignore[method-assign]
    return answers


def test_the_value_of_a_cut_episode_is_in_its_own_row_also_where_a_lane_gives_two_columns() -> None:
    env = OwnPace(PACES, length=1000, horizon=9)
    made, params = rolling(env)
    world, targets = made.walk.problem.world, made.walk.problem.targets
    begins = [jax.tree.map(lambda x, i=i: x[i : i + 1], env.obs) for i in range(LANES)]
    answers, actor = noted(env), PolicyArrays(CONFIG.network, params, made.walk.problem)
    twice = 0
    for batch in collect(made, params, 2):
        found = places(env, batch)
        twice += sum((lane, k - 1) in found for lane, k in found)
        expected = np.zeros(batch.final_value.shape, np.float32)
        for column, (lane, k) in enumerate(found):
            for tick in range(TICKS):
                at = TICKS * k + tick
                step = answers[lane][at]
                if not step.truncated[0]:
                    continue
                begun = [i for i in range(at) if answers[lane][i].truncated[0]]
                first = answers[lane][begun[-1]].obs if begun else begins[lane]
                place = world.place(first, targets)
                for seen in answers[lane][begun[-1] + 1 if begun else 0 : at]:
                    place = world.follow(place, seen.obs, targets)
                previous = action_id(env.sent[lane][at][None], np.zeros(1, np.int32))
                seen = Seen(step.final_obs, previous, place)
                expected[tick, column] = rollout_host.value_of(actor, seen, None)[0]
        np.testing.assert_allclose(batch.final_value, expected, rtol=1e-4, atol=1e-6)
        assert (expected != 0).sum() == batch.truncated.sum() > LANES
    assert twice >= 4
