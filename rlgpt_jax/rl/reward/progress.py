"""The reward in worlds with a spec: success, step cost, the world's own, progress of fields."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.config import RewardConfig


class ProgressArrays(NamedTuple):
    """A `RewardConfig` in a world with F fields, so that other terms compile nothing."""

    success: Any  # float32[]
    step_cost: Any  # float32[]
    environment: Any  # float32[]
    weights: Any  # float32[F]  0 for fields that nothing is given for


def make_arrays(config: RewardConfig, spec: WorldSpec) -> ProgressArrays:
    """Progress is that of the world where the configuration has none."""
    pairs: Sequence[tuple[str, float]] = config.progress or spec.progress
    names = [field.name for field in spec.fields]
    weights = np.zeros(len(names), np.float32)
    for name, weight in pairs:
        weights[names.index(name)] = weight
    return ProgressArrays(
        np.float32(config.success), np.float32(config.step_cost),
        np.float32(config.environment), weights,
    )  # fmt: skip


def start(terms: ProgressArrays, obs: Any) -> jax.Array:
    """float32[N, F]: memory at the first observation `Sensed` of an episode, the most of each field
    so far, of fields with a negative weight the most of -field."""
    return jnp.sign(terms.weights) * obs.fields


def score(terms: ProgressArrays, best: jax.Array, step: Step) -> tuple[jax.Array, jax.Array]:
    """Reward of one tick, float32[N], and the memory for the next one.

    Progress is |weight| * max(0, value - best of the episode), for a negative weight
    |weight| * max(0, least of the episode - value).
    """
    now = start(terms, step.final_obs)
    gained = jnp.maximum(now - best, 0.0)
    reward = (
        terms.success * step.info["success"].astype(jnp.float32)
        - terms.step_cost
        + terms.environment * step.reward
        + gained @ jnp.abs(terms.weights)
    )
    done = jnp.asarray(step.terminated | step.truncated)[:, None]
    return reward, jnp.where(done, start(terms, step.obs), jnp.maximum(best, now))
