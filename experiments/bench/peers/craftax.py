"""Craftax-Classic (PyPI `craftax`) with random actions, symbolic and from pixels (63x63).

Resets as in its own baselines (OptimisticResetVecEnvWrapper): one fresh world per 16
lanes and tick, given to lanes that are done. Its `auto_reset=True` makes a whole world
per lane and tick, which is 7 to 10 times slower on a CPU.
"""

from typing import Any

import jax
import jax.numpy as jnp

from experiments.bench.peers import ticks
from experiments.bench.peers.missing import Missing
from experiments.bench.turns import Contestant

RESET_RATIO = 16
SYMBOLIC = "Craftax-Classic-Symbolic"
PIXELS = "Craftax-Classic-Pixels"


def make(name: str, lanes: int) -> Contestant:
    """Compiles one of the two.

    Raises:
      Missing: the package is not installed.
    """
    try:
        from craftax.craftax_env import make_craftax_env_from_name
    except ImportError as error:
        raise Missing(
            f"{name}: {error}. pip install -e '.[bench]' installs PyPI's craftax."
        ) from error
    env = make_craftax_env_from_name(f"{name}-v1", auto_reset=False)
    params = env.default_params
    reset = jax.vmap(env.reset, in_axes=(0, None))
    step = jax.vmap(env.step, in_axes=(0, 0, 0, None))
    num_resets = max(1, lanes // RESET_RATIO)

    def tick(carry: Any, key: jax.Array) -> Any:
        _, state = carry
        act_key, step_key, reset_key = jax.random.split(key, 3)
        action = jax.random.randint(act_key, (lanes,), 0, env.action_space(params).n)
        result = step(jax.random.split(step_key, lanes), state, action, params)
        obs, state = result[0], result[1]
        done = _done(result)
        fresh_obs, fresh = reset(jax.random.split(reset_key, num_resets), params)
        index = jnp.cumsum(done) % num_resets

        def pick(new: jax.Array, old: jax.Array) -> jax.Array:
            mask = done.reshape((-1,) + (1,) * (old.ndim - 1))
            return jnp.where(mask, new[index], old)

        return pick(fresh_obs, obs), jax.tree.map(pick, fresh, state)

    start = jax.jit(reset)(jax.random.split(jax.random.key(0), lanes), params)
    return ticks.contestant(name, lanes, tick, start)


def _done(result: tuple) -> jax.Array:
    """Both shapes of gymnax steps: (..., done, info) and (..., terminated, truncated, info)."""
    return result[3] | result[4] if len(result) == 6 else result[3]
