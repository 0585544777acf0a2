"""The hybrid action: a primitive, or one of the macros with its arguments.

    log pi(a) = log pi(macro) + [macro = 0] * log pi(primitive)
                              + sum over k of [macro = k] * log pi(arguments of macro k)
    H(pi)     = H(macro) + pi(macro = 0) * H(primitive)
                         + sum over k of pi(macro = k) * H(arguments of macro k)

A primitive is one choice of each head, or in worlds with a spec D numbers between -1 and 1
(`squashed.py`). Macros have arguments in worlds with a spec alone: a choice and its parameters, as
in RAPS (Dalal et al. 2021, https://arxiv.org/abs/2110.15360), with a Gaussian for each macro slot
and argument. What a set-up leaves out is masked and takes no part in any of this.
"""

import math
from typing import NamedTuple

import distrax
import jax
import jax.numpy as jnp

from rlgpt_jax.macros.limits import MAX_ARGUMENTS, MAX_MACROS
from rlgpt_jax.rl.actions import NUM_MACRO_LOGITS, HybridAction, Masks
from rlgpt_jax.rl.primitives import MINECRAFT
from rlgpt_jax.rl.squashed import Gaussian, Squashed

# Added to the logit of the macro that leads: e^6.5 = 665 stands against 12 for all primitives and 1
# for every other macro, so that at first it is chosen in 97 to 98 % of the decisions.
LEAD_LOGIT = 6.5
INVALID = -1e9  # a logit; finite, so that entropies and gradients stay finite


class Part(NamedTuple):
    """Which of all lanes the arrays at hand are about."""

    first: jax.Array  # int32[]
    total: int  # lanes of all parts

    def draw(self, choice: distrax.Categorical, key: jax.Array) -> jax.Array:
        """int32[n]: what a sample of all lanes would give the lanes of this part."""
        own = choice.logits
        everyone = jnp.zeros((self.total, *own.shape[1:]), own.dtype)
        everyone = jax.lax.dynamic_update_slice_in_dim(everyone, own, self.first, 0)
        chosen = distrax.Categorical(logits=everyone).sample(seed=key)
        return jax.lax.dynamic_slice_in_dim(chosen, self.first, own.shape[0])


class HybridDistribution(NamedTuple):
    """The policy's distribution over hybrid actions."""

    heads: tuple[distrax.Categorical, ...]
    macro: distrax.Categorical
    numbers: Squashed | None = None  # the primitive [..., D], where there are no heads
    arguments: Squashed | None = None  # [..., K, MAX_ARGUMENTS]

    def sample(self, key: jax.Array, part: Part | None = None) -> HybridAction:
        """A hybrid action of each lane. `key` is used up. Without `part` these are all lanes."""
        choices = (self.macro, *self.heads)
        keys = jax.random.split(key, len(choices) + 2 * (self.arguments is not None))
        draw = part.draw if part else lambda choice, key: choice.sample(seed=key)
        macro, *heads = [draw(*pair).astype(jnp.int32) for pair in zip(choices, keys, strict=False)]
        if self.arguments is None:
            return HybridAction(jnp.stack(heads, axis=-1), macro)
        primitive = self.numbers.sample(keys[-2]) if self.numbers else jnp.stack(heads, axis=-1)
        return HybridAction(primitive, macro, _of_macro(self.arguments.sample(keys[-1]), macro))

    def sample_apart(self, keys: jax.Array) -> HybridAction:
        """Of N lanes, each with its own key: lane n draws what `sample(keys[n])` gives it.

        So N samples of all lanes are drawn, which is little for the tens of lanes that have
        keys of their own; the bits of a lane are those of a sample of all.
        """

        def own(key: jax.Array, lane: jax.Array) -> HybridAction:
            return jax.tree.map(lambda x: x[lane], self.sample(key))

        return jax.vmap(own)(keys, jnp.arange(keys.shape[0]))

    def log_prob(self, action: HybridAction) -> jax.Array:
        """float32[...], of actions of the same batch shape."""
        if self.numbers is None:
            of = sum(h.log_prob(action.primitive[..., i]) for i, h in enumerate(self.heads))
        else:
            of = self.numbers.log_prob(action.primitive)
        total = self.macro.log_prob(action.macro) + jnp.where(action.macro == 0, of, 0.0)
        if self.arguments is None:
            return total
        of = _of_macro(self.arguments.log_prob(action.arguments[..., None, :]), action.macro)
        return total + jnp.where(action.macro > 0, of, 0.0)

    def entropy(self) -> jax.Array:
        """float32[...], in nats; of numbers as `Squashed.entropy` estimates it."""
        of = self.numbers.entropy() if self.numbers else sum(h.entropy() for h in self.heads)
        total = self.macro.entropy() + self.macro.probs[..., 0] * of
        if self.arguments is None:
            return total
        return total + jnp.sum(self.macro.probs[..., 1:] * self.arguments.entropy(), -1)

    def away_from_lead(
        self, lead: jax.Array, masks: Masks, weight: int = MINECRAFT.weight
    ) -> jax.Array:
        """float32[...]: Kullback-Leibler divergence, in nats, of the choice between primitives and
        macros from the one that an untrained policy makes; 0 where no macro leads.

        Args:
          lead: int32[...], `Features.lead`.
          weight: `Primitives.weight` of the world.
        """
        none = jnp.zeros(NUM_MACRO_LOGITS).at[0].set(math.log(weight))
        logits = none + LEAD_LOGIT * jax.nn.one_hot(lead, NUM_MACRO_LOGITS)
        untrained = distrax.Categorical(logits=jnp.where(masks.macro, logits, INVALID))
        return jnp.where(lead > 0, self.macro.kl_divergence(untrained), 0.0)


def _of_macro(each: jax.Array, macro: jax.Array) -> jax.Array:
    """Of what is [..., K, ...] that of the macros int32[...]; of slot 1 where that is 0."""
    index = jnp.maximum(macro - 1, 0).reshape(*macro.shape, *[1] * (each.ndim - macro.ndim))
    return jnp.take_along_axis(each, index, macro.ndim).squeeze(macro.ndim)


def distribution(
    primitive: tuple[jax.Array, ...] | Gaussian,
    macro: jax.Array,
    masks: Masks,
    arguments: Gaussian | None = None,
) -> HybridDistribution:
    """Of logits float32[..., heads[i]] or a Gaussian [..., D], logits [..., K + 1], and in worlds
    with a spec a Gaussian [..., K * MAX_ARGUMENTS]; what is not allowed has probability 0."""
    masked = lambda logits, mask: jnp.where(mask, logits, INVALID)  # noqa: E731
    choice = distrax.Categorical(logits=masked(macro, masks.macro))
    if arguments is not None:
        shape = (MAX_MACROS, MAX_ARGUMENTS)
        arguments = jax.tree.map(lambda x: x.reshape(*x.shape[:-1], *shape), arguments)
        if masks.near is not None:
            arguments = jax.tree.map(jnp.add, arguments, masks.near)
    of_macros = arguments and Squashed(arguments, masks.arguments)
    if isinstance(primitive, Gaussian):
        return HybridDistribution((), choice, Squashed(primitive, masks.primitive), of_macros)
    heads = zip(primitive, masks.primitive, strict=True)
    return HybridDistribution(
        tuple(distrax.Categorical(logits=masked(*head)) for head in heads), choice, None, of_macros
    )
