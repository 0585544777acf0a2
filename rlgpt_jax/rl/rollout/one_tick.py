"""One tick of N lanes, shared by the drivers, and the batch that they record.

A tick has four parts: `decide` (the policy, for all lanes), the macros (elsewhere), the
world (elsewhere), `end_tick` (rewards and what must be remembered). `decide` and `end_tick`
are pure; the host driver jits them one by one, the device driver scans over them.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.spec import Sensed
from rlgpt_jax.rl import worlds
from rlgpt_jax.rl.actions import HybridAction, SpaceArrays
from rlgpt_jax.rl.config import PLAIN, NetworkConfig
from rlgpt_jax.rl.distribution import Part, distribution
from rlgpt_jax.rl.networks import actor_critic, frame_stack
from rlgpt_jax.rl.networks.features import AnyFeatures
from rlgpt_jax.rl.networks.frame_stack import FrameStack
from rlgpt_jax.rl.policy import PolicyArrays, Problem
from rlgpt_jax.rl.rollout.macro_step import Act
from rlgpt_jax.rl.worlds.minecraft import Seen


class Lanes(NamedTuple):
    """What a lane remembers between ticks, besides the world and the running macro."""

    busy: jax.Array  # bool[N]  the next action will be ignored by the world
    stage: jax.Array  # int32[N]  stages of the script, then of the lead, that have begun
    previous: jax.Array  # int32[N]  id of the previous action
    start: jax.Array  # float32[N, P]  `world.place`, the episode's first position at least
    reward: Any  # `RewardMemory`, with a spec float32[N, F]
    episode_return: jax.Array  # float32[N]  undiscounted
    episode_ticks: jax.Array  # int32[N]
    frames: FrameStack | None = None  # of earlier ticks, None if they are not seen
    open: Any = None  # OpenDecisions  between two rollouts of training, else None
    # bool[N]  the last episode that ended here was a success; false before the first has ended
    solved: Any = None


class RolloutState(NamedTuple):
    """Where N lanes stand between two ticks: all that a rollout takes over and hands on."""

    lanes: Lanes
    macros: Any  # an interpreter's state, None if no macro can run
    obs: Any  # Observation or Sensed, from which the next action is chosen
    env_state: Any = None  # of a pure environment; None where the world keeps its own


class Decision(NamedTuple):
    """What the policy would do in every lane; it counts only where a lane decides."""

    features: AnyFeatures
    action: HybridAction
    log_prob: jax.Array  # float32[N]
    chosen: jax.Array  # int32[N]  macro to start: the policy's or the script's
    scripted: jax.Array  # bool[N]  the script chooses, so PPO does not learn from it
    primitive: jax.Array  # int32[N, 8], float32[N, columns] with a spec  the decoded primitive
    value: jax.Array | None = None  # float32[N]  of networks that share a body
    frames: FrameStack | None = None  # after this tick was seen
    arguments: Any = None  # float32[N, MAX_ARGUMENTS]  of `chosen`; None in Minecraft


class TickResult(NamedTuple):
    """One tick of N lanes."""

    after: RolloutState
    decision: Decision
    act: Act
    reward: jax.Array  # float32[N]
    previous: jax.Array  # int32[N]  ids of the actions before `step.final_obs`
    episodes: "Episodes"  # that ended
    step: Step


class Episodes(NamedTuple):
    """Episodes that ended in a tick; [N], or [T, N] in a batch."""

    done: Any  # bool  false for a lost episode, which is none
    success: Any  # bool
    episode_return: Any  # float32
    ticks: Any  # int32
    lost: Any = None  # bool  it ended with its worker; None of worlds that lose none


class OpenDecisions(NamedTuple):
    """The last decision of each lane, if neither another one nor the episode's end has followed."""

    is_open: jax.Array  # bool[N]  elsewhere the rest means nothing
    features: AnyFeatures  # [N, ...]  what it was made from, as all that follows up to `log_prob`
    action: HybridAction  # [N]
    log_prob: jax.Array  # float32[N]
    reward: jax.Array  # float32[N]  of its ticks so far, discounted to the decision
    discount: jax.Array  # float32[N]  gamma^k after k ticks
    value: Any  # float32[N]  of networks that share a body, else None
    frames: FrameStack | None  # before its tick


class Batch(NamedTuple):
    """A rollout of T ticks in N lanes."""

    features: AnyFeatures  # [T, N, ...]
    action: HybridAction  # [T, N]
    log_prob: Any  # float32[T, N]
    decision: Any  # bool[T, N]  rows that PPO learns from
    reward: Any  # float32[T, N]
    terminated: Any  # bool[T, N]
    truncated: Any  # bool[T, N]
    final_value: Any  # float32[T, N]  value of `final_obs` where truncated, else 0
    episodes: Episodes  # [T, N]
    carried: OpenDecisions  # [N]  from the rollout before
    value: Any = None  # float32[T, N]  of networks that share a body, else None
    frames: FrameStack | None = None  # [N, ...]  before the first tick
    clip: Any = None  # float32[T, N]  CLIP reward of worlds that tell it, before its weight


READ = ("success", "busy", "lost", "clip")  # of `Step.info`
NO_TICKS = ("carried", "frames")  # fields of `Batch` without an axis of ticks


def start_lanes(terms: Any, obs: Observation | Sensed, network: NetworkConfig = PLAIN) -> Lanes:
    """Lanes at the start of their episodes.

    Raises:
      ValueError: the world shows no pictures of the size that the networks are made for.
    """
    world, num = worlds.of(network), len(jax.tree.leaves(obs)[0])
    wanted, given = network.image_size, None if obs.rgb is None else obs.rgb.shape[1:3]
    if wanted and given != wanted:
        words = "no pictures" if given is None else f"pictures of {given}"
        raise ValueError(
            f"network.image_size is {wanted}, but the world gives {words}. Make it with "
            f"image_size={wanted}."
        )
    zeros = jnp.zeros(num, jnp.int32)
    return Lanes(
        busy=jnp.zeros(num, bool), stage=zeros, previous=zeros,
        start=world.place(obs, world.targets(terms)),
        reward=world.rewards.start(terms, obs),
        episode_return=jnp.zeros(num), episode_ticks=zeros,
        frames=frame_stack.start(network, num),
        solved=jnp.zeros(num, bool),
    )  # fmt: skip


def keys_of(key: jax.Array, number: int | jax.Array) -> tuple[jax.Array, jax.Array]:
    """The keys of rollout and update `number` of a training run."""
    rollout_key, update_key = jax.random.split(jax.random.fold_in(key, number))
    return rollout_key, update_key


def keep_read_info(step: Step) -> Step:
    """The step with that part of `info` alone that `end_tick` reads."""
    return step._replace(info={name: step.info[name] for name in READ if name in step.info})


def lost_in(step: Step) -> np.ndarray:
    """bool[N]: lanes whose episode was lost with its worker, which counts as none."""
    return np.asarray(step.info.get("lost", np.zeros(len(step.terminated), bool)))


def featurize(actor: PolicyArrays, seen: Seen, frames: FrameStack | None) -> AnyFeatures:
    """Features [N, ...] without the parts that are left out: one row of a batch."""
    problem = actor.problem
    features = problem.world.features(seen, problem.parts, bool(actor.network.image_size))
    return features if frames is None else features._replace(past=frames.past)


def value_of(actor: PolicyArrays, seen: Seen, frames: FrameStack | None) -> jax.Array:
    """float32[N]: values of observations that nothing is decided in, the last ones of episodes;
    `seen.start` is of the tick before."""
    network, params, problem = actor.network, actor.params, actor.problem
    start = problem.world.follow(seen.start, seen.obs, problem.targets)
    x = featurize(actor, seen._replace(start=start), frames)
    x = frame_stack.with_stack(x, frames)
    return actor_critic.values(network, params, x)


def decide(
    actor: PolicyArrays,
    lanes: Lanes,
    obs: Observation | Sensed,
    rollout_key: jax.Array,
    tick: jax.Array,
    part: Part | None = None,
) -> Decision:
    """The policy for all lanes, or for a part of them, which decides as it would among all.

    Tick `tick` of a rollout has its own sampling key. Lanes that are in rollouts of their own
    have keys [N] and ticks int32[N]; each draws what it would draw with its key among all.
    """
    space = actor.problem.space
    features = featurize(actor, Seen(obs, lanes.previous, lanes.start), lanes.frames)
    features = features._replace(lead=leading(space, lanes.stage).astype(jnp.uint8))
    given = frame_stack.with_stack(features, lanes.frames)
    logits, value = actor_critic.policy_step(actor.network, actor.params, given)
    policy = distribution(logits.primitive, logits.macro, space.masks, logits.arguments)
    if jnp.ndim(tick):
        action = policy.sample_apart(jax.vmap(jax.random.fold_in)(rollout_key, tick))
    else:
        action = policy.sample(jax.random.fold_in(rollout_key, tick), part)
    scripted = lanes.stage < space.script_length
    stage = jnp.minimum(lanes.stage, space.script.shape[0] - 1)
    chosen = jnp.where(scripted, jnp.asarray(space.script)[stage], action.macro)
    arguments = None
    if space.arguments is not None:
        arguments = space.arguments.given(action.arguments, chosen, scripted)
    primitive = actor.problem.world.decode(action.primitive, space)
    seen = frame_stack.push(lanes.frames, features.rgb)
    log_prob = policy.log_prob(action)
    return Decision(features, action, log_prob, chosen, scripted, primitive, value, seen, arguments)


def leading(space: SpaceArrays, stage: jax.Array) -> jax.Array:
    """int32[N]: slot of the macro that leads at a stage, 0 for none. Lanes may have leads of their
    own, `space.lead` [N, MAX_SCRIPT]."""
    index, lead = stage - space.script_length, jnp.asarray(space.lead)
    lead = jnp.broadcast_to(lead, (*stage.shape, lead.shape[-1]))
    at = jnp.clip(index, 0, lead.shape[-1] - 1)
    slot = jnp.take_along_axis(lead, at[..., None], -1)[..., 0]
    return jnp.where((index >= 0) & (index < space.lead_length), slot, 0)


def row_of(result: TickResult, learns: Any) -> dict[str, Any]:
    """What a batch keeps of a tick, all but `final_value`; `learns` bool[N] are rows for PPO."""
    decision, step = result.decision, result.step
    return dict(
        features=decision.features, action=decision.action, log_prob=decision.log_prob,
        decision=learns, reward=result.reward, terminated=step.terminated,
        truncated=step.truncated, episodes=result.episodes, value=decision.value,
        clip=step.info.get("clip"),
    )  # fmt: skip


def end_tick(
    problem: Problem, lanes: Lanes, act: Act, step: Step, seen: FrameStack | None = None
) -> tuple[Lanes, jax.Array, jax.Array, Episodes]:
    """The end of a tick.

    Args:
      act: what the world was given, and who decided it.
      step: what the world returned.
      seen: `Decision.frames` of this tick.

    Returns:
      The lanes at the start of the next tick, the reward float32[N], the previous-action
      ids that belong to `step.final_obs` int32[N], and the episodes that ended.
    """
    space = problem.space
    done = jnp.asarray(step.terminated) | jnp.asarray(step.truncated)
    world = problem.world
    reward, memory = world.rewards.score(problem.reward, lanes.reward, step)
    lead = leading(space, lanes.stage)
    follows = (lanes.stage < space.script_length) | ((lead > 0) & (act.slot == lead))
    begun = lanes.stage + (act.decided & follows)
    turn = space.script_length + space.lead_length
    begun = jnp.where(begun >= turn, space.script_length, begun)
    begun = jnp.where(space.repeat & (begun >= space.script_length), 0, begun)
    previous = jnp.where(lanes.busy, lanes.previous, world.action_id(act.action, act.slot))
    total = lanes.episode_return + reward
    ticks = lanes.episode_ticks + 1
    lost = jnp.asarray(step.info["lost"]) if "lost" in step.info else None
    counts = done if lost is None else done & ~lost
    ended = Episodes(counts, jnp.asarray(step.info["success"]) & counts, total, ticks, lost)
    after = Lanes(
        busy=jnp.asarray(step.info["busy"]) & ~done,
        stage=jnp.where(done, 0, begun),
        previous=jnp.where(done, 0, previous),
        start=jnp.where(
            done[:, None],
            world.place(step.obs, problem.targets),
            world.follow(lanes.start, step.obs, problem.targets),
        ),
        reward=memory,
        episode_return=jnp.where(done, 0.0, total),
        episode_ticks=jnp.where(done, 0, ticks),
        frames=frame_stack.forget(seen, done),
        solved=jnp.where(counts, ended.success, lanes.solved),
    )
    return after, reward, previous, ended
