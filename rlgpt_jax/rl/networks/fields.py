"""What the networks see of a world with a spec: its fields, the previous action, a picture."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.spec import Sensed, WorldSpec
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.networks.features import Features

MOST = 5.0  # to which fields are clipped that lie outside of their range, which is -1..1


class FieldFeatures(NamedTuple):
    """One row per lane, batch axes first."""

    fields: jax.Array  # float32[..., F]  `low` is -1, `high` is 1
    previous: jax.Array  # uint8[...]  id of the previous action
    # As in `features.Features`:
    rgb: Any = None
    past: Any = None
    lead: Any = None


AnyFeatures = Features | FieldFeatures


def make_features(
    spec: WorldSpec, obs: Sensed, previous: jax.Array, picture: bool
) -> FieldFeatures:
    """The features of an observation; `previous` int32[N] are action ids."""
    low, high = np.array([(f.low, f.high) for f in spec.fields], np.float32).T
    scaled = 2.0 * (obs.fields - low) / np.where(high > low, high - low, 1.0) - 1.0
    return FieldFeatures(
        fields=jnp.clip(jnp.asarray(scaled, jnp.float32), -MOST, MOST),
        previous=previous.astype(jnp.uint8),
        rgb=jnp.asarray(obs.rgb) if picture else None,
    )


def zero_features(spec: WorldSpec, num: int, config: NetworkConfig) -> FieldFeatures:
    """As the networks are given them."""
    zeros = functools.partial(jnp.zeros, dtype=jnp.uint8)
    size = config.image_size
    return FieldFeatures(
        fields=jnp.zeros((num, len(spec.fields))), previous=zeros(num),
        rgb=zeros((num, *size, 3 * config.frame_stack)) if size else None,
    )  # fmt: skip


def action_id(spec: WorldSpec, action: jax.Array, macro: jax.Array) -> jax.Array:
    """The id under which an action is seen as the previous one in the next tick.

    Args:
      action: float32[N, columns].
      macro: int32[N], the slot that made it, 0 if the policy's own primitive.

    Returns:
      int32[N]: the index of the action, then one id per macro slot.
    """
    return jnp.where(macro > 0, len(spec.actions) - 1 + macro, action[:, 0].astype(jnp.int32))
