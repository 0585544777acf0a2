"""Clearance bytes against a brute-force search."""

import itertools

import numpy as np
import pytest

from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCKS, MAX_CLEARANCE
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance


def _brute_force(solid: np.ndarray) -> np.ndarray:
    """Chebyshev distance to the nearest solid cell, periodic in x and z, capped."""
    size_y = solid.shape[2]
    distance = np.full(solid.shape, MAX_CLEARANCE)
    steps = range(-MAX_CLEARANCE + 1, MAX_CLEARANCE)
    for dx, dz, dy in itertools.product(steps, repeat=3):
        moved = np.roll(solid, (dx, dz), (0, 1))
        shifted = np.zeros_like(solid)
        low, high = max(0, dy), min(size_y, size_y + dy)
        shifted[..., low:high] = moved[..., low - dy : high - dy]
        far = max(abs(dx), abs(dz), abs(dy))
        distance = np.where(shifted, np.minimum(distance, far), distance)
    return distance


@pytest.mark.parametrize("density", [0.0, 0.001, 0.02])
def test_clearance_is_the_distance_to_the_nearest_block(density):
    rng = np.random.default_rng(3)
    shape = (20, 18, 15)
    blocks = (rng.random(shape) < density) * rng.integers(1, len(BLOCKS), shape)
    got = encode_clearance(blocks.astype(np.uint8))
    solid = blocks > 0
    np.testing.assert_array_equal(got[solid], blocks[solid])
    np.testing.assert_array_equal(got[~solid] - AIR_CODE, _brute_force(solid)[~solid])


def test_encoding_twice_changes_nothing():
    blocks = np.zeros((16, 16, 12), np.uint8)
    blocks[:, :, :3] = 1
    once = encode_clearance(blocks)
    np.testing.assert_array_equal(encode_clearance(once), once)


def test_a_batch_of_worlds_is_refused_with_the_shape():
    with pytest.raises(ValueError, match=r"got uint8\[2, 4, 4, 4\]"):
        encode_clearance(np.zeros((2, 4, 4, 4), np.uint8))
