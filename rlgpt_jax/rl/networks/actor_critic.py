"""Actor and critic: the released feature networks, fused, then one MLP each.

The released code feeds a frozen MineCLIP embedding of the picture; here the lidar rays
and the inventory take its place, or a network of our own that sees pictures
(`picture_net.py`). Actor and critic share nothing, as in the released code, or everything but
their heads (`network.shared`). Sizes: `docs/networks.md`.
"""

import functools
import math
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
from flax import linen as nn

from rlgpt_jax.macros.limits import MAX_ARGUMENTS, MAX_MACROS
from rlgpt_jax.rl import worlds
from rlgpt_jax.rl.actions import NUM_MACRO_LOGITS
from rlgpt_jax.rl.config import PLAIN, NetworkConfig
from rlgpt_jax.rl.distribution import LEAD_LOGIT
from rlgpt_jax.rl.networks.features import AnyFeatures
from rlgpt_jax.rl.networks.fusion import MLP
from rlgpt_jax.rl.networks.precision import compute_dtype
from rlgpt_jax.rl.squashed import INITIAL_ARGUMENT_STD, INITIAL_STD, Gaussian


class Logits(NamedTuple):
    """Unnormalised log-probabilities of the parts of a hybrid action."""

    # float32[..., heads[i]] each, or a `Gaussian` of D numbers
    primitive: tuple[jax.Array, ...] | Gaussian
    macro: jax.Array  # float32[..., K + 1]; index 0 is "no macro"
    arguments: Any = None  # Gaussian [..., K * MAX_ARGUMENTS]  in worlds with a spec


def head_layers(config: NetworkConfig, x: Any) -> jax.Array:
    """The hidden layers of a head, to be called in its module; before them, where actor and critic
    share nothing, all that fuses the features."""
    x = x if config.shared else worlds.of(config).fusion(config, name="features")(x)
    if not config.head_depth:
        return x
    dtype = compute_dtype(config)
    return MLP(config.head_width, config.head_depth - 1, "tanh", dtype, name="hidden")(x)


class Body(nn.Module):
    """Features of any batch shape -> what actor and critic share, [..., W]."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Any) -> jax.Array:
        return worlds.of(self.config).fusion(self.config, name="features")(x)


class GaussianHead(nn.Module):
    """Means of `size` numbers, and their deviations, which do not depend on the input."""

    size: int
    std: float  # at first

    @nn.compact
    def __call__(self, x: jax.Array) -> Gaussian:
        mean = nn.Dense(self.size, kernel_init=nn.initializers.orthogonal(0.01), name="mean")(x)
        # From that at first, so that zeros are a new start for these parameters as for the others.
        change = self.param("log_std", nn.initializers.zeros, (self.size,))
        return Gaussian(mean, jnp.broadcast_to(change + math.log(self.std), mean.shape))


class Actor(nn.Module):
    """Features, or what a `Body` gives -> logits of the primitives and of the macro choice."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Any) -> Logits:
        c = self.config
        h = head_layers(c, x)
        out = functools.partial(nn.Dense, kernel_init=nn.initializers.orthogonal(0.01))
        ours = worlds.of(c).primitives
        primitive: Any = tuple(
            out(len(names), name=f"head{i}")(h) for i, names in enumerate(ours.heads)
        )
        if ours.arguments:
            primitive = GaussianHead(len(ours.arguments), INITIAL_STD, name="primitive")(h)
        # The paper appends coded actions to the list of primitives, so at first every
        # macro is as likely as one primitive: in Minecraft "no macro" stands for the 12 of head 0.
        bias = lambda key, shape, dtype=jnp.float32: (  # noqa: E731
            jnp.zeros(shape, dtype).at[0].set(math.log(ours.weight))
        )
        macro = out(NUM_MACRO_LOGITS, name="macro", bias_init=bias)(h)
        if c.spec is None:
            return Logits(primitive, macro)
        size = MAX_MACROS * MAX_ARGUMENTS
        arguments = GaussianHead(size, INITIAL_ARGUMENT_STD, name="arguments")
        return Logits(primitive, macro, arguments(h))


class Critic(nn.Module):
    """Features, or what a `Body` gives -> value."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Any) -> jax.Array:
        h = head_layers(self.config, x)
        out = nn.Dense(1, kernel_init=nn.initializers.orthogonal(1.0), name="value")
        return out(h)[..., 0]


class Params(NamedTuple):
    """Parameters of both networks."""

    actor: Any
    critic: Any
    body: Any = None  # what they share, None if that is nothing


def dummy_features(num: int = 1, config: NetworkConfig = PLAIN) -> AnyFeatures:
    """Zeros of the right shapes and dtypes, as the networks are given them."""
    return worlds.of(config).zero_features(num, config)


@functools.partial(jax.jit, static_argnums=0)
def init_params(config: NetworkConfig, key: jax.Array) -> Params:
    """Orthogonal initial parameters; `key` is used up."""
    actor_key, critic_key = jax.random.split(key)
    x: Any = dummy_features(1, config)
    body = None
    if config.shared:
        x, body = Body(config).init_with_output(jax.random.fold_in(key, 2), x)
    return Params(Actor(config).init(actor_key, x), Critic(config).init(critic_key, x), body)


def led(logits: Logits, x: AnyFeatures) -> Logits:
    """Logits with those of the macro that leads raised, so that it is nearly always chosen until
    something else was learnt to be better."""
    if x.lead is None:
        return logits
    follow = jax.nn.one_hot(x.lead, NUM_MACRO_LOGITS) * (x.lead > 0)[..., None]
    return logits._replace(macro=logits.macro + LEAD_LOGIT * follow)


def _fused(config: NetworkConfig, params: Params, x: AnyFeatures) -> Any:
    """What actor and critic are given: what they share, or the features."""
    return Body(config).apply(params.body, x) if config.shared else x


def logits_and_values(
    config: NetworkConfig, params: Params, x: AnyFeatures
) -> tuple[Logits, jax.Array]:
    """Logits, and values float32[...], for features of any batch shape."""
    h = _fused(config, params, x)
    logits = cast(Logits, Actor(config).apply(params.actor, h))
    return led(logits, x), cast(jax.Array, Critic(config).apply(params.critic, h))


def policy_logits(config: NetworkConfig, params: Params, x: AnyFeatures) -> Logits:
    """Logits for features of any batch shape."""
    h = _fused(config, params, x)
    return led(cast(Logits, Actor(config).apply(params.actor, h)), x)


def values(config: NetworkConfig, params: Params, x: AnyFeatures) -> jax.Array:
    """float32[...] for features of any batch shape."""
    h = _fused(config, params, x)
    return cast(jax.Array, Critic(config).apply(params.critic, h))


def policy_step(
    config: NetworkConfig, params: Params, x: AnyFeatures
) -> tuple[Logits, jax.Array | None]:
    """Logits and values float32[N]; None where these cost more, so that `values` is asked later."""
    if config.shared:
        return logits_and_values(config, params, x)
    return policy_logits(config, params, x), None
