"""The feature networks of Minecraft and of worlds with a spec, each fused to one row."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn

from rlgpt_jax.macros.limits import MAX_MACROS
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.networks import features as f
from rlgpt_jax.rl.networks.features import Features, FieldFeatures
from rlgpt_jax.rl.networks.picture_net import PictureNet, hidden_init
from rlgpt_jax.rl.networks.precision import compute_dtype

NUM_PREVIOUS = f.NUM_PRIMITIVE_IDS + MAX_MACROS


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


class Table(nn.Embed):
    """Rows by number. A GPU adds up the gradients of a row one after the other, which for rays was
    three fifths of an update (docs/gpu.md); there it is a product."""

    def __call__(self, inputs: jax.Array) -> jax.Array:
        if jax.default_backend() != "gpu":
            return super().__call__(inputs)
        chosen = jax.nn.one_hot(inputs, self.num_embeddings, dtype=self.embedding.dtype)
        return chosen @ self.embedding


class RayNet(nn.Module):
    """Per ray an embedding of what it meets, once plain and once times its closeness."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: Features) -> jax.Array:
        width = self.config.ray_embedding
        what = Table(f.NUM_RAY_CLASSES, 2 * width, name="what")(x.ray)
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
        if c.remembers:
            parts.append(mlp(name="target")(x.target.astype(jnp.float32)))
        fusion = MLP(c.fusion_width, 0, dtype=compute_dtype(c), name="fusion")
        return fusion(nn.relu(jnp.concatenate(parts, -1)))


class FieldFusion(nn.Module):
    """The fields, the previous action and the picture of a world with a spec, fused."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, x: FieldFeatures) -> jax.Array:
        c = self.config
        assert c.spec is not None
        previous = len(c.spec.actions) + MAX_MACROS
        parts = [
            MLP(c.feature_width, c.feature_depth, name="fields")(x.fields),
            nn.Embed(previous, 8, name="previous")(x.previous),
        ]
        if c.image_size:
            parts.append(PictureNet(c, name="picture")(x.rgb))
        fusion = MLP(c.fusion_width, 0, dtype=compute_dtype(c), name="fusion")
        return fusion(nn.relu(jnp.concatenate(parts, -1)))
