"""Craftax-Classic-Symbolic with random actions, for a ratio on the same machine.

Resets as in its own baselines (OptimisticResetVecEnvWrapper): one fresh world per 16
lanes and tick, given to lanes that are done. Its `auto_reset=True` makes a whole world
per lane and tick, which is 7 to 10 times slower on a CPU.
Needs the extra `bench`: pip install -e '.[bench]'.
"""

import time

import jax
import jax.numpy as jnp

from experiments.bench.table import Row

RESET_RATIO = 16
ENV_NAME = "Craftax-Classic-Symbolic-v1"


def measure(num_envs: int, seconds: float) -> list[Row]:
    """Steps per second of one jitted tick after the other, without a policy."""
    from craftax.craftax_env import make_craftax_env_from_name

    env = make_craftax_env_from_name(ENV_NAME, auto_reset=False)
    params = env.default_params
    reset = jax.vmap(env.reset, in_axes=(0, None))
    step = jax.vmap(env.step, in_axes=(0, 0, 0, None))
    num_resets = max(1, num_envs // RESET_RATIO)

    def tick(carry, key):
        obs, state = carry
        act_key, step_key, reset_key = jax.random.split(key, 3)
        action = jax.random.randint(act_key, (num_envs,), 0, env.action_space(params).n)
        result = step(jax.random.split(step_key, num_envs), state, action, params)
        obs, state, reward = result[0], result[1], result[2]
        done = _done(result)
        fresh_obs, fresh = reset(jax.random.split(reset_key, num_resets), params)
        index = jnp.cumsum(done) % num_resets

        def pick(new, old):
            mask = done.reshape((-1,) + (1,) * (old.ndim - 1))
            return jnp.where(mask, new[index], old)

        state, obs = jax.tree.map(pick, fresh, state), pick(fresh_obs, obs)
        return (obs, state), reward.sum()

    run = jax.jit(tick)
    carry = jax.jit(reset)(jax.random.split(jax.random.key(0), num_envs), params)
    for warm in range(3):  # the second call compiles again: a step's types are not a reset's
        carry, _ = jax.block_until_ready(run(carry, jax.random.key(warm)))
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        carry, total = jax.block_until_ready(run(carry, jax.random.key(count)))
        count += 1
    rate = count * num_envs / passed
    return [Row("craftax", ENV_NAME, {"lanes": num_envs, "steps_per_second": rate})]


def _done(result: tuple) -> jax.Array:
    """Both shapes of gymnax steps: (..., done, info) and (..., terminated, truncated, info)."""
    return result[3] | result[4] if len(result) == 6 else result[3]
