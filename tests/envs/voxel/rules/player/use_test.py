"""Buckets, shears and placing through whole ticks."""

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from rlgpt_jax.envs.voxel.rules.player import placing
from tests.envs.voxel import worlds

FLOOR = (8, 7, 10)  # the block under the crosshair at 45 degrees down


def looking_down(state, degrees=45.0):
    return worlds.with_player(state, pitch=jnp.full(worlds.LANES, degrees))


def beside(kind):
    return looking_down(worlds.with_mob(worlds.player(), kind, (8.5, worlds.GROUND, 10.5)), 30.0)


def use(state, ticks=1):
    return worlds.run(state, ticks, FUNCTION=base.FN_USE)


def test_a_bucket_on_a_cow_becomes_milk():
    state = use(worlds.holding(beside("cow"), ("bucket", 1)))
    assert state.inventory.item[0, 0] == NAME_ID["milk_bucket"]
    assert worlds.count(state, "bucket")[0] == 0


def test_milk_of_a_stack_goes_to_another_slot():
    state = use(worlds.holding(beside("cow"), ("bucket", 3)))
    assert worlds.count(state, "bucket")[0] == 2
    assert state.inventory.item[0, 1] == NAME_ID["milk_bucket"]


def test_a_bucket_gives_nothing_from_a_sheep_or_out_of_reach():
    state = use(worlds.holding(beside("sheep"), ("bucket", 1)))
    assert worlds.count(state, "milk_bucket")[0] == 0
    far = worlds.with_mob(worlds.player(), "cow", (8.5, worlds.GROUND, 13.0))
    state = use(worlds.holding(looking_down(far, 15.0), ("bucket", 1)))
    assert worlds.count(state, "milk_bucket")[0] == 0


def test_shears_give_one_to_three_wool_once():
    state = use(worlds.holding(beside("sheep"), ("shears", 1)))
    assert state.mobs.sheared[:, 0].all() and state.inventory.damage[0, 0] == 1
    pieces = np.asarray(
        jnp.where(state.items.id == NAME_ID["wool"], state.items.quantity, 0).sum(1)
    )
    assert ((pieces >= 1) & (pieces <= 3)).all()
    again = use(state)
    assert int(again.items.quantity.sum()) == pieces.sum()
    walked = worlds.run(again, 30, MOVE=1)
    np.testing.assert_array_equal(worlds.count(walked, "wool"), pieces)


def test_water_is_scooped_and_poured_back():
    state = worlds.with_block(worlds.player(), "water", FLOOR)
    full = use(worlds.holding(looking_down(state), ("bucket", 1)))
    assert full.inventory.item[0, 0] == NAME_ID["water_bucket"]
    assert worlds.block(full, FLOOR) >= AIR_CODE
    # With a full bucket the crosshair meets the side or the bottom of the hole.
    poured = use(worlds.run(full))  # the key goes up and down again
    assert poured.inventory.item[0, 0] == NAME_ID["bucket"]
    assert int((poured.blocks[0] == BLOCK_ID["water"]).sum()) == 1


def test_hands_reach_through_water():
    state = worlds.with_block(worlds.player(), "water", (8, 9, 9), (8, 9, 10))
    state = worlds.with_block(state, "dirt", (8, 9, 11))
    state = worlds.run(state, 16, FUNCTION=base.FN_ATTACK)
    assert worlds.block(state, (8, 9, 11)) >= AIR_CODE
    assert worlds.block(state, (8, 9, 9)) == BLOCK_ID["water"]


def test_use_places_the_block_in_hand_on_the_face():
    state = use(worlds.holding(looking_down(worlds.player()), ("dirt", 2)))
    assert worlds.block(state, (8, 8, 10)) == BLOCK_ID["dirt"]
    assert worlds.count(state, "dirt")[0] == 1


def test_a_held_key_acts_every_fourth_tick_and_a_new_press_at_once():
    cow = worlds.with_mob(worlds.player(), "cow", (8.5, worlds.GROUND, 10.5))
    state, left = looking_down(worlds.holding(cow, ("bucket", 9)), 30.0), []
    for _ in range(9):
        state = use(state)
        left.append(int(worlds.count(state, "milk_bucket")[0]))
        # Cows wander; this one stays where it is.
        state = state.replace(mobs=state.mobs.replace(position=state.mobs.position.at[:, 0].set(
            cow.mobs.position[0, 0])))  # fmt: skip
    assert left == [1, 1, 1, 1, 2, 2, 2, 2, 3]
    assert worlds.count(use(state), "milk_bucket")[0] == 3
    assert worlds.count(use(worlds.run(state)), "milk_bucket")[0] == 4


def test_using_armour_puts_it_on_where_nothing_is_worn():
    state = worlds.holding(worlds.player(), ("iron_helmet", 1), ("dirt", 1))
    state = state.replace(
        inventory=state.inventory.replace(damage=state.inventory.damage.at[:, 0].set(3))
    )
    on = use(state)
    assert on.armor.item[0, 3] == NAME_ID["iron_helmet"] and on.armor.damage[0, 3] == 3
    assert on.inventory.item[0, 0] == 0 and on.inventory.item[0, 1] == NAME_ID["dirt"]
    second = use(worlds.run(worlds.holding(on, ("golden_helmet", 1))))
    assert second.armor.item[0, 3] == NAME_ID["iron_helmet"]
    assert second.inventory.item[0, 0] == NAME_ID["golden_helmet"]
    shield = use(worlds.holding(worlds.player(), ("shield", 1)))
    assert shield.inventory.item[0, 0] == NAME_ID["shield"]


def test_shorn_wool_has_the_colour_of_the_sheep():
    state = worlds.holding(beside("sheep"), ("shears", 1))
    state = use(state.replace(mobs=state.mobs.replace(variant=state.mobs.variant.at[:, 0].set(15))))
    assert (state.items.id == item_id("wool:15")).any(1).all()


def test_place_takes_the_first_slot_of_that_name_and_makes_a_station():
    state = looking_down(
        worlds.holding(worlds.player(), ("log", 1), ("crafting_table", 1), ("crafting_table", 2))
    )
    state = worlds.run(state, FUNCTION=base.FN_PLACE, SLOT_ARG=2)
    assert worlds.block(state, (8, 8, 10)) == BLOCK_ID["crafting_table"]
    assert state.inventory.quantity[0, :3].tolist() == [1, 0, 2]
    assert state.stations.name[0, 0] == NAME_ID["crafting_table"]
    assert state.stations.block[0, 0].tolist() == [8, 8, 10]
    assert state.player.busy[0] == 2


def test_breaking_a_station_forgets_it():
    state = looking_down(worlds.holding(worlds.player(), ("crafting_table", 1)))
    state = worlds.run(state, 3, FUNCTION=base.FN_PLACE)
    state = worlds.run(state, 80, FUNCTION=base.FN_ATTACK)
    assert worlds.block(state, (8, 8, 10)) >= AIR_CODE
    assert not state.stations.name.any()


def test_no_block_is_placed_into_the_player_or_a_mob():
    down = worlds.holding(looking_down(worlds.player(), 90.0), ("dirt", 1))
    assert worlds.count(use(down), "dirt")[0] == 1
    # At 55 degrees the crosshair meets the floor at z 9.63, just before the cow's 9.75.
    ahead = looking_down(down, 55.0)
    cow = worlds.with_mob(ahead, "cow", (8.5, worlds.GROUND, 10.2))
    assert worlds.count(use(cow), "dirt")[0] == 1
    assert worlds.count(use(ahead), "dirt")[0] == 0


def test_placing_replaces_tall_grass():
    state = worlds.with_block(worlds.player(), "tallgrass", (8, 8, 9))
    state = worlds.holding(looking_down(state, 60.0), ("dirt", 1))
    assert worlds.block(use(state), (8, 8, 9)) == BLOCK_ID["dirt"]


def test_placeable_items_are_blocks_and_tools_are_not():
    assert placing.BYTE_OF_ITEM[NAME_ID["crafting_table"]] == BLOCK_ID["crafting_table"]
    assert placing.BYTE_OF_ITEM[NAME_ID["sign"]] == BLOCK_ID["standing_sign"]
    for name in ("stick", "water", "", "iron_axe", "air", "bedrock"):
        assert placing.BYTE_OF_ITEM[NAME_ID[name]] == 0
