"""The renderer's bound: gathers are counted by warp, in sectors of 32 bytes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.bench import bound
from tests.envs.voxel import host_test


def test_a_warp_moves_each_of_its_sectors_once() -> None:
    found = bound.Gathers(pixels=64)
    address = np.concatenate([np.arange(32), 64 * np.arange(32)])  # one sector, then 32
    found.note("blocks", address, 1, np.ones(64, bool))
    assert found.loads == {"blocks": 64} and found.sectors == {"blocks": 33}
    found.note("texels", np.arange(64), 4, np.arange(64) < 48)  # 8 words to a sector
    assert found.loads["texels"] == 48 and found.sectors["texels"] == 4 + 2
    assert found.bytes_per_pixel == 32 * (33 + 6) / 64
    found.note("texels", np.arange(64), 4, np.ones(64, bool))  # two more, six again
    assert found.least_bytes_per_pixel == 32 * (32 + 8) / 64  # address 0 is in both warps


def test_pixels_of_a_warp_are_a_block_and_every_pixel_is_there_once() -> None:
    row, column = bound.warps(8, 16)
    pixels = [(r, c) for r in range(8) for c in range(16)]
    assert sorted(zip(row.tolist(), column.tolist())) == pixels
    assert set(row[:32]) == set(range(4)) and set(column[:32]) == set(range(8))
    with pytest.raises(ValueError, match="multiples of 4 x 8, not 10 x 16"):
        bound.warps(10, 16)


def test_addresses_are_those_of_the_flat_array() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    index = (1, np.array([0, 2]), np.array([3, 1]))
    assert bound.address_of(array, index, (2,)).tolist() == array[index].tolist()


@pytest.mark.slow
def test_the_counted_pictures_read_worlds_and_textures() -> None:
    env = host_test.make_env()
    params = env.default_params
    state, _ = env.reset(params, jax.random.key(0))
    found = bound.count(state, params.pool.light, (8, 16), lanes=1)
    assert found.pixels == 8 * 16
    assert set(found.loads) >= {"blocks", "light", "texels"}
    assert found.loads["blocks"] >= found.pixels  # every ray looks at the eye's cell at least
    for name, loads in found.loads.items():
        assert 0 < found.sectors[name] <= loads
    assert 0 < found.least_bytes_per_pixel < found.bytes_per_pixel


def test_counting_look_ups_change_nothing() -> None:
    array, at = jnp.arange(100), jnp.arange(32)[::-1]
    found = bound.Gathers()
    load = bound.counting(found, {id(array): "blocks"}, (32,))
    assert load(array, 4) == 4 and load(array) is array and not found.loads  # shared by all
    assert load(array, at, where=at < 8).tolist() == at.tolist()
    assert found.loads == {"blocks": 8} and found.sectors == {"blocks": 1}
