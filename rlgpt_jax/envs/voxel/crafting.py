"""Crafting by MineDojo's rules, stations in reach, and what an agent may do now."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import FN_CRAFT, FN_DESTROY, FN_EQUIP, FN_PLACE
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel import inventory, rays, recipes
from rlgpt_jax.envs.voxel.placing import BYTE_OF_ITEM
from rlgpt_jax.envs.voxel.state import WorldState

TABLE, FURNACE = NAME_ID["crafting_table"], NAME_ID["furnace"]
STATION_REACH = 5.0  # blocks from the head to the block's centre
STATION_CONE = np.cos(np.deg2rad(45.0))  # half angle of the view cone around the crosshair


def near_stations(state: WorldState) -> tuple[jax.Array, jax.Array]:
    """(table, furnace) bool[N]: a placed one is within reach and in view."""
    eye = rays.eye_of(state.position)
    view = rays.direction_of(state.yaw, state.pitch)
    offset = state.station_block.astype(jnp.float32) + 0.5 - eye[:, None]
    distance = jnp.sqrt((offset**2).sum(-1))
    ahead = (offset * view[:, None]).sum(-1) >= distance * STATION_CONE
    near = ahead & (distance <= STATION_REACH)
    return tuple(((state.station_name == s) & near).any(1) for s in (TABLE, FURNACE))


def open_recipes(state: WorldState, near_table: jax.Array) -> jax.Array:
    """bool[recipes + 1, N]: the ingredients are there, and so is the table if needed.

    Lanes are the last axis, so that picking recipes copies whole rows. The row after
    the last recipe is false: it stands for "no recipe" in `recipes.RECIPES_OF`.
    """
    ingredient = recipes.INGREDIENT_ID[:, None, None]
    holds = state.slot_item.T[None] == ingredient  # [ingredients, slots, N]
    pieces = jnp.where(holds, state.slot_quantity.T[None], 0).sum(1)
    met = pieces[recipes.DEMAND_INGREDIENT] >= recipes.DEMAND_QUANTITY[:, None]
    met = jnp.concatenate([met, jnp.ones_like(near_table)[None]])
    can = met[recipes.DEMANDS_OF].all(1) & (near_table | ~recipes.AT_TABLE[:, None])
    return jnp.concatenate([can, jnp.zeros_like(near_table)[None]])


def craft(
    state: WorldState, active: jax.Array, argument: jax.Array
) -> tuple[WorldState, jax.Array, jax.Array]:
    """Makes the product of a craft argument int32[N] where `active` bool[N].

    The first recipe whose ingredients are there is used; without one nothing happens.

    Returns:
      The worlds, and (name, quantity) int32[N] of what found no room.
    """
    can = open_recipes(state, near_stations(state)[0])
    tried = jnp.asarray(recipes.RECIPES_OF)[argument]  # [N, K]
    fits = jnp.take_along_axis(can.T, tried, 1) & active[:, None]
    made = fits.any(1)
    first = jnp.take_along_axis(tried, jnp.argmax(fits, axis=1)[:, None], 1)[:, 0]
    chosen = jnp.where(made, first, 0)
    for k in range(recipes.MAX_INGREDIENTS):
        need = jnp.asarray(recipes.NEED_QUANTITY)[chosen, k]
        name = jnp.asarray(recipes.NEED_NAME)[chosen, k]
        state = inventory.take(state, name, jnp.where(made, need, 0))
    product = jnp.asarray(recipes.PRODUCT)[chosen]
    quantity = jnp.where(made, jnp.asarray(recipes.QUANTITY)[chosen], 0)
    state, left = inventory.add(state, product, quantity)
    return state, product, left


def masks(state: WorldState) -> dict[str, jax.Array]:
    """What could do something now, by the names of `Observation`'s fields."""
    near_table, near_furnace = near_stations(state)
    can = open_recipes(state, near_table)
    filled = state.slot_item > 0
    # Equipping what is in the hand already does something for armour only.
    in_hand = jnp.arange(filled.shape[1]) == 0
    is_armor = jnp.asarray(inventory.ARMOR_SLOT)[state.slot_item] > 0
    result = {
        "mask_equip": filled & (~in_hand | is_armor),
        "mask_place": jnp.asarray(BYTE_OF_ITEM)[state.slot_item] > 0,
        "mask_destroy": filled,
        "mask_craft": can[recipes.RECIPES_OF].any(1).T,
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
