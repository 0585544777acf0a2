"""The compiler of this package's host functions: `envs.kernels` with its tables."""

from pathlib import Path

from rlgpt_jax.envs import kernels
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, BLOCK_STATES, MAX_CLEARANCE

_TABLES = repr((BLOCK_STATES, AIR_CODE, MAX_CLEARANCE))


def make_kernel(*sources: str):
    """`numba.njit` with a cache for these files, named from this folder, and the blocks."""
    here = Path(__file__).parent
    name = Path(sources[0]).stem
    return kernels.maker(kernels.cache_folder(name, [here / s for s in sources], _TABLES))
