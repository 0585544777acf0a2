"""Actor and critic: the released feature networks, fused, then one MLP each.

The released code feeds a frozen MineCLIP embedding of the picture; here the lidar rays
and the inventory take its place. Actor and critic share nothing, as in the released
code. Sizes: `docs/ppo.md`.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
from flax import linen as nn

from rlgpt_jax.rl import features as f
from rlgpt_jax.rl.actions import NUM_MACRO_LOGITS, PRIMITIVE_HEADS
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.features import Features

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

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        activation = getattr(nn, self.activation)
        for _ in range(self.depth + 1):
            x = activation(nn.Dense(self.width, kernel_init=hidden_init)(x))
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
        return MLP(self.config.feature_width, 0)(rays.reshape(*rays.shape[:-2], -1))


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
            RayNet(c, name="rays")(x),
            MLP(c.feature_width, 0, name="inventory")(state),
            nn.Embed(f.NUM_BIOMES, 8, name="biome")(x.biome),
            nn.Embed(NUM_PREVIOUS, 8, name="previous")(x.previous),
            nn.Embed(f.NUM_HELD_CLASSES, 8, name="held")(x.held),
        ]
        return MLP(c.fusion_width, 0, name="fusion")(nn.relu(jnp.concatenate(parts, -1)))


class Actor(nn.Module):
    """Features -> logits of the primitive heads and of the macro choice."""

    config: NetworkConfig
    heads: Sequence[int] = PRIMITIVE_HEADS

    @nn.compact
    def __call__(self, x: Features) -> Logits:
        c = self.config
        h = Fusion(c, name="features")(x)
        h = MLP(c.head_width, c.head_depth - 1, "tanh", name="hidden")(h) if c.head_depth else h
        out = functools.partial(nn.Dense, kernel_init=nn.initializers.orthogonal(0.01))
        primitive = tuple(out(n, name=f"head{i}")(h) for i, n in enumerate(self.heads))
        # The paper appends coded actions to the list of primitives, so at first every
        # macro is as likely as one primitive: "no macro" stands for the 12 of head 0.
        bias = lambda key, shape, dtype=jnp.float32: (  # noqa: E731
            jnp.zeros(shape, dtype).at[0].set(jnp.log(float(self.heads[0])))
        )
        macro = out(NUM_MACRO_LOGITS, name="macro", bias_init=bias)(h)
        return Logits(primitive, macro)


class Critic(nn.Module):
    """Features -> value."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Features) -> jax.Array:
        c = self.config
        h = Fusion(c, name="features")(x)
        h = MLP(c.head_width, c.head_depth - 1, "tanh", name="hidden")(h) if c.head_depth else h
        out = nn.Dense(1, kernel_init=nn.initializers.orthogonal(1.0), name="value")
        return out(h)[..., 0]


class Params(NamedTuple):
    """Parameters of both networks."""

    actor: Any
    critic: Any


def dummy_features(num: int = 1) -> Features:
    """Zeros of the right shapes and dtypes."""
    zeros = functools.partial(jnp.zeros, dtype=jnp.uint8)
    half = functools.partial(jnp.zeros, dtype=jnp.float16)
    return Features(
        compass=jnp.zeros((num, 4)), gps=jnp.zeros((num, 3)), voxels=zeros((num, 27)),
        biome=zeros(num), previous=zeros(num), held=zeros(num), ray=zeros((num, 120)),
        ray_near=half((num, 120)), inventory=half((num, len(f.ITEM_NAMES))),
        status=half((num, f.NUM_STATUS)),
    )  # fmt: skip


@functools.partial(jax.jit, static_argnums=0)
def init_params(config: NetworkConfig, key: jax.Array) -> Params:
    """Orthogonal initial parameters; `key` is used up."""
    actor_key, critic_key = jax.random.split(key)
    x = dummy_features()
    return Params(Actor(config).init(actor_key, x), Critic(config).init(critic_key, x))


def policy_logits(config: NetworkConfig, params: Params, x: Features) -> Logits:
    """Logits for features of any batch shape."""
    return cast(Logits, Actor(config).apply(params.actor, x))


def values(config: NetworkConfig, params: Params, x: Features) -> jax.Array:
    """Values for features of any batch shape."""
    return cast(jax.Array, Critic(config).apply(params.critic, x))
