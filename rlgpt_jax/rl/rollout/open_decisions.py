"""Decisions that are not over when a rollout ends.

A decision is over when its lane decides again or its episode ends. Until then it is carried
from rollout to rollout, however many that takes, and becomes a row of the one in which it ends,
with all that it earned. So no reward is lost, and nothing is bootstrapped from the middle of a
macro, where no value is ever learnt.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.spec import Sensed
from rlgpt_jax.rl import worlds
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.networks import frame_stack
from rlgpt_jax.rl.networks.frame_stack import FrameStack
from rlgpt_jax.rl.rollout.one_tick import Batch, Lanes, OpenDecisions
from rlgpt_jax.rl.worlds.minecraft import Seen


@functools.partial(jax.jit, static_argnums=0)
def none_open(network: NetworkConfig, lanes: Lanes, obs: Observation | Sensed) -> OpenDecisions:
    """No lane has decided yet; `obs` and `lanes` say how much there is room for."""
    world = worlds.of(network)
    seen = Seen(obs, lanes.previous, lanes.start)
    features = world.features(seen, None, bool(network.image_size))
    if lanes.frames is not None:
        features = features._replace(past=lanes.frames.past)
    num = lanes.busy.shape[0]
    features = features._replace(lead=jnp.zeros(num, jnp.uint8))
    zeros = jnp.zeros(num)
    made = OpenDecisions(
        is_open=jnp.zeros(num, bool), features=features,
        action=world.no_action(num),
        log_prob=zeros, reward=zeros, discount=zeros,
        value=zeros if network.shared else None, frames=lanes.frames,
    )  # fmt: skip
    return jax.tree.map(jnp.zeros_like, made)


def open_after(batch: Batch, gamma: Any) -> OpenDecisions:
    """The decisions that are open after the last tick of a batch; JAX or NumPy.

    Args:
      gamma: float32[], discount per tick.
    """
    ended = batch.terminated | batch.truncated
    row, is_open, reward, discount = _earned(
        batch.carried, batch.decision, batch.reward, ended, gamma
    )
    xp = jnp if isinstance(batch.reward, jax.Array) else np
    tick, lanes = xp.asarray(jnp.maximum(row, 0)), xp.arange(row.shape[0])
    made = (batch.features, batch.action, batch.log_prob, batch.value)
    made = jax.tree.map(lambda x: x[tick, lanes], made)
    frames = None
    if batch.frames is not None:
        frames = FrameStack(_before(batch, tick, lanes), made[0].past)
    carried = batch.carried
    features, action, log_prob, value, frames = frame_stack.choose(
        row >= 0,
        (*made, frames),
        (carried.features, carried.action, carried.log_prob, carried.value, carried.frames),
    )
    return OpenDecisions(is_open, features, action, log_prob, reward, discount, value, frames)


@jax.jit
def _earned(
    carried: OpenDecisions, decision: jax.Array, reward: jax.Array, ended: jax.Array, gamma: Any
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Follows the last decision of every lane through the ticks [T, N].

    Returns:
      Its tick int32[N], -1 if it was carried in; whether it is open, what it earned and the
      discount of what it will earn, as in `OpenDecisions`.
    """

    def tick(at, now):
        row, is_open, total, discount = at
        index, decision, reward, ended = now
        total = jnp.where(decision, 0.0, total)
        discount = jnp.where(decision, 1.0, discount)
        row = jnp.where(decision, index, row)
        total, discount = total + discount * reward, discount * gamma
        return (row, (is_open | decision) & ~ended, total, discount), None

    start = (jnp.full(decision.shape[1], -1), carried.is_open, carried.reward, carried.discount)
    ticks = (jnp.arange(decision.shape[0]), decision, reward, ended)
    last, _ = jax.lax.scan(tick, start, ticks)
    return last


def _before(batch: Batch, tick: Any, lanes: Any) -> jax.Array:
    """uint8[N, K - 1, H, W, 3]: the pictures before the ticks int32[N] of `lanes`."""
    assert batch.frames is not None
    earlier = batch.frames.pictures.shape[1]
    index = tick[:, None] + np.arange(earlier)  # counted from the oldest of `frames.pictures`
    old = batch.frames.pictures[lanes[:, None], index.clip(max=earlier - 1)]
    new = batch.features.rgb[(index - earlier).clip(min=0), lanes[:, None]]
    return jnp.where((index < earlier)[..., None, None, None], old, new)


def with_carried(batch: Batch) -> Any:
    """Fields of a batch with the carried decisions as row 0, [T + 1, N, ...].

    Returns:
      `(features, action, log_prob, decision, value)`; the features are a film, see
      `frame_stack.film`.
    """
    carried = batch.carried

    def joined(first: Any, rest: Any) -> Any:
        return jax.tree.map(lambda x, xs: jnp.concatenate([x[None], xs]), first, rest)

    features = frame_stack.film(batch.features, batch.frames, carried.features, carried.frames)
    rest = (batch.action, batch.log_prob, batch.decision, batch.value)
    first = (carried.action, carried.log_prob, carried.is_open, carried.value)
    return features, *joined(first, rest)
