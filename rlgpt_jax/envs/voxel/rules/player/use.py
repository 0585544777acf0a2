"""The use key: buckets, shears, food, armour, and putting down the block in hand.

The key acts when it goes down, and every 4 ticks while it stays down. Steps in a row
that use keep it down; a step that does not use lets it go.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel import hashing, lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, is_one_of
from rlgpt_jax.envs.voxel.rules.items import drops, inventory
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import COW, SHEEP, WOOL_ITEM
from rlgpt_jax.envs.voxel.rules.player import eating, placing
from rlgpt_jax.envs.voxel.rules.player.interact import BUCKET, REMOVED, Target
from rlgpt_jax.envs.voxel.state import Player, WorldState

MILK = NAME_ID["milk_bucket"]
WATER, LAVA = NAME_ID["water_bucket"], NAME_ID["lava_bucket"]
SHEARS = NAME_ID["shears"]

DELAY = 4  # ticks between two actions of the held key
# By byte: the bucket that scooping this block fills, 0 if it cannot be scooped.
FILLED = np.zeros(256, np.int32)
FILLED[BLOCK_ID["water"]], FILLED[BLOCK_ID["lava"]] = WATER, LAVA
# Using these opens a window instead of placing what is in the hand.
OPENS = is_one_of("crafting_table", "furnace", "chest", "anvil", "bed")


def use(
    state: WorldState, active: jax.Array, target: Target
) -> tuple[WorldState, grid.Edit, drops.Dropped]:
    """Uses the item in hand on what the crosshair meets.

    Args:
      state: N worlds.
      active: bool[N], the use key is held.
      target: `interact.look(state, active)`.

    Returns:
      The worlds, the block that changes and the items that appear.
    """
    key_down = active
    player, active = _press(state.player, active)
    state = state.replace(player=player)
    held = state.inventory.item[:, 0]
    kind = jnp.take_along_axis(state.mobs.kind, jnp.maximum(target.mob, 0)[:, None], 1)[:, 0]
    kind = jnp.where(target.mob >= 0, kind, 0)

    milks = active & (held == BUCKET) & (kind == COW)
    shears = active & (held == SHEARS) & (kind == SHEEP)
    filling = jnp.asarray(FILLED)[target.byte]
    scoops = active & (held == BUCKET) & target.is_block & (filling > 0)
    pours = active & ((held == WATER) | (held == LAVA)) & target.is_block
    opens = target.is_block & jnp.asarray(OPENS)[target.byte]
    swung = placing.swing(state, active, target)
    opens |= swung.active
    pours &= ~opens

    puts_on = active & ~opens & (jnp.asarray(inventory.ARMOR_SLOT)[held] > 0)
    state = lanes.only_if_any(puts_on, lambda state: inventory.put_on(state, puts_on), state)
    eats = (key_down & jnp.asarray(eating.CONSUMED)[held]) | (state.player.eating > 0)
    bites = functools.partial(eating.eat, held_key=key_down, starts=active & ~opens)
    state = lanes.only_if_any(eats, bites, state)
    none = jnp.zeros_like(held)
    state, shorn = lanes.if_any(shears, lambda state: _shear(state, shears, target), state, none)
    nothing = grid.Edit(jnp.zeros_like(pours), target.cell, target.byte)
    state, pour = lanes.if_any(
        pours, lambda state: (state, _pour(state, pours, held, target)), state, nothing
    )
    result = jnp.where(milks, MILK, jnp.where(scoops, filling, BUCKET))
    changes = milks | scoops | pour.active
    state, spilled = lanes.if_any(
        changes, lambda state: _exchange(state, changes, result), state, none
    )

    places = active & ~milks & ~scoops & ~shears & ~opens
    hand = jnp.zeros_like(held)
    state, put = placing.place(state, places, hand, target)
    scoop = grid.Edit(scoops, target.cell, jnp.full_like(target.byte, REMOVED))
    edit = lanes.by_case(put, (pour.active, pour), (scoops, scoop), (swung.active, swung))
    return state, edit, _appear(state, shorn, result, spilled, target)


def _press(player: Player, key_down: jax.Array) -> tuple[Player, jax.Array]:
    """Where the key acts in this tick, bool[N]. While one eats it does nothing else."""
    delay = jnp.maximum(player.use_delay - 1, 0)
    acts = key_down & (delay == 0) & (player.eating == 0)
    delay = jnp.where(acts, DELAY, jnp.where(key_down, delay, 0))
    return player.replace(use_delay=delay.astype(jnp.int32)), acts


def _shear(state: WorldState, active: jax.Array, target: Target) -> tuple[WorldState, jax.Array]:
    """Shears a sheep that has its wool. Returns the pieces of wool, int32[N]."""
    chosen = jnp.arange(state.mobs.kind.shape[1]) == target.mob[:, None]
    woolly = (chosen & ~state.mobs.sheared).any(1) & active
    pieces = 1 + hashing.below(3, state.seed, state.tick, hashing.SHEAR_COUNT)
    state = state.replace(
        mobs=state.mobs.replace(sheared=state.mobs.sheared | (chosen & woolly[:, None]))
    )
    state = inventory.wear(state, woolly.astype(jnp.int32))
    return state, jnp.where(woolly, pieces, 0)


def _pour(state: WorldState, active: jax.Array, held: jax.Array, target: Target) -> grid.Edit:
    """Empties a bucket in front of the face under the crosshair."""
    byte = jnp.where(held == WATER, BLOCK_ID["water"], BLOCK_ID["lava"]).astype(jnp.uint8)
    cell = placing.before_face(target)
    return grid.Edit(active & placing.is_free(state, cell, byte), cell, byte)


def _exchange(
    state: WorldState, active: jax.Array, result: jax.Array
) -> tuple[WorldState, jax.Array]:
    """Turns one piece of the hand's stack into `result`; returns what found no room.

    The last piece is replaced in the hand, of a larger stack the result goes elsewhere.
    """
    single = active & (state.inventory.quantity[:, 0] == 1)
    names = state.inventory.item.at[:, 0].set(jnp.where(single, result, state.inventory.item[:, 0]))
    state = state.replace(inventory=state.inventory.replace(item=names))
    split = active & ~single
    state = inventory.take_from(state, jnp.zeros_like(result), split.astype(jnp.int32))
    return inventory.add(state, result, split.astype(jnp.int32))


def _appear(
    state: WorldState, wool: jax.Array, spilled_name: jax.Array, spilled: jax.Array, target: Target
) -> drops.Dropped:
    """Wool of its colour falls at the sheep, a bucket without room at the player."""
    mob = jnp.maximum(target.mob, 0)[:, None]
    sheep = jnp.take_along_axis(state.mobs.position, mob[..., None], 1)[:, 0]
    colour = jnp.asarray(WOOL_ITEM)[jnp.take_along_axis(state.mobs.variant, mob, 1)[:, 0]]
    up = jnp.array([0.0, 1.0, 0.0], jnp.float32)
    u = hashing.uniform(state.seed, state.tick, hashing.ITEM_X)
    v = hashing.uniform(state.seed, state.tick, hashing.ITEM_Z)
    velocity = jnp.stack([0.1 * (u - 0.5), 0.05 * u, 0.1 * (v - 0.5)], -1)
    none = jnp.zeros_like(wool)
    return drops.Dropped(
        name=jnp.stack([jnp.where(wool > 0, colour, spilled_name), none], 1).astype(jnp.int32),
        quantity=jnp.stack([wool + spilled, none], 1),
        position=jnp.where((wool > 0)[:, None], sheep, state.player.position) + up,
        velocity=velocity,
        age=none,
    )
