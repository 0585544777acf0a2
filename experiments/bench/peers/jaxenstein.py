"""JAXenstein (github.com/taodav/jaxenstein, MIT): first-person mazes at 64x64 in JAX.

The closest peer: RGB pictures of flat mazes, traced in one jitted step. It is not on
PyPI; it is run from a checkout that the command names.
"""

import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from experiments.bench.peers import ticks
from experiments.bench.peers.missing import Missing
from experiments.bench.turns import Contestant

MAZE = "my-way-home"  # its large maze, the one of its own speed script


def make(checkout: Path | None, lanes: int, size: int = 64) -> Contestant:
    """Compiles its step with resets of the lanes that are done.

    Args:
      checkout: folder that holds its package `jaxenstein`; None if it is installed.
      size: pixels of each side.

    Raises:
      Missing: there is no such package.
    """
    name = f"JAXenstein {size}x{size}"
    try:
        package = _import(checkout)
    except ImportError as error:
        raise Missing(
            f"{name}: {error}. Clone github.com/taodav/jaxenstein and give its folder: "
            "--jaxenstein=PATH."
        ) from error
    env = package.make_jaxenstein_env(MAZE, img_h=size, img_w=size)
    reset, step = jax.vmap(env.reset), jax.vmap(env.step)

    def tick(carry: Any, key: jax.Array) -> Any:
        _, state = carry
        act_key, reset_key = jax.random.split(key)
        action = jax.random.randint(act_key, (lanes,), 0, env.num_actions)
        obs, state, _, done, _ = step(state, action)

        def restart() -> Any:
            fresh = reset(jax.random.split(reset_key, lanes))

            def pick(new: jax.Array, old: jax.Array) -> jax.Array:
                return jnp.where(done.reshape((-1,) + (1,) * (old.ndim - 1)), new, old)

            return jax.tree.map(pick, fresh, (obs, state))

        # Drawn only in ticks where an episode ends, so that resets cost it little.
        return jax.lax.cond(done.any(), restart, lambda: (obs, state))

    start = jax.jit(reset)(jax.random.split(jax.random.key(0), lanes))
    return ticks.contestant(name, lanes, tick, start)


def _import(checkout: Path | None) -> Any:
    """The package; a checkout that is named goes before one that is installed."""
    if checkout is not None:
        if not (checkout / "jaxenstein" / "__init__.py").exists():
            raise ImportError(f"{checkout} holds no package jaxenstein")
        sys.path.insert(0, str(checkout))
    try:
        import jaxenstein
    finally:
        if checkout is not None:
            sys.path.remove(str(checkout))
    return jaxenstein
