"""What the towers are built of. PyTorch's conventions are kept, so that its numbers fit."""

import jax
import jax.numpy as jnp
from flax import linen as nn

from rlgpt_jax.rl.reward.clip.sizes import NORM_EPSILON

small = nn.initializers.normal(0.02)


def layer_norm(name: str) -> nn.LayerNorm:
    """Variance as the mean square of what is left of the mean, which float32 needs."""
    return nn.LayerNorm(epsilon=NORM_EPSILON, use_fast_variance=False, name=name)


def quick_gelu(x: jax.Array) -> jax.Array:
    """[...]: CLIP's approximation of a GELU."""
    return x * jax.nn.sigmoid(1.702 * x)


def attend(q: jax.Array, k: jax.Array, v: jax.Array, heads: int, causal: bool) -> jax.Array:
    """Scaled dot-product attention of `heads` heads, float32[B, T, heads * D] each and back."""
    q, k, v = (x.reshape(*x.shape[:2], heads, -1) for x in (q, k, v))
    scores = jnp.einsum("bihd,bjhd->bhij", q * q.shape[-1] ** -0.5, k)
    if causal:
        length = scores.shape[-1]
        scores = jnp.where(jnp.tri(length, dtype=bool), scores, -jnp.inf)
    seen = jnp.einsum("bhij,bjhd->bihd", jax.nn.softmax(scores, axis=-1), v)
    return seen.reshape(*seen.shape[:2], -1)


class ClipBlock(nn.Module):
    """One layer of CLIP's transformers, float32[B, T, W] -> the same."""

    heads: int
    causal: bool = False

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        width = x.shape[-1]
        seen = nn.Dense(3 * width, name="qkv")(layer_norm("norm_1")(x))
        q, k, v = jnp.split(seen, 3, axis=-1)
        seen = attend(q, k, v, self.heads, self.causal)
        x = x + nn.Dense(width, name="out")(seen)
        hidden = quick_gelu(nn.Dense(4 * width, name="expand")(layer_norm("norm_2")(x)))
        return x + nn.Dense(width, name="contract")(hidden)


class Adapter(nn.Module):
    """Mostly its input: float32[..., E] and a little of a perceptron of it."""

    layers: int

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        if not self.layers:
            return x
        keep = jax.nn.sigmoid(self.param("keep", nn.initializers.constant(4.0), ()))
        y = x
        for i in range(self.layers):
            y = nn.Dense(x.shape[-1], name=f"layer_{i}")(nn.relu(y) if i else y)
        return keep * x + (1.0 - keep) * y
