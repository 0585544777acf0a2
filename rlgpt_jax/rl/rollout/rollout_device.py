"""The device driver: one `lax.scan` over world, policy and macros.

With several devices each of them scans over its own lanes, and nothing passes between them.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import Mesh

from rlgpt_jax.envs.base import Environment, Observation
from rlgpt_jax.rl.actions import HybridSpace, Part
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.devices import BY_LANE, LANES, WHOLE, batch_specs
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.networks.recurrent_state import state_of
from rlgpt_jax.rl.problem import Problem, make_problem
from rlgpt_jax.rl.rollout import macro_step
from rlgpt_jax.rl.rollout import one_tick as rollout
from rlgpt_jax.rl.rollout.device_worlds import DeviceWorlds
from rlgpt_jax.rl.rollout.one_tick import Batch, Lanes
from rlgpt_jax.rl.rollout.open_decisions import open_after


def _scan(
    env: Environment,
    tick_limit: int,
    network: NetworkConfig,
    length: int,
    devices: int,
    env_params: Any,
    problem: Problem,
    params: actor_critic.Params,
    lanes: Lanes,
    macros: Any,
    obs: Observation,
    env_state: Any,
    key: jax.Array,
) -> tuple[Lanes, Any, Observation, Any, Batch]:
    """The lanes of one of `devices`."""
    num_lanes = lanes.busy.shape[0]
    part = None
    if devices > 1:
        part = Part(jax.lax.axis_index(LANES) * num_lanes, num_lanes * devices)

    def final_values(step, previous, start, memory):
        cut = step.truncated & ~step.terminated

        def evaluate():
            value = rollout.value_of(
                network, params, problem, step.final_obs, previous, start, memory
            )
            return jnp.where(cut, value, 0.0)

        return jax.lax.cond(jnp.any(cut), evaluate, lambda: jnp.zeros(cut.shape))

    def one_tick(carry, index):
        lanes, macros, obs, env_state = carry
        decision = rollout.decide(network, params, problem, lanes, obs, key, index, part)
        macros, act = macro_step.act(
            problem.space.macros, tick_limit, macros, obs, decision.chosen, decision.primitive,
            lanes.busy,
        )  # fmt: skip
        env_state, step = env.step(env_params, env_state, act.action)
        after, reward, previous, episodes = rollout.end_tick(
            problem, lanes, act.decided, act.slot, act.action, step, decision.recurrent
        )
        macros = macro_step.cut(macros, step.terminated | step.truncated)
        row = dict(
            features=decision.features, action=decision.action, log_prob=decision.log_prob,
            decision=act.decided & ~decision.scripted, reward=reward,
            terminated=step.terminated, truncated=step.truncated,
            final_value=final_values(step, previous, lanes.start, decision.recurrent),
            episodes=episodes, value=decision.value, state=state_of(lanes.recurrent),
        )  # fmt: skip
        return (after, macros, step.obs, env_state), row

    before, carried, lanes = lanes.recurrent, lanes.open, lanes._replace(open=None)
    carry, rows = jax.lax.scan(one_tick, (lanes, macros, obs, env_state), jnp.arange(length))
    lanes, macros, obs, env_state = jax.tree.map(_strong, carry)
    batch = Batch(carried=carried, recurrent=before, **rows)
    lanes = lanes._replace(open=open_after(batch, problem.gamma))
    return lanes, macros, obs, env_state, batch


def _strong(x: jax.Array) -> jax.Array:
    """The same with a dtype of its own: a weak one, which `reset` does not have, would compile
    the second rollout anew."""
    return jax.lax.convert_element_type(x, x.dtype) if x.weak_type else x


@functools.partial(
    jax.jit, static_argnums=(0, 1, 2, 3, 4),
    donate_argnames=("lanes", "macros", "obs", "env_state"),
)  # fmt: skip
def _rollout(
    env: Environment,
    tick_limit: int,
    network: NetworkConfig,
    length: int,
    mesh: Mesh | None,
    env_params: Any,
    problem: Problem,
    params: actor_critic.Params,
    lanes: Lanes,
    macros: Any,
    obs: Observation,
    env_state: Any,
    key: jax.Array,
) -> tuple[Lanes, Any, Observation, Any, Batch]:
    """`_scan` on every device."""
    devices = 1 if mesh is None else mesh.size
    scan = functools.partial(_scan, env, tick_limit, network, length, devices)
    if mesh is not None:
        scan = jax.shard_map(
            scan, mesh=mesh,
            in_specs=(WHOLE, WHOLE, WHOLE, BY_LANE, BY_LANE, BY_LANE, BY_LANE, WHOLE),
            out_specs=(BY_LANE, BY_LANE, BY_LANE, BY_LANE, batch_specs()), check_vma=False,
        )  # fmt: skip
    return scan(env_params, problem, params, lanes, macros, obs, env_state, key)


def rollout_device(
    worlds: DeviceWorlds,
    space: HybridSpace,
    config: RLConfig,
    params: actor_critic.Params,
    lanes: Lanes,
    macros: Any,
    obs: Observation,
    env_state: Any,
    key: jax.Array,
) -> tuple[Lanes, Any, Observation, Any, Batch]:
    """Records `unroll_length` ticks. Returns where the lanes stand, and the batch.

    Lanes, macros, observation and state are given away: worlds are written in place, and no
    two of their arrays may be one buffer (`devices.taken_over`). With a mesh the arrays lie
    along it.

    Compiles once for equal environments, network and batch shape; another action space,
    other parts of the observation or another reward are other data.
    """
    env, env_params, mesh = worlds
    return _rollout(
        env, space.tick_limit, config.network, config.ppo.unroll_length, mesh, env_params,
        make_problem(config, env.goal_names, space), params, lanes, macros,
        obs, env_state, key,
    )  # fmt: skip
