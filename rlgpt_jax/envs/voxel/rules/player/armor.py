"""Worn armour: what it keeps off, and how it wears.

Source: https://minecraft.wiki/w/Armor (Java 1.9 to 1.13), durability: `items.json`.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAMES
from rlgpt_jax.envs.voxel.rules.items.inventory import ARMOR_POINTS
from rlgpt_jax.envs.voxel.rules.items.item_table import NUM_ITEMS
from rlgpt_jax.envs.voxel.rules.player import tools
from rlgpt_jax.envs.voxel.state import Armor

# Toughness by item id: 2 for each piece of diamond.
TOUGHNESS = np.zeros(NUM_ITEMS, np.float32)
TOUGHNESS[[i for i, name in enumerate(NAMES) if name.startswith("diamond_")]] = 2.0
TOUGHNESS[ARMOR_POINTS == 0] = 0.0
WEAR = 4.0  # a piece loses a use for so much damage, at least one


def absorb(
    damage: jax.Array, points: jax.Array | float, toughness: jax.Array | float = 0.0
) -> jax.Array:
    """What armour lets through, float32[...].

    A point keeps off 4 %; strong hits make less of the points count, a fifth of them
    always does.
    """
    useful = jnp.maximum(points / 5.0, points - damage / (2.0 + toughness / 4.0))
    return damage * (1.0 - jnp.minimum(useful, 20.0) / 25.0)


def absorb_worn(armor: Armor, damage: jax.Array) -> jax.Array:
    """float32[N]: what the armour of the players lets through of float32[N]."""
    points = jnp.asarray(ARMOR_POINTS)[armor.item].sum(1)
    return absorb(damage, points, jnp.asarray(TOUGHNESS)[armor.item].sum(1))


def wear(armor: Armor, damage: jax.Array) -> Armor:
    """Damage float32[N] that was meant for the body wears every piece; 0 wears nothing."""
    uses = jnp.where(damage > 0, jnp.maximum(jnp.floor(damage / WEAR), 1.0), 0.0)
    worn = jnp.asarray(ARMOR_POINTS)[armor.item] > 0
    spent = armor.damage + jnp.where(worn, uses[:, None].astype(jnp.int32), 0)
    breaks = worn & (spent > jnp.asarray(tools.DURABILITY)[armor.item])
    return armor.replace(item=jnp.where(breaks, 0, armor.item), damage=jnp.where(breaks, 0, spent))
