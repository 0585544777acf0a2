"""The PPO loss over rows, some of which do not count.

Source: Schulman et al. 2017, https://arxiv.org/abs/1707.06347, equations 7 and 9.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.rl.config import PPOConfig


class LossTerms(NamedTuple):
    """float32[] each: means over the rows that count."""

    policy: jax.Array
    value: jax.Array
    entropy: jax.Array
    approx_kl: jax.Array  # mean of (ratio - 1) - log ratio, at least 0
    clip_fraction: jax.Array


def masked_mean(x: jax.Array, mask: jax.Array, count: jax.Array | None = None) -> jax.Array:
    """Mean of the entries of `x` where `mask`; 0 if there are none.

    Args:
      count: int32[], to divide by where `x` is a part of what the mean is taken of.
    """
    count = jnp.sum(mask) if count is None else count
    return jnp.sum(jnp.where(mask, x, 0.0)) / jnp.maximum(count, 1)


class Moments(NamedTuple):
    """float32[] each, over the rows that count."""

    mean: jax.Array
    variance: jax.Array


def moments(x: jax.Array, mask: jax.Array) -> Moments:
    """Mean and variance of the entries of `x` float32[B] where `mask` bool[B]."""
    mean = masked_mean(x, mask)
    return Moments(mean, masked_mean((x - mean) ** 2, mask))


def normalise(x: jax.Array, mask: jax.Array, of: Moments) -> jax.Array:
    """float32[B]: zero mean and unit deviation over all rows that `of` is of; 0 outside `mask`."""
    mean, variance = of
    return jnp.where(mask, (x - mean) / (jnp.sqrt(variance) + 1e-8), 0.0)


class Known(NamedTuple):
    """float32[B] each: what is known of the rows before the update."""

    log_prob: jax.Array  # of the actions, by the networks that acted
    advantage: jax.Array
    target: jax.Array  # what the critic should say


def ppo_loss(
    log_prob: jax.Array,
    entropy: jax.Array,
    value: jax.Array,
    known: Known,
    mask: jax.Array,
    ppo: PPOConfig,
    count: jax.Array | None = None,
) -> tuple[jax.Array, LossTerms]:
    """Clipped surrogate, squared value error and entropy bonus.

        ratio = exp(log_prob - known log_prob)
        policy = -mean min(ratio A, clip(ratio, 1 - clip, 1 + clip) A)
        value = 0.5 mean (value - target)^2
        loss = policy + value_cost * value - entropy_cost * mean entropy

    All arrays are [B]; rows outside `mask` contribute nothing, not even a gradient. With `count`
    they are a part of a minibatch in which so many rows count: loss and terms of its parts add
    up to those of the whole.
    """
    mean = functools.partial(masked_mean, mask=mask, count=count)
    # The difference is set to 0 outside the mask before exp, so that a row of padding
    # cannot make the gradient NaN.
    log_ratio = jnp.where(mask, log_prob - known.log_prob, 0.0)
    ratio = jnp.exp(log_ratio)
    clipped = jnp.clip(ratio, 1.0 - ppo.clip, 1.0 + ppo.clip)
    terms = LossTerms(
        policy=-mean(jnp.minimum(ratio * known.advantage, clipped * known.advantage)),
        value=0.5 * mean((value - known.target) ** 2),
        entropy=mean(entropy),
        approx_kl=mean((ratio - 1.0) - log_ratio),
        clip_fraction=mean((jnp.abs(ratio - 1.0) > ppo.clip).astype(jnp.float32)),
    )
    loss = terms.policy + ppo.value_cost * terms.value - ppo.entropy_cost * terms.entropy
    return loss, terms
