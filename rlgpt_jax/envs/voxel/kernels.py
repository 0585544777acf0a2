"""The compiler of this package's host functions: `envs.kernels` with its tables."""

from pathlib import Path

from rlgpt_jax.envs import base, kernels
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, BLOCK_STATES, MAX_CLEARANCE

_TABLES = repr((BLOCK_STATES, AIR_CODE, MAX_CLEARANCE))


def make_kernel(*sources: str):
    """`numba.njit` with a cache for these files, named from this folder, the blocks and
    what every world shares."""
    here = Path(__file__).parent
    name = Path(sources[0]).stem
    files = [*(here / s for s in sources), Path(base.__file__)]
    return kernels.maker(kernels.cache_folder(name, files, _TABLES))
