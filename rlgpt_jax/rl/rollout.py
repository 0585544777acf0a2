"""One tick of N lanes, shared by both drivers, and the batch that they record.

A tick has four parts: `decide` (the policy, for all lanes), the macros (elsewhere), the
world (elsewhere), `settle` (rewards and what must be remembered). `decide` and `settle`
are pure; the host driver jits them one by one, the device driver scans over them.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NOOP, Observation, Step
from rlgpt_jax.rl import networks, rewards
from rlgpt_jax.rl.actions import HybridAction, decode, distribution
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.features import Features, action_id, keep_parts, make_features
from rlgpt_jax.rl.problem import Problem
from rlgpt_jax.rl.rewards import RewardArrays


class Lanes(NamedTuple):
    """What a lane remembers between ticks, besides the world and the running macro."""

    busy: jax.Array  # bool[N]  the next action will be ignored by the world
    stage: jax.Array  # int32[N]  stages of the script that have begun
    previous: jax.Array  # int32[N]  id of the previous action
    start: jax.Array  # float32[N, 3]  position at the start of the episode
    reward: rewards.RewardMemory
    episode_return: jax.Array  # float32[N]  undiscounted
    episode_ticks: jax.Array  # int32[N]


class Decision(NamedTuple):
    """What the policy would do in every lane; it counts only where a lane decides."""

    features: Features
    action: HybridAction
    log_prob: jax.Array  # float32[N]
    chosen: jax.Array  # int32[N]  macro to start: the policy's or the script's
    scripted: jax.Array  # bool[N]  the script chooses, so PPO does not learn from it
    primitive: jax.Array  # int32[N, 8]  the decoded primitive


class Episodes(NamedTuple):
    """Episodes that ended in a tick; [N], or [T, N] in a batch."""

    done: Any  # bool
    success: Any  # bool
    episode_return: Any  # float32
    ticks: Any  # int32


class Batch(NamedTuple):
    """A rollout of T ticks in N lanes."""

    features: Features  # [T, N, ...]
    action: HybridAction  # [T, N]
    log_prob: Any  # float32[T, N]
    decision: Any  # bool[T, N]  rows that PPO learns from
    reward: Any  # float32[T, N]
    terminated: Any  # bool[T, N]
    truncated: Any  # bool[T, N]
    final_value: Any  # float32[T, N]  value of `final_obs` where truncated, else 0
    last: Features  # [N, ...]  after the last tick
    episodes: Episodes  # [T, N]


def start_lanes(terms: RewardArrays, obs: Observation) -> Lanes:
    """Lanes at the start of their episodes."""
    num = obs.yaw.shape[0]
    zeros = jnp.zeros(num, jnp.int32)
    return Lanes(
        busy=jnp.zeros(num, bool), stage=zeros, previous=zeros,
        start=jnp.asarray(obs.position, jnp.float32),
        reward=rewards.start(terms, obs),
        episode_return=jnp.zeros(num), episode_ticks=zeros,
    )  # fmt: skip


def see(
    problem: Problem, obs: Observation, previous: jax.Array, start: jax.Array
) -> Features:
    """The features of an observation, without the parts that are left out."""
    return keep_parts(make_features(obs, previous, start), problem.parts)


def decide(
    network: NetworkConfig,
    params: networks.Params,
    problem: Problem,
    lanes: Lanes,
    obs: Observation,
    rollout_key: jax.Array,
    tick: jax.Array,
) -> Decision:
    """The policy for all lanes. Tick `tick` of a rollout has its own sampling key."""
    space = problem.space
    features = see(problem, obs, lanes.previous, lanes.start)
    logits = networks.policy_logits(network, params, features)
    policy = distribution(logits.primitive, logits.macro, space.masks)
    action = policy.sample(jax.random.fold_in(rollout_key, tick))
    scripted = lanes.stage < space.script_length
    stage = jnp.minimum(lanes.stage, space.script.shape[0] - 1)
    chosen = jnp.where(scripted, jnp.asarray(space.script)[stage], action.macro)
    return Decision(
        features, action, policy.log_prob(action), chosen, scripted, decode(action.primitive)
    )


def without_macros(primitive: Any, busy: Any) -> Any:
    """int32[N, 8]: the actions of a tick in which no macro can run. JAX or NumPy."""
    xp = jnp if isinstance(primitive, jax.Array) else np
    return xp.where(busy[:, None], xp.asarray(NOOP, xp.int32), primitive)


def settle(
    problem: Problem,
    lanes: Lanes,
    decided: jax.Array,
    slot: jax.Array,
    action: jax.Array,
    step: Step,
) -> tuple[Lanes, jax.Array, jax.Array, Episodes]:
    """The end of a tick.

    Args:
      decided: bool[N], a decision of the policy or of the script counted.
      slot: int32[N], the macro that made the action, 0 if a primitive.
      action: int32[N, 8], as given to the world.
      step: what the world returned.

    Returns:
      The lanes at the start of the next tick, the reward float32[N], the previous-action
      ids that belong to `step.final_obs` int32[N], and the episodes that ended.
    """
    space = problem.space
    done = jnp.asarray(step.terminated) | jnp.asarray(step.truncated)
    reward, memory = rewards.score(problem.reward, lanes.reward, step)
    begun = lanes.stage + (decided & (lanes.stage < space.script_length))
    begun = jnp.where(space.repeat & (begun >= space.script_length), 0, begun)
    previous = jnp.where(lanes.busy, lanes.previous, action_id(action, slot))
    total = lanes.episode_return + reward
    ticks = lanes.episode_ticks + 1
    ended = Episodes(done, jnp.asarray(step.info["success"]) & done, total, ticks)
    after = Lanes(
        busy=jnp.asarray(step.info["busy"]) & ~done,
        stage=jnp.where(done, 0, begun),
        previous=jnp.where(done, 0, previous),
        start=jnp.where(done[:, None], step.obs.position, lanes.start),
        reward=memory,
        episode_return=jnp.where(done, 0.0, total),
        episode_ticks=jnp.where(done, 0, ticks),
    )
    return after, reward, previous, ended
