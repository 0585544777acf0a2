"""Crafting and smelting by MineDojo's rules, stations in reach, and what may be done now."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import FN_CRAFT, FN_DESTROY, FN_EQUIP, FN_PLACE
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID
from rlgpt_jax.envs.voxel.rules.items import inventory, recipes, smelting
from rlgpt_jax.envs.voxel.rules.player.placing import BYTE_OF_ITEM
from rlgpt_jax.envs.voxel.senses import rays
from rlgpt_jax.envs.voxel.state import WorldState

TABLE, FURNACE = NAME_ID["crafting_table"], NAME_ID["furnace"]
STATION_REACH = 5.0  # blocks from the head to the block's centre
STATION_CONE = np.cos(np.deg2rad(45.0))  # half angle of the view cone around the crosshair


def near_stations(state: WorldState) -> tuple[jax.Array, jax.Array]:
    """(table, furnace) bool[N]: a placed one is within reach and in view."""
    eye = rays.eye_of(state.player.position)
    view = rays.direction_of(state.player.yaw, state.player.pitch)
    offset = state.stations.block.astype(jnp.float32) + 0.5 - eye[:, None]
    distance = jnp.sqrt((offset**2).sum(-1))
    ahead = (offset * view[:, None]).sum(-1) >= distance * STATION_CONE
    near = ahead & (distance <= STATION_REACH)
    return tuple(((state.stations.name == s) & near).any(1) for s in (TABLE, FURNACE))


def open_recipes(state: WorldState, near_table: jax.Array, near_furnace: jax.Array) -> jax.Array:
    """bool[recipes, N]: ingredients, station and fuel are there.

    Lanes are the last axis, so that picking recipes copies whole rows. The pieces are
    added up by a scatter: comparing all slots with all ingredients takes 30 times longer.
    """
    lane = jnp.arange(len(near_table), dtype=jnp.int32)[:, None, None]
    rows = jnp.asarray(recipes.INGREDIENTS_OF)[state.inventory.item]  # [N, slots, 2]
    pieces = jnp.zeros((len(recipes.INGREDIENTS) + 1, len(near_table)), jnp.int32)
    pieces = pieces.at[rows, lane].add(state.inventory.quantity[..., None])
    met = pieces[recipes.DEMAND_INGREDIENT] >= recipes.DEMAND_QUANTITY[:, None]
    met = jnp.concatenate([met, jnp.ones_like(near_table)[None]])
    station = jnp.stack([jnp.ones_like(near_table), near_table, near_furnace])
    can = station[recipes.PLACE]
    for k in range(recipes.MAX_INGREDIENTS):
        can &= met[recipes.DEMANDS_OF[:, k]]
    smelts = can[smelting.FIRST :] & smelting.has_fuel(state)
    return jnp.concatenate([can[: smelting.FIRST], smelts])


def craft(
    state: WorldState, active: jax.Array, argument: jax.Array
) -> tuple[WorldState, jax.Array, jax.Array]:
    """Makes the product of a craft argument int32[N] where `active` bool[N].

    The first recipe whose ingredients (and fuel) are there is used; without one nothing
    happens.

    Returns:
      The worlds, and (item, quantity) int32[N] of what found no room.
    """
    fits = open_recipes(state, *near_stations(state)) & active
    fits &= recipes.ARGUMENT[:, None] == argument
    number = jnp.arange(len(recipes.RECIPES), dtype=jnp.int32)[:, None]
    first = jnp.where(fits, number, len(recipes.RECIPES)).min(0)
    made = first < len(recipes.RECIPES)
    chosen = jnp.where(made, first, 0)
    of_chosen = lambda table: jnp.asarray(table)[chosen]  # noqa: E731
    # No slot serves two ingredients, so all of them are taken at once.
    pieces = jnp.where(made[:, None], of_chosen(recipes.NEED_QUANTITY), 0)
    item, is_any = of_chosen(recipes.NEED_ITEM), of_chosen(recipes.NEED_ANY)
    state = inventory.remove(state, inventory.first_pieces(state, item, pieces, is_any).sum(1))
    state = smelting.burn(state, made & (first >= smelting.FIRST))
    product = of_chosen(recipes.PRODUCT)
    state, left = inventory.add(state, product, jnp.where(made, of_chosen(recipes.QUANTITY), 0))
    # These leave three empty slots, so there is room for what comes back.
    back = jnp.where(made, of_chosen(recipes.BACK_QUANTITY), 0)
    state, _ = inventory.add(state, of_chosen(recipes.BACK_ITEM), back)
    return state, product, left


def masks(state: WorldState) -> dict[str, jax.Array]:
    """bool[N, ...]: what could do something now, by the names of `Observation`'s fields."""
    near_table, near_furnace = near_stations(state)
    can = open_recipes(state, near_table, near_furnace).astype(jnp.int32)
    made = jnp.zeros((len(CRAFT_NAMES), can.shape[1]), jnp.int32).at[recipes.ARGUMENT].max(can)
    filled = state.inventory.item > 0
    # Equipping what is in the hand already does something for armour only.
    in_hand = jnp.arange(filled.shape[1]) == 0
    is_armor = jnp.asarray(inventory.ARMOR_SLOT)[state.inventory.item] > 0
    result = {
        "mask_equip": filled & (~in_hand | is_armor),
        "mask_place": jnp.asarray(BYTE_OF_ITEM)[state.inventory.item] > 0,
        "mask_destroy": filled,
        "mask_craft": (made > 0).T,
    }
    function = [jnp.ones(len(filled), bool)] * 8
    for slow, name in (
        (FN_CRAFT, "mask_craft"), (FN_EQUIP, "mask_equip"),
        (FN_PLACE, "mask_place"), (FN_DESTROY, "mask_destroy"),
    ):  # fmt: skip
        function[slow] = result[name].any(1)
    return result | {
        "mask_function": jnp.stack(function, 1),
        "near_table": near_table,
        "near_furnace": near_furnace,
    }
