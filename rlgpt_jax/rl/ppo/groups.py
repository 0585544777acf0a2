"""Groups of lanes whose rows are dealt to minibatches apart, so that no row has to travel.

Every group has the same number of lanes, deals its own decisions, and meets the others in two
sums alone: a small table once per update (`summarise`), and the gradient of every minibatch
together with its metrics (`Groups.mean`). An update depends on the number of groups, not on
the devices that they are spread over: each device maps over its groups, and the sums go over
both axes. A single group needs no sum.
"""

import dataclasses
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

from rlgpt_jax.rl.ppo.losses import Moments, moments

Tree = TypeVar("Tree")


@dataclasses.dataclass(frozen=True)
class Groups:
    """How many groups there are, seen from within one of them."""

    num: int = 1
    axes: tuple[str, ...] = ()  # mapped axes that they lie along; none if there is one group

    def own(self, key: jax.Array) -> jax.Array:
        """A key of this group; a single group has the key itself."""
        return jax.random.fold_in(key, jax.lax.axis_index(self.axes)) if self.axes else key

    def mean(self, tree: Tree, weight: jax.Array) -> Tree:
        """Means over the groups by `weight` float32[], all leaves in one sum.

        With one group the tree itself.
        """
        if not self.axes:
            return tree
        flat, unravel = ravel_pytree(tree)
        weight = weight.astype(flat.dtype)
        total = jax.lax.psum(jnp.append(flat * weight, weight), self.axes)
        return unravel(total[:-1] / jnp.maximum(total[-1], 1.0))


ONE = Groups()


class Summary(NamedTuple):
    """The decisions of all groups in numbers."""

    decisions: jax.Array  # float32[]  per tick
    num: jax.Array  # int32[]  minibatches that hold the decisions of every group
    advantage: Moments
    target: Moments


def summarise(
    groups: Groups,
    decision: jax.Array,
    advantage: jax.Array,
    target: jax.Array,
    size: int,
    ticks: int,
) -> Summary:
    """Args: rows [B] of one group, how many of them a minibatch holds, ticks of all its lanes."""
    share = jnp.sum(decision.astype(jnp.float32)) / ticks
    num = -(-jnp.sum(decision) // size)
    own = moments(advantage, decision), moments(target, decision)
    if not groups.axes:
        return Summary(share, num, *own)
    row = jnp.stack([share, num.astype(jnp.float32), *own[0], *own[1]])
    mine = jnp.arange(groups.num) == jax.lax.axis_index(groups.axes)
    shares, nums, *rest = jax.lax.psum(jnp.where(mine[:, None], row, 0.0), groups.axes).T
    joined = (_joined(shares, *rest[i : i + 2]) for i in (0, 2))
    return Summary(jnp.mean(shares), jnp.max(nums).astype(jnp.int32), *joined)


def _joined(weights: jax.Array, means: jax.Array, variances: jax.Array) -> Moments:
    """Moments of the union of groups (Chan et al. 1979), all float32[num]."""
    weights = weights / jnp.maximum(jnp.sum(weights), 1e-30)
    mean = jnp.sum(weights * means)
    return Moments(mean, jnp.sum(weights * (variances + (means - mean) ** 2)))
