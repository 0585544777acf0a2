"""What pictures become before they are fused with the other features: a small residual network.

After Espeholt et al. 2018, https://arxiv.org/abs/1802.01561, figure 3, right, and cheaper:
patches of 4 x 4 pixels are read at first and patches of 2 x 2 cells later, where that network
has convolutions and pooling at the full size. Sizes: `docs/networks.md`.
"""

from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn

from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.networks.convolution import convolve
from rlgpt_jax.rl.networks.precision import compute_dtype

hidden_init = nn.initializers.orthogonal(jnp.sqrt(2.0))


class Convolution(nn.Module):
    """3 x 3, float[B, H, W, C] -> float[B, H, W, channels]."""

    channels: int
    dtype: Any  # in which it computes

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        shape = (3, 3, x.shape[-1], self.channels)
        kernel = self.param("kernel", hidden_init, shape).astype(self.dtype)
        bias = self.param("bias", nn.initializers.zeros, (self.channels,)).astype(self.dtype)
        return convolve(x.astype(self.dtype), kernel) + bias


class Residual(nn.Module):
    """x + conv(relu(conv(relu(x))))."""

    channels: int
    dtype: Any

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        y = Convolution(self.channels, self.dtype)(nn.relu(x))
        return x + Convolution(self.channels, self.dtype)(nn.relu(y))


def patches(x: jax.Array, side: int) -> jax.Array:
    """[B, H, W, C] -> [B, H / side, W / side, side * side * C]; a rest at the edge is dropped."""
    batch, height, width, channels = x.shape
    rows, columns = height // side, width // side
    x = x[:, : rows * side, : columns * side]
    x = x.reshape(batch, rows, side, columns, side, channels).swapaxes(2, 3)
    return x.reshape(batch, rows, columns, side * side * channels)


class PictureNet(nn.Module):
    """uint8[..., H, W, 3 K] -> [..., picture_width], for K pictures of the last ticks."""

    config: NetworkConfig

    @nn.compact
    def __call__(self, rgb: jax.Array) -> jax.Array:
        c, dtype = self.config, compute_dtype(self.config)
        batch = rgb.shape[:-3]
        x = rgb.reshape(-1, *rgb.shape[-3:]).astype(jnp.float32) / 255.0 - 0.5
        for i, channels in enumerate(c.conv_channels):
            x = patches(nn.relu(x), 2) if i else patches(x, c.conv_patch)
            x = nn.Dense(channels, kernel_init=hidden_init, dtype=dtype)(x)
            for _ in range(c.conv_blocks if i else 0):
                x = Residual(channels, dtype)(x)
        x = nn.relu(x).reshape(*batch, -1)
        out = nn.Dense(c.picture_width, kernel_init=hidden_init, dtype=dtype, name="out")
        return nn.relu(out(x))
