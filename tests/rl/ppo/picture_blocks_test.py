"""A minibatch in blocks of rows gives the gradient of the whole."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.rl.actions import HybridAction, Masks
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.ppo import losses, picture_blocks, ppo
from rlgpt_jax.rl.ppo.ppo import Rows
from tests.rl.small import NETWORK

B = 96
PICTURES = NetworkConfig(
    feature_width=8, feature_depth=0, fusion_width=16, head_width=16, image_size=(8, 8),
    conv_channels=(4, 4), picture_width=8, shared=True,
)  # fmt: skip
MASKS = Masks((np.ones(12, bool), np.ones(3, bool)), np.array([True, True] + [False] * 7))


def make_rows() -> Rows:
    rng = np.random.default_rng(0)
    features = jax.tree.map(
        lambda x: rng.integers(0, 5, x.shape).astype(x.dtype),
        actor_critic.dummy_features(B, PICTURES),
    )
    normal = lambda: rng.normal(size=B).astype(np.float32)  # noqa: E731
    action = HybridAction(
        rng.integers(0, 3, (B, 2)).astype(np.int32), rng.integers(0, 2, B).astype(np.int32)
    )
    rows = Rows(features, action, normal() - 3.0, normal(), normal(), np.ones(B, bool))
    return jax.tree.map(jnp.asarray, rows)


@functools.partial(jax.jit, static_argnums=3)
def gradient(rows: Rows, params: actor_critic.Params, count: jax.Array, size: int):
    """Gradient and loss terms of a minibatch of all rows, the first `count` of which count."""
    index, real = jnp.arange(B)[::-1], jnp.arange(B) < count

    def part(index, real):
        some = jax.tree.map(lambda x: x[index], rows)
        return jax.grad(ppo._loss, has_aux=True)(
            params, PICTURES, PPOConfig(), MASKS, some, real, count
        )

    return picture_blocks.add_up(part, index, real, size)


@pytest.mark.parametrize("count", [B, 50, 10])
def test_the_gradient_of_blocks_is_that_of_the_whole_minibatch(count):
    rows, params = make_rows(), actor_critic.init_params(PICTURES, jax.random.key(0))
    whole, parts = (gradient(rows, params, count, size) for size in (B, 16))
    assert max(float(jnp.abs(x).max()) for x in jax.tree.leaves(whole[0])) > 1e-3
    for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(parts), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-6)


def test_the_loss_without_a_count_is_that_of_its_own_rows():
    x, mask = jnp.arange(4.0), jnp.array([True, True, True, False])
    assert losses.masked_mean(x, mask) == losses.masked_mean(x, mask, jnp.int32(3)) == 1.0
    assert losses.masked_mean(x, mask, jnp.int32(6)) == 0.5


@pytest.mark.parametrize("count, used", [(0, 0), (1, 1), (16, 1), (17, 2), (96, 6)])
def test_blocks_in_which_no_row_counts_are_left_out(count, used):
    index, real = jnp.arange(B), jnp.arange(B) < count
    part = lambda index, real: (jnp.int32(1), jnp.sum(jnp.where(real, index, 0)))  # noqa: E731
    assert picture_blocks.add_up(part, index, real, 16) == (used, sum(range(count)))
    assert picture_blocks.add_up(part, index, real, 16, skip=False) == (6, sum(range(count)))


def test_only_pictures_are_cut_into_blocks_that_divide_the_rows():
    assert picture_blocks.block_size(PICTURES, 1024) == 64
    assert picture_blocks.block_size(PICTURES, 96) == 48
    assert picture_blocks.block_size(PICTURES, 8) == 8  # one block
    assert picture_blocks.block_size(PICTURES, 997) == 997  # a prime
    assert picture_blocks.block_size(NETWORK, 1024) == 1024
