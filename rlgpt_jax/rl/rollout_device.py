"""The device driver: one `lax.scan` over world, policy and macros."""

import functools
from typing import Any

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import Environment, Observation
from rlgpt_jax.rl import macro_step, networks, rewards, rollout
from rlgpt_jax.rl.actions import HybridSpace, SpaceArrays
from rlgpt_jax.rl.closed import Closed, close_world
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.features import make_features
from rlgpt_jax.rl.rollout import Batch, Lanes


# Observations and states are not donated: they may share buffers with each other.
@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _scan(
    world: Closed, goals: tuple[int, ...], tick_limit: int, config: RLConfig,
    constants: list[jax.Array], arrays: SpaceArrays, params: networks.Params,
    lanes: Lanes, macros: Any, obs: Observation, env_state: Any, key: jax.Array,
) -> tuple[Lanes, Any, Observation, Any, Batch]:
    """`world` is the step of the environment, `constants` are its constants."""

    def final_values(step, previous, start):
        cut = step.truncated & ~step.terminated

        def evaluate():
            x = make_features(step.final_obs, previous, start)
            return jnp.where(cut, networks.values(config.network, params, x), 0.0)

        return jax.lax.cond(jnp.any(cut), evaluate, lambda: jnp.zeros(cut.shape))

    def one_tick(carry, index):
        lanes, macros, obs, env_state = carry
        decision = rollout.decide(config.network, params, arrays, lanes, obs, key, index)
        macros, act = macro_step.act(
            arrays.macros, tick_limit, macros, obs, decision.chosen, decision.primitive,
            lanes.busy, config.interpreter,
        )  # fmt: skip
        env_state, step = world(constants, env_state, act.action)
        after, reward, previous, episodes = rollout.settle(
            config.reward, goals, arrays, lanes, act.decided, act.slot, act.action, step
        )
        macros = macro_step.cut(macros, step.terminated | step.truncated)
        row = dict(
            features=decision.features, action=decision.action, log_prob=decision.log_prob,
            decision=act.decided & ~decision.scripted, reward=reward,
            terminated=step.terminated, truncated=step.truncated,
            final_value=final_values(step, previous, lanes.start), episodes=episodes,
        )  # fmt: skip
        return (after, macros, step.obs, env_state), row

    carry, rows = jax.lax.scan(
        one_tick, (lanes, macros, obs, env_state), jnp.arange(config.ppo.unroll_length)
    )
    lanes, macros, obs, env_state = carry
    last = make_features(obs, lanes.previous, lanes.start)
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

    Compiles once per environment object, configuration and batch shape; other macros or
    another script are other data.
    """
    _, world = close_world(env)
    return _scan(
        world, rewards.goal_ids(env.goal_names), space.tick_limit, config, world.constants,
        space.arrays(), params, lanes, macros, obs, env_state, key,
    )  # fmt: skip
