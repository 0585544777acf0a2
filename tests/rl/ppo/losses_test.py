"""The PPO loss by hand, and that masked rows do not exist."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.rl.config import PPOConfig
from rlgpt_jax.rl.ppo.losses import Known, masked_mean, moments, normalise, ppo_loss

SETTINGS = PPOConfig(clip=0.2, entropy_cost=0.1, value_cost=0.5)


def loss(ratio, advantage, value=0.0, target=0.0, entropy=0.0, mask=True):
    """One row per entry of `ratio`."""
    ratio = jnp.atleast_1d(jnp.array(ratio, jnp.float32))
    full = lambda x, dtype=jnp.float32: jnp.broadcast_to(jnp.array(x, dtype), ratio.shape)  # noqa: E731
    return ppo_loss(
        jnp.log(ratio), full(entropy), full(value),
        Known(jnp.zeros_like(ratio), full(advantage), full(target)), full(mask, bool), SETTINGS,
    )  # fmt: skip


def test_the_ratio_is_clipped_where_that_lowers_the_objective():
    assert np.isclose(loss(1.5, 2.0)[1].policy, -2.4)  # min(3.0, 1.2 * 2)
    assert np.isclose(loss(0.5, -2.0)[1].policy, 1.6)  # min(-1, -1.6)
    assert np.isclose(loss(1.5, -2.0)[1].policy, 3.0)  # min(-3, -2.4): not clipped


def test_all_terms_add_up():
    total, terms = loss(1.0, 0.0, value=3.0, target=1.0, entropy=2.0)
    # 0 + 0.5 * (0.5 * 4) - 0.1 * 2 = 0.8
    np.testing.assert_allclose(total, 0.8, rtol=1e-6)
    assert terms.approx_kl == 0.0 and terms.clip_fraction == 0.0


def test_a_masked_row_changes_neither_loss_nor_gradient_even_if_it_is_infinite():
    def total(log_prob, mask):
        known = Known(jnp.zeros(2), jnp.ones(2), jnp.zeros(2))
        return ppo_loss(log_prob, jnp.zeros(2), jnp.zeros(2), known, mask, SETTINGS)[0]

    mask = jnp.array([True, False])
    for wild in (1e4, jnp.inf):
        gradient = jax.grad(total)(jnp.array([0.1, wild]), mask)
        np.testing.assert_allclose(gradient, jax.grad(total)(jnp.array([0.1, 0.0]), mask))
        assert gradient[1] == 0.0


def test_normalise_uses_only_the_masked_rows():
    x, mask = jnp.array([1.0, 3.0, 1e6]), jnp.array([True, True, False])
    np.testing.assert_allclose(normalise(x, mask, moments(x, mask)), [-1.0, 1.0, 0.0], rtol=1e-5)
    assert masked_mean(x, jnp.zeros(3, bool)) == 0.0
