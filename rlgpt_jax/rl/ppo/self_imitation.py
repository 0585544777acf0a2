"""Self-imitation: now and then the policy is trained to do again what went well.

A trajectory is the decisions of one episode, each from its own tick on: what a macro does later
does not matter, so that nothing is open at the border of a rollout. When the episode ends its
trajectory is stored if it succeeded, or if its return is at least the mean plus two deviations of
those that are stored (0 while there are none). The oldest leave where there is no room.

All of it is NumPy's, in arrays whose sizes the configuration says, so that memory is bounded and a
checkpoint holds it.

Source: `ppo_selfimitate_clip.py` of the released code, https://github.com/dvlab-research/RL-GPT.
Its return is that of the CLIP reward alone; so is ours in a world that tells one, elsewhere it is
the whole return.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh

from rlgpt_jax.rl import worlds
from rlgpt_jax.rl.actions import HybridAction, Masks
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RLConfig
from rlgpt_jax.rl.distribution import distribution
from rlgpt_jax.rl.learner import Learner
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.networks.features import AnyFeatures
from rlgpt_jax.rl.ppo.optimizer import TrainState, holding, make_optimizer
from rlgpt_jax.rl.rollout.one_tick import Batch


class Decisions(NamedTuple):
    """Rows that are imitated."""

    features: AnyFeatures
    action: HybridAction


class Imitation(NamedTuple):
    """R rows of at most M stored trajectories, and L = R // N rows of every lane's episode so far.

    `add` writes into these arrays.
    """

    rows: Decisions  # [R, ...]  a ring
    head: np.ndarray  # int64[]  where its next row goes
    lengths: np.ndarray  # int64[M]  rows of the stored trajectories, the latest last; 0 for none
    returns: np.ndarray  # float32[M]
    going: Decisions  # [N, L, ...]  rings: of a longer episode the last L decisions are kept
    taken: np.ndarray  # int64[N]  decisions of the episodes so far
    earned: np.ndarray  # float32[N]  their returns so far


def check(config: RLConfig, is_async: bool, mesh: Mesh | None) -> None:
    """Refuses worlds and devices that it does not work with.

    Raises:
      ValueError: lanes that step on their own, or several devices.
    """
    if config.ppo.imitation_every and (is_async or mesh is not None):
        what = "lanes that step on their own (MineDojo)" if is_async else "several devices"
        raise ValueError(
            f"ppo.imitation_every is {config.ppo.imitation_every}, and self-imitation does not "
            f"know {what}. Set it to 0{'' if is_async else ', or devices to 1'}."
        )


def empty(config: RLConfig) -> Imitation | None:
    """Nothing is stored yet; None if there is no self-imitation."""
    ppo, network = config.ppo, config.network
    if not ppo.imitation_every:
        return None
    world, lanes, most = worlds.of(network), ppo.num_envs, ppo.imitation_trajectories
    features = world.zero_features(1, network)._replace(lead=jnp.zeros(1, jnp.uint8))
    row = Decisions(features, world.no_action(1))

    def zeros(*shape: int) -> Any:
        return jax.tree.map(lambda x: np.zeros((*shape, *x.shape[1:]), x.dtype), row)

    return Imitation(
        rows=zeros(ppo.imitation_rows), head=np.zeros((), int), lengths=np.zeros(most, int),
        returns=np.zeros(most, np.float32), going=zeros(lanes, ppo.imitation_rows // lanes),
        taken=np.zeros(lanes, int), earned=np.zeros(lanes, np.float32),
    )  # fmt: skip


def restarted(
    imitation: Imitation | None, changed_slots: Sequence[int], config: RLConfig
) -> Imitation | None:
    """After all episodes have begun anew. What is stored stays, unless a macro has changed."""
    if imitation is None or changed_slots:
        return empty(config)
    old = jax.tree.map(np.array, imitation)  # which may be written into
    return old._replace(taken=np.zeros_like(old.taken), earned=np.zeros_like(old.earned))


def add(imitation: Imitation, batch: Batch) -> None:
    """Goes through a rollout tick by tick."""
    made = jax.tree.map(np.asarray, Decisions(batch.features, batch.action))
    decision, success = np.asarray(batch.decision), np.asarray(batch.episodes.success)
    done = np.asarray(batch.terminated) | np.asarray(batch.truncated)
    earned = np.asarray(batch.reward if batch.clip is None else batch.clip)
    _, _, _, _, going, taken, total = imitation
    length = jax.tree.leaves(going)[0].shape[1]
    for tick in range(len(done)):
        lanes = np.flatnonzero(decision[tick])
        _write(going, (lanes, taken[lanes] % length), _take(made, (tick, lanes)))
        taken[lanes] += 1
        total += earned[tick]
        for lane in map(int, np.flatnonzero(done[tick])):
            if taken[lane] and (success[tick, lane] or _is_good(imitation, lane)):
                _store(imitation, lane)
            taken[lane] = total[lane] = 0


def _is_good(imitation: Imitation, lane: int) -> bool:
    """Whether the return of a lane's episode is enough without a success."""
    known = imitation.returns[imitation.lengths > 0]
    least = known.mean() + 2.0 * known.std() if len(known) else 0.0
    return bool(imitation.earned[lane] >= least)


def _store(imitation: Imitation, lane: int) -> None:
    rows, head, lengths, returns, going, taken, earned = imitation
    length, total = jax.tree.leaves(going)[0].shape[1], len(jax.tree.leaves(rows)[0])
    num = min(taken[lane], length)
    at = np.arange(num)
    _write(rows, (head + at) % total, _take(going, (lane, (taken[lane] - num + at) % length)))
    head[...] = (head + num) % total
    lengths[:-1], returns[:-1] = lengths[1:].copy(), returns[1:].copy()
    lengths[-1], returns[-1] = num, earned[lane]
    lengths[np.cumsum(lengths[::-1])[::-1] > total] = 0  # their rows were written over


def _take(decisions: Decisions, index: Any) -> Decisions:
    return jax.tree.map(lambda x: x[index], decisions)


def _write(decisions: Decisions, index: Any, new: Decisions) -> None:
    for x, y in zip(jax.tree.leaves(decisions), jax.tree.leaves(new), strict=True):
        x[index] = y


def after_update(
    config: RLConfig, learner: Learner, batch: Batch, masks: Masks, key: jax.Array
) -> tuple[Learner, dict[str, float]]:
    """What self-imitation does after an update from `batch`, and its metrics.

    Every `imitation_every` updates that is one pass over the stored decisions.

    Args:
      learner: after the update; its arrays are given away.
      masks: what the policy may choose.
      key: as the update had it; another generator is made from it.
    """
    imitation, ppo = learner.imitation, config.ppo
    if imitation is None:
        return learner, {}
    add(imitation, batch)
    loss, total = math.nan, int(imitation.lengths.sum())
    if total and learner.num_updates % ppo.imitation_every == 0:
        state = TrainState(learner.params, learner.opt_state)
        state, loss = _one_pass(ppo, config.network, imitation, state, masks, key)
        learner = learner.replace(params=state.params, opt_state=state.opt_state)
    return learner, dict(
        imitation_trajectories=float((imitation.lengths > 0).sum()),
        imitation_rows=float(total),
        imitation_loss=loss,
    )


def _one_pass(
    ppo: PPOConfig, network: NetworkConfig, imitation: Imitation, state: TrainState, masks: Masks,
    key: jax.Array,
) -> tuple[TrainState, float]:  # fmt: skip
    """As many whole minibatches as the stored rows fill, at least one, drawn with replacement as in
    the released code; and their mean loss."""
    total, size = int(imitation.lengths.sum()), ppo.imitation_batch
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    losses = []
    for rows in draw.integers(total, size=(max(total // size, 1), size)):
        at = (imitation.head - total + rows) % len(jax.tree.leaves(imitation.rows)[0])
        state, loss = _step(ppo, network, state, _take(imitation.rows, at), masks)
        losses.append(loss)
    return state, float(np.mean(losses))


@functools.partial(jax.jit, static_argnames=("ppo", "network"), donate_argnames="state")
def _step(
    ppo: PPOConfig, network: NetworkConfig, state: TrainState, decisions: Decisions, masks: Masks
) -> tuple[TrainState, jax.Array]:
    """One step of the policy's optimiser on -log pi, summed over the heads; the critic stays."""

    def loss(params: actor_critic.Params) -> jax.Array:
        logits = actor_critic.policy_logits(network, params, decisions.features)
        policy = distribution(logits.primitive, logits.macro, masks, logits.arguments)
        return -jnp.mean(policy.log_prob(decisions.action))

    value, grads = jax.value_and_grad(loss)(state.params)
    updates, moved = make_optimizer(ppo).update(grads, state.opt_state, state.params)
    after = TrainState(optax.apply_updates(state.params, updates), moved)
    return holding("critic", state, after), value
