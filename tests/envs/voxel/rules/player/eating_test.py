"""Food and milk are consumed by holding the use key."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.player import eating
from tests.envs.voxel import worlds

eat = jax.jit(eating.eat)
ON, OFF = jnp.ones(worlds.LANES, bool), jnp.zeros(worlds.LANES, bool)


def hungry(item: str, quantity: int = 2, food: float = 10.0, saturation: float = 0.0):
    state = worlds.holding(worlds.player(), (item, quantity))
    return worlds.with_player(
        state, food=jnp.full(worlds.LANES, food), saturation=jnp.full(worlds.LANES, saturation)
    )


def held_for(state, ticks):
    for _ in range(ticks):
        state = eat(state, ON, state.player.eating == 0)
    return state


def test_a_piece_is_eaten_after_32_ticks():
    state = held_for(hungry("bread"), 31)
    assert state.player.food[0] == 10 and state.player.eating[0] == 31
    assert state.inventory.quantity[0, 0] == 2
    state = held_for(state, 1)
    assert state.player.food[0] == 15 and state.player.saturation[0] == 6
    assert state.inventory.quantity[0, 0] == 1
    assert held_for(state, 32).player.food[0] == 20


def test_letting_go_starts_over():
    state = eat(held_for(hungry("apple"), 31), OFF, OFF)
    assert state.player.eating[0] == 0
    state = held_for(state, 31)
    assert state.player.food[0] == 10


@pytest.mark.parametrize("name", ["mushroom_stew", "rabbit_stew", "beetroot_soup"])
def test_a_stew_leaves_its_bowl(name):
    assert held_for(hungry(name, 1), 32).inventory.item[0, 0] == NAME_ID["bowl"]


def test_food_and_saturation_have_their_limits():
    state = held_for(hungry("cooked_beef", food=15.0, saturation=14.0), 32)
    assert state.player.food[0] == 20 and state.player.saturation[0] == 20


def test_only_the_hungry_eat_but_golden_apples_and_milk_always_go():
    assert held_for(hungry("bread", food=20.0), 40).inventory.quantity[0, 0] == 2
    assert held_for(hungry("golden_apple", food=20.0), 32).inventory.quantity[0, 0] == 1
    milk = held_for(hungry("milk_bucket", 1, food=20.0), 32)
    assert milk.inventory.item[0, 0] == NAME_ID["bucket"] and milk.inventory.quantity[0, 0] == 1


@pytest.mark.parametrize("name", ["dirt", "cake"])
def test_what_is_no_food_is_not_eaten(name):
    assert held_for(hungry(name), 40).player.eating[0] == 0


def test_eating_through_whole_ticks_ends_with_the_key():
    state = hungry("bread")
    state = worlds.run(state, 30, FUNCTION=base.FN_USE)
    state = worlds.run(state)  # lets go
    assert state.player.eating[0] == 0 and state.player.food[0] == 10
    state = worlds.run(state, 32, FUNCTION=base.FN_USE)
    assert state.player.food[0] == 15 and worlds.count(state, "bread")[0] == 1


def test_who_eats_walks_at_a_fifth_of_the_speed():
    walk = {"FUNCTION": base.FN_USE, "MOVE": 1}
    eats, full = (worlds.run(hungry("bread", food=f), 20, **walk) for f in (10.0, 20.0))
    way = lambda state: float(state.player.position[0, 2]) - 8.5  # noqa: E731
    np.testing.assert_allclose(way(eats) / way(full), 0.2, rtol=0.02)


def test_a_block_that_opens_takes_the_click():
    state = worlds.with_block(hungry("bread"), "chest", (8, 9, 10))
    assert worlds.run(state, 32, FUNCTION=base.FN_USE).player.food[0] == 10
