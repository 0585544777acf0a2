"""A gated recurrent unit over ticks in a row, with its state set to 0 where an episode begins.

Source: Cho et al. 2014, https://arxiv.org/abs/1406.1078, with the reset gate behind the matrix
as in cuDNN, so that the matrix products with the input are one for all ticks.
"""

import jax
import jax.numpy as jnp
from flax import linen as nn


class Core(nn.Module):
    """Adds the state to its input, so that what needs no memory need not go through it."""

    width: int

    @nn.compact
    def __call__(
        self, x: jax.Array, state: jax.Array, first: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        """T ticks of N lanes.

        Args:
          x: float32[T, N, F].
          state: float32[N, R], before the first tick.
          first: bool[T, N], ticks before which the state is set to 0.

        Returns:
          float32[T, N, F + R], and the state after the last tick.
        """
        gates = nn.Dense(3 * self.width, name="input")(x)
        matrix = self.param("state", nn.initializers.orthogonal(), (self.width, 3 * self.width))
        bias = self.param("bias", nn.initializers.zeros, (self.width,))

        def tick(h, given):
            gates, first = given
            h = jnp.where(first[:, None], 0.0, h)
            r, z, n = jnp.split(gates, 3, axis=-1)
            hr, hz, hn = jnp.split(h @ matrix, 3, axis=-1)
            r, z = nn.sigmoid(r + hr), nn.sigmoid(z + hz)
            h = (1.0 - z) * jnp.tanh(n + r * (hn + bias)) + z * h
            return h, h

        state, states = jax.lax.scan(tick, state, (gates, first))
        return jnp.concatenate([x, states], axis=-1), state
