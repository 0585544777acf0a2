"""The device driver: one `lax.scan` over world, policy and macros.

With several devices each of them scans over its own lanes, and nothing passes between them.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import Mesh

from rlgpt_jax.envs.base import Environment
from rlgpt_jax.rl.devices import BY_LANE, LANES, WHOLE, batch_specs
from rlgpt_jax.rl.distribution import Part
from rlgpt_jax.rl.policy import Policy, PolicyArrays, device_arrays
from rlgpt_jax.rl.rollout import macro_step, one_tick
from rlgpt_jax.rl.rollout.device_worlds import DeviceWorlds
from rlgpt_jax.rl.rollout.one_tick import Batch, RolloutState, TickResult
from rlgpt_jax.rl.rollout.open_decisions import open_after


def _scan(
    env: Environment,
    length: int,
    devices: int,
    env_params: Any,
    actor: PolicyArrays,
    state: RolloutState,
    key: jax.Array,
) -> tuple[RolloutState, Batch]:
    """The lanes of one of `devices`."""
    num_lanes = state.lanes.busy.shape[0]
    part = None
    if devices > 1:
        part = Part(jax.lax.axis_index(LANES) * num_lanes, num_lanes * devices)

    def final_values(lanes, result):
        step = result.step
        cut = step.truncated & ~step.terminated

        def evaluate():
            memory = result.decision.recurrent
            value = one_tick.value_of(actor, step.final_obs, result.previous, lanes.start, memory)
            return jnp.where(cut, value, 0.0)

        return jax.lax.cond(jnp.any(cut), evaluate, lambda: jnp.zeros(cut.shape))

    def tick(state, index):
        lanes, macros, obs, env_state = state
        decision = one_tick.decide(actor, lanes, obs, key, index, part)
        macros, act = macro_step.act(
            actor.problem.space, macros, obs, decision.chosen, decision.primitive, lanes.busy
        )
        env_state, step = env.step(env_params, env_state, act.action)
        after, reward, previous, episodes = one_tick.end_tick(
            actor.problem, lanes, act, step, decision.recurrent
        )
        macros = macro_step.cut(macros, step.terminated | step.truncated)
        state = RolloutState(after, macros, step.obs, env_state)
        result = TickResult(state, decision, act, reward, previous, episodes, step)
        row = one_tick.row_of(lanes, result, act.decided & ~decision.scripted)
        return state, row | {"final_value": final_values(lanes, result)}

    lanes = state.lanes
    state = state._replace(lanes=lanes._replace(open=None))
    state, rows = jax.lax.scan(tick, state, jnp.arange(length))
    state = jax.tree.map(_strong, state)
    batch = Batch(carried=lanes.open, recurrent=lanes.recurrent, **rows)
    lanes = state.lanes._replace(open=open_after(batch, actor.problem.gamma))
    return state._replace(lanes=lanes), batch


def _strong(x: jax.Array) -> jax.Array:
    """The same with a dtype of its own: a weak one, which `reset` does not have, would compile
    the second rollout anew."""
    return jax.lax.convert_element_type(x, x.dtype) if x.weak_type else x


@functools.partial(jax.jit, static_argnums=(0, 1, 2), donate_argnames="state")
def _rollout(
    env: Environment,
    length: int,
    mesh: Mesh | None,
    env_params: Any,
    actor: PolicyArrays,
    state: RolloutState,
    key: jax.Array,
) -> tuple[RolloutState, Batch]:
    """`_scan` on every device."""
    scan = functools.partial(_scan, env, length, 1 if mesh is None else mesh.size)
    if mesh is not None:
        scan = jax.shard_map(
            scan, mesh=mesh, in_specs=(WHOLE, WHOLE, BY_LANE, WHOLE),
            out_specs=(BY_LANE, batch_specs()), check_vma=False,
        )  # fmt: skip
    return scan(env_params, actor, state, key)


def rollout_device(
    worlds: DeviceWorlds, policy: Policy, state: RolloutState, key: jax.Array
) -> tuple[RolloutState, Batch]:
    """Records T = `unroll_length` ticks. Returns where the lanes stand, and the batch [T, N].

    The state is given away: worlds are written in place, and no two of its arrays may be one
    buffer (`devices.taken_over`). With a mesh the arrays lie along it.

    Compiles once for equal environments, network and batch shape; another action space,
    other parts of the observation or another reward are other data.
    """
    env, env_params, mesh = worlds
    actor, length = device_arrays(policy, env.goal_names), policy.config.ppo.unroll_length
    return _rollout(env, length, mesh, env_params, actor, state, key)
