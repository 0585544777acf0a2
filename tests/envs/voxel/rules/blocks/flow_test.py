"""Liquids spread, dry up, make sources and meet."""

import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks import flow
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_STATES, BYTE_OF
from tests.envs.voxel import worlds
from tests.envs.voxel.reacting import AIR, GROUND, change, is_quiet, levels, name_at, put, wait

POOL = (16, GROUND, 16)


def diamond(reach: int, step: int = 1) -> dict[tuple[int, int], int]:
    """Levels around a source on flat ground."""
    cells = {}
    for x in range(-reach, reach + 1):
        for z in range(-reach, reach + 1):
            if abs(x) + abs(z) <= reach:
                cells[16 + x, 16 + z] = (abs(x) + abs(z)) * step
    return cells


def test_poured_water_spreads_to_seven_blocks_and_drains_when_scooped():
    state, _ = change(worlds.player(), POOL, "water")
    state, _ = wait(state, 4)
    assert levels(state, GROUND) == diamond(0)  # water moves every 5 ticks
    state, _ = wait(state, 3)
    assert levels(state, GROUND) == diamond(1)
    state, _ = wait(state, 150)
    assert levels(state, GROUND) == diamond(7)
    assert is_quiet(state)
    state, _ = change(state, POOL)
    state, _ = wait(state, 250)
    assert levels(state, GROUND) == {}
    assert is_quiet(state)


def test_lava_reaches_three_blocks_and_is_six_times_slower():
    state, _ = change(worlds.player(), POOL, "lava")
    state, _ = wait(state, 29)
    assert levels(state, GROUND, "lava") == diamond(0)
    state, _ = wait(state, 100)
    assert levels(state, GROUND, "lava") == diamond(3, step=2)
    assert is_quiet(state)


def test_two_sources_make_a_third_and_lava_does_not():
    hole = [((x, GROUND - 1, z), "air") for x in (16, 17) for z in (16, 17)]
    for kind, full in (("water", True), ("lava", False)):
        state = put(worlds.player(), *hole)
        state, _ = change(state, (16, GROUND - 1, 16), kind)
        state, _ = change(state, (17, GROUND - 1, 17), kind)
        state, _ = wait(state, 100)
        found = levels(state, GROUND - 1, kind)
        assert len(found) == 4
        assert (set(found.values()) == {0}) == full
        state, _ = change(state, (16, GROUND - 1, 16))
        state, _ = wait(state, 100)
        # The pool fills up again; lava only flows back.
        assert (levels(state, GROUND - 1, kind)[16, 16] == 0) == full


def test_water_falls_down_a_hole_and_is_gone_with_its_source():
    shaft = [((16, y, 16), "air") for y in range(3, GROUND)]
    walls = [((16 + x, GROUND, 16 + z), "stone") for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    state, _ = change(put(worlds.player(), *shaft, *walls), (16, GROUND, 16), "water")
    for y in range(GROUND - 1, 2, -1):
        assert name_at(state, (16, y, 16)) == AIR
        state, _ = wait(state, 5)
        assert name_at(state, (16, y, 16)) == ("flowing_water", 8)
    assert is_quiet(state)
    state, _ = change(state, (16, GROUND, 16))
    state, _ = wait(state, 60)
    assert all(name_at(state, (16, y, 16)) == AIR for y in range(3, GROUND + 1))


def test_what_flows_over_an_edge_falls_and_does_not_spread():
    """A ledge of two blocks, 3 above the ground."""
    ledge = [((16, GROUND + 2, 16), "stone"), ((17, GROUND + 2, 16), "stone")]
    state = put(worlds.player(), *ledge)
    state, _ = change(state, (16, GROUND + 3, 16), "water")
    state, _ = wait(state, 300)
    found = levels(state, GROUND + 3)
    # Around the two blocks every way leads down.
    assert found == {
        (16, 16): 0, (15, 16): 1, (17, 16): 1, (16, 15): 1, (16, 17): 1,
        (18, 16): 2, (17, 15): 2, (17, 17): 2,
    }  # fmt: skip
    assert levels(state, GROUND + 2)[15, 16] == 8 and levels(state, GROUND)[15, 16] == 8


def test_a_broken_wall_lets_water_out_and_a_new_one_stops_it():
    """A channel one block wide in the ground."""
    channel = [((x, GROUND - 1, 16), "air") for x in range(12, 18)]
    state = put(worlds.player(), *channel, ((11, GROUND - 1, 16), "water"))
    state = put(state, ((12, GROUND - 1, 16), "dirt"))
    state, _ = wait(state, 20)
    assert levels(state, GROUND - 1) == {(11, 16): 0}
    state, _ = change(state, (12, GROUND - 1, 16))
    state, _ = wait(state, 40)
    assert levels(state, GROUND - 1) == {(x, 16): x - 11 for x in range(11, 18)}
    state, _ = change(state, (14, GROUND - 1, 16), "stone")
    state, _ = wait(state, 80)
    assert levels(state, GROUND - 1) == {(11, 16): 0, (12, 16): 1, (13, 16): 2}


def test_water_washes_plants_away_and_lava_burns_them():
    flower = (17, GROUND, 16)
    for kind, dropped in (("water", [(NAME_ID["yellow_flower"], 1)]), ("lava", [])):
        state, _ = change(put(worlds.player(), (flower, "yellow_flower")), POOL, kind)
        state, fallen = wait(state, 45)
        assert fallen == dropped
        assert name_at(state, flower)[0] == f"flowing_{kind}"


def test_a_door_and_a_sign_keep_water_out():
    for block in ("standing_sign", "reeds", "oak_stairs"):
        assert flow.BLOCKS_FLOW[[i for i, (n, _) in enumerate(BLOCK_STATES) if n == block]].all()
    assert flow.IS_OPEN[worlds.AIR] and flow.IS_OPEN[BYTE_OF["snow_layer", 0]]
    assert not flow.IS_WASHED[worlds.AIR]


def test_lava_beside_or_below_water_turns_to_stone():
    side, above = (17, GROUND, 16), (16, GROUND + 1, 16)
    for lava, meta, water, result in (
        (POOL, 0, side, "obsidian"),
        (POOL, 0, above, "obsidian"),
        (POOL, 2, side, "cobblestone"),
        (POOL, 4, side, "cobblestone"),
    ):
        block = ("lava", 0) if meta == 0 else ("flowing_lava", meta)
        state, _ = change(put(worlds.player(), (lava, block)), water, "water")
        state, _ = wait(state, 3)
        assert name_at(state, lava) == (result, 0)


def test_lava_that_falls_on_water_makes_stone():
    state = put(worlds.player(), ((16, GROUND - 1, 16), "water"))
    state, _ = change(state, POOL, "lava")
    state, _ = wait(state, 40)
    assert name_at(state, (16, GROUND - 1, 16)) == ("stone", 0)


def test_flowing_lava_meets_flowing_water():
    state, _ = change(worlds.player(), (12, GROUND, 16), "lava")
    state, _ = change(state, (16, GROUND, 16), "water")
    state, _ = wait(state, 200)
    blocks = np.asarray(state.blocks[0, :, :, GROUND])
    assert (blocks == BYTE_OF["obsidian", 0]).sum() == 1  # the lava's source
    assert levels(state, GROUND, "lava") == {}
    assert is_quiet(state)
