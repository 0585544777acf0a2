"""SMDP advantages: every way a decision can end, by hand, and against brute force."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rlgpt_jax.rl.ppo.returns import smdp_gae


def gae(reward, decision, value, *, terminated=(), truncated=(), final=None, gamma=0.5,
        lambda_=1.0):  # fmt: skip
    """`terminated` and `truncated` list the ticks after which an episode ended."""
    length = len(reward)
    flags = [np.isin(np.arange(length), ticks) for ticks in (terminated, truncated)]
    return smdp_gae(
        jnp.array(reward, jnp.float32), jnp.full(length, gamma) * jnp.ones(length),
        jnp.array(decision, bool), *map(jnp.array, flags), jnp.array(value, jnp.float32),
        jnp.array(np.zeros(length) if final is None else final, jnp.float32), lambda_,
    )  # fmt: skip


def assert_rows(got, advantages, is_over):
    np.testing.assert_allclose(got[0], advantages)
    np.testing.assert_array_equal(got[1], np.array(is_over, bool))


def test_a_macro_discounts_by_its_ticks():
    """Worked by hand: gamma 0.5; a macro of 3 ticks, a primitive, and one that is open."""
    got = gae([1, 1, 1, 2, 9], [1, 0, 0, 1, 1], [10, 99, 99, 4, 8])
    # A3 = 2 + 0.5 * 8 - 4 = 2
    # A0 = (1 + 0.5 + 0.25) + 0.125 * 4 - 10 + 0.125 * A3 = 1.75 + 0.5 - 10 + 0.25 = -7.5
    assert_rows(got, [-7.5, 0.0, 0.0, 2.0, 0.0], [1, 0, 0, 1, 0])


def test_lambda_decays_once_per_decision_and_not_per_tick():
    got = gae([0, 0, 0, 4], [1, 0, 0, 1], [0, 0, 0, 0], terminated=[3], lambda_=0.5)
    # A3 = 4; A0 = 0 + 0.5 * 0.125 * 4 = 0.25
    assert_rows(got, [0.25, 0.0, 0.0, 4.0], [1, 0, 0, 1])


def test_many_ticks_may_be_one_that_is_discounted_like_all_of_them():
    """The first two ticks of a macro as one that earned 1 + 0.5 * 1."""
    apart = gae([1, 1, 1, 2], [1, 0, 0, 1], [10, 99, 99, 4], terminated=[3])
    joined = gae(
        [1.5, 1, 2], [1, 0, 1], [10, 99, 4], terminated=[2], gamma=np.array([0.25, 0.5, 0.5])
    )
    np.testing.assert_allclose(joined[0], np.asarray(apart[0])[[0, 2, 3]])


def test_termination_inside_a_macro_bootstraps_from_zero():
    got = gae([1, 2, 5, 0], [1, 0, 1, 1], [3, 0, 1, 100], terminated=[1])
    # A0 = 1 + 0.5 * 2 - 3 = -1: neither the value nor the reward of tick 2 matters.
    # A2 = 5 + 0.5 * 100 - 1 = 54
    assert_rows(got, [-1.0, 0.0, 54.0, 0.0], [1, 0, 1, 0])


def test_truncation_bootstraps_from_the_final_observation_but_is_cut():
    got = gae([1, 2, 5, 0], [1, 0, 1, 1], [3, 0, 1, 100], truncated=[1], final=[0, 8, 0, 0])
    # A0 = 1 + 0.5 * 2 + 0.25 * 8 - 3 = 1, nothing of A2 = 54.
    assert_rows(got, [1.0, 0.0, 54.0, 0.0], [1, 0, 1, 0])


def test_both_flags_mean_termination():
    assert_rows(gae([1], [1], [0], terminated=[0], truncated=[0], final=[8]), [1.0], [1])


def test_a_decision_that_is_not_over_has_no_advantage_but_its_value_counts():
    """A macro of which the last two ticks are known: what it will earn is not."""
    got = gae([1, 1000, 1000], [1, 1, 0], [2, 4, 0])
    # A0 = 1 + 0.5 * 4 - 2 = 1
    assert_rows(got, [1.0, 0.0, 0.0], [1, 0, 0])


def test_without_any_decision_there_is_no_advantage():
    assert_rows(gae([1, 2], [0, 0], [3, 4], terminated=[0]), [0.0, 0.0], [0, 0])


def brute_force(reward, decision, terminated, truncated, value, final, gamma, lambda_):
    """The definition, decision by decision, forward in time; None for one that is open."""
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
                ahead = value[tick + 1] + lambda_ * (advantage(tick + 1) or 0.0)
                return total + discount * ahead - value[t]
        return None

    return [advantage(t) if decision[t] else None for t in range(length)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_equals_the_definition_on_random_trajectories(seed, gamma, lambda_):
    rng, length = np.random.default_rng(seed), 12
    reward, value, final = rng.normal(size=(3, length)).astype(np.float32)
    decision, terminated, truncated = rng.random((3, length)) < [[0.5], [0.15], [0.15]]
    expected = brute_force(reward, decision, terminated, truncated, value, final, gamma, lambda_)
    advantage, is_over = jitted(
        reward, np.full(length, gamma, np.float32), decision, terminated, truncated, value, final,
        np.float32(lambda_),
    )  # fmt: skip
    np.testing.assert_array_equal(is_over, [x is not None for x in expected])
    np.testing.assert_allclose(advantage, [x or 0.0 for x in expected], rtol=1e-4, atol=1e-4)


jitted = jax.jit(smdp_gae)


def test_lanes_of_a_batch_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    reward, value, final = rng.normal(size=(3, 9, 4)).astype(np.float32)
    decision, terminated, truncated = rng.random((3, 9, 4)) < 0.4
    gamma = np.full((9, 4), 0.9, np.float32)
    columns = (reward, gamma, decision, terminated, truncated, value, final)
    together = jax.vmap(smdp_gae, in_axes=(1,) * 7 + (None,), out_axes=1)(*columns, 0.8)
    for lane in range(4):
        alone = jitted(*(x[:, lane] for x in columns), 0.8)
        np.testing.assert_allclose(together[0][:, lane], alone[0], rtol=1e-6)
        np.testing.assert_array_equal(together[1][:, lane], alone[1])
