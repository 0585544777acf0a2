"""Crafting follows the recipe table, the stations and MineDojo's arguments."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NUM_HAND, NUM_TABLE
from rlgpt_jax.envs.voxel import crafting, recipes
from tests.envs.voxel import worlds

ALL = jnp.ones(worlds.LANES, bool)
craft, masks = jax.jit(crafting.craft), jax.jit(crafting.masks)


def argument(name: str) -> jnp.ndarray:
    return jnp.full(worlds.LANES, CRAFT_NAMES.index(name), jnp.int32)


def beside_table(state):
    """A crafting table that the agent has placed, two blocks ahead."""
    return state.replace(
        station_name=state.station_name.at[:, 0].set(NAME_ID["crafting_table"]),
        station_block=state.station_block.at[:, 0].set(jnp.array([8, 9, 10])),
    )


def test_a_log_becomes_planks_sticks_and_a_table_by_hand():
    state = worlds.holding(worlds.player(), ("log", 2))
    for product in ("planks", "planks", "stick", "crafting_table"):
        state, _, _ = craft(state, ALL, argument(product))
    # 8 planks, 2 for 4 sticks, 4 for the table.
    assert worlds.count(state, "planks")[0] == 2
    assert worlds.count(state, "stick")[0] == 4
    assert worlds.count(state, "crafting_table")[0] == 1


@pytest.mark.parametrize(
    ("product", "items", "quantity"),
    [
        ("wooden_pickaxe", (("planks", 3), ("stick", 2)), 1),
        ("furnace", (("cobblestone", 8),), 1),
        ("bucket", (("iron_ingot", 3),), 1),
        ("ladder", (("stick", 7),), 3),
        ("boat", (("planks", 5),), 1),
        ("sign", (("planks", 6), ("stick", 1)), 3),
        ("cobblestone_wall", (("cobblestone", 6),), 6),
        ("bed", (("wool", 3), ("planks", 3)), 1),
    ],
)
def test_table_recipes_need_the_table(product, items, quantity):
    state = worlds.holding(worlds.player(), *items)
    refused, _, _ = craft(state, ALL, argument(product))
    assert worlds.count(refused, product)[0] == 0
    made, _, _ = craft(beside_table(state), ALL, argument(product))
    assert worlds.count(made, product)[0] == quantity
    assert int(made.slot_quantity[0].sum()) == quantity  # all ingredients are used up


def test_one_missing_piece_refuses_and_changes_nothing():
    state = beside_table(worlds.holding(worlds.player(), ("planks", 2), ("stick", 2)))
    after, _, _ = craft(state, ALL, argument("wooden_pickaxe"))
    np.testing.assert_array_equal(after.slot_quantity, state.slot_quantity)


def test_lanes_that_do_not_craft_keep_their_items():
    state = worlds.holding(worlds.player(), ("log", 1))
    after, _, _ = craft(state, jnp.array([True, False]), argument("planks"))
    assert worlds.count(after, "planks").tolist() == [4, 0]


def test_the_mask_agrees_with_what_crafting_does():
    """Every argument, tried on one rich inventory beside a table."""
    rich = beside_table(
        worlds.holding(
            worlds.player(), ("planks", 8), ("stick", 8), ("cobblestone", 8), ("wool", 2)
        )
    )
    mask = np.asarray(masks(rich)["mask_craft"][0])
    assert 20 < mask.sum() < len(CRAFT_NAMES)
    for index in range(NUM_HAND + NUM_TABLE):
        after, _, _ = craft(rich, ALL, jnp.full(worlds.LANES, index, jnp.int32))
        changed = bool((after.slot_quantity != rich.slot_quantity).any())
        assert changed == mask[index], CRAFT_NAMES[index]


def test_a_table_counts_within_five_blocks_and_in_view():
    state = beside_table(worlds.player())
    near = lambda s: bool(masks(s)["near_table"][0])  # noqa: E731
    assert near(state)
    assert not near(state.replace(yaw=jnp.full(worlds.LANES, 180.0)))
    assert not near(state.replace(position=state.position - jnp.array([0.0, 0.0, 4.0])))
    assert not bool(masks(state)["near_furnace"][0])  # it is no furnace


def test_crafting_through_the_action_keeps_the_agent_busy_for_three_ticks():
    state = worlds.holding(worlds.player(), ("log", 3))
    columns = {"FUNCTION": base.FN_CRAFT, "CRAFT_ARG": CRAFT_NAMES.index("planks")}
    made = []
    for _ in range(6):
        state = worlds.run(state, **columns)
        made.append(int(worlds.count(state, "planks")[0]))
    assert made == [4, 4, 4, 8, 8, 8]


def test_recipes_start_from_what_the_world_gives():
    have = set(recipes.BASE) | {r.product for r in recipes.RECIPES}
    assert all(have.issuperset(r.needs) for r in recipes.RECIPES)
    wanted = "shears chest iron_pickaxe trapdoor bowl lever stone_button torch oak_stairs"
    assert have.issuperset(wanted.split())
