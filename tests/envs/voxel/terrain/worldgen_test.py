"""Generated worlds: what is where, and how much of it."""

import functools

import numpy as np
import pytest

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_ID,
    BYTE_OF,
    IS_LIQUID,
    IS_SOLID,
    is_one_of,
)
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.blocks.light import flood
from rlgpt_jax.envs.voxel.terrain import trees, veins
from rlgpt_jax.envs.voxel.terrain.biomes import BIOME_INDEX, BIOMES, get_biome
from rlgpt_jax.envs.voxel.terrain.worldgen import World, generate

FULL = WorldParams()
SMALL = WorldParams(size_x=32, size_z=32, size_y=40, sea_level=20)
CHUNKS = 36
SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
LEAVES, LOG = is_one_of("leaves"), is_one_of("log")


@functools.cache
def world(seed: int = 1, biome: str = "plains", params: WorldParams = FULL) -> World:
    return generate(seed, biome, params)


def count(made: World, name: str) -> int:
    return int(is_one_of(name)[made.blocks].sum())


def beside(blocks: np.ndarray, dx: int, dz: int, dy: int) -> np.ndarray:
    """What lies at this step from every cell."""
    return np.roll(blocks, (-dx, -dz, -dy), (0, 1, 2))


def is_air(blocks: np.ndarray) -> np.ndarray:
    return (blocks >= AIR_CODE) | (blocks == 0)


def reached(free: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The free cells that one gets to from `seen`, around the world's edges too."""
    while True:
        more = seen.copy()
        for step in (*SIDES, (0, 0, 1), (0, 0, -1)):
            more |= beside(seen, *step)
        more &= free
        if (more == seen).all():
            return seen
        seen = more


def caves(made: World) -> np.ndarray:
    """bool[X, Z, Y]: air under rock or earth, with room for a body above or below."""
    rock = IS_SOLID & ~is_one_of("log", "leaves", "cactus", "pumpkin", "melon_block")
    roofed = np.flip(np.maximum.accumulate(np.flip(rock[made.blocks], 2), 2), 2)
    air = is_air(made.blocks)
    return air & roofed & (beside(air, 0, 0, 1) | beside(air, 0, 0, -1))


def test_equal_seeds_give_equal_worlds_and_others_do_not():
    one, again, other = (generate(seed, "forest", SMALL) for seed in (5, 5, 6))
    for a, b in zip(one, again):
        np.testing.assert_array_equal(a, b)
    assert (one.blocks != other.blocks).mean() > 0.01


def test_biomes_keep_their_order_and_their_facts():
    assert [b.name for b in BIOMES[:4]] == ["plains", "forest", "forest_hills", "extreme_hills"]
    facts = {b.name: (b.biome_id, b.temperature, b.rainfall) for b in BIOMES}
    assert facts["plains"] == (1, 0.8, 0.4) and facts["desert"] == (2, 2.0, 0.0)
    assert facts["jungle"] == (21, 0.95, 0.9) and facts["forest_hills"][0] == 18
    assert {mob for row in BIOMES for mob, _ in row.animals} <= set(MOBS)
    assert dict(get_biome("forest").animals) == {"sheep": 12, "pig": 10, "chicken": 10, "cow": 8}
    assert get_biome("desert").animals == ()


@pytest.mark.parametrize("biome", BIOME_INDEX)
def test_every_biome_stands_on_bedrock_under_open_sky(biome):
    made = world(2, biome)
    assert (made.blocks[..., 0] == BLOCK_ID["bedrock"]).all()
    assert (made.blocks[..., -1:] >= AIR_CODE).all()
    assert made.blocks.shape == (96, 96, 96) and made.blocks.dtype == np.uint8
    np.testing.assert_array_equal(encode_clearance(made.blocks), made.blocks)
    np.testing.assert_array_equal(flood(made.blocks), made.light)


@pytest.mark.parametrize("biome", BIOME_INDEX)
def test_terrain_has_no_seam(biome):
    """Steps across the border of the world are as small as elsewhere."""
    made = world(3, biome)
    land = made.spawnable & np.roll(made.spawnable, 1, 0)
    step = np.abs(made.surface - np.roll(made.surface, 1, 0))
    assert step[0][land[0]].mean() < step[1:][land[1:]].mean() + 0.5


@pytest.mark.parametrize("biome", BIOME_INDEX)
def test_worlds_come_settled(biome):
    """Nothing would fall, flow or break at the first tick, over three worlds."""
    for seed in (2, 3, 4):
        blocks = world(seed, biome).blocks
        below, air = beside(blocks, 0, 0, -1), is_air(blocks)
        falling = is_one_of("sand", "gravel")[blocks]
        assert IS_SOLID[below][falling].all()
        liquid = IS_LIQUID[blocks]
        assert not (liquid & is_air(below)).any()
        for side in SIDES:
            assert not (liquid & beside(air, *side)).any()
        plant = is_one_of("tallgrass", "red_flower", "yellow_flower")[blocks]
        assert (below[plant] == BLOCK_ID["grass"]).all()
        assert (below[is_one_of("deadbush")[blocks]] == BLOCK_ID["sand"]).all()
        stalk = is_one_of("cactus")[blocks]
        assert is_one_of("cactus", "sand")[below][stalk].all()
        for side in SIDES:
            assert not (stalk & IS_SOLID[beside(blocks, *side)]).any()


@pytest.mark.parametrize("biome", BIOME_INDEX)
def test_caves_can_be_walked_and_entered(biome):
    """At least 20 cells a chunk are reached from outside, and one tunnel is long."""
    made = world(2, biome)
    hollow = caves(made)
    assert hollow.sum() > 50 * CHUNKS
    air = is_air(made.blocks) | ~IS_SOLID[made.blocks] & ~IS_LIQUID[made.blocks]
    sky = np.zeros(air.shape, bool)
    sky[..., -1] = True
    tall = air & (beside(air, 0, 0, 1) | beside(air, 0, 0, -1))
    tall[..., 0] = False
    assert (reached(tall, sky & tall) & hollow).sum() > 20 * CHUNKS
    lowest = np.nonzero(hollow)[2].min()
    assert lowest > 10  # below are bedrock and lava


def test_lava_fills_the_deepest_caves():
    lava = np.concatenate([np.nonzero(world(s, "forest").blocks == BLOCK_ID["lava"])[2]
                           for s in (1, 2, 3, 4)])  # fmt: skip
    deep = lava[lava < 55]
    assert len(deep) > 100 and deep.max() == 10


@pytest.mark.parametrize("biome", BIOME_INDEX)
def test_twenty_worlds_have_ground_to_start_on(biome):
    small = WorldParams(size_x=48, size_z=48, size_y=48, sea_level=24)
    for seed in range(20):
        assert generate(seed, biome, small).spawnable.mean() > 0.02


def test_spawnable_columns_have_room_on_dry_natural_ground():
    for biome in ("forest", "desert", "jungle"):
        made = world(4, biome)
        x, z = np.nonzero(made.spawnable)
        y = made.surface[x, z]
        ground = made.blocks[x, z, y - 1]
        natural = is_one_of("grass", "dirt", "stone", "sand", "sandstone", "gravel", "clay")
        assert natural[ground].all()
        for above in range(3):
            byte = made.blocks[x, z, y + above]
            assert not IS_SOLID[byte].any() and not IS_LIQUID[byte].any()
        for dx in (-1, 0, 1):
            for dz in (-1, 0, 1):
                assert (made.blocks[(x + dx) % 96, (z + dz) % 96, y] != BLOCK_ID["cactus"]).all()
        # Not in a cave: nothing but trees between the ground and the sky.
        above = np.arange(96) >= y[:, None]
        over = IS_SOLID & ~is_one_of("log", "leaves")
        assert not (over[made.blocks[x, z]] & above).any()
    assert world(4, "forest").spawnable.mean() > 0.3


def test_water_fills_up_to_the_sea_level_and_lies_on_ground():
    made = world(1, "plains")
    water = made.blocks == BLOCK_ID["water"]
    top = 95 - water[..., ::-1].argmax(2)[water.any(2)]
    assert (top >= FULL.sea_level).all()  # lakes lie higher, ponds at it
    assert (top == FULL.sea_level).sum() > 0.01 * 96 * 96
    below = np.roll(made.blocks, 1, 2)[water]
    assert ((below == BLOCK_ID["water"]) | IS_SOLID[below]).all()


def test_plains_are_gentle_and_forests_have_trees():
    """0.05 trees a chunk against 10 tries a chunk; a trunk is 4 to 7 logs."""
    plains, forest = world(1, "plains"), world(1, "forest")
    assert np.quantile(plains.surface, 0.02) >= 62 and np.quantile(plains.surface, 0.98) <= 72
    assert count(plains, "log") < 150
    assert 4 * 4 * CHUNKS < count(forest, "log") < 12 * 8 * CHUNKS
    assert count(forest, "leaves") > 5 * count(forest, "log")


def test_extreme_hills_are_steep_but_walkable_and_show_stone():
    for seed in (1, 2, 3):
        made = world(seed, "extreme_hills")
        x, z = np.nonzero(made.spawnable)
        ground = made.blocks[x, z, made.surface[x, z] - 1]
        assert 0.03 < is_one_of("stone", "gravel", "coal_ore", "iron_ore")[ground].mean() < 0.6
        assert np.ptp(made.surface[made.spawnable]) > 20
        both = made.spawnable & np.roll(made.spawnable, 1, 0)
        step = np.abs(made.surface - np.roll(made.surface, 1, 0))[both]
        assert 0.02 < (step > 1).mean() < 0.2  # a step of one can be jumped


def test_deserts_are_sand_over_sandstone_and_carry_cactus():
    made = world(1, "desert")
    x, z = np.nonzero(made.spawnable)
    y = made.surface[x, z]
    assert (made.blocks[x, z, y - 1] == BLOCK_ID["sand"]).mean() > 0.99
    assert (made.blocks[x, z, y - 5] == BLOCK_ID["sandstone"]).mean() > 0.8
    assert count(made, "cactus") > CHUNKS / 2 and count(made, "deadbush") > CHUNKS / 2
    assert count(made, "grass") == count(made, "log") == 0


@pytest.mark.parametrize(
    ("biome", "kinds"), [("forest", {0, 2}), ("taiga", {1}), ("jungle", {0, 3}), ("desert", set())]
)
def test_wood_is_that_of_the_biome(biome, kinds):
    blocks = world(1, biome).blocks
    for name in ("log", "leaves"):
        found = {meta for meta in range(4) if (blocks == BYTE_OF[name, meta]).any()}
        assert found == kinds | ({0} if name == "leaves" and biome == "jungle" else set())


def test_jungle_trees_carry_vines_that_hang_at_something():
    blocks = world(1, "jungle").blocks
    vines = [(2, -1, 0), (8, 1, 0), (4, 0, -1), (1, 0, 1)]
    assert count(world(1, "jungle"), "vine") > 20 * CHUNKS
    for meta, dx, dz in vines:
        vine = blocks == BYTE_OF["vine", meta]
        holder = IS_SOLID[beside(blocks, dx, dz, 0)] | (beside(blocks, 0, 0, 1) == blocks)
        assert vine.any() and holder[vine].all()


@pytest.mark.parametrize("kind", trees.KINDS)
def test_a_lone_tree_has_its_shape(kind):
    """One tree on a meadow: height and kind of its wood, leaves around its top."""
    logs = {"birch": 2, "spruce": 1, "pine": 1, "jungle": 3, "jungle_bush": 3}.get(kind, 0)
    leaves = 0 if kind == "jungle_bush" else logs
    tall = {"oak": (4, 6), "birch": (5, 7), "spruce": (4, 9), "pine": (6, 10),
            "jungle": (4, 12), "jungle_bush": (1, 1), "big_oak": (3, 12)}[kind]  # fmt: skip
    heights = set()
    for seed in range(30):
        blocks = np.zeros((24, 24, 32), np.uint8)
        blocks[..., :4] = BLOCK_ID["grass"]
        rng = np.random.default_rng(seed)
        trees.grow_trees(rng, blocks, np.full((24, 24), 3), 1, ((kind, 1.0),))
        assert set(np.unique(blocks)) <= {
            0, BLOCK_ID["grass"], BLOCK_ID["dirt"], BYTE_OF["log", logs], BYTE_OF["leaves", leaves],
            *(BYTE_OF["vine", meta] for meta in (1, 2, 4, 8) if kind == "jungle"),
        }  # fmt: skip
        (column,) = np.argwhere(blocks[..., 3] == BLOCK_ID["dirt"])
        trunk = LOG[blocks[tuple(column)]]
        heights.add(int(trunk.sum()))
        assert trunk[4 : 4 + trunk.sum()].all()  # no gaps
        assert LEAVES[blocks[tuple(column)][4 + trunk.sum()]]
    assert tall[0] <= min(heights) and max(heights) <= tall[1]
    assert len(heights) > 1 or tall[0] == tall[1]


def test_trees_need_earth_and_room():
    for ground, roof in (("stone", 0), ("sand", 0), ("grass", "stone")):
        blocks = np.zeros((16, 16, 24), np.uint8)
        blocks[..., :4] = BLOCK_ID[ground]
        blocks[..., 7] = BLOCK_ID.get(roof, 0)
        rng = np.random.default_rng(0)
        trees.grow_trees(rng, blocks, np.full((16, 16), 3), 50, (("oak", 1.0), ("spruce", 1.0)))
        assert not LOG[blocks].any()


def test_plants_of_the_biomes():
    taiga, jungle = world(1, "taiga"), world(1, "jungle")
    fern = (taiga.blocks == BYTE_OF["tallgrass", 2]).sum()
    grass = (taiga.blocks == BYTE_OF["tallgrass", 1]).sum()
    assert fern > 2 * grass > 0
    assert count(taiga, "brown_mushroom") + count(taiga, "red_mushroom") > 3
    assert count(world(1, "plains"), "red_flower") > 10
    assert sum(count(world(seed, "desert"), "reeds") for seed in (1, 2, 3)) > 5
    assert count(jungle, "tallgrass") > 5 * CHUNKS


def test_emeralds_lie_in_extreme_hills_alone():
    """3 to 8 tries a chunk at y 4 to 31, less what other veins and caves took."""
    x, z, y = np.nonzero(world(1, "extreme_hills").blocks == BLOCK_ID["emerald_ore"])
    assert 4.0 < len(y) / CHUNKS <= 6.0 and y.min() >= 4 and y.max() <= 31
    assert count(world(1, "forest"), "emerald_ore") == 0


def test_diamonds_lie_deep():
    x, z, y = np.nonzero(world(1).blocks == BLOCK_ID["diamond_ore"])
    assert len(y) > 20 and y.max() <= 18


def test_low_worlds_hold_every_ore():
    blocks = np.full((64, 64, 24), BLOCK_ID["stone"], np.uint8)
    veins.lay_veins(np.random.default_rng(0), blocks, sea_level=20)
    assert {row[0] for row in veins.VEINS} <= set(np.unique(blocks))


def test_small_worlds_work_and_too_low_ones_are_refused():
    assert count(generate(0, "forest", SMALL), "log") > 0
    with pytest.raises(ValueError, match="size_y=20 with sea_level=62"):
        generate(0, "plains", WorldParams(size_y=20))
    with pytest.raises(ValueError, match="no biome 'ocean'"):
        generate(0, "ocean", SMALL)


@pytest.mark.parametrize("biome", [row.name for row in BIOMES if row.trees > 0])
def test_a_world_with_trees_has_wood_somewhere(biome):
    """Plains have 0.05 trees a chunk: by chance alone many of their worlds had none."""
    for seed in range(12):
        blocks = generate(seed, biome, SMALL).blocks
        assert is_one_of("log", "log2")[blocks].any(), seed
