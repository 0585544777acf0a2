"""Memory on large pages keeps its bytes and its address."""

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.large_pages import collapse


def test_bytes_and_address_stay():
    numbers = np.random.default_rng(0).integers(0, 256, 9 << 20).astype(np.uint8)
    array = jnp.array(numbers, copy=True)
    address = array.unsafe_buffer_pointer()
    collapse(array)
    assert array.unsafe_buffer_pointer() == address
    np.testing.assert_array_equal(np.asarray(array), numbers)


def test_less_than_a_large_page_is_left_alone():
    assert not collapse(jnp.zeros(1000, jnp.uint8))
