"""Stacks are filled, emptied, swapped and worn as in the game."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.items import inventory
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from tests.envs.voxel import worlds

add, equip = jax.jit(inventory.add), jax.jit(inventory.equip)
wear, destroy = jax.jit(inventory.wear), jax.jit(inventory.destroy)
ids = lambda *names: jnp.array([NAME_ID[n] for n in names], jnp.int32)  # noqa: E731
two = lambda value: jnp.full(worlds.LANES, value, jnp.int32)  # noqa: E731


@jax.jit
def take(state, item, quantity):
    """Removes pieces of an item int32[N], from the first slots that hold it."""
    exactly = jnp.zeros_like(item, bool)[:, None]
    pieces = inventory.first_pieces(state, item[:, None], quantity[:, None], exactly)[:, 0]
    return inventory.remove(state, pieces)


def test_items_fill_started_stacks_before_empty_slots():
    state = worlds.holding(worlds.player(), ("dirt", 60), ("log", 1), ("dirt", 62))
    state, left = add(state, ids("dirt", "log"), jnp.array([10, 3]))
    assert state.inventory.quantity[0, :4].tolist() == [64, 1, 64, 4]
    assert state.inventory.quantity[1, :4].tolist() == [60, 4, 62, 0]
    assert left.tolist() == [0, 0]


def test_what_finds_no_room_is_returned():
    full = worlds.holding(worlds.player(), *[("milk_bucket", 1)] * 36)
    state, left = add(full, ids("milk_bucket", "dirt"), jnp.array([1, 5]))
    assert left.tolist() == [1, 5]
    np.testing.assert_array_equal(state.inventory.quantity, full.inventory.quantity)


def test_unstackable_items_take_one_slot_each():
    state, left = add(worlds.player(), ids("shears", "bucket"), jnp.array([3, 20]))
    assert state.inventory.quantity[0, :4].tolist() == [1, 1, 1, 0]
    assert state.inventory.quantity[1, :3].tolist() == [16, 4, 0]
    assert left.tolist() == [0, 0]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 64), min_size=5, max_size=5), st.integers(0, 200))
def test_taking_removes_exactly_what_is_there(stacks, wanted):
    state = worlds.holding(worlds.player(), *[("log", q) for q in stacks])
    after = take(state, ids("log", "log"), two(wanted))
    assert worlds.count(after, "log")[0] == max(sum(stacks) - wanted, 0)
    # From the first slots: what is left is a tail of the stacks.
    left = np.asarray(after.inventory.quantity[0, :5])
    assert all(a in (0, b) or not left[:i].any() for i, (a, b) in enumerate(zip(left, stacks)))


def test_equip_swaps_the_first_slot_of_that_name_with_the_hand():
    state = worlds.holding(worlds.player(), ("dirt", 5), ("log", 1), ("stick", 2), ("log", 9))
    state = equip(state, jnp.array([True, False]), two(3))
    # Slot 3 is asked for; slot 1 holds the same item and comes first.
    assert state.inventory.item[0, :4].tolist() == ids("log", "dirt", "stick", "log").tolist()
    assert state.inventory.quantity[0, :4].tolist() == [1, 5, 2, 9]
    assert state.inventory.item[1, 0] == NAME_ID["dirt"]
    assert state.player.attack_cooldown.tolist() == [0, 100]


def test_armour_goes_to_its_place_and_the_old_piece_comes_back():
    state = worlds.holding(worlds.player(), ("iron_helmet", 1), ("golden_helmet", 1))
    state = equip(state, jnp.array([True, True]), two(0))
    assert state.armor.item[0, 3] == NAME_ID["iron_helmet"] and state.inventory.item[0, 0] == 0
    state = equip(state, jnp.array([True, True]), two(1))
    assert state.armor.item[0, 3] == NAME_ID["golden_helmet"]
    assert state.inventory.item[0, 1] == NAME_ID["iron_helmet"]


def test_worn_armour_keeps_its_wear_when_it_is_swapped():
    state = worlds.holding(worlds.player(), ("iron_boots", 1), ("leather_boots", 1))
    state = state.replace(
        inventory=state.inventory.replace(damage=state.inventory.damage.at[:, 0].set(7))
    )
    state = equip(state, jnp.array([True, True]), two(0))
    assert state.armor.damage[0].tolist() == [7, 0, 0, 0, 0] and state.inventory.damage[0, 0] == 0
    state = state.replace(armor=state.armor.replace(damage=state.armor.damage.at[:, 0].set(9)))
    state = equip(state, jnp.array([True, False]), two(1))
    assert state.inventory.item[0, 1] == NAME_ID["iron_boots"] and state.inventory.damage[0, 1] == 9
    assert state.armor.damage[:, 0].tolist() == [0, 9]


def test_a_worn_tool_is_put_back_as_it_was():
    state = worlds.holding(worlds.player(), ("dirt", 1))
    state, left = add(state, ids("iron_axe", "iron_axe"), two(1), jnp.array([5, 0]))
    assert state.inventory.damage[:, 1].tolist() == [5, 0] and left.tolist() == [0, 0]


def test_variants_do_not_stack_and_equip_takes_the_first_of_the_name():
    planks, birch = item_id("planks"), item_id("planks:2")
    state, _ = add(worlds.player(), ids("dirt", "dirt"), two(1))
    for item in (birch, planks, birch):
        state, _ = add(state, two(item), two(1))
    assert state.inventory.item[0, 1:3].tolist() == [birch, planks]
    assert state.inventory.quantity[0, 1:3].tolist() == [2, 1]
    state = equip(state, jnp.array([True, True]), two(2))
    assert state.inventory.item[0, 0] == birch


def test_pieces_of_several_items_are_found_at_once():
    state = worlds.holding(worlds.player(), ("planks", 2), ("stick", 1), ("planks", 3))
    state = state.replace(
        inventory=state.inventory.replace(
            item=state.inventory.item.at[:, 0].set(item_id("planks:2"))
        )
    )
    item = jnp.tile(jnp.array([item_id("planks"), NAME_ID["stick"]]), (worlds.LANES, 1))
    wanted = jnp.tile(jnp.array([4, 1]), (worlds.LANES, 1))
    any_variant = jnp.array([[True, False], [False, False]])
    pieces = inventory.first_pieces(state, item, wanted, any_variant)
    assert pieces[0, :, :3].tolist() == [[2, 0, 2], [0, 1, 0]]
    assert pieces[1, :, :3].tolist() == [[0, 0, 3], [0, 1, 0]]


def test_shears_break_after_239_uses():
    """238 uses of durability: the game breaks an item whose damage exceeds it."""
    state = worlds.holding(worlds.player(), ("shears", 1))
    state = wear(state, two(238))
    assert inventory.durability(state)[0, 0] == 0 and state.inventory.quantity[0, 0] == 1
    state = wear(state, two(1))
    assert state.inventory.quantity[0, 0] == 0 and state.inventory.damage[0, 0] == 0


def test_destroy_empties_the_slot():
    state = worlds.holding(worlds.player(), ("dirt", 5), ("log", 64))
    state = destroy(state, jnp.array([True, False]), two(1))
    assert worlds.count(state, "log").tolist() == [0, 64]
    assert worlds.count(state, "dirt").tolist() == [5, 5]
