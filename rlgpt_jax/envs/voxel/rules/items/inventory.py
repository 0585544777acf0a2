"""The 36 slots: counting, adding, taking, swapping. Slot 0 is the hand.

Sums over earlier slots are products with a triangular matrix: exact for such small
numbers in float32, and fast on every backend.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_SLOTS
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.items.item_table import NAME_OF_ITEM, NUM_ITEMS
from rlgpt_jax.envs.voxel.rules.player import tools
from rlgpt_jax.envs.voxel.state import WorldState

_BEFORE = np.triu(np.ones((NUM_SLOTS, NUM_SLOTS), np.float32), 1)  # [earlier, later]
_ARMOR = ("boots", "leggings", "chestplate", "helmet", "shield")
# By item id: index into `Armor.item` + 1, or 0 for what is held in the hand.
ARMOR_SLOT = np.zeros(NUM_ITEMS, np.int32)
for _name, _id in NAME_ID.items():
    if _name.rpartition("_")[2] in _ARMOR:
        ARMOR_SLOT[_id] = 1 + _ARMOR.index(_name.rpartition("_")[2])


def before(values: jax.Array) -> jax.Array:
    """int32[..., 36]: the sum of `values` over the slots before each one."""
    sums = jnp.dot(
        values.astype(jnp.float32), jnp.asarray(_BEFORE), precision=jax.lax.Precision.HIGHEST
    )
    return sums.astype(jnp.int32)


# Armour points by item id. https://minecraft.wiki/w/Armor
_POINTS = {
    "leather": (1, 2, 3, 1), "golden": (1, 3, 5, 2), "chainmail": (1, 4, 5, 2),
    "iron": (2, 5, 6, 2), "diamond": (3, 6, 8, 3),
}  # fmt: skip
ARMOR_POINTS = np.zeros(NUM_ITEMS, np.float32)
for _kind, _points in _POINTS.items():
    for _piece, _value in zip(_ARMOR, _points):
        ARMOR_POINTS[NAME_ID[f"{_kind}_{_piece}"]] = _value


def armor_points(state: WorldState) -> jax.Array:
    """float32[N], 0..20: the protection of what is worn."""
    return jnp.asarray(ARMOR_POINTS)[state.armor.item].sum(1)


def durability(state: WorldState) -> jax.Array:
    """float32[N, 36]: uses left, 0 if the item does not wear."""
    full = jnp.asarray(tools.DURABILITY)[state.inventory.item]
    return jnp.where(full > 0, full - state.inventory.damage, 0).astype(jnp.float32)


def _settle(state: WorldState, quantity: jax.Array, name: jax.Array | None = None) -> WorldState:
    """Sets quantities (and names) and clears the slots that hold none."""
    name = state.inventory.item if name is None else name
    left = quantity > 0
    return state.replace(
        inventory=state.inventory.replace(
            item=jnp.where(left, name, 0).astype(jnp.int32),
            quantity=jnp.where(left, quantity, 0).astype(jnp.int32),
            damage=jnp.where(left, state.inventory.damage, 0).astype(jnp.int32),
        )
    )


def add(
    state: WorldState, name: jax.Array, quantity: jax.Array, damage: jax.Array | None = None
) -> tuple[WorldState, jax.Array]:
    """Puts items into started stacks, then into empty slots, both in slot order.

    Args:
      state: N worlds.
      name: int32[N], item ids.
      quantity: int32[N], 0 adds nothing.
      damage: int32[N], uses spent of a tool that is put back; None is 0.

    Returns:
      The worlds and int32[N], what found no room.
    """
    stack = jnp.asarray(tools.STACK)[name][:, None]
    started = (state.inventory.item == name[:, None]) & (state.inventory.damage == 0)
    left = jnp.broadcast_to(quantity[:, None], state.inventory.item.shape)
    room = jnp.where(started, jnp.maximum(stack - state.inventory.quantity, 0), 0)
    first = jnp.clip(left - before(room), 0, room)
    left = left - first.sum(1, keepdims=True)
    room = jnp.where(state.inventory.item == 0, stack, 0)
    second = jnp.clip(left - before(room), 0, room)
    names = jnp.where(second > 0, name[:, None], state.inventory.item)
    if damage is not None:
        spent = jnp.where(second > 0, damage[:, None], state.inventory.damage)
        state = state.replace(inventory=state.inventory.replace(damage=spent))
    state = _settle(state, state.inventory.quantity + first + second, names)
    return state, (left[:, 0] - second.sum(1)).astype(jnp.int32)


def has_room(state: WorldState, item: jax.Array) -> jax.Array:
    """bool[N, K]: whether a piece of the items int32[N, K] finds room."""
    held = jax.tree.map(lambda slots: slots[:, None], state.inventory)
    started = (held.item == item[..., None]) & (held.damage == 0)
    started &= held.quantity < jnp.asarray(tools.STACK)[item][..., None]
    return (started | (held.item == 0)).any(-1)


def first_pieces(
    state: WorldState, item: jax.Array, quantity: jax.Array, any_variant: jax.Array
) -> jax.Array:
    """Pieces of K items per lane, from the first slots that hold them.

    Args:
      state: N worlds.
      item: int32[N, K].
      quantity: int32[N, K]; as many as there are if there are fewer.
      any_variant: bool[N, K]; all items of the same name will do.

    Returns:
      int32[N, K, 36].
    """
    name_of = jnp.asarray(NAME_OF_ITEM)
    fits = any_variant[..., None] & (
        name_of[state.inventory.item][:, None] == name_of[item][..., None]
    )
    fits |= state.inventory.item[:, None] == item[..., None]
    held = jnp.where(fits, state.inventory.quantity[:, None], 0)
    return jnp.clip(quantity[..., None] - before(held), 0, held)


def remove(state: WorldState, pieces: jax.Array) -> WorldState:
    """Removes int32[N, 36] pieces, at most what the slots hold."""
    return _settle(state, state.inventory.quantity - pieces)


def take_from(state: WorldState, slot: jax.Array, quantity: jax.Array) -> WorldState:
    """Removes int32[N] pieces from one slot per lane."""
    here = jnp.arange(NUM_SLOTS, dtype=jnp.int32) == slot[:, None]
    return _settle(state, state.inventory.quantity - jnp.where(here, quantity[:, None], 0))


def wear(state: WorldState, uses: jax.Array) -> WorldState:
    """Spends int32[N] uses of the item in hand; it breaks when it has none left.

    Of a stack one piece breaks, and the next one is new.
    """
    full = jnp.asarray(tools.DURABILITY)[state.inventory.item[:, 0]]
    damage = state.inventory.damage[:, 0] + jnp.where(full > 0, uses, 0)
    breaks = (full > 0) & (damage > full)
    damage = jnp.where(breaks, 0, damage)
    state = state.replace(
        inventory=state.inventory.replace(damage=state.inventory.damage.at[:, 0].set(damage))
    )
    return take_from(state, jnp.zeros_like(damage), breaks.astype(jnp.int32))


def slot_of(state: WorldState, slot: jax.Array) -> jax.Array:
    """int32[N]: the first slot whose item has the name of that in `slot`.

    MineDojo sends names, so variants are not told apart.
    """
    names = jnp.asarray(NAME_OF_ITEM)[state.inventory.item]
    name = jnp.take_along_axis(names, slot[:, None], 1)
    return jnp.argmax(names == name, axis=1).astype(jnp.int32)


def equip(state: WorldState, active: jax.Array, slot: jax.Array) -> WorldState:
    """Swaps an item with the hand, or armour with what its place holds.

    Args:
      state: N worlds.
      active: bool[N].
      slot: int32[N]; the first slot with this slot's item is meant.
    """
    slot = slot_of(state, slot)
    item = jnp.take_along_axis(state.inventory.item, slot[:, None], 1)[:, 0]
    is_armor = jnp.asarray(ARMOR_SLOT)[item] > 0
    state = _swap_with_hand(state, active & ~is_armor, slot)
    return _swap_armor(state, active & is_armor, slot, item)


def _swap_armor(
    state: WorldState, active: jax.Array, slot: jax.Array, item: jax.Array
) -> WorldState:
    """Puts on the piece int32[N] that lies in `slot`; what was worn comes there, worn as it is."""
    place = jnp.asarray(ARMOR_SLOT)[item] - 1
    here = active[:, None] & (jnp.arange(5) == place[:, None])
    there = active[:, None] & (jnp.arange(NUM_SLOTS) == slot[:, None])
    old, old_damage, damage = (
        jnp.where(where, values, 0).sum(1, dtype=jnp.int32)[:, None]
        for where, values in (
            (here, state.armor.item), (here, state.armor.damage), (there, state.inventory.damage)
        )
    )  # fmt: skip
    return state.replace(
        armor=state.armor.replace(
            item=jnp.where(here, item[:, None], state.armor.item),
            damage=jnp.where(here, damage, state.armor.damage),
        ),
        inventory=state.inventory.replace(
            item=jnp.where(there, old, state.inventory.item),
            quantity=jnp.where(there, (old > 0).astype(jnp.int32), state.inventory.quantity),
            damage=jnp.where(there, old_damage, state.inventory.damage),
        ),
    )


def put_on(state: WorldState, active: jax.Array) -> WorldState:
    """Using armour that is in the hand, bool[N], puts it on if nothing is worn there.

    A shield stays in the hand: using it raises it, which is not in this world.
    """
    item = state.inventory.item[:, 0]
    place = jnp.asarray(ARMOR_SLOT)[item]
    worn = jnp.take_along_axis(state.armor.item, jnp.maximum(place - 1, 0)[:, None], 1)[:, 0]
    goes = active & (place > 0) & (place <= _ARMOR.index("helmet") + 1) & (worn == 0)
    return _swap_armor(state, goes, jnp.zeros_like(item), item)


def _swap_with_hand(state: WorldState, active: jax.Array, slot: jax.Array) -> WorldState:
    index = jnp.arange(NUM_SLOTS, dtype=jnp.int32)[None]
    slot = jnp.where(active, slot, 0)[:, None]
    source = jnp.where(index == 0, slot, jnp.where(index == slot, 0, index))
    swap = lambda values: jnp.take_along_axis(values, source, 1)  # noqa: E731
    # A change of the held item restarts its cooldown.
    ticks = jnp.where(active & (slot[:, 0] != 0), 0, state.player.attack_cooldown)
    return state.replace(
        player=state.player.replace(attack_cooldown=ticks),
        inventory=state.inventory.replace(
            item=swap(state.inventory.item),
            quantity=swap(state.inventory.quantity),
            damage=swap(state.inventory.damage),
        ),
    )


def destroy(state: WorldState, active: jax.Array, slot: jax.Array) -> WorldState:
    """Deletes the whole stack of a slot int32[N]."""
    return take_from(state, slot, jnp.where(active, 1 << 20, 0))
