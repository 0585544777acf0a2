"""Actor and critic: the released feature networks, fused, then one MLP each.

The released code feeds a frozen MineCLIP embedding of the picture; here the lidar rays
and the inventory take its place, or a network of our own that sees pictures
(`picture_net.py`). Actor and critic share nothing, as in the released code, or everything but
their heads (`network.shared`): then a GRU may follow the fused features. Sizes: `docs/networks.md`.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
from flax import linen as nn

from rlgpt_jax.rl.actions import LEAD_LOGIT, NO_MACRO_LOGIT, NUM_MACRO_LOGITS, PRIMITIVE_HEADS
from rlgpt_jax.rl.config import PLAIN, NetworkConfig
from rlgpt_jax.rl.networks import features as f
from rlgpt_jax.rl.networks.features import Features
from rlgpt_jax.rl.networks.gru import Core
from rlgpt_jax.rl.networks.picture_net import PictureNet
from rlgpt_jax.rl.networks.precision import compute_dtype

NUM_PREVIOUS = f.NUM_PRIMITIVE_IDS + NUM_MACRO_LOGITS - 1
hidden_init = nn.initializers.orthogonal(jnp.sqrt(2.0))


class Logits(NamedTuple):
    """Unnormalised log-probabilities of the parts of a hybrid action."""

    primitive: tuple[jax.Array, ...]  # float32[..., heads[i]]
    macro: jax.Array  # float32[..., K + 1]; index 0 is "no macro"


class MLP(nn.Module):
    """`depth` hidden layers and an output layer, each followed by `activation`."""

    width: int
    depth: int
    activation: str = "relu"
    dtype: Any = None  # in which it computes

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        activation = getattr(nn, self.activation)
        for _ in range(self.depth + 1):
            x = activation(nn.Dense(self.width, kernel_init=hidden_init, dtype=self.dtype)(x))
        return x


class RayNet(nn.Module):
    """Per ray an embedding of what it meets, once plain and once times its closeness."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Features) -> jax.Array:
        width = self.config.ray_embedding
        what = nn.Embed(f.NUM_RAY_CLASSES, 2 * width, name="what")(x.ray)
        near = x.ray_near[..., None].astype(jnp.float32)
        rays = jnp.concatenate([what[..., :width], what[..., width:] * near], axis=-1)
        dtype = compute_dtype(self.config)
        return MLP(self.config.feature_width, 0, dtype=dtype)(rays.reshape(*rays.shape[:-2], -1))


class Fusion(nn.Module):
    """All feature networks, concatenated and fused to `fusion_width`."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Features) -> jax.Array:
        c = self.config
        mlp = functools.partial(MLP, c.feature_width, c.feature_depth)
        voxels = nn.Embed(f.NUM_VOXEL_CLASSES, c.voxel_embedding, name="voxel")(x.voxels)
        state = jnp.concatenate([x.inventory, x.status], -1).astype(jnp.float32)
        parts = [
            mlp(name="compass")(x.compass),
            mlp(name="gps")(x.gps),
            mlp(name="voxels")(voxels.reshape(*voxels.shape[:-2], -1)),
            PictureNet(c, name="picture")(x.rgb) if c.image_size else RayNet(c, name="rays")(x),
            MLP(c.feature_width, 0, name="inventory")(state),
            nn.Embed(f.NUM_BIOMES, 8, name="biome")(x.biome),
            nn.Embed(NUM_PREVIOUS, 8, name="previous")(x.previous),
            nn.Embed(f.NUM_HELD_CLASSES, 8, name="held")(x.held),
        ]
        fusion = MLP(c.fusion_width, 0, dtype=compute_dtype(c), name="fusion")
        return fusion(nn.relu(jnp.concatenate(parts, -1)))


def head_layers(config: NetworkConfig, x: jax.Array) -> jax.Array:
    """The hidden layers of a head, to be called in its module."""
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
    def __call__(self, x: Features, state: Any, first: Any) -> tuple[jax.Array, Any]:
        """Args: `state` and `first` as for `Core`. Returns the body's output and the state."""
        fused = Fusion(self.config, name="features")(x)
        if not self.config.recurrent:
            return fused, state
        return Core(self.config.recurrent, name="core")(fused, state, first)


class Actor(nn.Module):
    """Features, or what a `Body` gives -> logits of the primitive heads and of the macro choice."""

    config: NetworkConfig
    heads: Sequence[int] = PRIMITIVE_HEADS

    @nn.compact
    def __call__(self, x: Any) -> Logits:
        c = self.config
        h = x if c.shared else Fusion(c, name="features")(x)
        h = head_layers(c, h)
        out = functools.partial(nn.Dense, kernel_init=nn.initializers.orthogonal(0.01))
        primitive = tuple(out(n, name=f"head{i}")(h) for i, n in enumerate(self.heads))
        # The paper appends coded actions to the list of primitives, so at first every
        # macro is as likely as one primitive: "no macro" stands for the 12 of head 0.
        bias = lambda key, shape, dtype=jnp.float32: (  # noqa: E731
            jnp.zeros(shape, dtype).at[0].set(NO_MACRO_LOGIT)
        )
        macro = out(NUM_MACRO_LOGITS, name="macro", bias_init=bias)(h)
        return Logits(primitive, macro)


class Critic(nn.Module):
    """Features, or what a `Body` gives -> value."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Any) -> jax.Array:
        c = self.config
        h = x if c.shared else Fusion(c, name="features")(x)
        h = head_layers(c, h)
        out = nn.Dense(1, kernel_init=nn.initializers.orthogonal(1.0), name="value")
        return out(h)[..., 0]


class Params(NamedTuple):
    """Parameters of both networks."""

    actor: Any
    critic: Any
    body: Any = None  # what they share, None if that is nothing


def dummy_features(num: int = 1, config: NetworkConfig = PLAIN) -> Features:
    """Zeros of the right shapes and dtypes, as the networks are given them."""
    zeros = functools.partial(jnp.zeros, dtype=jnp.uint8)
    half = functools.partial(jnp.zeros, dtype=jnp.float16)
    size = config.image_size
    return Features(
        compass=jnp.zeros((num, 4)), gps=jnp.zeros((num, 3)), voxels=zeros((num, 27)),
        biome=zeros(num), previous=zeros(num), held=zeros(num),
        ray=None if size else zeros((num, 120)), ray_near=None if size else half((num, 120)),
        inventory=half((num, len(f.ITEM_NAMES))), status=half((num, f.NUM_STATUS)),
        rgb=zeros((num, *size, 3 * config.frame_stack)) if size else None,
    )  # fmt: skip


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


def led(logits: Logits, x: Features) -> Logits:
    """Logits with those of the macro that leads raised, so that it is nearly always chosen until
    something else was learnt to be better."""
    if x.lead is None:
        return logits
    follow = jax.nn.one_hot(x.lead, NUM_MACRO_LOGITS) * (x.lead > 0)[..., None]
    return logits._replace(macro=logits.macro + LEAD_LOGIT * follow)


def policy_logits(config: NetworkConfig, params: Params, x: Features) -> Logits:
    """Logits for features of any batch shape, of networks without a recurrent core."""
    h: Any = x
    if config.shared:
        h, _ = Body(config).apply(params.body, x, None, None)  # type: ignore[misc]
    return led(cast(Logits, Actor(config).apply(params.actor, h)), x)


def values(config: NetworkConfig, params: Params, x: Features) -> jax.Array:
    """float32[...] for features of any batch shape, of networks without a recurrent core."""
    if config.shared:
        x, _ = Body(config).apply(params.body, x, None, None)  # type: ignore[misc]
    return cast(jax.Array, Critic(config).apply(params.critic, x))


class PolicyStep(NamedTuple):
    """What networks make of features, and the state in which that leaves them."""

    logits: Logits
    value: Any  # float32[...]; None where it costs more than the logits, so that `values` is asked
    state: Any  # float32[N, R]  None without a recurrent core


def policy_step(config: NetworkConfig, params: Params, x: Features, state: Any) -> PolicyStep:
    """One tick of N lanes; `state` float32[N, R] is that before it."""
    if not config.shared:
        return PolicyStep(policy_logits(config, params, x), None, None)
    args = _in_time(config, x, state, jnp.zeros(x.biome.shape, bool))
    out = unroll(config, params, *args)
    return out._replace(**jax.tree.map(lambda y: y[0], dict(logits=out.logits, value=out.value)))


def unroll(
    config: NetworkConfig, params: Params, x: Features, state: Any, first: Any
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
    config: NetworkConfig, params: Params, x: Features, state: Any, first: Any
) -> tuple[Logits, jax.Array]:
    """Logits and values for features of any batch shape, with a recurrent core as `unroll`."""
    if config.shared:
        out = unroll(config, params, x, state, first)
        return out.logits, out.value
    return policy_logits(config, params, x), values(config, params, x)


def _in_time(config: NetworkConfig, x: Features, state: Any, first: jax.Array) -> tuple:
    """One tick as a sequence of one."""
    return jax.tree.map(lambda y: y[None], x), state if config.recurrent else None, first[None]
