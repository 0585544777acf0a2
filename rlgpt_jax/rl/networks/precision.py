"""The type in which networks compute. Parameters, optimiser and losses are always float32.

Of the networks only the wide layers use it, which are nearly all of the cost: pictures, rays,
fusion and the hidden layers of the heads. What is measured in blocks and degrees, and
the last layers, whose outputs are logits and values, stay in float32.
"""

from typing import Any

import jax
import jax.numpy as jnp

from rlgpt_jax.rl.config import NetworkConfig


def compute_dtype(config: NetworkConfig) -> Any:
    """Of the wide layers. "auto" is bfloat16 on GPU and TPU, and float32 on CPU, where products
    as XLA makes them of these networks are no faster in bfloat16 (jax 0.10.2)."""
    chosen = config.compute_dtype
    if chosen == "auto":
        chosen = "float32" if jax.default_backend() == "cpu" else "bfloat16"
    return jnp.dtype(chosen)
