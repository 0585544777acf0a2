"""Training: rollouts and PPO updates over a hybrid action space."""

import math
import time
from collections.abc import Callable, Sequence
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from rlgpt_jax.envs.base import Environment, HostEnvironment, Observation
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.rl import devices, lane_memory, worlds
from rlgpt_jax.rl.actions import NUM_MACRO_LOGITS, HybridSpace
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.interface import STOP_EPISODES
from rlgpt_jax.rl.learner import Learner
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.ppo import outcome, self_imitation, update_device
from rlgpt_jax.rl.ppo.optimizer import TrainState, make_optimizer
from rlgpt_jax.rl.ppo.outcome import TrainingDiverged as TrainingDiverged
from rlgpt_jax.rl.reward.clip.world import check_told
from rlgpt_jax.rl.rollout import on_host, one_tick
from rlgpt_jax.rl.rollout.macro_step import init_macros
from rlgpt_jax.rl.rollout.on_host import World
from rlgpt_jax.rl.rollout.one_tick import Batch, RolloutState
from rlgpt_jax.rl.rollout.open_decisions import none_open
from rlgpt_jax.rl.rollout.rollout_async import AsyncRollout
from rlgpt_jax.rl.rollout.rollout_device import DeviceWorlds, on_devices, rollout_device
from rlgpt_jax.rl.rollout.rollout_host import rollout_host, start_lanes

Driver = HostEnvironment | DeviceWorlds | AsyncRollout


def _on_device(env: World, config: RLConfig) -> bool:
    """`devices.uses_device` of a world.

    Raises:
      ValueError: the driver cannot have this world.
    """
    if config.driver == "device" and on_host.is_host(env):
        raise ValueError(
            'driver is "device", but the environment keeps its state on the host. '
            'Give a pure Environment, or set driver to "host" or "auto".'
        )
    return devices.uses_device(config.driver, on_host.is_host(env))


def _check_world(env: World, space: HybridSpace, config: RLConfig) -> None:
    """Refuses lanes, or an action space and networks, that are of another world."""
    specs = {"the environment": getattr(env, "spec", None), "space.spec": space.spec,
             "config.spec": config.spec}  # fmt: skip
    if len(set(specs.values())) > 1:
        told = (f"{what} is of {s.name if s else 'Minecraft'}" for what, s in specs.items())
        raise ValueError(
            f"{', '.join(told)}. All three must have the same spec: that of the environment."
        )
    if env.num_envs != config.ppo.num_envs:
        raise ValueError(
            f"ppo.num_envs is {config.ppo.num_envs}, but the environment has "
            f"{env.num_envs} lanes. Make them equal."
        )


def _start(env: World, space: HybridSpace, config: RLConfig, seed: int) -> RolloutState:
    """Fresh episodes in every lane."""
    _check_world(env, space, config)
    mesh = devices.mesh_of(config, _on_device(env, config))
    if mesh is None:
        world = on_host.as_host(env)
        obs, env_state = world.reset(seed), on_host.state_of(world)
    else:
        env_state, obs = on_devices(cast(Environment, env), mesh).start(seed)
    return at_start(env, space, config, obs)._replace(env_state=env_state)


def at_start(env: World, space: HybridSpace, config: RLConfig, obs: Observation) -> RolloutState:
    """Where all lanes stand that have just begun their episodes with `obs`."""
    terms = worlds.of(config.network).reward_arrays(config, env.goal_names)
    lanes = start_lanes(terms, obs, config.network)
    lanes = lanes._replace(open=none_open(config.network, lanes, obs))
    return RolloutState(lanes, init_macros(space, env.num_envs), obs)


def init_learner(env: World, space: HybridSpace, config: RLConfig, seed: int) -> Learner:
    """New parameters, and fresh episodes in every lane of `env`."""
    learner = without_episodes(env, space, config, seed)
    return learner.replace(rollout=_start(env, space, config, seed))


def _first_params(config: RLConfig, seed: int) -> actor_critic.Params:
    """New parameters, made on the CPU where there is one: a GPU takes 20 s to compile their
    factorisations."""
    try:
        cpu = jax.local_devices(backend="cpu")[0]
    except RuntimeError:  # JAX_PLATFORMS=cuda
        cpu = None
    with jax.default_device(cpu):
        key = jax.random.fold_in(jax.random.key(seed), 1)
        params = jax.tree.map(np.asarray, actor_critic.init_params(config.network, key))
    return jax.tree.map(jnp.asarray, params)


def without_episodes(env: World, space: HybridSpace, config: RLConfig, seed: int) -> Learner:
    """The same before any episode has begun: `at_start` gives what it lacks."""
    # These complain before anything is compiled.
    _check_world(env, space, config)
    on_device = _on_device(env, config)
    mesh = devices.mesh_of(config, on_device)
    devices.num_groups(config, mesh)
    self_imitation.check(config, on_host.is_async(env), mesh)
    lane_memory.check(env, space, config, on_device)
    params = _first_params(config, seed)
    opt_state = make_optimizer(config.ppo).init(params)
    return Learner(
        params=params, opt_state=opt_state, key=jax.random.key(seed), num_updates=0, ticks=0,
        finished=0, recent=np.zeros(STOP_EPISODES, bool), rollout=None,
        imitation=self_imitation.empty(config),
    )  # fmt: skip


def carry_over(
    learner: Learner,
    env: World,
    new_space: HybridSpace,
    changed_slots: Sequence[int],
    config: RLConfig,
    seed: int,
) -> Learner:
    """Keeps what was learnt when macros change, and restarts all episodes.

    The logits of `changed_slots` (1-based) start anew: their weights, biases and
    optimiser moments are set to 0, so that a new macro is as likely as at the start; and so do
    their arguments.
    """
    # A mask and not the slots: its shape is the same for any number of them.
    gone = np.isin(np.arange(NUM_MACRO_LOGITS), list(changed_slots))
    masks = {"macro": gone, "arguments": np.repeat(gone[1:], MAX_ARGUMENTS)}

    def forget(path: tuple, x: jax.Array) -> jax.Array:
        names = [str(getattr(p, "key", getattr(p, "name", ""))) for p in path]
        found = [mask for name, mask in masks.items() if name in names]
        return jnp.where(found[0], 0.0, x) if found else jnp.copy(x)

    params, opt_state = jax.tree_util.tree_map_with_path(
        forget, (learner.params, learner.opt_state)
    )
    rollout = _start(env, new_space, config, seed)
    imitation = self_imitation.restarted(learner.imitation, changed_slots, config)
    learner = learner.replace(params=params, opt_state=opt_state, imitation=imitation)
    recent = np.zeros(STOP_EPISODES, bool)
    return learner.replace(key=jax.random.key(seed), finished=0, recent=recent, rollout=rollout)


def _given(learner: Learner, mesh: Mesh | None, on_device: bool) -> Learner:
    """The learner with arrays that rollouts and updates may overwrite.

    Copies, but of the worlds only where they must be: they take most of the memory.
    """
    nets = (learner.params, learner.opt_state)
    params, opt_state = devices.copied(mesh, nets, devices.WHOLE)
    imitation = jax.tree.map(np.array, learner.imitation)
    learner = learner.replace(params=params, opt_state=opt_state, imitation=imitation)
    if not on_device:
        return learner
    rollout = _going(learner)
    worlds = devices.taken_over(mesh, rollout.env_state)
    small = devices.copied(mesh, rollout._replace(env_state=None), devices.BY_LANE)
    return learner.replace(rollout=small._replace(env_state=worlds))


def _roll(
    world: Driver, policy: Policy, learner: Learner, key: jax.Array
) -> tuple[RolloutState, Batch, dict[str, float]]:
    """One rollout by the driver in use."""
    if isinstance(world, AsyncRollout):
        batch, parts = world.roll(policy.params, learner.num_updates)
        return world.stand(), batch, parts
    began, rollout = time.perf_counter(), _going(learner)
    if isinstance(world, DeviceWorlds):
        rollout, batch = rollout_device(world, policy, rollout, key)
        jax.block_until_ready(batch)
        parts = dict(time_policy=math.nan, time_world=math.nan, time_macros=math.nan)
    else:
        rollout, batch, seconds = rollout_host(world, policy, rollout, key)
        rollout = rollout._replace(env_state=on_host.state_of(world))
        parts = seconds.metrics()
    return rollout, batch, parts | {"time_rollout": time.perf_counter() - began}


def _going(learner: Learner) -> RolloutState:
    """Its episodes.

    Raises:
      ValueError: it has none.
    """
    if learner.rollout is None:
        raise ValueError(
            "this learner has no episodes to go on with: it was loaded with begins=False, or "
            "trained with rests=False. Begin some with carry_over, or load it with begins=True."
        )
    return learner.rollout


def train(
    env: World,
    space: HybridSpace,
    config: RLConfig,
    learner: Learner,
    num_ticks: int,
    on_update: Callable[[Learner, dict[str, float]], None] | None = None,
    is_enough: Callable[[Learner], bool] = lambda _: False,
    rests: bool = True,
) -> Learner:
    """Runs updates until `learner.ticks` has grown by at least `num_ticks`, or it is enough.

    Args:
      env: the world that `learner` was made with.
      learner: its parameters stay valid. Its worlds go on, as those of a host environment do:
        the device driver overwrites `env_state`.
      on_update: called after every update. Its learner is valid until it returns, since
        the next update takes over all that is on the device; copy what must be kept.
      is_enough: asked before every update; True ends training.
      rests: whether the episodes shall be fit to go on: at the end, lanes that step on their own
        are waited for. Without, only `carry_over` can go on with such a learner.

    Raises:
      TrainingDiverged: a metric is not finite.
      ValueError: the learner has no episodes, or the world does not tell the CLIP reward.
    """
    rollout = _going(learner)
    check_told(env, config)
    on_device = _on_device(env, config)
    mesh = devices.mesh_of(config, on_device)
    update = update_device.update_of(config, mesh)
    world: Driver
    if on_host.is_async(env):
        world = AsyncRollout(env, space, config, learner.key, learner.num_updates, rollout)
    elif on_device:
        world = on_devices(cast(Environment, env), mesh)
    else:
        world = on_host.as_host(env, rollout.env_state)
    learner = _given(learner, mesh, on_device)
    masks = jax.device_put(space.arrays().masks)
    per_update = config.ppo.num_envs * config.ppo.unroll_length
    stop = learner.ticks + num_ticks
    while learner.ticks < stop and not is_enough(learner):
        began = time.perf_counter()
        rollout_key, update_key = one_tick.keys_of(learner.key, learner.num_updates)
        policy = Policy(learner.params, space, config)
        rollout, batch, parts = _roll(world, policy, learner, rollout_key)
        learner = learner.replace(rollout=rollout)
        state = TrainState(learner.params, learner.opt_state)
        state, measured = update(state, batch, masks, update_key)
        numbers = {name: float(x) for name, x in measured.items()}
        # Every host must see how the episodes of all lanes ended.
        episodes, solved = devices.gathered((batch.episodes, rollout.lanes.solved))
        batch = batch._replace(episodes=episodes)
        learner = outcome.updated(learner, state, batch)
        learner, imitated = self_imitation.after_update(config, learner, batch, masks, update_key)
        seconds = time.perf_counter() - began
        metrics = {
            **outcome.episode_metrics(episodes, solved),
            **numbers,
            **imitated,
            **parts,
            "time_update": seconds - parts["time_rollout"],
            "steps_per_second": per_update / seconds,
        }
        del batch  # or there would be two while the next one is made
        outcome.check_finite(metrics, learner.num_updates)
        if on_update is not None:
            on_update(learner, metrics)
    if isinstance(world, AsyncRollout):  # whose unfinished segments are dropped
        return learner.replace(rollout=world.rest() if rests else None)
    if mesh is None:
        return learner
    # Evaluations and what else reads the networks have one device.
    nets = (learner.params, learner.opt_state)
    params, opt_state = jax.tree.map(lambda x: x.addressable_data(0), nets)
    return learner.replace(params=params, opt_state=opt_state)
