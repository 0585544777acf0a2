"""Sneaking at an edge."""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.rules.bodies import collision

CUT = 0.05  # blocks


def stay(boxed: jax.Array, box: collision.Box, delta: jax.Array, careful: jax.Array) -> jax.Array:
    """A sneaking player's step is cut in pieces of 0.05 until it ends above a block.

    Any block with a box in the layer under the feet, or beside the body, counts.

    Args:
      boxed: bool[N, X, Z, Y], cells of a region that have a collision box.
      box: the bodies, relative to the region's corner.
      delta: float32[N, 3], the wish.
      careful: bool[N], who sneaks on the ground.
    """
    low = box.low.at[:, 1].set(jnp.floor(box.low[:, 1] + collision.EPS) - 0.5)
    tall = collision.Box(low, box.high)

    def shorter(step: jax.Array) -> jax.Array:
        small = (step < CUT) & (step >= -CUT)
        return jnp.where(small, 0.0, step - CUT * jnp.sign(step))

    def shorten(axes: tuple[int, ...], delta: jax.Array) -> jax.Array:
        """Cuts along these axes until nothing is left or something is below."""
        along = jnp.array([a in axes for a in range(3)])

        def goes_on(delta: jax.Array) -> jax.Array:
            way = jnp.where(along, delta, 0.0)
            left = jnp.stack([delta[:, a] != 0 for a in axes]).all(0)
            return left & careful & ~collision.touches(boxed, tall.shift(way))

        def cut(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            going, delta = carry
            new = jnp.where(going[:, None] & along, shorter(delta), delta)
            return goes_on(new), new

        start = goes_on(delta), delta
        return jax.lax.while_loop(lambda carry: carry[0].any(), cut, start)[1]

    def all_ways(delta: jax.Array) -> jax.Array:
        return shorten((0, 2), shorten((2,), shorten((0,), delta)))

    return jax.lax.cond(careful.any(), all_ways, lambda delta: delta, delta)
