"""Small settings that the tests of `rl` share, so that few programs are compiled."""

from typing import Any

import jax
import numpy as np

from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RLConfig

NETWORK = NetworkConfig(feature_width=16, feature_depth=0, fusion_width=32, head_width=32)
CONFIG = RLConfig(
    ppo=PPOConfig(
        num_envs=16, unroll_length=16, num_minibatches=2, num_epochs=4, learning_rate=2e-3
    ),
    network=NETWORK,
)


def _plain(x: Any) -> np.ndarray:
    is_key = isinstance(x, jax.Array) and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(x) if is_key else x)


def assert_same_bits(a: Any, b: Any) -> None:
    """Two trees have the same structure and equal leaves, keys included."""
    assert jax.tree.structure(a) == jax.tree.structure(b)
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        np.testing.assert_array_equal(_plain(x), _plain(y))
