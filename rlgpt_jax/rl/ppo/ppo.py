"""One PPO update: values, advantages of the decisions, epochs over minibatches.

A decision is a row of the rollout in which it ends (`open_decisions.py`). Only decisions cost
anything: each epoch draws their rows in a random order and deals them evenly to as few
minibatches as hold them, so that ticks inside a macro are skipped although every shape is
fixed. Several groups of lanes (`groups.py`) deal apart. On a CPU a minibatch of pictures is
worked through in blocks of rows (`picture_blocks.py`).
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from rlgpt_jax.rl import worlds
from rlgpt_jax.rl.actions import HybridAction, Masks
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig
from rlgpt_jax.rl.distribution import distribution
from rlgpt_jax.rl.networks import actor_critic, frame_stack
from rlgpt_jax.rl.networks.features import AnyFeatures
from rlgpt_jax.rl.ppo import losses, picture_blocks, returns
from rlgpt_jax.rl.ppo.groups import ONE, Groups, Summary, summarise
from rlgpt_jax.rl.ppo.minibatches import deal, minibatch_size
from rlgpt_jax.rl.ppo.optimizer import TrainState, holding, make_optimizer
from rlgpt_jax.rl.rollout.one_tick import Batch
from rlgpt_jax.rl.rollout.open_decisions import with_carried


class Rows(NamedTuple):
    """A batch as B = (T + 1) N rows, row t N + n of lane n, the first N of them the decisions that
    were carried in; a minibatch has another batch shape."""

    features: AnyFeatures  # as `frame_stack.film` gives them
    action: HybridAction
    log_prob: jax.Array  # float32[B]
    advantage: jax.Array  # float32[B]  normalised over the decisions
    target: jax.Array  # float32[B]  what the critic should say
    decision: jax.Array  # bool[B]  that are over: what is learnt from


class Sums(NamedTuple):
    """Metrics summed over minibatches."""

    terms: losses.LossTerms
    grad_norm: jax.Array
    num: jax.Array  # float32[]  minibatches used
    # float32[]  for early stopping: mean of the last epoch; with `separate` the highest so far
    kl: jax.Array


def _take_rows(network: NetworkConfig, rows: Rows, index: jax.Array) -> Rows:
    """A minibatch."""
    features = frame_stack.taken(rows.features, index, network.frame_stack)
    rest = rows._replace(features=None)  # type: ignore[arg-type]
    return jax.tree.map(lambda x: x[index], rest)._replace(features=features)


def decision_values(
    network: NetworkConfig,
    params: actor_critic.Params,
    features: AnyFeatures,
    decision: jax.Array,
    size: int,
) -> jax.Array:
    """float32[B]: the critic's values of the decision rows, 0 elsewhere."""
    rows, real, num = deal(jax.random.key(0), decision, size)

    def block(i, out):
        x = frame_stack.taken(features, rows[i], network.frame_stack)
        value = actor_critic.values(network, params, x)
        return out.at[rows[i]].add(jnp.where(real[i], value, 0.0))

    return jax.lax.fori_loop(0, num, block, jnp.zeros(decision.shape, jnp.float32))


def make_rows(
    ppo: PPOConfig,
    network: NetworkConfig,
    params: actor_critic.Params,
    batch: Batch,
    groups: Groups = ONE,
) -> tuple[Rows, Summary]:
    """Values and advantages. Returns the rows and what all groups have in numbers."""
    ticks, lanes = batch.decision.shape
    length, total = ticks + 1, (ticks + 1) * lanes
    features, action, log_prob, decision, value = with_carried(batch)
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), features)
    size = minibatch_size(ppo, total)
    if value is None:
        block = picture_blocks.block_size(network, size)
        value = decision_values(network, params, flat, decision.reshape(total), block)
    at = decision, value.reshape(length, lanes)
    advantage, is_over = advantages(ppo, batch, *at, ppo.gae_lambda)
    target = value.reshape(total) + advantage.reshape(total)
    advantage, is_over = advantage.reshape(total), is_over.reshape(total)
    summary = summarise(groups, is_over, advantage, target, size, ticks * lanes)
    if ppo.target_lambda is not None:
        ahead, _ = advantages(ppo, batch, *at, ppo.target_lambda)
        target = value.reshape(total) + ahead.reshape(total)
    rows = Rows(
        features=flat,
        action=jax.tree.map(lambda x: x.reshape(total, *x.shape[2:]), action),
        log_prob=log_prob.reshape(total),
        advantage=losses.normalise(advantage, is_over, summary.advantage),
        target=target,
        decision=is_over,
    )
    return rows, summary


def advantages(
    ppo: PPOConfig, batch: Batch, decision: jax.Array, value: jax.Array, lambda_: float
) -> tuple[jax.Array, jax.Array]:
    """Advantages float32[T + 1, N] and which decisions are over bool[T + 1, N].

    Args:
      decision, value: [T + 1, N], of which row 0 is of `batch.carried`: all its ticks so far
        are one, worth what they earned.
    """
    carried, no = batch.carried, jnp.zeros_like(batch.carried.is_open)
    terminated = batch.terminated | batch.truncated if ppo.time_limit_ends else batch.terminated
    above = lambda x, xs: jnp.concatenate([x[None], xs])  # noqa: E731
    gae = jax.vmap(returns.smdp_gae, in_axes=(1,) * 7 + (None,), out_axes=1)
    return gae(
        above(jnp.where(carried.is_open, carried.reward, 0.0), batch.reward),
        above(carried.discount, jnp.full_like(batch.reward, ppo.gamma)), decision,
        above(no, terminated), above(no, batch.truncated), value,
        above(jnp.zeros_like(carried.reward), batch.final_value), lambda_,
    )  # fmt: skip


def _loss(
    params, network: NetworkConfig, ppo: PPOConfig, masks: Masks, rows: Rows, real, count=None
):
    logits, value = actor_critic.logits_and_values(network, params, rows.features)
    lead = rows.features.lead
    policy = distribution(logits.primitive, logits.macro, masks, logits.arguments)
    loss, terms = losses.ppo_loss(
        policy.log_prob(rows.action), policy.entropy(), value,
        losses.Known(rows.log_prob, rows.advantage, rows.target), real, ppo, count,
    )  # fmt: skip
    if lead is not None:
        away = policy.away_from_lead(lead, masks, worlds.of(network).primitives.weight)
        loss += ppo.lead_cost * losses.masked_mean(away, real, count)
    return loss, terms


def _epoch(
    ppo: PPOConfig,
    network: NetworkConfig,
    masks: Masks,
    rows: Rows,
    num_batches: jax.Array,
    groups: Groups,
    key: jax.Array,
    state: TrainState,
    kl: jax.Array,
) -> tuple[TrainState, Sums]:
    """One pass over the decisions, and its summed metrics; `kl` is `Sums.kl` before it."""
    optimizer = make_optimizer(ppo)
    own_key = groups.own(key)
    size = minibatch_size(ppo, rows.decision.shape[0])
    index, real, num = deal(own_key, rows.decision, size, num_batches)
    block = picture_blocks.block_size(network, size)

    def minibatch(i, carry):
        (params, opt_state), terms, norm, kl = carry
        count = jnp.sum(real[i])

        def part(index, real):
            some = _take_rows(network, rows, index)
            return jax.grad(_loss, has_aux=True)(params, network, ppo, masks, some, real, count)

        # Groups that one device maps over would have to wait for each other's last block.
        own = picture_blocks.add_up(part, index[i], real[i], block, skip=not groups.axes)
        grads, new = groups.mean(own, count)
        updates, moved = optimizer.update(grads, opt_state, params)
        steepness = optax.global_norm(grads)
        after = TrainState(optax.apply_updates(params, updates), moved)
        if ppo.separate:
            kl = jnp.maximum(kl, new.approx_kl)
            after = holding("actor", TrainState(params, opt_state), after, kl > ppo.kl_limit)
        return after, jax.tree.map(jnp.add, terms, new), norm + steepness, kl

    zero = jnp.zeros(())
    start = (state, losses.LossTerms(zero, zero, zero, zero, zero), zero, kl)
    state, terms, norm, kl = jax.lax.fori_loop(0, num, minibatch, start)
    count = num.astype(jnp.float32)
    kl = kl if ppo.separate else terms.approx_kl / jnp.maximum(count, 1.0)
    return state, Sums(terms, norm, count, kl)


def update_group(
    ppo: PPOConfig,
    network: NetworkConfig,
    groups: Groups,
    state: TrainState,
    batch: Batch,
    masks: Masks,
    key: jax.Array,
) -> tuple[TrainState, dict[str, jax.Array]]:
    """One update as one of the groups does it; `batch` [T, N / groups] are its own lanes."""
    rows, summary = make_rows(ppo, network, state.params, batch, groups)

    def epoch(i, carry):
        def run(carry):
            state, sums = carry
            epoch_key = jax.random.fold_in(key, i)
            state, new = _epoch(
                ppo, network, masks, rows, summary.num, groups, epoch_key, state, sums.kl
            )
            total = jax.tree.map(jnp.add, sums, new)
            return state, total._replace(kl=new.kl)

        if ppo.separate:  # KL stops the actor alone
            return run(carry)
        return jax.lax.cond(carry[1].kl > ppo.kl_limit, lambda c: c, run, carry)

    zero = jnp.zeros(())
    sums = Sums(losses.LossTerms(zero, zero, zero, zero, zero), zero, zero, zero)
    state, sums = jax.lax.fori_loop(0, ppo.num_epochs, epoch, (state, sums))
    num = jnp.maximum(sums.num, 1.0)
    metrics = {
        "policy_loss": sums.terms.policy / num,
        "value_loss": sums.terms.value / num,
        "entropy": sums.terms.entropy / num,
        "approx_kl": sums.terms.approx_kl / num,
        "clip_fraction": sums.terms.clip_fraction / num,
        "grad_norm": sums.grad_norm / num,
        "explained_variance": 1.0 - summary.advantage.variance / (summary.target.variance + 1e-8),
        "decisions": summary.decisions,
    }
    return state, metrics


@functools.partial(jax.jit, static_argnames=("ppo", "network"), donate_argnames="state")
def update(
    ppo: PPOConfig,
    network: NetworkConfig,
    state: TrainState,
    batch: Batch,
    masks: Masks,
    key: jax.Array,
) -> tuple[TrainState, dict[str, jax.Array]]:
    """One update on one rollout [T, N]; `state` is given away. Metrics are float32[].

    Args:
      masks: what the policy may choose.
      key: used up.
    """
    return update_group(ppo, network, ONE, state, batch, masks, key)
