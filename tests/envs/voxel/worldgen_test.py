"""Generated worlds: what is where, and how much of it."""

import functools

import numpy as np
import pytest

from rlgpt_jax.envs.names import load
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, BLOCK_ID, IS_LIQUID, IS_SOLID
from rlgpt_jax.envs.voxel.clearance import encode_clearance
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.worldgen import BIOME_INDEX, World, generate

FULL = WorldParams()
SMALL = WorldParams(size_x=32, size_z=32, size_y=40, sea_level=20)


@functools.cache
def world(seed: int = 1, biome: str = "plains", params: WorldParams = FULL) -> World:
    return generate(seed, biome, params)


def count(made: World, name: str) -> int:
    return int((made.blocks == BLOCK_ID[name]).sum())


def test_equal_seeds_give_equal_worlds_and_others_do_not():
    one, again, other = (generate(seed, "forest", SMALL) for seed in (5, 5, 6))
    for a, b in zip(one, again):
        np.testing.assert_array_equal(a, b)
    assert (one.blocks != other.blocks).mean() > 0.01


@pytest.mark.parametrize("biome", BIOME_INDEX)
def test_every_biome_stands_on_bedrock_under_open_sky(biome):
    blocks = world(2, biome).blocks
    assert (blocks[..., 0] == BLOCK_ID["bedrock"]).all()
    assert (blocks[..., -2:] >= AIR_CODE).all()
    assert blocks.shape == (96, 96, 96) and blocks.dtype == np.uint8
    np.testing.assert_array_equal(encode_clearance(blocks), blocks)


@pytest.mark.parametrize("biome", BIOME_INDEX)
def test_terrain_has_no_seam(biome):
    """Steps across the border of the world are as small as elsewhere."""
    made = world(3, biome)
    land = made.spawnable & np.roll(made.spawnable, 1, 0)
    step = np.abs(made.surface - np.roll(made.surface, 1, 0))
    assert step[0][land[0]].mean() < step[1:][land[1:]].mean() + 0.5


def test_spawnable_columns_have_room_on_dry_ground():
    made = world(4, "forest")
    x, z = np.nonzero(made.spawnable)
    y = made.surface[x, z]
    assert made.spawnable.mean() > 0.3
    assert IS_SOLID[made.blocks[x, z, y - 1]].all()
    for above in range(3):
        byte = made.blocks[x, z, y + above]
        assert not IS_SOLID[byte].any() and not IS_LIQUID[byte].any()


def test_water_fills_up_to_the_sea_level_and_lies_on_ground():
    made = world(1, "plains")
    water = made.blocks == BLOCK_ID["water"]
    assert water.any(2).mean() > 0.01
    assert water.any((0, 1)).nonzero()[0].max() == FULL.sea_level
    below = np.roll(made.blocks, 1, 2)[water]
    assert ((below == BLOCK_ID["water"]) | IS_SOLID[below]).all()


def test_plains_are_gentle_and_forests_have_trees():
    """0.05 trees a chunk against 10 tries a chunk; a trunk is 4 to 7 logs."""
    plains, forest = world(1, "plains"), world(1, "forest")
    assert np.quantile(plains.surface, 0.02) >= 62 and np.quantile(plains.surface, 0.98) <= 72
    assert count(plains, "log") < 60
    chunks = 36
    assert 4 * 4 * chunks < count(forest, "log") < 12 * 6 * chunks
    assert count(forest, "leaves") > 5 * count(forest, "log")


def test_trees_stand_on_earth_with_their_crown_on_top():
    made = world(1, "forest")
    x, z, y = np.nonzero(made.blocks == BLOCK_ID["log"])
    below = made.blocks[x, z, y - 1]
    assert np.isin(below, (BLOCK_ID["log"], BLOCK_ID["dirt"])).all()
    above = made.blocks[x, z, y + 1]
    assert np.isin(above, (BLOCK_ID["log"], BLOCK_ID["leaves"])).all()


def test_ore_amounts_are_those_of_the_game():
    """Mean blocks a chunk within 12 % of the Monte Carlo table (rare ones: 40 %)."""
    expected = load("ores")["mean_blocks_per_chunk"]
    made = [world(seed, "forest") for seed in range(1, 5)]
    for ore, tolerance in (
        ("coal", 0.12), ("iron", 0.12), ("redstone", 0.15), ("gold", 0.4), ("diamond", 0.4),
        ("lapis", 0.4),
    ):  # fmt: skip
        got = np.mean([count(one, f"{ore}_ore") for one in made]) / 36.0
        assert got == pytest.approx(expected[ore], rel=tolerance), ore


def test_diamonds_lie_deep():
    x, z, y = np.nonzero(world(1).blocks == BLOCK_ID["diamond_ore"])
    assert len(y) > 20 and y.max() <= 18


def test_small_worlds_work_and_too_low_ones_are_refused():
    assert count(generate(0, "forest", SMALL), "log") > 0
    with pytest.raises(ValueError, match="size_y=20 with sea_level=62"):
        generate(0, "plains", WorldParams(size_y=20))
    with pytest.raises(ValueError, match="no biome 'ocean'"):
        generate(0, "ocean", SMALL)
