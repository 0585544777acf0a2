"""SMDP advantages: every way a decision can end, by hand, and against brute force."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rlgpt_jax.rl.returns import smdp_gae


def gae(reward, decision, value, *, terminated=(), truncated=(), final=None, last=0.0,
        gamma=0.5, lambda_=1.0):  # fmt: skip
    """`terminated` and `truncated` list the ticks after which an episode ended."""
    length = len(reward)
    flags = [np.isin(np.arange(length), ticks) for ticks in (terminated, truncated)]
    return smdp_gae(
        jnp.array(reward, jnp.float32), jnp.array(decision, bool), *map(jnp.array, flags),
        jnp.array(value, jnp.float32),
        jnp.array(np.zeros(length) if final is None else final, jnp.float32),
        jnp.float32(last), gamma, lambda_,
    )  # fmt: skip


def test_a_macro_discounts_by_its_ticks():
    """Worked by hand: gamma 0.5; a macro of 3 ticks, then one primitive."""
    got = gae([1, 1, 1, 2], [1, 0, 0, 1], [10, 99, 99, 4], last=8.0)
    # A3 = 2 + 0.5 * 8 - 4 = 2
    # A0 = (1 + 0.5 + 0.25) + 0.125 * 4 - 10 + 0.125 * A3 = 1.75 + 0.5 - 10 + 0.25 = -7.5
    np.testing.assert_allclose(got, [-7.5, 0.0, 0.0, 2.0])


def test_lambda_decays_once_per_decision_and_not_per_tick():
    got = gae([0, 0, 0, 4], [1, 0, 0, 1], [0, 0, 0, 0], lambda_=0.5)
    # A3 = 4; A0 = 0 + 0.5 * 0.125 * 4 = 0.25
    np.testing.assert_allclose(got, [0.25, 0.0, 0.0, 4.0])


def test_termination_inside_a_macro_bootstraps_from_zero():
    got = gae([1, 2, 5], [1, 0, 1], [3, 0, 1], terminated=[1], last=100.0)
    # A0 = 1 + 0.5 * 2 - 3 = -1: neither the value nor the reward of tick 2 matters.
    # A2 = 5 + 0.5 * 100 - 1 = 54
    np.testing.assert_allclose(got, [-1.0, 0.0, 54.0])


def test_truncation_bootstraps_from_the_final_observation_but_is_cut():
    got = gae([1, 2, 5], [1, 0, 1], [3, 0, 1], truncated=[1], final=[0, 8, 0], last=100.0)
    # A0 = 1 + 0.5 * 2 + 0.25 * 8 - 3 = 1, nothing of A2 = 54.
    np.testing.assert_allclose(got, [1.0, 0.0, 54.0])


def test_both_flags_mean_termination():
    got = gae([1], [1], [0], terminated=[0], truncated=[0], final=[8], last=100.0)
    np.testing.assert_allclose(got, [1.0])


def test_a_macro_cut_by_the_rollout_bootstraps_at_the_cut():
    got = gae([1, 1, 1], [0, 1, 0], [0, 2, 0], last=4.0)
    # A1 = 1 + 0.5 + 0.25 * 4 - 2 = 0.5
    np.testing.assert_allclose(got, [0.0, 0.5, 0.0])


def test_ticks_before_the_first_decision_belong_to_no_row():
    with_head = gae([1000, 1, 2], [0, 1, 1], [0, 3, 4], last=1.0)
    without = gae([0, 1, 2], [0, 1, 1], [0, 3, 4], last=1.0)
    np.testing.assert_allclose(with_head, without)
    assert with_head[0] == 0.0


def test_without_any_decision_there_is_no_advantage():
    np.testing.assert_allclose(gae([1, 2], [0, 0], [3, 4], terminated=[0]), [0.0, 0.0])


def brute_force(reward, decision, terminated, truncated, value, final, last, gamma, lambda_):
    """The definition, decision by decision, forward in time."""
    length = len(reward)

    def advantage(t):
        total, discount = 0.0, 1.0
        for tick in range(t, length):
            total += discount * reward[tick]
            discount *= gamma
            if terminated[tick]:
                return total - value[t]
            if truncated[tick]:
                return total + discount * final[tick] - value[t]
            if tick + 1 < length and decision[tick + 1]:
                ahead = value[tick + 1] + lambda_ * advantage(tick + 1)
                return total + discount * ahead - value[t]
        return total + discount * last - value[t]

    return [advantage(t) if decision[t] else 0.0 for t in range(length)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_equals_the_definition_on_random_trajectories(seed, gamma, lambda_):
    rng, length = np.random.default_rng(seed), 12
    reward, value, final = rng.normal(size=(3, length)).astype(np.float32)
    decision, terminated, truncated = rng.random((3, length)) < [[0.5], [0.15], [0.15]]
    last = np.float32(rng.normal())
    args = (reward, decision, terminated, truncated, value, final, last)
    np.testing.assert_allclose(
        jitted(*args, np.float32(gamma), np.float32(lambda_)),
        brute_force(*args, gamma, lambda_), rtol=1e-4, atol=1e-4,
    )  # fmt: skip


jitted = jax.jit(smdp_gae)


def test_lanes_of_a_batch_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    reward, value, final = rng.normal(size=(3, 9, 4)).astype(np.float32)
    decision, terminated, truncated = rng.random((3, 9, 4)) < 0.4
    last = rng.normal(size=4).astype(np.float32)
    columns = (reward, decision, terminated, truncated, value, final)
    batched = jax.vmap(smdp_gae, in_axes=(1,) * 6 + (0, None, None), out_axes=1)
    together = batched(*columns, last, 0.9, 0.8)
    for lane in range(4):
        alone = jitted(*(x[:, lane] for x in columns), last[lane], 0.9, 0.8)
        np.testing.assert_allclose(together[:, lane], alone, rtol=1e-6)
