"""The device driver: one `lax.scan` over world, policy and macros."""

import functools
from typing import Any

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import Environment, Observation
from rlgpt_jax.rl import macro_step, networks, rollout
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.closed import Closed, close_world
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.problem import Problem, make_problem
from rlgpt_jax.rl.rollout import Batch, Lanes


# Observations and states are not donated: they may share buffers with each other.
@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3, 4))
def _scan(
    world: Closed, tick_limit: int, network: NetworkConfig, interpreter: str, length: int,
    constants: list[jax.Array], problem: Problem, params: networks.Params, lanes: Lanes,
    macros: Any, obs: Observation, env_state: Any, key: jax.Array,
) -> tuple[Lanes, Any, Observation, Any, Batch]:
    """`world` is the step of the environment, `constants` are its constants."""

    def final_values(step, previous, start):
        cut = step.truncated & ~step.terminated

        def evaluate():
            x = rollout.see(problem, step.final_obs, previous, start)
            return jnp.where(cut, networks.values(network, params, x), 0.0)

        return jax.lax.cond(jnp.any(cut), evaluate, lambda: jnp.zeros(cut.shape))

    def one_tick(carry, index):
        lanes, macros, obs, env_state = carry
        decision = rollout.decide(network, params, problem, lanes, obs, key, index)
        macros, act = macro_step.act(
            problem.space.macros, tick_limit, macros, obs, decision.chosen, decision.primitive,
            lanes.busy, interpreter,
        )  # fmt: skip
        env_state, step = world(constants, env_state, act.action)
        after, reward, previous, episodes = rollout.settle(
            problem, lanes, act.decided, act.slot, act.action, step
        )
        macros = macro_step.cut(macros, step.terminated | step.truncated)
        row = dict(
            features=decision.features, action=decision.action, log_prob=decision.log_prob,
            decision=act.decided & ~decision.scripted, reward=reward,
            terminated=step.terminated, truncated=step.truncated,
            final_value=final_values(step, previous, lanes.start), episodes=episodes,
        )  # fmt: skip
        return (after, macros, step.obs, env_state), row

    carry, rows = jax.lax.scan(one_tick, (lanes, macros, obs, env_state), jnp.arange(length))
    lanes, macros, obs, env_state = carry
    last = rollout.see(problem, obs, lanes.previous, lanes.start)
    return lanes, macros, obs, env_state, Batch(last=last, **rows)


def rollout_device(
    env: Environment,
    space: HybridSpace,
    config: RLConfig,
    params: networks.Params,
    lanes: Lanes,
    macros: Any,
    obs: Observation,
    env_state: Any,
    key: jax.Array,
) -> tuple[Lanes, Any, Observation, Any, Batch]:
    """Records `unroll_length` ticks. Returns where the lanes stand, and the batch.

    Compiles once per environment object, network and batch shape; another action space,
    other parts of the observation or another reward are other data.
    """
    _, world = close_world(env)
    return _scan(
        world, space.tick_limit, config.network, config.interpreter, config.ppo.unroll_length,
        world.constants, make_problem(config, env.goal_names, space), params, lanes, macros,
        obs, env_state, key,
    )  # fmt: skip
