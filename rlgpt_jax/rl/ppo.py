"""One PPO update: values, advantages of the decisions, epochs over minibatches.

Only decisions cost anything. Each epoch draws the decision rows in a random order and
deals them evenly to as few minibatches as hold them, so that ticks inside a macro are
skipped although every shape is fixed.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from rlgpt_jax.rl import losses, networks, returns
from rlgpt_jax.rl.actions import HybridAction, Masks, distribution
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig
from rlgpt_jax.rl.features import Features
from rlgpt_jax.rl.rollout import Batch


class Rows(NamedTuple):
    """A batch as B = T * N independent rows."""

    features: Features
    action: HybridAction
    log_prob: jax.Array  # float32[B]
    advantage: jax.Array  # float32[B]  normalised over the decisions
    target: jax.Array  # float32[B]  what the critic should say
    decision: jax.Array  # bool[B]


class Sums(NamedTuple):
    """Metrics summed over minibatches."""

    terms: losses.LossTerms
    grad_norm: jax.Array
    num: jax.Array  # float32[]  minibatches used
    kl: jax.Array  # float32[]  mean of the last epoch, for early stopping


def make_optimizer(config: PPOConfig) -> optax.GradientTransformation:
    """Adam after clipping by the global norm."""
    return optax.chain(
        optax.clip_by_global_norm(config.max_grad_norm),
        optax.adam(config.learning_rate, eps=1e-5),
    )


def deal(key: jax.Array, decision: jax.Array, size: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Deals the decision rows to minibatches of at most `size`, in a random order.

    Returns `(rows int32[B / size, size], real bool[B / size, size], num int32[])`: the
    first `num` minibatches hold every decision once, as evenly as possible; entries that
    are not `real` point at other rows.
    """
    total = decision.shape[0]
    order = jnp.argsort(jnp.where(decision, jax.random.uniform(key, (total,)), 2.0))
    count = jnp.sum(decision)
    num = -(-count // size)
    # Minibatch i takes places i, i + num, i + 2 num, ... of the order.
    place = jnp.arange(total // size)[:, None] + num * jnp.arange(size)[None, :]
    real = (place < count) & (jnp.arange(total // size)[:, None] < num)
    return order[jnp.minimum(place, total - 1)], real, num


def _take(tree: Any, rows: jax.Array) -> Any:
    return jax.tree.map(lambda x: x[rows], tree)


def decision_values(
    network: NetworkConfig, params: networks.Params, features: Features,
    decision: jax.Array, size: int,
) -> jax.Array:
    """float32[B]: the critic's values of the decision rows, 0 elsewhere."""
    rows, real, num = deal(jax.random.key(0), decision, size)

    def block(i, out):
        value = networks.values(network, params, _take(features, rows[i]))
        return out.at[rows[i]].add(jnp.where(real[i], value, 0.0))

    return jax.lax.fori_loop(0, num, block, jnp.zeros(decision.shape, jnp.float32))


def make_rows(
    ppo: PPOConfig, network: NetworkConfig, params: networks.Params, batch: Batch
) -> tuple[Rows, jax.Array]:
    """Values and advantages. Returns the rows and the explained variance float32[]."""
    length, lanes = batch.decision.shape
    total = length * lanes
    flat = jax.tree.map(lambda x: x.reshape(total, *x.shape[2:]), batch.features)
    decision = batch.decision.reshape(total)
    value = decision_values(network, params, flat, decision, total // ppo.num_minibatches)
    gae = jax.vmap(returns.smdp_gae, in_axes=(1, 1, 1, 1, 1, 1, 0, None, None), out_axes=1)
    advantage = gae(
        batch.reward, batch.decision, batch.terminated, batch.truncated,
        value.reshape(length, lanes), batch.final_value,
        networks.values(network, params, batch.last), ppo.gamma, ppo.gae_lambda,
    ).reshape(total)
    target = value + advantage
    mean = losses.masked_mean(target, decision)
    variance = losses.masked_mean((target - mean) ** 2, decision)
    spread = losses.masked_mean(
        (advantage - losses.masked_mean(advantage, decision)) ** 2, decision
    )
    rows = Rows(
        features=flat,
        action=jax.tree.map(lambda x: x.reshape(total, *x.shape[2:]), batch.action),
        log_prob=batch.log_prob.reshape(total),
        advantage=losses.normalise(advantage, decision),
        target=target,
        decision=decision,
    )
    return rows, 1.0 - spread / (variance + 1e-8)


def _loss(params, network: NetworkConfig, ppo: PPOConfig, masks: Masks, rows: Rows, real):
    logits = networks.policy_logits(network, params, rows.features)
    policy = distribution(logits.primitive, logits.macro, masks)
    return losses.ppo_loss(
        policy.log_prob(rows.action), policy.entropy(),
        networks.values(network, params, rows.features),
        rows.log_prob, rows.advantage, rows.target, real,
        clip=ppo.clip, entropy_cost=ppo.entropy_cost, value_cost=ppo.value_cost,
    )


def _epoch(
    ppo: PPOConfig, network: NetworkConfig, masks: Masks, rows: Rows, key, params, opt_state
):
    """One pass over the decisions. Returns params, opt_state and the summed metrics."""
    optimizer = make_optimizer(ppo)
    index, real, num = deal(key, rows.decision, rows.decision.shape[0] // ppo.num_minibatches)

    def minibatch(i, carry):
        params, opt_state, terms, norm = carry
        grad = jax.grad(_loss, has_aux=True)
        grads, new = grad(params, network, ppo, masks, _take(rows, index[i]), real[i])
        updates, opt_state = optimizer.update(grads, opt_state, params)
        terms = jax.tree.map(jnp.add, terms, new)
        return (
            optax.apply_updates(params, updates), opt_state, terms,
            norm + optax.global_norm(grads),
        )

    zero = jnp.zeros(())
    start = (params, opt_state, losses.LossTerms(zero, zero, zero, zero, zero), zero)
    params, opt_state, terms, norm = jax.lax.fori_loop(0, num, minibatch, start)
    count = num.astype(jnp.float32)
    return params, opt_state, Sums(terms, norm, count, terms.approx_kl / jnp.maximum(count, 1.0))


@functools.partial(
    jax.jit, static_argnames=("ppo", "network"), donate_argnames=("params", "opt_state")
)
def update(
    ppo: PPOConfig,
    network: NetworkConfig,
    params: networks.Params,
    opt_state: optax.OptState,
    batch: Batch,
    masks: Masks,
    key: jax.Array,
) -> tuple[networks.Params, optax.OptState, dict[str, jax.Array]]:
    """One update on one rollout; `params` and `opt_state` are given away.

    Args:
      masks: what the policy may choose.
      key: used up.
    """
    rows, explained_variance = make_rows(ppo, network, params, batch)
    limit = jnp.inf if ppo.target_kl is None else 1.5 * ppo.target_kl

    def epoch(i, carry):
        def run(carry):
            params, opt_state, sums = carry
            epoch_key = jax.random.fold_in(key, i)
            params, opt_state, new = _epoch(
                ppo, network, masks, rows, epoch_key, params, opt_state
            )
            total = jax.tree.map(jnp.add, sums, new)
            return params, opt_state, total._replace(kl=new.kl)

        return jax.lax.cond(carry[2].kl > limit, lambda c: c, run, carry)

    zero = jnp.zeros(())
    sums = Sums(losses.LossTerms(zero, zero, zero, zero, zero), zero, zero, zero)
    params, opt_state, sums = jax.lax.fori_loop(
        0, ppo.num_epochs, epoch, (params, opt_state, sums)
    )
    num = jnp.maximum(sums.num, 1.0)
    metrics = {
        "policy_loss": sums.terms.policy / num,
        "value_loss": sums.terms.value / num,
        "entropy": sums.terms.entropy / num,
        "approx_kl": sums.terms.approx_kl / num,
        "clip_fraction": sums.terms.clip_fraction / num,
        "grad_norm": sums.grad_norm / num,
        "explained_variance": explained_variance,
        "decisions": jnp.mean(batch.decision.astype(jnp.float32)),
    }
    return params, opt_state, metrics
