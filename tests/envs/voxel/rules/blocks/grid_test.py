"""Regions wrap, edits land, and clearances stay lower bounds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, MAX_CLEARANCE
from tests.envs.voxel import worlds

write, region_of = (jax.jit(f, static_argnums=at) for f, at in ((grid.write, ()), (grid.region, 2)))


def true_distance(blocks: np.ndarray) -> np.ndarray:
    """Chebyshev distance to the nearest block, periodic in x and z, by brute force."""
    solid = np.argwhere(blocks < AIR_CODE)
    size = np.array(blocks.shape)
    best = np.full(blocks.shape, 99)
    cells = np.indices(blocks.shape)
    for cell in solid:
        gap = np.abs(cells - cell[:, None, None, None])
        gap[:2] = np.minimum(gap[:2], size[:2, None, None, None] - gap[:2])
        best = np.minimum(best, gap.max(0))
    return best


@pytest.mark.parametrize("cell", [(8, 9, 8), (0, 11, 31), (-3, 9, 5), (40, 23, 2), (31, 8, 31)])
@pytest.mark.parametrize("size", [20, 10])
def test_a_placed_block_shrinks_the_air_around_it(cell, size):
    """Every byte must stay a lower bound; far from the block none may change."""
    params = worlds.WorldParams(size_x=size, size_z=size + 3, size_y=24)
    before = np.stack([worlds.flat(params)] * 2)
    # Cells that touch the ground have clearance 1, which is all `flat` promises there.
    edit = grid.Edit(
        jnp.array([True, False]), jnp.array([cell, cell]), jnp.full(2, BLOCK_ID["log"], jnp.uint8)
    )
    after = np.asarray(write(jnp.asarray(before), (edit,), jnp.zeros(2, bool)))
    np.testing.assert_array_equal(after[1], before[1])
    x, y, z = cell
    assert after[0, x % size, z % (size + 3), y] == BLOCK_ID["log"]
    distance = true_distance(after[0])
    air = after[0] >= AIR_CODE
    assert (after[0][air] - AIR_CODE <= distance[air]).all()
    expected = np.minimum(distance, MAX_CLEARANCE)[air]
    np.testing.assert_array_equal(after[0][air] - AIR_CODE, expected)


def test_a_broken_block_becomes_air_of_clearance_one():
    blocks = jnp.asarray(np.stack([worlds.flat()] * 2))
    edit = grid.Edit(
        jnp.array([True, True]), jnp.array([[3, 7, 3], [3, 999, 3]]),
        jnp.full(2, AIR_CODE + 1, jnp.uint8),
    )  # fmt: skip
    after = write(blocks, (edit,), jnp.zeros(2, bool))
    changed = np.argwhere(np.asarray(after != blocks))
    assert changed.tolist() == [[0, 3, 3, 7]]  # the second lies above the world


def test_regions_and_cells_wrap():
    state = worlds.with_block(worlds.player(), "log", (-1, 9, 31))
    corner = jnp.tile(jnp.array([-2, 8, 30]), (worlds.LANES, 1, 1))
    region = region_of(state.blocks, corner, (3, 3, 3))
    assert region.byte[0, 0, 1, 1, 1] == BLOCK_ID["log"]
    cells = jnp.array([[[31, 9, -33], [0, 9, 0], [31, -1, 31], [31, 99, 31]]])
    found = grid.at(state.blocks, jnp.array([1]), cells)[0].tolist()
    assert found[0] == BLOCK_ID["log"] and min(found[1:]) >= AIR_CODE


def test_edits_of_some_lanes_land_in_their_order():
    """Lane 3 is no lane; of two edits of one cell the later one stays."""
    blocks = jnp.asarray(np.stack([worlds.flat()] * 3))
    cell, far = jnp.array([[3, 9, -1]] * 2), jnp.array([[3, 9, 31]] * 2)
    edits = tuple(
        grid.Edit(jnp.array(active), at, jnp.full(2, BLOCK_ID[name], jnp.uint8))
        for name, at, active in (("log", cell, [True, True]), ("sand", far, [False, True]),
                                 ("stone", far, [True, True]))
    )  # fmt: skip
    lane = jnp.array([2, 3], jnp.int32)
    after = np.asarray(write(blocks, edits, jnp.zeros(2, bool), lane))
    assert after[2, 3, 31, 9] == BLOCK_ID["stone"]
    np.testing.assert_array_equal(after[:2], np.asarray(blocks[:2]))
    distance = true_distance(after[2])
    air = after[2] >= AIR_CODE
    assert (after[2][air] - AIR_CODE <= distance[air]).all()
