"""The optimiser of actor and critic, and what an update changes."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from rlgpt_jax.rl.config import PPOConfig
from rlgpt_jax.rl.networks import actor_critic


class TrainState(NamedTuple):
    """What an update changes."""

    params: actor_critic.Params
    opt_state: optax.OptState


def make_optimizer(config: PPOConfig) -> optax.GradientTransformation:
    """Adam after clipping by the global norm; with `separate` one for each network.

    While both take the same steps, and nothing is clipped, two are one: Adam is elementwise.
    """
    one = optax.chain(
        optax.clip_by_global_norm(config.max_grad_norm),
        optax.adam(config.learning_rate, eps=config.adam_epsilon),
    )
    if not config.separate:
        return one
    return optax.partition(
        {"actor": one, "critic": one}, actor_critic.Params("actor", "critic", None)
    )


def holding(part: str, before: TrainState, after: TrainState, where: Any = True) -> TrainState:
    """`after`, but with parameters and moments of a network as `before`; with `separate` its count
    of steps too.

    Args:
      part: "actor" or "critic".
      where: bool[], whether it is held at all.
    """

    def pick(path: tuple, old: jax.Array, new: jax.Array) -> jax.Array:
        names = [getattr(p, "name", getattr(p, "key", None)) for p in path]
        return jnp.where(where, old, new) if part in names else new

    return jax.tree_util.tree_map_with_path(pick, before, after)
