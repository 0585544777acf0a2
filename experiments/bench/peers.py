"""Craftax-Classic (PyPI `craftax`), symbolic and from pixels (63x63), in turns with our world.

All with random actions. Craftax resets as in its own baselines (OptimisticResetVecEnvWrapper): one
fresh world per 16 lanes and tick, given to lanes that are done. Its `auto_reset=True` makes a whole
world per lane and tick, which is 7 to 10 times slower on a CPU. None of its code is kept here.
"""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from experiments.bench import frames, turns, world
from experiments.bench.table import Row
from experiments.bench.turns import Contestant
from rlgpt_jax.envs.voxel.env import VoxelEnv

RESET_RATIO = 16
SYMBOLIC = "Craftax-Classic-Symbolic"
PIXELS = "Craftax-Classic-Pixels"
SIZE = (64, 64)  # of our picture
WARM = 3  # the second call compiles again if a step's types are not a reset's


def craftax(name: str, lanes: int) -> Contestant:
    """Compiles one of the two.

    Raises:
      ImportError: the package is not installed.
    """
    from craftax.craftax_env import make_craftax_env_from_name

    env = make_craftax_env_from_name(f"{name}-v1", auto_reset=False)
    params = env.default_params
    reset = jax.vmap(env.reset, in_axes=(0, None))
    step = jax.vmap(env.step, in_axes=(0, 0, 0, None))
    num_resets = max(1, lanes // RESET_RATIO)

    def tick(carry: Any, key: jax.Array) -> tuple[Any, None]:
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

        return (pick(fresh_obs, obs), jax.tree.map(pick, fresh, state)), None

    # One tick per call on a CPU; where starting a program costs as much as a tick, a scan.
    ticks = 1 if jax.default_backend() == "cpu" else world.SCAN
    run = jax.jit(lambda carry, key: jax.lax.scan(tick, carry, jax.random.split(key, ticks))[0])
    held = [jax.jit(reset)(jax.random.split(jax.random.key(0), lanes), params), 0]

    def once() -> None:
        held[0] = jax.block_until_ready(run(held[0], jax.random.key(held[1])))
        held[1] += 1

    for _ in range(WARM):
        once()
    return Contestant(name, lanes, once, ticks)


def _done(result: tuple) -> jax.Array:
    """Both shapes of gymnax steps: (..., done, info) and (..., terminated, truncated, info)."""
    return result[3] | result[4] if len(result) == 6 else result[3]


def ours(env: VoxelEnv, driver: str) -> list[Contestant]:
    """The world without and with rays, and with a picture."""
    renderer = frames.RENDERERS[driver][0]
    pictures = f"ours, {SIZE[0]}x{SIZE[1]} pictures by {renderer}"
    found = {
        "ours, no rays": world.contestant(env, driver, "no rays"),
        "ours, with rays": world.contestant(env, driver, world.names(driver)[0]),
        pictures: frames.make(env, driver, renderer, SIZE),
    }
    return [one._replace(name=name) for name, one in found.items()]


def measure(env: VoxelEnv, driver: str, seconds: float) -> Iterator[Row | str]:
    """Rows with the ratios of every rate to Craftax's, or a line on what is missing."""
    contestants, theirs = ours(env, driver), []
    try:
        theirs = [craftax(name, env.num_envs) for name in (SYMBOLIC, PIXELS)]
    except ImportError as error:
        yield f"Craftax-Classic: {error}. pip install -e '.[bench]' installs PyPI's craftax."
    contestants += theirs
    rates = turns.measure(contestants, seconds)
    for one in contestants:
        rate = rates[one.name]
        ratios = {f"times {peer.name}": rate.median / rates[peer.name].median for peer in theirs}
        yield Row("peers", one.name, turns.numbers(one, rate) | ratios)
