"""The compiler of this package's host functions: `envs.kernels` with its tables."""

from pathlib import Path

from rlgpt_jax.envs import base, kernels
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_STATES, MAX_CLEARANCE

_TABLES = repr((BLOCK_STATES, AIR_CODE, MAX_CLEARANCE))


def make_kernel(*sources: str):
    """`numba.njit` with a cache for these files (patterns, from this folder), the blocks and what
    every world shares."""
    here = Path(__file__).parent
    files = {path for pattern in sources for path in here.glob(pattern)}
    name = Path(sources[0]).stem
    return kernels.maker(kernels.cache_folder(name, {*files, Path(base.__file__)}, _TABLES))
