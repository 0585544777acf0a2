"""MineCLIP: how well a video of Minecraft fits a sentence.

    frames -> ImageEncoder -> features of frames -> TemporalEncoder -> features of a video -+
    sentences -> TextEncoder -> features of texts ------------------------ adapters, logits +

The sizes of the published checkpoint are `sizes.PUBLISHED`. Weights come from `convert`.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from flax.traverse_util import flatten_dict

from rlgpt_jax.rl.networks.picture_net import patches
from rlgpt_jax.rl.reward.clip.layers import Adapter, ClipBlock, attend, layer_norm, small
from rlgpt_jax.rl.reward.clip.sizes import HEAD_WIDTH, PIXEL_MEAN, PIXEL_STD, Sizes

Params = Any  # a tree of float32 arrays


class ImageEncoder(nn.Module):
    """A vision transformer: uint8[B, H, W, 3] -> float32[B, E], each frame alone."""

    sizes: Sizes

    @nn.compact
    def __call__(self, rgb: jax.Array) -> jax.Array:
        s = self.sizes
        if rgb.ndim != 4 or rgb.shape[1:] != (*s.image_size, 3):
            height, width = s.image_size
            raise ValueError(f"frames must be [B, {height}, {width}, 3], got {rgb.shape}.")
        x = (rgb.astype(jnp.float32) / 255.0 - jnp.array(PIXEL_MEAN)) / jnp.array(PIXEL_STD)
        x = patches(x, s.patch).reshape(len(rgb), s.num_patches, -1)
        x = nn.Dense(s.image_width, use_bias=False, name="patches")(x)
        first = self.param("class_token", small, (s.image_width,))
        x = jnp.concatenate([jnp.broadcast_to(first, (len(x), 1, s.image_width)), x], axis=1)
        x = x + self.param("positions", small, (s.num_patches + 1, s.image_width))
        x = layer_norm("norm_before")(x)
        for i in range(s.image_layers):
            x = ClipBlock(s.image_heads, name=f"block_{i}")(x)
        x = layer_norm("norm_after")(x[:, 0])
        return nn.Dense(s.features, use_bias=False, name="projection")(x)


class TemporalEncoder(nn.Module):
    """float32[B, T, E] of frames, oldest first -> float32[B, E] of videos, T at most
    `max_frames`."""

    sizes: Sizes

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        s = self.sizes
        if s.temporal == "avg":
            return x.mean(axis=1)
        length = x.shape[1]
        positions = self.param("positions", small, (s.max_frames, s.features))
        x = x + positions[:length] * s.features**-0.5
        for i in range(s.temporal_layers):
            x = x + self._attention(layer_norm(f"norm_{i}_attention")(x), f"layer_{i}")
            x = x + self._gated(layer_norm(f"norm_{i}_gated")(x), f"layer_{i}")
        return layer_norm("norm_after")(x).mean(axis=1)

    def _attention(self, x: jax.Array, name: str) -> jax.Array:
        width = self.sizes.temporal_heads * HEAD_WIDTH
        q, k, v = (nn.Dense(width, use_bias=False, name=f"{name}_{part}")(x) for part in "qkv")
        seen = attend(q, k, v, self.sizes.temporal_heads, causal=False)
        return nn.Dense(self.sizes.features, use_bias=False, name=f"{name}_out")(seen)

    def _gated(self, x: jax.Array, name: str) -> jax.Array:
        both = nn.Dense(8 * self.sizes.features, name=f"{name}_expand")(x)
        value, gate = jnp.split(both, 2, axis=-1)
        return nn.Dense(self.sizes.features, name=f"{name}_contract")(value * nn.silu(gate))


class TextEncoder(nn.Module):
    """int32[B, L] tokens, as `tokenizer.encode` makes them -> float32[B, E]."""

    sizes: Sizes

    @nn.compact
    def __call__(self, tokens: jax.Array) -> jax.Array:
        s = self.sizes
        if tokens.ndim != 2 or tokens.shape[1] != s.text_length:
            raise ValueError(f"tokens must be [B, {s.text_length}], got {tokens.shape}.")
        x = nn.Embed(s.vocabulary, s.text_width, embedding_init=small, name="tokens")(tokens)
        x = x + self.param("positions", small, (s.text_length, s.text_width))
        for i in range(s.text_layers):
            x = ClipBlock(s.text_heads, causal=True, name=f"block_{i}")(x)
        # The end token has the highest id: what stands there has seen the whole text.
        end = jnp.argmax(tokens, axis=1)
        x = layer_norm("norm_after")(x)[jnp.arange(len(x)), end]
        return nn.Dense(s.features, use_bias=False, name="projection")(x)


class MineCLIP(nn.Module):
    """All of it."""

    sizes: Sizes

    def setup(self) -> None:
        self.image = ImageEncoder(self.sizes)
        self.temporal = TemporalEncoder(self.sizes)
        self.text = TextEncoder(self.sizes)
        self.video_adapter = Adapter(self.sizes.video_adapter)
        self.text_adapter = Adapter(self.sizes.text_adapter)
        self.log_scale = self.param("log_scale", nn.initializers.constant(np.log(1 / 0.07)), ())

    def logits(self, video: jax.Array, texts: jax.Array) -> jax.Array:
        """float32[B, E] of videos, float32[D, E] of texts -> float32[B, D].

        The scaled cosine of the two after their adapters; a softmax over the texts is the
        probability of each.
        """
        video, texts = self.video_adapter(video), self.text_adapter(texts)
        video = video / jnp.linalg.norm(video, axis=-1, keepdims=True)
        texts = texts / jnp.linalg.norm(texts, axis=-1, keepdims=True)
        return jnp.exp(self.log_scale) * video @ texts.T

    def __call__(self, rgb: jax.Array, tokens: jax.Array) -> jax.Array:
        """Logits float32[B, D] of videos uint8[B, T, H, W, 3] and texts int32[D, L]."""
        frames = self.image(rgb.reshape(-1, *rgb.shape[2:]))
        return self.logits(self.temporal(frames.reshape(*rgb.shape[:2], -1)), self.text(tokens))


@functools.partial(jax.jit, static_argnums=(0, 2))
def apply(sizes: Sizes, params: Params, part: str, *given: Any) -> jax.Array:
    """A part of `MineCLIP`, compiled: "image", "temporal", "text" or "logits"."""
    call = lambda model, *given: getattr(model, part)(*given)  # noqa: E731
    out = MineCLIP(sizes).apply({"params": params}, *given, method=call)
    assert not isinstance(out, tuple)
    return out


def init_params(sizes: Sizes, key: jax.Array) -> Params:
    """Random parameters, for tests and for measuring speed: they know nothing of Minecraft."""
    rgb = jax.ShapeDtypeStruct((1, 1, *sizes.image_size, 3), jnp.uint8)
    tokens = jax.ShapeDtypeStruct((1, sizes.text_length), jnp.int32)

    def init(key: jax.Array) -> Params:
        given = (jnp.zeros(x.shape, x.dtype) for x in (rgb, tokens))
        return MineCLIP(sizes).init(key, *given)["params"]

    return jax.jit(init)(key)


@functools.lru_cache(maxsize=16)
def shapes_of(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter by its path, for example `image/block_0/qkv/kernel`."""
    tree = jax.eval_shape(lambda: init_params(sizes, jax.random.key(0)))
    return {path: x.shape for path, x in flatten_dict(tree, sep="/").items()}
