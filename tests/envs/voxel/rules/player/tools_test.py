"""Mining speed where something hinders it; `fidelity.mining` reads the whole table."""

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.player import tools


def test_water_and_air_each_slow_mining_five_times():
    args = jnp.array([NAME_ID["iron_axe"]]), jnp.array([BLOCK_ID["log"]], jnp.uint8)
    dry = tools.progress_per_tick(*args, jnp.array([0]))
    both = tools.progress_per_tick(*args, jnp.array([2]))
    np.testing.assert_allclose(both * 25, dry, rtol=1e-6)
