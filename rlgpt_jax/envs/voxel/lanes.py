"""Work that only some lanes need."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp

In = TypeVar("In")
Out = TypeVar("Out")


def for_some(
    active: jax.Array, act: Callable[[In], Out], inputs: In, default: Out, at_once: int = 8
) -> Out:
    """Runs `act` on the active lanes alone, a few at a time, so that it costs by their number.

    Args:
      active: bool[N].
      act: from arrays [K, ...] to arrays [K, ...]; lanes do not see each other.
      inputs: arrays [N, ...].
      default: arrays [N, ...], the result of the other lanes.
      at_once: K, the lanes in one turn.

    Returns:
      Arrays [N, ...].
    """
    n = len(active)
    size = min(at_once, n)

    def some(default: Out) -> Out:
        # Active lanes first; n, which is no lane, fills the last turn up.
        (order,) = jnp.nonzero(active, size=-(-n // size) * size, fill_value=n)
        total = active.sum(dtype=jnp.int32)

        def turn(carry: tuple[jax.Array, Out]) -> tuple[jax.Array, Out]:
            start, out = carry
            lane = jax.lax.dynamic_slice(order, (start,), (size,))
            part = act(jax.tree.map(lambda a: a[jnp.minimum(lane, n - 1)], inputs))
            out = jax.tree.map(lambda a, b: a.at[lane].set(b, mode="drop"), out, part)
            return start + size, out

        return jax.lax.while_loop(lambda carry: carry[0] < total, turn, (jnp.int32(0), default))[1]

    return jax.lax.cond(active.any(), some, lambda default: default, default)
