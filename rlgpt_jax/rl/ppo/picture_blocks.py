"""Minibatches of pictures in blocks of rows, for processors whose caches hold a few of them.

What one layer writes of a block is still in the cache when the next one reads it, and blocks in
which no row counts are left out. The sums are taken in another order, so that gradients differ
from those of whole minibatches by rounding. Measured: `docs/benchmarks.md`.
"""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp

from rlgpt_jax.rl.config import NetworkConfig

Tree = TypeVar("Tree")

ROWS = 64  # of a block; a layer of 16 channels of 64 x 64 pixels in patches of 4 writes 1 MB
LEAST_ROWS = 16  # fewer are not worth the gradients that are added up


def block_size(network: NetworkConfig, rows: int) -> int:
    """How many of `rows` make a block: a divisor, `rows` itself where nothing is gained.

    That is on accelerators and without pictures.
    """
    if jax.default_backend() != "cpu" or not network.image_size:
        return rows
    found = max(size for size in range(1, min(ROWS, rows) + 1) if rows % size == 0)
    return found if found >= LEAST_ROWS else rows


def add_up(
    part: Callable[[jax.Array, jax.Array], Tree],
    index: jax.Array,
    real: jax.Array,
    size: int,
    skip: bool = True,
) -> Tree:
    """The sum of `part` over the blocks of a minibatch.

    Args:
      part: of rows int32[size] and which of them count, bool[size].
      index: int32[B].
      real: bool, like `index`; the rows that count come first.
      size: a divisor of B.
      skip: leaves out the blocks in which no row counts.
    """
    if index.size == size:
        return part(index, real)
    indices, reals = index.reshape(-1, size), real.reshape(-1, size)
    used = -(-jnp.sum(real) // size) if skip else len(indices)
    zero = jax.tree.map(
        lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(part, indices[0], reals[0])
    )
    return jax.lax.fori_loop(
        0, used, lambda i, total: jax.tree.map(jnp.add, total, part(indices[i], reals[i])), zero
    )
