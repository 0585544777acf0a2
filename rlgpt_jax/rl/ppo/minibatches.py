"""Deals the decisions of a group of lanes to minibatches of fixed shapes, in a random order."""

import jax
import jax.numpy as jnp

from rlgpt_jax.rl.config import PPOConfig
from rlgpt_jax.rl.ppo import picture_blocks


def minibatch_size(ppo: PPOConfig, total: int) -> int:
    """Rows of a minibatch if all `total` rows of a group are dealt; whole blocks, if several."""
    size = -(-total // ppo.num_minibatches)
    return size if size < picture_blocks.ROWS else size + -size % picture_blocks.ROWS


def deal(
    key: jax.Array, decision: jax.Array, size: int, num: jax.Array | None = None
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Deals the decision rows to minibatches of at most `size`, in a random order.

    `num` int32[] is how many there shall be; without it as few as hold the rows.

    Returns `(rows int32[M, size], real bool[M, size], num int32[])`, M = B / size rounded up: the
    first `num` minibatches hold every decision once, as evenly as possible; entries that
    are not `real` point at other rows.
    """
    total = decision.shape[0]
    most = -(-total // size)
    order = jnp.argsort(jnp.where(decision, jax.random.uniform(key, (total,)), 2.0))
    count = jnp.sum(decision)
    num = -(-count // size) if num is None else num
    # Minibatch i takes places i, i + num, i + 2 num, ... of the order.
    place = jnp.arange(most)[:, None] + num * jnp.arange(size)[None, :]
    real = (place < count) & (jnp.arange(most)[:, None] < num)
    return order[jnp.minimum(place, total - 1)], real, num
