"""Runs a peer's jitted tick: one per call on a CPU, several in one scan on a GPU."""

from collections.abc import Callable
from typing import Any

import jax

from experiments.bench.turns import Contestant

SCAN = 16  # ticks per call where starting a program costs as much as a tick
WARM = 3  # the second call compiles again if a step's types are not a reset's


def contestant(
    name: str, lanes: int, tick: Callable[[Any, jax.Array], Any], carry: Any
) -> Contestant:
    """Compiles `tick(carry, key) -> carry` and makes it ready to run.

    Args:
      carry: what the first tick starts from.
    """
    ticks = 1 if jax.default_backend() == "cpu" else SCAN

    def several(carry: Any, key: jax.Array) -> Any:
        if ticks == 1:
            return tick(carry, key)
        keys = jax.random.split(key, ticks)
        return jax.lax.scan(lambda c, k: (tick(c, k), None), carry, keys)[0]

    run = jax.jit(several)
    held = [carry, 0]

    def once() -> None:
        held[0] = jax.block_until_ready(run(held[0], jax.random.key(held[1])))
        held[1] += 1

    for _ in range(WARM):
        once()
    return Contestant(name, lanes, once, ticks)
