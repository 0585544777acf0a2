"""Which state a placed block takes, and what it asks for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks import landmarks, support
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, BLOCK_STATES, BYTE_OF
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from rlgpt_jax.envs.voxel.rules.player import interact, orientation, placing
from tests.envs.voxel import worlds
from tests.envs.voxel.reacting import AIR, GROUND, byte_of, name_at, put

SOUTH, WEST, NORTH, EAST = 0.0, 90.0, 180.0, -90.0
# The cell 2 blocks ahead of a player at (8.5, GROUND, 8.5).
AHEAD = {SOUTH: (8, 10), WEST: (6, 8), NORTH: (8, 6), EAST: (10, 8)}


@jax.jit
def _place(state):
    n = len(state.tick)
    everyone, hand = jnp.ones(n, bool), jnp.zeros(n, jnp.int32)
    target = interact.look(state, ~everyone)
    state, edit = placing.place(state, everyone, hand, target)
    return state, edit, placing.second_half(edit)


def place(state, item: str, yaw: float = SOUTH, pitch: float = 45.0):
    """What lane 0 puts down: {cell: (name, metadata)}; empty if it cannot."""
    n = len(state.tick)
    state = worlds.with_player(
        state.replace(
            inventory=state.inventory.replace(
                item=state.inventory.item.at[:, 0].set(item_id(item)),
                quantity=state.inventory.quantity.at[:, 0].set(2),
            )
        ),
        yaw=jnp.full(n, yaw),
        pitch=jnp.full(n, pitch),
    )
    after, *edits = _place(state)
    put_down = {
        tuple(edit.cell[0].tolist()): BLOCK_STATES[int(edit.byte[0])]
        for edit in edits
        if edit.active[0]
    }
    assert int(after.inventory.quantity[0, 0]) == 2 - bool(put_down)
    return put_down


def wall(state, yaw: float, block="stone"):
    """Blocks of two heights in front of the player, one block ahead of `AHEAD`."""
    x, z = AHEAD[yaw]
    return put(state, ((x, GROUND, z), block), ((x, GROUND + 1, z), block))


def front(yaw: float, y: int = GROUND + 1):
    """The cell between the player and that wall."""
    x, z = AHEAD[yaw]
    return (x + 8) // 2, y, (z + 8) // 2


@pytest.mark.parametrize(
    ("yaw", "torch", "ladder", "vine"),
    [(SOUTH, 4, 2, 1), (WEST, 1, 5, 2), (NORTH, 3, 3, 4), (EAST, 2, 4, 8)],
)
def test_torches_ladders_and_vines_hang_at_the_wall(yaw, torch, ladder, vine):
    state = wall(worlds.player(), yaw)
    for item, meta in (("torch", torch), ("ladder", ladder), ("vine", vine)):
        assert place(state, item, yaw, 10.0) == {front(yaw): (item, meta)}
        byte = BYTE_OF[item, meta]
        # The wall is on the side that the support rules ask for.
        x, z = AHEAD[yaw]
        step = ((x - 8) // 2, (z - 8) // 2)
        sides = ((1, 0), (-1, 0), (0, 1), (0, -1))
        assert sides[support.WALL_OF[byte]] == step


def test_torches_stand_on_floors_and_fences_and_not_on_leaves_or_at_glass():
    assert place(worlds.player(), "torch") == {(8, GROUND, 10): ("torch", 5)}
    for ground, stands in (("fence", True), ("glass", True), ("leaves", False), ("ice", False)):
        state = put(worlds.player(), ((8, GROUND - 1, 10), ground))
        assert bool(place(state, "torch")) == stands
    for block in ("glass", "leaves"):
        high = put(worlds.player(), ((8, GROUND + 1, 10), block))
        # Nothing at the side, nothing below: it has nowhere to hang.
        assert place(high, "torch", SOUTH, 10.0) == {}
    ceiling = put(worlds.player(), ((8, GROUND + 2, 9), "stone"), ((8, GROUND + 2, 8), "stone"))
    assert place(ceiling, "torch", SOUTH, -60.0) == {}


def test_a_torch_that_cannot_hang_where_it_is_put_takes_another_side():
    state = put(worlds.player(), ((8, GROUND + 1, 10), "glass"), ((9, GROUND + 1, 9), "stone"))
    assert place(state, "torch", SOUTH, 10.0) == {front(SOUTH): ("torch", 2)}


@pytest.mark.parametrize(("yaw", "meta"), [(SOUTH, 2), (WEST, 1), (NORTH, 3), (EAST, 0)])
def test_stairs_rise_the_way_the_player_looks(yaw, meta):
    x, z = AHEAD[yaw]
    assert place(worlds.player(), "oak_stairs", yaw) == {(x, GROUND, z): ("oak_stairs", meta)}
    state = wall(worlds.player(), yaw)
    # The eye is at 1.62: level, it meets the upper half of the second block.
    assert place(state, "stone_stairs", yaw, 0.0) == {front(yaw): ("stone_stairs", meta + 4)}
    assert place(state, "stone_stairs", yaw, 15.0) == {front(yaw): ("stone_stairs", meta)}


def test_slabs_take_the_half_of_the_face_and_two_make_a_block():
    state = wall(worlds.player(), SOUTH)
    upper = place(state, "stone_slab:3", SOUTH, 0.0)
    assert upper == {front(SOUTH): ("stone_slab", 11)}
    assert place(state, "stone_slab:3", SOUTH, 15.0) == {front(SOUTH): ("stone_slab", 3)}
    floor = (8, GROUND, 10)
    lying = put(worlds.player(), (floor, ("wooden_slab", 2)))
    assert place(lying, "wooden_slab:2", SOUTH, 20.0) == {floor: ("planks", 2)}
    assert floor not in place(lying, "wooden_slab:1", SOUTH, 20.0)
    assert place(put(lying, (floor, "stone_slab")), "stone_slab", SOUTH, 20.0) == {
        floor: ("double_stone_slab", 0)
    }
    # Before a block and in the cell of a slab: it joins the slab.
    behind = put(lying, (floor, ("stone_slab", 3)), ((8, GROUND, 9), "stone"))
    assert place(behind, "stone_slab:3", SOUTH, 60.0) == {}
    behind = put(behind, ((8, GROUND, 9), ("stone_slab", 11)))
    assert place(behind, "stone_slab:3", SOUTH, 20.0) == {floor: ("cobblestone", 0)}
    assert orientation.MERGED[byte_of(("stone_slab", 11))] == BLOCK_ID["cobblestone"]


def test_layers_of_snow_add_up():
    floor = (8, GROUND, 10)
    state = worlds.player()
    for layers in range(8):
        pitch = 20.0 if layers else 45.0
        assert place(state, "snow_layer", SOUTH, pitch) == {floor: ("snow_layer", layers)}
        state = put(state, (floor, ("snow_layer", layers)))
    assert floor not in place(state, "snow_layer", SOUTH, 20.0)


@pytest.mark.parametrize(
    ("yaw", "door", "bed", "gate"),
    [(SOUTH, 1, 0, 0), (WEST, 2, 1, 1), (NORTH, 3, 2, 2), (EAST, 0, 3, 3)],
)
def test_doors_beds_and_gates_face_as_the_player_looks(yaw, door, bed, gate):
    x, z = AHEAD[yaw]
    cell = (x, GROUND, z)
    state = worlds.player()
    for kind in ("wooden_door", "iron_door"):
        upper = (x, GROUND + 1, z)
        assert place(state, kind, yaw) == {cell: (kind, door), upper: (kind, 8)}
    head = (x + (x - 8) // 2, GROUND, z + (z - 8) // 2)
    assert place(state, "bed", yaw) == {cell: ("bed", bed), head: ("bed", 8 + bed)}
    assert place(state, "fence_gate", yaw) == {cell: ("fence_gate", gate)}
    for full in (cell, head):
        below = full[0], GROUND - 1, full[2]
        assert place(put(state, (below, "leaves")), "bed", yaw) == {}
    assert place(put(state, ((x, GROUND + 1, z), "stone")), "wooden_door", yaw) == {}
    assert place(put(state, (head, "stone")), "bed", yaw) == {}


def test_doors_and_beds_need_the_top_of_a_block():
    state = wall(worlds.player(), SOUTH)
    assert place(state, "wooden_door", SOUTH, 10.0) == {}
    assert place(state, "bed", SOUTH, 10.0) == {}
    assert place(state, "trapdoor", SOUTH, 10.0) == {front(SOUTH): ("trapdoor", 0)}


GROUNDS = [
    ("sapling:2", "dirt", "stone", ("sapling", 2)),
    ("red_flower:3", "grass", "sand", ("red_flower", 3)),
    ("yellow_flower", "grass", "gravel", ("yellow_flower", 0)),
    ("deadbush", "sand", "stone", ("deadbush", 0)),
    ("brown_mushroom", "stone", "leaves", ("brown_mushroom", 0)),
    ("cactus", "sand", "dirt", ("cactus", 0)),
    ("rail", "stone", "leaves", ("rail", 0)),
    ("redstone", "dirt", "glass", ("redstone_wire", 0)),
    ("sign", "dirt", "reeds", ("standing_sign", 0)),
    ("snow_layer", "dirt", "packed_ice", ("snow_layer", 0)),
    ("log:1", "leaves", None, ("log", 1)),
    ("planks:5", "dirt", None, ("planks", 5)),
    ("sand:1", "dirt", None, ("sand", 1)),
    ("wool:15", "dirt", None, ("wool", 15)),
]


@pytest.mark.parametrize(("item", "good", "bad", "result"), GROUNDS)
def test_ground(item, good, bad, result):
    floor = (8, GROUND - 1, 10)
    assert place(put(worlds.player(), (floor, good)), item) == {(8, GROUND, 10): result}
    if bad:
        assert (8, GROUND, 10) not in place(put(worlds.player(), (floor, bad)), item)


def test_reeds_need_water_beside_their_ground_and_cactus_free_sides():
    dry = worlds.player()
    assert place(dry, "reeds") == {}
    wet = put(dry, ((9, GROUND - 1, 10), "water"))
    assert place(wet, "reeds") == {(8, GROUND, 10): ("reeds", 0)}
    sand = put(dry, ((8, GROUND - 1, 10), "sand"))
    assert place(put(sand, ((9, GROUND, 10), "stone")), "cactus") == {}


def test_low_blocks_may_lie_where_a_body_does_not_reach():
    """The player's own cell: a layer of snow has no height, a slab would lift him."""
    state = worlds.player()
    for item, fits in (("snow_layer", True), ("torch", True), ("stone_slab", False)):
        assert bool(place(state, item, SOUTH, 90.0)) == fits


@jax.jit
def _swing(state):
    everyone = jnp.ones(len(state.tick), bool)
    return placing.swing(state, everyone, interact.look(state, ~everyone))


def swing(state, yaw: float = SOUTH, pitch: float = 10.0):
    n = len(state.tick)
    edit = _swing(worlds.with_player(state, yaw=jnp.full(n, yaw), pitch=jnp.full(n, pitch)))
    return tuple(edit.cell[0].tolist()), BLOCK_STATES[int(edit.byte[0])], bool(edit.active[0])


def test_a_hand_opens_wooden_doors_trapdoors_and_gates_only():
    lower, upper = front(SOUTH, GROUND), front(SOUTH, GROUND + 1)
    state = put(worlds.player(), (lower, ("wooden_door", 1)), (upper, ("wooden_door", 8)))
    for pitch in (10.0, 60.0):  # the upper and the lower half
        assert swing(state, SOUTH, pitch) == (lower, ("wooden_door", 5), True)
    opened = put(state, (lower, ("wooden_door", 5)))
    assert swing(opened) == (lower, ("wooden_door", 1), True)
    iron = put(state, (lower, ("iron_door", 1)), (upper, ("iron_door", 8)))
    assert not swing(iron)[2] and not swing(worlds.player(), SOUTH, 45.0)[2]
    gate = put(worlds.player(), (upper, ("fence_gate", 2)))
    assert swing(gate) == (upper, ("fence_gate", 4), True)  # it opens away from the player
    assert swing(put(gate, (upper, ("fence_gate", 1)))) == (upper, ("fence_gate", 5), True)
    assert swing(put(gate, (upper, ("trapdoor", 3)))) == (upper, ("trapdoor", 7), True)


def test_lights_and_stations_are_remembered():
    state = worlds.player()
    cell = jnp.array([[40, 9, -3]] * worlds.LANES)
    cases = (("torch", 14, False), ("furnace", 0, True), ("lava", 15, False))
    for name, level, is_station in cases:
        edit = placing.grid.Edit(
            jnp.array([True, False]), cell, jnp.full(worlds.LANES, BLOCK_ID[name], jnp.uint8)
        )
        after = landmarks.remember(state, edit)
        assert after.lights.level[0].max() == level and not after.lights.level[1].any()
        assert bool(after.stations.name[0].any()) == is_station
        noted = after.stations.block if is_station else after.lights.block
        assert noted[0, 0].tolist() == [8, 9, -3]  # where the player, at x 8, would look


def test_every_item_that_is_a_block_keeps_its_kind():
    kinds = {"planks:3": ("planks", 3), "log2:1": ("log2", 1), "tallgrass:2": ("tallgrass", 2)}
    for item, state in kinds.items():
        assert BLOCK_STATES[placing.BYTE_OF_ITEM[item_id(item)]] == state
    assert placing.BYTE_OF_ITEM[NAME_ID["stick"]] == 0
    assert np.all(placing.BYTE_OF_ITEM < AIR_CODE)
    assert name_at(worlds.player(), (8, GROUND, 8)) == AIR
