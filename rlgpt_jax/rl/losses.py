"""The PPO loss over rows, some of which do not count.

Source: Schulman et al. 2017, https://arxiv.org/abs/1707.06347, equations 7 and 9.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class LossTerms(NamedTuple):
    """float32[] each: means over the rows that count."""

    policy: jax.Array
    value: jax.Array
    entropy: jax.Array
    approx_kl: jax.Array  # mean of (ratio - 1) - log ratio, at least 0
    clip_fraction: jax.Array


def masked_mean(x: jax.Array, mask: jax.Array) -> jax.Array:
    """Mean of the entries of `x` where `mask`; 0 if there are none."""
    return jnp.sum(jnp.where(mask, x, 0.0)) / jnp.maximum(jnp.sum(mask), 1)


def normalise(x: jax.Array, mask: jax.Array) -> jax.Array:
    """Zero mean and unit deviation over the rows of `mask`; 0 elsewhere."""
    mean = masked_mean(x, mask)
    deviation = jnp.sqrt(masked_mean((x - mean) ** 2, mask))
    return jnp.where(mask, (x - mean) / (deviation + 1e-8), 0.0)


def ppo_loss(
    log_prob: jax.Array,
    entropy: jax.Array,
    value: jax.Array,
    old_log_prob: jax.Array,
    advantage: jax.Array,
    target: jax.Array,
    mask: jax.Array,
    *,
    clip: float,
    entropy_cost: float,
    value_cost: float,
) -> tuple[jax.Array, LossTerms]:
    """Clipped surrogate, squared value error and entropy bonus.

        ratio = exp(log_prob - old_log_prob)
        policy = -mean min(ratio A, clip(ratio, 1 - clip, 1 + clip) A)
        value = 0.5 mean (value - target)^2
        loss = policy + value_cost * value - entropy_cost * mean entropy

    All arrays are [B]; rows outside `mask` contribute nothing, not even a gradient.
    """
    # The difference is set to 0 outside the mask before exp, so that a row of padding
    # cannot make the gradient NaN.
    log_ratio = jnp.where(mask, log_prob - old_log_prob, 0.0)
    ratio = jnp.exp(log_ratio)
    clipped = jnp.clip(ratio, 1.0 - clip, 1.0 + clip)
    terms = LossTerms(
        policy=-masked_mean(jnp.minimum(ratio * advantage, clipped * advantage), mask),
        value=0.5 * masked_mean((value - target) ** 2, mask),
        entropy=masked_mean(entropy, mask),
        approx_kl=masked_mean((ratio - 1.0) - log_ratio, mask),
        clip_fraction=masked_mean((jnp.abs(ratio - 1.0) > clip).astype(jnp.float32), mask),
    )
    return terms.policy + value_cost * terms.value - entropy_cost * terms.entropy, terms
