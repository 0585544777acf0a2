"""Clearance bytes: how far the air around each air cell reaches (see `blocks.py`)."""

import numpy as np

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, MAX_CLEARANCE

kernel = make_kernel("rules/blocks/clearance.py")


def encode_clearance(blocks: np.ndarray) -> np.ndarray:
    """Returns a copy of a world whose air holds its exact clearance.

    The Chebyshev distance is separable: along y by two sweeps, then along z and x by
    a minimum over a window. What lies above and below the world counts as air.

    Args:
      blocks: uint8[X, Z, Y], periodic in x and z; 0 and codes from `AIR_CODE` are air.

    Returns:
      uint8[X, Z, Y], air as `AIR_CODE` + distance to the nearest block that is not
      air, at most `MAX_CLEARANCE`.
    """
    if blocks.ndim != 3 or blocks.dtype != np.uint8:
        raise ValueError(
            f"a world must be uint8[X, Z, Y], got {blocks.dtype}{list(blocks.shape)}; "
            "encode worlds one at a time."
        )
    solid = (blocks > 0) & (blocks < AIR_CODE)
    distance = _along_x(_along_z(_along_y(solid)))
    return np.where(solid, blocks, AIR_CODE + distance).astype(np.uint8)


@kernel
def _along_y(solid):
    """uint8[X, Z, Y]: distance to the nearest block of the same column, capped."""
    out = np.empty(solid.shape, np.uint8)
    for x in range(solid.shape[0]):
        for z in range(solid.shape[1]):
            near = MAX_CLEARANCE
            for y in range(solid.shape[2]):
                near = 0 if solid[x, z, y] else min(near + 1, MAX_CLEARANCE)
                out[x, z, y] = near
            for y in range(solid.shape[2] - 1, -1, -1):
                near = 0 if solid[x, z, y] else min(near + 1, MAX_CLEARANCE)
                out[x, z, y] = min(near, out[x, z, y])
    return out


@kernel
def _include(out, other, step):
    """In place over one column: out = min(out, max(step, other))."""
    for y in range(out.shape[0]):
        out[y] = min(out[y], max(np.uint8(step), other[y]))


@kernel
def _along_z(near):
    out = near.copy()
    for x in range(near.shape[0]):
        for z in range(near.shape[1]):
            for step in range(1, MAX_CLEARANCE):
                _include(out[x, z], near[x, (z - step) % near.shape[1]], step)
                _include(out[x, z], near[x, (z + step) % near.shape[1]], step)
    return out


@kernel
def _along_x(near):
    out = near.copy()
    for x in range(near.shape[0]):
        for z in range(near.shape[1]):
            for step in range(1, MAX_CLEARANCE):
                _include(out[x, z], near[(x - step) % near.shape[0], z], step)
                _include(out[x, z], near[(x + step) % near.shape[0], z], step)
    return out
