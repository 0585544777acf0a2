"""Blocks fall and break when what held them goes; the queue; lanes are independent."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks import neighbours as near_by
from rlgpt_jax.envs.voxel.rules.blocks import support, update_queue
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BYTE_OF
from rlgpt_jax.envs.voxel.state import Updates
from tests.envs.voxel import worlds
from tests.envs.voxel.reacting import AIR, GROUND, byte_of, change, is_quiet, name_at, put, wait

X, Z = 16, 16


def column(block, low: int, count: int, x: int = X, z: int = Z):
    return [((x, y, z), block) for y in range(low, low + count)]


def test_a_column_of_gravel_falls_and_stays():
    held = put(worlds.player(), ((X, GROUND, Z), "dirt"), *column("gravel", GROUND + 1, 4))
    state, _ = wait(held, 5)
    assert name_at(state, (X, GROUND + 4, Z))[0] == "gravel"
    state, _ = change(state, (X, GROUND, Z))
    state, fallen = wait(state, 3)
    assert name_at(state, (X, GROUND, Z))[0] == "gravel"  # one cell in 2 ticks
    state, more = wait(state, 20)
    names = [name_at(state, (X, y, Z))[0] for y in range(GROUND, GROUND + 5)]
    assert names == ["gravel"] * 4 + ["air"]
    assert fallen + more == [] and is_quiet(state)


def test_placed_sand_falls_to_the_ground_through_water():
    state = put(worlds.player(), *column("water", GROUND - 3, 3))
    state, _ = change(state, (X, GROUND + 5, Z), ("sand", 1))
    state, _ = wait(state, 40)
    assert name_at(state, (X, GROUND - 3, Z)) == ("sand", 1)
    assert name_at(state, (X, GROUND + 5, Z)) == AIR


@pytest.mark.parametrize("low", ["torch", "wooden_slab", "carpet"])
def test_sand_that_comes_down_on_a_torch_breaks(low):
    state = put(worlds.player(), ((X, GROUND, Z), low), ((X, GROUND + 2, Z), "sand"))
    state = put(state, ((X, GROUND + 1, Z), "dirt"))
    state, _ = change(state, (X, GROUND + 1, Z))
    state, fallen = wait(state, 10)
    assert fallen == [(NAME_ID["sand"], 1)]
    assert name_at(state, (X, GROUND, Z))[0] == low
    assert name_at(state, (X, GROUND + 1, Z)) == AIR


def test_sand_falls_out_of_the_bottom_of_the_world():
    state = put(worlds.player(), *column("air", 1, GROUND - 1), ((X, GROUND, Z), "sand"))
    state, _ = change(state, (X, 0, Z))
    state = put(state, ((X, GROUND, Z), "air"))
    state, _ = change(state, (X, 4, Z), "sand")
    state, fallen = wait(state, 20)
    assert (np.asarray(state.blocks[0, X, Z]) != BYTE_OF["sand", 0]).all() and not fallen


# Block, the cell that holds it (from (X, GROUND, Z)), item.
HELD = [
    (("torch", 5), (0, -1, 0), "torch"),
    (("torch", 1), (-1, 0, 0), "torch"),
    (("torch", 2), (1, 0, 0), "torch"),
    (("torch", 3), (0, 0, -1), "torch"),
    (("torch", 4), (0, 0, 1), "torch"),
    (("ladder", 2), (0, 0, 1), "ladder"),
    (("ladder", 5), (-1, 0, 0), "ladder"),
    (("sapling", 0), (0, -1, 0), "sapling"),
    (("rail", 0), (0, -1, 0), "rail"),
    (("redstone_wire", 0), (0, -1, 0), "redstone"),
    (("standing_sign", 0), (0, -1, 0), "sign"),
    (("cactus", 0), (0, -1, 0), "cactus"),
    (("reeds", 0), (0, -1, 0), "reeds"),
    (("carpet", 0), (0, -1, 0), "carpet"),
    (("snow_layer", 0), (0, -1, 0), None),
    (("vine", 2), (-1, 0, 0), None),
]


@pytest.mark.parametrize(("block", "holder", "item"), HELD)
def test_what_loses_its_hold_breaks_once(block, holder, item):
    at = (X + holder[0], GROUND + holder[1], Z + holder[2])
    ground = {"cactus": "sand", "reeds": "sand"}.get(block[0], "dirt")
    state = put(worlds.player(), (at, ground), ((X, GROUND, Z), block))
    state = put(state, ((X + 1, GROUND - 1, Z), "water")) if block[0] == "reeds" else state
    state, fallen = change(state, (X, GROUND + 2, Z), "stone")
    state, more = wait(state, 4)
    assert name_at(state, (X, GROUND, Z)) == block and fallen + more == []
    state, _ = change(state, at)
    state, fallen = wait(state, 4)
    assert name_at(state, (X, GROUND, Z)) == AIR
    assert fallen == ([(NAME_ID[item], 1)] if item else [])


def test_reeds_and_cactus_fall_with_what_is_below_and_a_block_beside_breaks_a_cactus():
    state = put(worlds.player(), ((X, GROUND - 1, Z), "sand"), *column("cactus", GROUND, 3))
    state, _ = change(state, (X + 1, GROUND, Z), "dirt")
    state, fallen = wait(state, 10)
    assert fallen == [(NAME_ID["cactus"], 1)] * 3
    assert name_at(state, (X, GROUND + 2, Z)) == AIR


@pytest.mark.parametrize("broken", ["lower", "upper", "ground"])
@pytest.mark.parametrize("kind", ["wooden_door", "bed"])
def test_halves_go_together_and_leave_one_item(kind, broken):
    first = (X, GROUND, Z)
    second = (X, GROUND + 1, Z) if kind == "wooden_door" else (X, GROUND, Z + 1)
    whole = put(worlds.player(), (first, (kind, 0)), (second, (kind, 8)))
    if broken == "ground":
        state, _ = change(whole, (X, GROUND - 1, Z))
        item = 1 if kind == "wooden_door" else 0  # a bed needs its ground no more
    else:
        # The player's own drop is not counted here: the lower half leaves it.
        state, _ = change(whole, first if broken == "lower" else second)
        item = 0 if broken == "lower" else 1
    state, fallen = wait(state, 6)
    stays = kind == "bed" and broken == "ground"
    assert (name_at(state, first) == AIR) != stays and (name_at(state, second) == AIR) != stays
    assert fallen == [(NAME_ID[kind], 1)] * item


def test_ice_over_a_block_melts_into_water():
    state = put(worlds.player(), ((X, GROUND - 1, Z), "ice"))
    state, _ = change(state, (X, GROUND - 1, Z))
    assert name_at(state, (X, GROUND - 1, Z)) == ("water", 0)
    high = put(worlds.player(), ((X, GROUND + 4, Z), "ice"))
    high, _ = change(high, (X, GROUND + 4, Z))
    assert name_at(high, (X, GROUND + 4, Z)) == AIR


def test_stations_and_lights_are_forgotten_with_their_blocks():
    torch = (X, GROUND, Z)
    state = put(worlds.player(), (torch, "torch"))
    state = state.replace(
        lights=state.lights.replace(
            block=state.lights.block.at[:, 2].set(jnp.array([X + 32, GROUND, Z - 64])),
            level=state.lights.level.at[:, 2].set(14),
        ),
        stations=state.stations.replace(
            block=state.stations.block.at[:, 1].set(jnp.array([X, GROUND - 1, Z])),
            name=state.stations.name.at[:, 1].set(NAME_ID["furnace"]),
        ),
    )
    state, _ = change(state, (X, GROUND - 1, Z))
    assert not state.stations.name.any() and state.lights.level[0, 2] == 14
    state, fallen = wait(state, 3)
    assert fallen == [(NAME_ID["torch"], 1)] and not state.lights.level.any()


@pytest.mark.slow
def test_the_holds_of_many_blocks_at_once_match_single_ones():
    rng = np.random.default_rng(0)
    near = rng.integers(0, 230, (300, len(near_by.NEAR))).astype(np.uint8)
    byte = rng.choice(np.flatnonzero(support.SUPPORTED), 300).astype(np.uint8)
    together = np.asarray(support.holds(jnp.asarray(byte), jnp.asarray(near)))
    alone = [bool(support.holds(jnp.asarray(b), jnp.asarray(row))) for b, row in zip(byte, near)]
    np.testing.assert_array_equal(together, alone)
    assert 0 < together.sum() < 300


@pytest.mark.slow
def test_a_full_queue_drops_entries_and_goes_on():
    size = 1000
    queue = Updates(jnp.zeros((1, 4), jnp.int32), jnp.zeros((1, 4), jnp.int32))
    cells = jnp.array([[5, 6, 7, 8]], jnp.int32)
    queue = update_queue.add(queue, cells, jnp.array([[9, 3, 4, 0]], jnp.int32), size)
    cells = jnp.array([[5, 6, 7 + size, 9, 10]], jnp.int32)
    queue = update_queue.add(queue, cells, jnp.array([[4, 8, 2, 7, 7]], jnp.int32), size)
    found = dict(zip(queue.cell[0].tolist(), queue.due[0].tolist()))
    assert found == {6: 3, 5: 4, 7 + size: 2, 9: 7}
    queue = update_queue.add(queue, jnp.array([[11, 9]]), jnp.array([[1, 5]]), size)
    assert dict(zip(queue.cell[0].tolist(), queue.due[0].tolist())) == {**found, 9: 5}
    taken = update_queue.peek(queue, jnp.array([4], jnp.int32), 2)
    assert taken.active.tolist() == [[True, True]] and taken.cell.tolist() == [[7 + size, 6]]
    queue = update_queue.remove(queue, taken.entry, taken.active)
    assert sorted(queue.due[0].tolist()) == [0, 0, 4, 5]


@pytest.mark.slow
def test_more_changes_than_the_queue_holds_do_no_harm():
    params = worlds.WorldParams(**{**vars(worlds.PARAMS), "max_updates": 6})
    state, _ = change(worlds.player(params=params), (X, GROUND + 3, Z), "water")
    state, _ = wait(state, 200)
    names = np.unique(np.asarray(state.blocks[0]))
    assert (state.updates.due >= 0).all() and is_quiet(state)
    assert byte_of(("flowing_water", 1)) in names


def test_a_lane_does_not_depend_on_the_others():
    rng = np.random.default_rng(3)
    blocks = np.asarray(put(worlds.player(4)).blocks).copy()
    kinds = [byte_of(b) for b in ("sand", "water", "lava", "torch", "gravel", "cactus", "stone")]
    for lane in range(4):
        for _ in range(60):
            x, z = rng.integers(10, 22, 2)
            blocks[lane, x, z, rng.integers(GROUND, GROUND + 4)] = rng.choice(kinds)
    state = worlds.player(4).replace(blocks=jnp.asarray(blocks))
    only = jax.tree.map(lambda value: value[2:3], state)
    for step in range(40):
        x, z = (int(c) for c in rng.integers(10, 22, 2))
        cell = x, GROUND + step % 3 - 1, z
        state, _ = change(state, cell, lanes=[step % 2 == 0, False, True, True])
        only, _ = change(only, cell)
        state, only = wait(state, 4)[0], wait(only, 4)[0]
    np.testing.assert_array_equal(state.blocks[2], only.blocks[0])
    np.testing.assert_array_equal(state.updates.due[2], only.updates.due[0])
    assert (np.asarray(state.blocks[2]) != blocks[2]).sum() > 60
