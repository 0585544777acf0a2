"""Whether the device's world is the CPU's: the same seed and actions on both, tick by tick.

Whole numbers must be equal. Decimals may differ in the last bits, since compilers contract and
order sums as they like, and what follows from one of them (a foot on the edge of a block) parts
a lane for good: so lanes are counted, and a fault shows as lanes that part at once.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from experiments.bench.table import Row
from experiments.bench.world import random_actions
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.state import WorldState

TICKS = (1, 16, 64, 200)  # after how many the worlds are compared
CLOSE = 1e-3  # of a decimal that counts as the same, in its own unit


def states(env: VoxelEnv, device: jax.Device) -> list[WorldState]:
    """The worlds after each of `TICKS`, as NumPy arrays."""
    found = []
    with jax.default_device(device):
        params = jax.device_put(env.default_params, device)
        step = jax.jit(lambda p, s, a: env.step(p, s, a)[0], donate_argnums=1)
        state = jax.tree.map(jnp.copy, jax.jit(env.reset)(params, jax.random.key(0))[0])
        actions = random_actions(env.num_envs)
        for tick in range(1, max(TICKS) + 1):
            state = step(params, state, jnp.asarray(actions[tick % len(actions)]))
            if tick in TICKS:
                found.append(jax.device_get(jax.tree.map(_plain, state)))
    return found


def _plain(x: jax.Array) -> jax.Array:
    """The numbers of a key."""
    return jax.random.key_data(x) if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) else x


def same_lanes(a: WorldState, b: WorldState, close: float) -> np.ndarray:
    """Lanes bool[N] in which nothing differs, decimals by no more than `close`."""

    def same(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        is_decimal = np.issubdtype(x.dtype, np.floating)
        equal = np.isclose(x, y, rtol=0, atol=close, equal_nan=True) if is_decimal else x == y
        return equal.reshape(len(x), -1).all(axis=1)

    return np.all([same(*pair) for pair in zip(jax.tree.leaves(a), jax.tree.leaves(b))], axis=0)


def measure(env: VoxelEnv) -> Iterator[Row]:
    """One row per number of ticks: the share of lanes that are the same on both."""
    here, there = (states(env, jax.devices(name)[0]) for name in (jax.default_backend(), "cpu"))
    for ticks, a, b in zip(TICKS, here, there):
        numbers = {
            "lanes": env.num_envs,
            "share with equal bits": float(np.mean(same_lanes(a, b, 0))),
            "share within 0.001": float(np.mean(same_lanes(a, b, CLOSE))),
        }
        yield Row("agree", f"after {ticks} ticks", numbers)
