"""Dropped items fall, rest, wait and are picked up."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.items import drops, items
from tests.envs.voxel import worlds


def lying(name: str, quantity: int, at: tuple[float, float, float], age: int = 0, state=None):
    """Every lane has one item stack at `at`."""
    state = worlds.player() if state is None else state
    return state.replace(
        items=state.items.replace(
            id=state.items.id.at[:, 0].set(NAME_ID[name]),
            quantity=state.items.quantity.at[:, 0].set(quantity),
            position=state.items.position.at[:, 0].set(jnp.array(at)),
            age=state.items.age.at[:, 0].set(age),
        )
    )


def test_an_item_falls_to_the_ground_and_stays():
    state = worlds.run(lying("log", 1, (20.5, 14.0, 20.5)), 40)
    np.testing.assert_allclose(state.items.position[0, 0], [20.5, worlds.GROUND, 20.5])
    assert state.items.id[0, 0] == NAME_ID["log"]


def test_an_item_in_reach_is_taken_from_age_ten_on():
    state = worlds.run(lying("log", 3, (9.0, 8.0, 9.0)), 9)
    assert worlds.count(state, "log")[0] == 0
    assert worlds.count(worlds.run(state), "log")[0] == 3


def test_an_item_is_taken_by_who_went_round_the_world():
    state = lying("log", 3, (9.0 + worlds.PARAMS.size_x, 8.0, 9.0 - worlds.PARAMS.size_z), 20)
    assert worlds.count(worlds.run(state), "log")[0] == 3


def test_an_item_beyond_the_pickup_box_stays():
    # The box reaches 0.3 + 1 + 0.125 from the player's middle at x 8.5.
    assert worlds.count(worlds.run(lying("log", 1, (9.92, 8.0, 8.5), 20)), "log")[0] == 1
    assert worlds.count(worlds.run(lying("log", 1, (9.94, 8.0, 8.5), 20)), "log")[0] == 0


def test_a_full_inventory_leaves_the_item_on_the_ground():
    full = worlds.holding(worlds.player(), *[("dirt", 64)] * 35, ("dirt", 60))
    state = worlds.run(lying("dirt", 10, (8.5, 8.0, 8.5), 20, full), 3)
    assert state.items.quantity[0, 0] == 6
    assert worlds.count(state, "dirt")[0] == 36 * 64


def test_an_item_without_room_keeps_no_other_from_being_taken():
    full = worlds.holding(worlds.player(), *[("dirt", 64)] * 35, ("sand", 60))
    state = lying("dirt", 1, (8.5, 8.0, 8.5), 20, full)
    state = state.replace(
        items=state.items.replace(
            id=state.items.id.at[:, 1].set(NAME_ID["sand"]),
            quantity=state.items.quantity.at[:, 1].set(1),
            position=state.items.position.at[:, 1].set(state.items.position[:, 0]),
            age=state.items.age.at[:, 1].set(20),
        )
    )
    state = worlds.run(state)
    assert worlds.count(state, "sand")[0] == 61
    assert state.items.id[0].tolist()[:2] == [NAME_ID["dirt"], 0]


def test_a_thrown_item_flies_ahead_and_waits_forty_ticks():
    state = worlds.holding(worlds.player(), ("log", 2))
    state = worlds.run(state, FUNCTION=base.FN_DROP)
    assert worlds.count(state, "log")[0] == 1 and state.player.busy[0] == 2
    landed = worlds.run(state, 30)
    assert landed.items.position[0, 0, 2] > 9.5
    back = landed.replace(
        items=landed.items.replace(
            position=landed.items.position.at[:, 0].set(landed.player.position)
        )
    )
    assert worlds.count(worlds.run(back, 8), "log")[0] == 1
    assert worlds.count(worlds.run(back, 12), "log")[0] == 2


def test_a_new_item_takes_a_free_entry_or_that_of_the_oldest():
    state = worlds.player()
    count = state.items.id.shape[1]
    state = state.replace(
        items=state.items.replace(
            id=jnp.full_like(state.items.id, NAME_ID["dirt"]).at[1, 2].set(0),
            age=jnp.tile(jnp.arange(count), (2, 1)),
        )
    )
    dropped = drops.Dropped(
        jnp.full((2, 2), NAME_ID["log"]), jnp.tile(jnp.array([2, 0]), (2, 1)),
        jnp.zeros((2, 3)), jnp.zeros((2, 3)), jnp.zeros(2, jnp.int32),
    )  # fmt: skip
    state = jax.jit(items.appear)(state, dropped)
    log = np.argwhere(np.asarray(state.items.id == NAME_ID["log"])).tolist()
    assert log == [[0, count - 1], [1, 2]]


def test_a_thrown_tool_keeps_its_wear():
    state = worlds.holding(worlds.player(), ("iron_axe", 1))
    state = state.replace(
        inventory=state.inventory.replace(damage=state.inventory.damage.at[:, 0].set(100))
    )
    state = worlds.run(state, FUNCTION=base.FN_DROP)
    assert state.items.damage[0, 0] == 100 and not state.inventory.item.any()
    back = worlds.run(lying("iron_axe", 1, (8.5, 8.0, 8.5), 10, state))
    assert back.inventory.item[0, 0] == NAME_ID["iron_axe"] and back.inventory.damage[0, 0] == 100


def test_items_sink_in_water_and_burn_in_lava_and_fire():
    pond = [(20, y, 20) for y in (8, 9, 10)]
    fall = jax.jit(items.fall)
    for block, left in (("water", True), ("lava", False), ("fire", False)):
        state = worlds.with_block(worlds.player(), block, *pond)
        state = lying("log", 1, (20.5, 12.0, 20.5), state=state)
        for _ in range(40):
            state = fall(state)
        assert bool(state.items.id[0, 0]) == left, block
    water = worlds.with_block(worlds.player(), "water", *pond)
    state = lying("log", 1, (20.5, 12.0, 20.5), state=water)
    for _ in range(40):
        state = fall(state)
    np.testing.assert_allclose(state.items.position[0, 0], [20.5, worlds.GROUND, 20.5])


def test_old_items_vanish():
    state = worlds.run(lying("log", 1, (20.5, 8.0, 20.5), items.LIFETIME))
    assert state.items.id[0, 0] == 0
