"""Eating and drinking by holding the use key, as in Minecraft 1.11.

What is in the hand is consumed after 32 ticks with the key held; releasing it, or
another item in the hand, starts over. Food is eaten by the hungry only, golden apples
and milk always. Absent: the effects of rotten flesh, raw chicken, spider eyes and other
unwholesome food, of golden apples and milk.

Source: `third_party/minecraft/foods.json`, whose names for the slices of melon, carrots
and potatoes are those of the blocks. A cake is a block and is not eaten by hand.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID, load
from rlgpt_jax.envs.voxel.rules.items import inventory
from rlgpt_jax.envs.voxel.rules.items.item_table import NAME_OF_ITEM, NUM_ITEMS, item_id
from rlgpt_jax.envs.voxel.rules.player import physics
from rlgpt_jax.envs.voxel.state import Player, WorldState

TICKS = 32
FULL = 20.0  # food points
SLOW = 0.2  # factor on the keys for walking while one eats
_RENAMED = {"melon_block": "melon", "carrots": "carrot", "potatoes": "potato"}
_NOT_BY_HAND = {"cake"}
# Kinds of fish that differ from the table's row (https://minecraft.wiki/w/Raw_Cod):
# clownfish and pufferfish, cooked salmon.
_VARIANTS = {"fish:2": (1, 0.2), "fish:3": (1, 0.2), "cooked_fish:1": (6, 9.6)}
_ALWAYS = ("golden_apple", "chorus_fruit", "milk_bucket")
_LEAVES = {
    "mushroom_stew": "bowl", "rabbit_stew": "bowl", "beetroot_soup": "bowl",
    "milk_bucket": "bucket",
}  # fmt: skip


def _arrays() -> tuple[np.ndarray, np.ndarray]:
    food, saturation = np.zeros((2, NUM_ITEMS), np.float32)
    for name, row in load("foods")["foods"].items():
        if name not in _NOT_BY_HAND:
            same = np.isin(NAME_OF_ITEM, NAME_ID[_RENAMED.get(name, name)])
            food[same], saturation[same] = row["food"], row["saturation"]
    for entry, (points, value) in _VARIANTS.items():
        food[item_id(entry)], saturation[item_id(entry)] = points, value
    return food, saturation


# By item id: food points, saturation points (before they are capped by the food).
FOOD, SATURATION = _arrays()
ALWAYS = np.isin(NAME_OF_ITEM, [NAME_ID[name] for name in _ALWAYS])
CONSUMED = (FOOD > 0) | ALWAYS
LEFT = np.zeros(NUM_ITEMS, np.int32)  # what remains of it in the hand
for _name, _left in _LEAVES.items():
    LEFT[NAME_ID[_name]] = NAME_ID[_left]


def eat(state: WorldState, held_key: jax.Array, starts: jax.Array) -> WorldState:
    """One tick of eating.

    Args:
      state: N worlds; `eating` counts the ticks so far.
      held_key: bool[N], the use key is down.
      starts: bool[N], the key acts in this tick and nothing else took it.
    """
    item, player = state.inventory.item[:, 0], state.player
    wants = jnp.asarray(CONSUMED)[item] & ((player.food < FULL) | jnp.asarray(ALWAYS)[item])
    goes_on = held_key & wants & (starts | (player.eating > 0))
    ticks = jnp.where(goes_on, player.eating + 1, 0).astype(jnp.int32)
    done = ticks >= TICKS
    food = jnp.minimum(player.food + jnp.asarray(FOOD)[item], FULL)
    saturation = jnp.minimum(player.saturation + jnp.asarray(SATURATION)[item], food)
    state = inventory.take_from(state, jnp.zeros_like(item), done.astype(jnp.int32))
    # Stews and milk do not stack, so the hand is empty by now.
    left = jnp.where(done, jnp.asarray(LEFT)[item], 0)
    in_hand = (jnp.arange(state.inventory.item.shape[1]) == 0) & (left > 0)[:, None]
    return state.replace(
        player=player.replace(
            food=jnp.where(done, food, player.food),
            saturation=jnp.where(done, saturation, player.saturation),
            eating=jnp.where(done, 0, ticks),
        ),
        inventory=state.inventory.replace(
            item=jnp.where(in_hand, left[:, None], state.inventory.item),
            quantity=jnp.where(in_hand, 1, state.inventory.quantity),
        ),
    )


def slow_down(player: Player, controls: physics.Controls) -> physics.Controls:
    """Who eats walks slowly."""
    factor = jnp.where(player.eating > 0, jnp.float32(SLOW), jnp.float32(1.0))
    return controls._replace(forward=controls.forward * factor, right=controls.right * factor)
