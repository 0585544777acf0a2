"""The device driver: one `lax.scan` over world and policy, which calls the host for macros.

With several devices each of them scans over its own lanes, and nothing passes between them.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding

from rlgpt_jax.envs.base import Environment, Observation
from rlgpt_jax.macros.vm import in_scan
from rlgpt_jax.rl.devices import BY_LANE, LANES, WHOLE, batch_specs, placed, typed
from rlgpt_jax.rl.distribution import Part
from rlgpt_jax.rl.policy import Policy, PolicyArrays, arrays_of
from rlgpt_jax.rl.rollout import macro_step, one_tick
from rlgpt_jax.rl.rollout.one_tick import Batch, RolloutState, TickResult
from rlgpt_jax.rl.rollout.open_decisions import open_after
from rlgpt_jax.rl.worlds.minecraft import Seen


class DeviceWorlds(NamedTuple):
    """A pure environment whose parameters are where its lanes are."""

    env: Environment
    params: Any  # on every device of the mesh
    mesh: Mesh | None

    def start(self, seed: int) -> tuple[Any, Observation]:
        """`env.reset`, the same numbers, where every device of the mesh makes its own lanes.

        Raises:
          ValueError: not every array of a world has the lanes as its first axis.
        """
        env, params, mesh = self
        assert mesh is not None
        key = jax.random.key(seed)
        made = jax.eval_shape(env.reset, params, key)
        for path, x in jax.tree_util.tree_leaves_with_path(made):
            if x.shape[:1] != (env.num_envs,):
                raise ValueError(
                    f"with num_envs={env.num_envs}, reset{jax.tree_util.keystr(path)} has the "
                    f"shape {x.shape}. With several devices all arrays of an environment must "
                    "have the lanes as their first axis."
                )
        return _reset(env, mesh, params, key)


def on_devices(env: Environment, mesh: Mesh | None) -> DeviceWorlds:
    """The worlds with the parameters that they have by default."""
    params = env.default_params
    if mesh is not None:
        params = placed(params, NamedSharding(mesh, WHOLE))
    return DeviceWorlds(env, params, mesh)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _reset(env: Environment, mesh: Mesh, params: Any, key: jax.Array) -> tuple[Any, Observation]:
    made = jax.tree.map(typed, env.reset(params, key))
    return jax.lax.with_sharding_constraint(made, NamedSharding(mesh, BY_LANE))


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
            memory = result.decision.frames
            seen = Seen(step.final_obs, result.previous, lanes.start)
            value = one_tick.value_of(actor, seen, memory)
            return jnp.where(cut, value, 0.0)

        return jax.lax.cond(jnp.any(cut), evaluate, lambda: jnp.zeros(cut.shape))

    def tick(state, index):
        lanes, macros, obs, env_state = state
        decision = one_tick.decide(actor, lanes, obs, key, index, part)
        macros, act = macro_step.act_in_scan(
            macros, obs, decision.chosen, decision.primitive, lanes.busy
        )
        env_state, step = env.step(env_params, env_state, act.action)
        after, reward, previous, episodes = one_tick.end_tick(
            actor.problem, lanes, act, step, decision.frames
        )
        if macros is not None:
            macros = in_scan.cut(macros, step.terminated | step.truncated)
        state = RolloutState(after, macros, step.obs, env_state)
        result = TickResult(state, decision, act, reward, previous, episodes, step)
        row = one_tick.row_of(result, act.decided & ~decision.scripted)
        return state, row | {"final_value": final_values(lanes, result)}

    lanes, remembered = state.lanes, state.macros
    state = state._replace(lanes=lanes._replace(open=None))
    if remembered is not None:
        space = actor.problem.space
        assert space.macros is not None, "a state without programs"
        running = in_scan.begin(space.macros, remembered, space.tick_limit)
        state = state._replace(macros=running)
    state, rows = jax.lax.scan(tick, state, jnp.arange(length))
    if remembered is not None:
        state = state._replace(macros=in_scan.finish(state.macros, remembered))
    state = jax.tree.map(typed, state)  # or the second rollout would be compiled anew
    batch = Batch(carried=lanes.open, frames=lanes.frames, **rows)
    lanes = state.lanes._replace(open=open_after(batch, actor.problem.gamma))
    return state._replace(lanes=lanes), batch


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
    if state.macros is not None:
        in_scan.check_threads(mesh.size if mesh else 1)
    actor = arrays_of(policy, env.goal_names, on_device=True)
    return _rollout(env, policy.config.ppo.unroll_length, mesh, env_params, actor, state, key)
