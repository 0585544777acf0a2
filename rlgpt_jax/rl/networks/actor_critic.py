"""Actor and critic: the released feature networks, fused, then one MLP each.

The released code feeds a frozen MineCLIP embedding of the picture; here the lidar rays
and the inventory take its place, or a network of our own that sees pictures
(`picture_net.py`). Actor and critic share nothing, as in the released code, or everything but
their heads (`network.shared`): then a GRU may follow the fused features. Sizes: `docs/networks.md`.
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
from rlgpt_jax.rl.networks.fields import AnyFeatures
from rlgpt_jax.rl.networks.fusion import MLP
from rlgpt_jax.rl.networks.gru import Core
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
    """Features of ticks in a row, [T, N, ...] -> what actor and critic share, [T, N, W].

    Without a recurrent core ticks are independent and may have any batch shape; `state` is
    then None.
    """

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Any, state: Any, first: Any) -> tuple[jax.Array, Any]:
        """Args: `state` and `first` as for `Core`. Returns the body's output and the state."""
        fused = worlds.of(self.config).fusion(self.config, name="features")(x)
        if not self.config.recurrent:
            return fused, state
        return Core(self.config.recurrent, name="core")(fused, state, first)


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
        args = _in_time(config, x, jnp.zeros((1, config.recurrent)), jnp.zeros(1, bool))
        x, body = Body(config).init_with_output(jax.random.fold_in(key, 2), *args)
        x = x[0]
    return Params(Actor(config).init(actor_key, x), Critic(config).init(critic_key, x), body)


def led(logits: Logits, x: AnyFeatures) -> Logits:
    """Logits with those of the macro that leads raised, so that it is nearly always chosen until
    something else was learnt to be better."""
    if x.lead is None:
        return logits
    follow = jax.nn.one_hot(x.lead, NUM_MACRO_LOGITS) * (x.lead > 0)[..., None]
    return logits._replace(macro=logits.macro + LEAD_LOGIT * follow)


def policy_logits(config: NetworkConfig, params: Params, x: AnyFeatures) -> Logits:
    """Logits for features of any batch shape, of networks without a recurrent core."""
    h: Any = x
    if config.shared:
        h, _ = Body(config).apply(params.body, x, None, None)  # type: ignore[misc]
    return led(cast(Logits, Actor(config).apply(params.actor, h)), x)


def values(config: NetworkConfig, params: Params, x: AnyFeatures) -> jax.Array:
    """float32[...] for features of any batch shape, of networks without a recurrent core."""
    if config.shared:
        x, _ = Body(config).apply(params.body, x, None, None)  # type: ignore[misc]
    return cast(jax.Array, Critic(config).apply(params.critic, x))


class PolicyStep(NamedTuple):
    """What networks make of features, and the state in which that leaves them."""

    logits: Logits
    value: Any  # float32[...]; None where it costs more than the logits, so that `values` is asked
    state: Any  # float32[N, R]  None without a recurrent core


def policy_step(config: NetworkConfig, params: Params, x: AnyFeatures, state: Any) -> PolicyStep:
    """One tick of N lanes; `state` float32[N, R] is that before it."""
    if not config.shared:
        return PolicyStep(policy_logits(config, params, x), None, None)
    args = _in_time(config, x, state, jnp.zeros(x.previous.shape, bool))
    out = unroll(config, params, *args)
    return out._replace(**jax.tree.map(lambda y: y[0], dict(logits=out.logits, value=out.value)))


def unroll(
    config: NetworkConfig, params: Params, x: AnyFeatures, state: Any, first: Any
) -> PolicyStep:
    """T ticks in a row, features [T, N, ...], of networks that share a body.

    Args:
      state: float32[N, R], before the first tick.
      first: bool[T, N], ticks at which an episode begins, before which the state is set to 0.
    """
    h, state = cast(tuple, Body(config).apply(params.body, x, state, first))
    logits = led(cast(Logits, Actor(config).apply(params.actor, h)), x)
    return PolicyStep(logits, Critic(config).apply(params.critic, h), state)


def logits_and_values(
    config: NetworkConfig, params: Params, x: AnyFeatures, state: Any, first: Any
) -> tuple[Logits, jax.Array]:
    """Logits and values for features of any batch shape, with a recurrent core as `unroll`."""
    if config.shared:
        out = unroll(config, params, x, state, first)
        return out.logits, out.value
    return policy_logits(config, params, x), values(config, params, x)


def _in_time(config: NetworkConfig, x: AnyFeatures, state: Any, first: jax.Array) -> tuple:
    """One tick as a sequence of one."""
    return jax.tree.map(lambda y: y[None], x), state if config.recurrent else None, first[None]
