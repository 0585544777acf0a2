"""Crafting follows the recipe table, the stations and MineDojo's arguments."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID
from rlgpt_jax.envs.voxel.rules.items import crafting, recipes
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id, parse
from tests.envs.voxel import worlds

ALL = jnp.ones(worlds.LANES, bool)
craft, masks = jax.jit(crafting.craft), jax.jit(crafting.masks)


def argument(name: str) -> jnp.ndarray:
    return jnp.full(worlds.LANES, CRAFT_NAMES.index(name), jnp.int32)


def beside(state, station="crafting_table"):
    """A station that the agent has placed, two blocks ahead."""
    return state.replace(
        stations=state.stations.replace(
            name=state.stations.name.at[:, 0].set(NAME_ID[station]),
            block=state.stations.block.at[:, 0].set(jnp.array([8, 9, 10])),
        )
    )


def carrying(*stacks: tuple[str, int]):
    """Every lane's first slots hold these entries ("planks:2")."""
    state = worlds.player()
    for slot, (entry, quantity) in enumerate(stacks):
        state = state.replace(
            inventory=state.inventory.replace(
                item=state.inventory.item.at[:, slot].set(item_id(entry)),
                quantity=state.inventory.quantity.at[:, slot].set(quantity),
            )
        )
    return state


def pieces(state, entry: str) -> int:
    """How many of exactly this variant the first lane carries."""
    return int(
        jnp.where(state.inventory.item[0] == item_id(entry), state.inventory.quantity[0], 0).sum()
    )


def test_a_log_becomes_planks_sticks_and_a_table_by_hand():
    state = carrying(("log", 2))
    for product in ("planks", "planks", "stick", "crafting_table"):
        state, _, _ = craft(state, ALL, argument(product))
    # 8 planks, 2 for 4 sticks, 4 for the table.
    assert [pieces(state, item) for item in ("planks", "stick", "crafting_table")] == [2, 4, 1]


@pytest.mark.parametrize(
    ("log", "planks"), [("log:2", "planks:2"), ("log2", "planks:4"), ("log2:1", "planks:5")]
)
def test_planks_are_of_the_wood_that_is_there(log, planks):
    state, _, _ = craft(carrying((log, 1)), ALL, argument("planks"))
    assert pieces(state, planks) == 4 and int(state.inventory.quantity[0].sum()) == 4


def test_the_first_recipe_of_the_table_that_fits_is_made():
    state, _, _ = craft(carrying(("log:3", 1), ("log:1", 1)), ALL, argument("planks"))
    assert pieces(state, "planks:1") == 4 and pieces(state, "log:3") == 1


def test_any_planks_mix_where_the_recipe_names_no_variant():
    state = carrying(("planks", 2), ("planks:2", 1), ("planks:5", 3))
    made, _, _ = craft(state, ALL, argument("crafting_table"))
    assert pieces(made, "crafting_table") == 1
    # From the first slots: two of oak, one of birch, one of three of dark oak.
    assert [pieces(made, f"planks:{v}") for v in (0, 2, 5)] == [0, 0, 2]


def test_a_recipe_of_one_wood_takes_only_that_wood():
    mixed = beside(carrying(("planks:2", 4), ("planks", 1), ("stick", 2)))
    assert pieces(craft(mixed, ALL, argument("birch_fence"))[0], "birch_fence") == 3
    assert pieces(craft(mixed, ALL, argument("fence"))[0], "fence") == 0


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
        ("bed", (("wool", 2), ("wool:15", 1), ("planks", 3)), 1),
        ("bread", (("wheat", 3),), 1),
        ("lapis_block", (("dye:4", 9),), 1),
        ("rabbit_stew", (("baked_potato", 1), ("cooked_rabbit", 1), ("bowl", 1), ("carrot", 1),
                         ("red_mushroom", 1)), 1),
    ],
)  # fmt: skip
def test_table_recipes_need_the_table(product, items, quantity):
    state = carrying(*items)
    refused, _, _ = craft(state, ALL, argument(product))
    assert pieces(refused, product) == 0
    made, _, _ = craft(beside(state), ALL, argument(product))
    assert pieces(made, product) == quantity
    assert int(made.inventory.quantity[0].sum()) == quantity  # all ingredients are used up


def test_a_cake_gives_its_buckets_back():
    state = carrying(*[("milk_bucket", 1)] * 3, ("sugar", 2), ("egg", 1), ("wheat", 3))
    made, _, _ = craft(beside(state), ALL, argument("cake"))
    assert [pieces(made, item) for item in ("cake", "bucket", "milk_bucket")] == [1, 3, 0]


def test_charcoal_makes_torches_and_no_block_of_coal():
    state = beside(carrying(("coal:1", 9), ("stick", 1)))
    assert pieces(craft(state, ALL, argument("torch"))[0], "torch") == 4
    assert pieces(craft(state, ALL, argument("coal_block"))[0], "coal_block") == 0


def test_one_missing_piece_refuses_and_changes_nothing():
    state = beside(carrying(("planks", 2), ("stick", 2)))
    after, _, _ = craft(state, ALL, argument("wooden_pickaxe"))
    np.testing.assert_array_equal(after.inventory.quantity, state.inventory.quantity)


def test_lanes_that_do_not_craft_keep_their_items():
    after, _, _ = craft(carrying(("log", 1)), jnp.array([True, False]), argument("planks"))
    assert worlds.count(after, "planks").tolist() == [4, 0]


def test_what_finds_no_room_is_returned():
    full = carrying(("log", 2), *[("dirt", 64)] * 35)
    after, item, left = craft(full, ALL, argument("planks"))
    assert pieces(after, "log") == 1 and item[0] == NAME_ID["planks"] and left[0] == 4


@pytest.mark.parametrize("station", ["crafting_table", "furnace"])
def test_the_mask_agrees_with_what_crafting_does(station):
    """Every argument, tried in a lane of its own on one rich inventory beside a station."""
    rich = carrying(
        ("planks:2", 8), ("stick", 8), ("cobblestone", 8), ("wool", 2), ("log", 1), ("beef", 1),
        ("iron_ore", 1), ("dye:15", 1), ("coal", 1),
    )  # fmt: skip
    rich = jax.tree.map(
        lambda a: jnp.repeat(a[:1], len(CRAFT_NAMES), 0),
        beside(rich, station).replace(blocks=jnp.zeros((worlds.LANES, 1, 1, 1), jnp.uint8)),
    )
    mask = np.asarray(masks(rich)["mask_craft"][0])
    every = jnp.arange(len(CRAFT_NAMES), dtype=jnp.int32)
    after, _, _ = craft(rich, jnp.ones(len(CRAFT_NAMES), bool), every)
    changed = (np.asarray(after.inventory.item) != rich.inventory.item).any(1)
    changed |= (np.asarray(after.inventory.quantity) != rich.inventory.quantity).any(1)
    # Bone meal on white wool makes white wool: the bone meal is gone.
    assert [CRAFT_NAMES[i] for i in np.flatnonzero(changed != mask)] == []
    assert mask[: recipes.NUM_CRAFT].sum() > 8
    assert (mask[recipes.NUM_CRAFT :].sum() >= 4) == (station == "furnace")


def test_a_table_counts_within_five_blocks_and_in_view():
    state = beside(worlds.player())
    near = lambda s: bool(masks(s)["near_table"][0])  # noqa: E731
    assert near(state)
    assert not near(worlds.with_player(state, yaw=jnp.full(worlds.LANES, 180.0)))
    assert not near(
        worlds.with_player(state, position=state.player.position - jnp.array([0.0, 0.0, 4.0]))
    )
    assert not bool(masks(state)["near_furnace"][0])  # it is no furnace


def test_crafting_through_the_action_keeps_the_agent_busy_for_three_ticks():
    state = carrying(("log", 3))
    columns = {"FUNCTION": base.FN_CRAFT, "CRAFT_ARG": CRAFT_NAMES.index("planks")}
    made = []
    for _ in range(6):
        state = worlds.run(state, **columns)
        made.append(int(worlds.count(state, "planks")[0]))
    assert made == [4, 4, 4, 8, 8, 8]


def test_a_table_is_known_to_who_went_round_the_world():
    state = beside(worlds.player())
    period = jnp.array([worlds.PARAMS.size_x, 0, -worlds.PARAMS.size_z])
    far = worlds.with_player(state, position=state.player.position + period)
    assert not masks(far)["near_table"].any()
    assert masks(worlds.run(far))["near_table"].all()


def test_every_recipe_is_known_and_every_argument_has_one():
    assert (len(recipes.CRAFTING), len(recipes.SMELTING), len(recipes.RECIPES)) == (389, 27, 397)
    assert set(recipes.ARGUMENT.tolist()) == set(range(len(CRAFT_NAMES)))
    # Ingots, gems and coal out of blocks and nuggets (offered by smelting only), the kinds
    # of stone and coarse dirt; of smelting, dyes, sponge and cracked bricks.
    crafted = {recipe.product for recipe in recipes.CRAFTING if recipe.argument < 0}
    assert crafted == {
        "coal", "diamond", "dirt:1", "emerald", "gold_ingot", "iron_ingot", "redstone",
        *(f"stone:{variant}" for variant in range(1, 7)),
    }  # fmt: skip
    smelted = {recipe.product for recipe in recipes.SMELTING if recipe.argument < 0}
    assert smelted == {"stonebrick:2", "dye:2", "dye:4", "sponge:0"}


def test_no_piece_serves_two_ingredients_of_a_recipe():
    """What counting pieces rests on: "planks" and "planks:1" never meet in one recipe."""
    for recipe in recipes.CRAFTING + recipes.SMELTING:
        names = [parse(entry)[0] for entry in recipe.needs if recipes.is_any(entry)]
        others = [parse(entry)[0] for entry in recipe.needs if not recipes.is_any(entry)]
        assert len(set(names)) == len(names) and not set(names) & set(others), recipe
