"""Dropped items: appearing, falling, burning, being picked up.

As in Minecraft 1.11 they sink in water (they float since 1.13). Currents do not carry
them, they do not merge, and fire and lava take them at once.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.blocks.blocks import LAVAS, is_one_of
from rlgpt_jax.envs.voxel.rules.bodies import pushing
from rlgpt_jax.envs.voxel.rules.items import drops, inventory
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import EYE_HEIGHT, PLAYER_SIZE
from rlgpt_jax.envs.voxel.senses import rays
from rlgpt_jax.envs.voxel.state import Items, WorldState

PICKUP_AGE = 10  # ticks
THROWN_AGE = PICKUP_AGE - 40  # what the player throws waits 40 ticks
LIFETIME = 6000  # ticks
HALF_WIDTH = 0.125  # of an item's box, 0.25 high
GRAVITY, DRAG, GROUND_DRAG = 0.04, 0.98, 0.98 * 0.6
MAX_FALL = 0.9  # blocks per tick: the cell below is all that one tick looks at
# An item is taken when its box meets the player's, grown by this much.
GROW_SIDES, GROW_ENDS = 1.0, 0.5
BURNS = is_one_of("fire", *LAVAS)


def appear(state: WorldState, dropped: drops.Dropped) -> WorldState:
    """Puts new items into free entries, or else into that of the oldest item."""
    index = jnp.arange(state.items.id.shape[1])
    damage = jnp.broadcast_to(dropped.damage, state.tick.shape)[:, None]
    for k in range(drops.KINDS):
        # Free entries count as older than any item.
        age = jnp.where(state.items.id == 0, LIFETIME + 1, state.items.age)
        entry = jnp.argmax(age, axis=1)
        here = (index == entry[:, None]) & (dropped.quantity[:, k] > 0)[:, None]
        new = Items(
            dropped.name[:, k, None], dropped.quantity[:, k, None], dropped.position[:, None],
            dropped.velocity[:, None], dropped.age[:, None], damage,
        )  # fmt: skip
        state = state.replace(items=lanes.choose(here, new, state.items))
    return state


def throw(state: WorldState, active: jax.Array) -> tuple[WorldState, drops.Dropped]:
    """Drops one piece of what is in the hand, ahead of the player, in the lanes bool[N]."""
    name, damage = state.inventory.item[:, 0], state.inventory.damage[:, 0]
    goes = active & (name > 0)
    none = jnp.zeros_like(name)
    state = inventory.take_from(state, none, goes.astype(jnp.int32))
    up = jnp.array([0.0, 0.1, 0.0], jnp.float32)
    dropped = drops.Dropped(
        name=jnp.stack([name, none], 1),
        quantity=jnp.stack([goes.astype(jnp.int32), none], 1),
        position=state.player.position + jnp.array([0.0, EYE_HEIGHT - 0.3, 0.0], jnp.float32),
        velocity=0.3 * rays.direction_of(state.player.yaw, state.player.pitch) + up,
        age=none + THROWN_AGE,
        damage=damage,
    )
    return state, dropped


def spill(state: WorldState, name: jax.Array, quantity: jax.Array) -> drops.Dropped:
    """Items int32[N] that found no room fall at the player's feet."""
    none = jnp.zeros_like(name)
    up = jnp.array([0.0, 0.5, 0.0], jnp.float32)
    return drops.Dropped(
        name=jnp.stack([name, none], 1),
        quantity=jnp.stack([quantity, none], 1),
        position=state.player.position + up,
        velocity=jnp.zeros_like(state.player.position),
        age=none + THROWN_AGE,
    )


def fall(state: WorldState) -> WorldState:
    """One tick of motion: stops at walls, rests on blocks; stays near as mobs do."""
    start = state.items.position
    start = start.at[..., ::2].add(pushing.way_back(state, start))
    velocity = state.items.velocity.at[..., 1].add(-GRAVITY)
    velocity = velocity.at[..., 1].set(jnp.maximum(velocity[..., 1], -MAX_FALL))
    aside = (start + velocity).at[..., 1].set(start[..., 1])
    # The cell beside (at the item's height) and the cell that it falls into.
    below = aside.at[..., 1].add(velocity[..., 1])
    beside, under = (grid.block_at(state.blocks, grid.floor(p)) for p in (aside, below))
    wall, floor = grid.solid(beside), grid.solid(under)
    burns = jnp.asarray(BURNS)[beside] | jnp.asarray(BURNS)[under]
    lands = floor & ~wall & (velocity[..., 1] < 0)
    stuck = wall | (floor & (velocity[..., 1] >= 0))
    x, z = (jnp.where(wall, start[..., a], aside[..., a]) for a in (0, 2))
    y = jnp.where(lands, jnp.floor(below[..., 1]) + 1.0, below[..., 1])
    y = jnp.where(stuck, start[..., 1], y)
    drag = jnp.where(lands, GROUND_DRAG, DRAG) * jnp.where(wall, 0.0, 1.0)
    speed_y = jnp.where(lands | stuck, 0.0, velocity[..., 1] * DRAG)
    age = state.items.age + 1
    gone = (age > LIFETIME) | burns
    return state.replace(
        items=state.items.replace(
            position=jnp.stack([x, y, z], -1),
            velocity=jnp.stack([velocity[..., 0] * drag, speed_y, velocity[..., 2] * drag], -1),
            age=age,
            id=jnp.where(gone, 0, state.items.id),
        )
    )


def pick_up(state: WorldState) -> WorldState:
    """Takes the first item in reach that is old enough and finds room; one stack per tick."""
    offset = state.items.position - state.player.position[:, None]
    side = PLAYER_SIZE[0] / 2 + GROW_SIDES + HALF_WIDTH
    near = (jnp.abs(offset[..., ::2]) < side).all(-1)
    near &= offset[..., 1] + 2 * HALF_WIDTH > -GROW_ENDS
    near &= offset[..., 1] < PLAYER_SIZE[1] + GROW_ENDS
    ripe = near & (state.items.id > 0) & (state.items.age >= PICKUP_AGE)
    ripe &= inventory.has_room(state, state.items.id)
    entry = jnp.argmax(ripe, axis=1)[:, None]
    chosen = ripe & (jnp.arange(ripe.shape[1]) == entry)
    name = jnp.where(chosen, state.items.id, 0).sum(1, dtype=jnp.int32)
    quantity = jnp.where(chosen, state.items.quantity, 0).sum(1, dtype=jnp.int32)
    damage = jnp.where(chosen, state.items.damage, 0).sum(1, dtype=jnp.int32)
    state, left = inventory.add(state, name, quantity, damage)
    rest = jnp.where(chosen, left[:, None], state.items.quantity)
    gone = chosen & (rest == 0)
    return state.replace(
        items=state.items.replace(quantity=rest, id=jnp.where(gone, 0, state.items.id))
    )
