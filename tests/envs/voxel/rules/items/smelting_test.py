"""Smelting near a furnace: ingredients, fuel and what is left of it."""

import jax.numpy as jnp

from rlgpt_jax.envs.names import CRAFT_NAMES
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from tests.envs.voxel import worlds
from tests.envs.voxel.rules.items.crafting_test import (
    ALL,
    argument,
    beside,
    carrying,
    craft,
    masks,
    pieces,
)


def smelt(product, *stacks, burn_ticks=0):
    state = beside(carrying(*stacks), "furnace")
    state = worlds.with_player(state, burn_ticks=jnp.full(worlds.LANES, burn_ticks, jnp.int32))
    return craft(state, ALL, argument(product))[0]


def test_nothing_is_smelted_without_furnace_fuel_or_ingredient():
    stocked = carrying(("beef", 2), ("coal", 1))
    assert pieces(craft(stocked, ALL, argument("cooked_beef"))[0], "beef") == 2
    table = beside(stocked)
    assert pieces(craft(table, ALL, argument("cooked_beef"))[0], "beef") == 2
    assert pieces(smelt("cooked_beef", ("beef", 2)), "beef") == 2
    assert pieces(smelt("cooked_beef", ("mutton", 2), ("coal", 1)), "coal") == 1


def test_a_piece_of_coal_smelts_eight():
    state = beside(carrying(("iron_ore", 9), ("coal", 1)), "furnace")
    for _ in range(9):
        state, _, _ = craft(state, ALL, argument("iron_ingot"))
    assert [pieces(state, item) for item in ("iron_ingot", "iron_ore", "coal")] == [8, 1, 0]
    assert int(state.player.burn_ticks[0]) == 0


def test_what_is_left_of_the_fuel_comes_first():
    after = smelt("stone", ("cobblestone", 1), ("planks", 1), burn_ticks=200)
    assert pieces(after, "planks") == 1 and int(after.player.burn_ticks[0]) == 0
    after = smelt("stone", ("cobblestone", 1), ("planks", 1), burn_ticks=100)
    assert pieces(after, "planks") == 0 and int(after.player.burn_ticks[0]) == 200


def test_fuel_is_taken_from_the_first_slots_as_many_pieces_as_are_needed():
    after = smelt("stone", ("cobblestone", 2), ("stick", 1), ("wooden_slab:1", 3), ("coal", 1))
    assert [pieces(after, i) for i in ("stick", "wooden_slab:1", "coal")] == [0, 2, 1]
    assert int(after.player.burn_ticks[0]) == 100 + 150 - 200
    after = smelt("stone", ("cobblestone", 1), ("carpet:3", 4))
    assert pieces(after, "carpet:3") == 1 and int(after.player.burn_ticks[0]) == 1
    assert pieces(smelt("stone", ("cobblestone", 1), ("stick", 1)), "stone") == 0


def test_the_last_log_is_not_burnt_for_itself():
    assert pieces(smelt("coal", ("log", 1)), "log") == 1
    after = smelt("coal", ("log", 2))
    assert pieces(after, "coal:1") == 1 and pieces(after, "log") == 0
    assert int(after.player.burn_ticks[0]) == 100


def test_a_bucket_of_lava_leaves_the_bucket():
    after = smelt("stone", ("cobblestone", 5), ("lava_bucket", 1))
    assert pieces(after, "bucket") == 1 and int(after.player.burn_ticks[0]) == 20_000 - 200


def test_a_product_without_room_is_returned():
    full = beside(carrying(("cobblestone", 2), ("coal", 2), *[("dirt", 64)] * 34), "furnace")
    after, item, left = craft(full, ALL, argument("stone"))
    assert int(item[0]) == item_id("stone") and int(left[0]) == 1
    assert pieces(after, "cobblestone") == 1 and pieces(after, "coal") == 1


def test_the_mask_asks_for_furnace_fuel_and_ingredient():
    number = CRAFT_NAMES.index("coal")
    open_now = lambda state: bool(masks(state)["mask_craft"][0, number])  # noqa: E731
    assert open_now(beside(carrying(("log", 2)), "furnace"))
    assert not open_now(beside(carrying(("log", 1)), "furnace"))
    assert not open_now(beside(carrying(("coal", 5)), "furnace"))
    assert not open_now(beside(carrying(("log", 2))))


def test_a_stock_of_fuel_is_counted_without_overflow():
    rich = smelt("stone", ("cobblestone", 1), *[("coal_block", 64)] * 35)
    assert pieces(rich, "stone") == 1 and pieces(rich, "coal_block") == 35 * 64 - 1
