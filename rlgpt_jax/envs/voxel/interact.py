"""What the crosshair meets, and what attacking it does."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel import drops, grid, hashing, inventory, mobs, rays, tools, vitals
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, FIRST_WATER, HARDNESS, LAST_WATER
from rlgpt_jax.envs.voxel.mob_table import BLOCK_REACH, EYE_HEIGHT, MOB_REACH
from rlgpt_jax.envs.voxel.state import WorldState

MINING_DELAY = 5  # ticks from one broken block to the start of the next
BUCKET = NAME_ID["bucket"]
REMOVED = AIR_CODE + 1  # a broken block leaves air next to other blocks


class Target(NamedTuple):
    """The nearest thing under the crosshair: a mob, a block, or neither."""

    is_block: jax.Array  # bool[N]
    byte: jax.Array  # uint8[N]
    cell: jax.Array  # int32[N, 3]
    face: jax.Array  # int32[N]  as in `rays.Hit`
    mob: jax.Array  # int32[N]  -1 if no mob is the nearest


def look(state: WorldState, uses: jax.Array) -> Target:
    """Casts the crosshair's ray of every lane.

    Args:
      state: N worlds.
      uses: bool[N]; a player about to use an empty bucket points at liquids too.
    """
    eye = rays.eye_of(state.position)
    direction = rays.direction_of(state.yaw, state.pitch)[:, None]
    see_liquid = uses & (state.slot_item[:, 0] == BUCKET)
    hit = rays.cast(state.blocks, eye, direction, BLOCK_REACH, see_liquid)
    mob, mob_distance = rays.hit_mobs(eye, direction, state.mob_position, state.mob_kind, MOB_REACH)
    nearer = (mob[:, 0] >= 0) & (mob_distance[:, 0] < hit.distance[:, 0])
    byte = hit.byte[:, 0]
    return Target(
        is_block=(byte < AIR_CODE) & ~nearer,
        byte=byte,
        cell=hit.cell[:, 0],
        face=hit.face[:, 0],
        mob=jnp.where(nearer, mob[:, 0], -1),
    )


def attack(
    state: WorldState,
    active: jax.Array,
    sprints: jax.Array,
    target: Target,
    break_speed: float = 1.0,
) -> tuple[WorldState, grid.Edit, drops.Dropped]:
    """Hits the mob, mines the block or swings at the air. Every tick is one click.

    Args:
      state: N worlds.
      active: bool[N], the attack key is held.
      sprints: bool[N], a sprinting hit knocks back farther.
      target: `look(state, ...)`.
      break_speed: factor on the speed of mining.
    """
    hits = active & (target.mob >= 0)
    state, mob_drop = _hit(state, hits, sprints, target)
    state, edit, block_drop = _mine(state, active & target.is_block, target, break_speed)
    # A swing that meets no block restarts the cooldown, a hit included.
    swings = active & ~target.is_block
    state = state.replace(
        attack_cooldown=jnp.where(swings, 0, state.attack_cooldown + 1).astype(jnp.int32)
    )
    pick = lambda a, b: jnp.where(hits.reshape((-1,) + (1,) * (a.ndim - 1)), a, b)  # noqa: E731
    return state, edit, drops.Dropped(*(pick(a, b) for a, b in zip(mob_drop, block_drop)))


def _hit(
    state: WorldState, active: jax.Array, sprints: jax.Array, target: Target
) -> tuple[WorldState, drops.Dropped]:
    """Damage = full damage * (0.2 + 0.8 p^2), p = share of the weapon's cooldown."""
    tool = jnp.asarray(tools.TOOL_OF_ITEM)[state.slot_item[:, 0]]
    ticks = state.attack_cooldown.astype(jnp.float32) + 0.5
    p = jnp.clip(ticks / jnp.asarray(tools.COOLDOWN)[tool], 0.0, 1.0)
    damage = jnp.asarray(tools.DAMAGE)[tool] * (0.2 + 0.8 * p**2)
    falls = (state.fall_distance > 0) & ~state.on_ground & ~state.in_water & ~sprints
    damage = damage * jnp.where((p > 0.9) & falls, 1.5, 1.0)
    knock = 0.4 + jnp.where(sprints & (p > 0.9), 0.5, 0.0)
    state, counts, dropped = mobs.hurt(state, active, target.mob, damage, knock)
    state = inventory.wear(state, jnp.where(counts, jnp.asarray(tools.HIT_WEAR)[tool], 0))
    return vitals.exhaust(state, jnp.where(counts, vitals.ATTACK_COST, 0.0)), dropped


def _mine(
    state: WorldState, active: jax.Array, target: Target, break_speed: float
) -> tuple[WorldState, grid.Edit, drops.Dropped]:
    """Adds one tick of progress; another target or a released key starts from 0."""
    held = state.slot_item[:, 0]
    same = (target.cell == state.mining_block).all(-1)
    head = grid.block_at(
        state.blocks, grid.floor(state.position + jnp.array([0.0, EYE_HEIGHT, 0.0]))
    )
    head_in_water = (head >= FIRST_WATER) & (head <= LAST_WATER)
    slowed = head_in_water.astype(jnp.int32) + ~state.on_ground
    part = tools.progress_per_tick(held, target.byte, slowed) * break_speed
    works = active & (state.mining_delay == 0)
    progress = jnp.where(same, state.mining_progress, 0.0) + part
    breaks = works & (progress >= 1.0)
    delays = breaks & (part < 1.0)
    state = state.replace(
        mining_block=jnp.where(active[:, None], target.cell, state.mining_block),
        mining_progress=jnp.where(works & ~breaks, progress, 0.0),
        mining_delay=jnp.where(delays, MINING_DELAY, jnp.maximum(state.mining_delay - 1, 0)).astype(
            jnp.int32
        ),
    )
    name, quantity = drops.of_blocks(state, held, target.byte)
    wears = breaks & (jnp.asarray(HARDNESS)[target.byte] > 0)
    tool = jnp.asarray(tools.TOOL_OF_ITEM)[held]
    # Shears wear on every block, even those that break at once.
    wears |= breaks & (tool == drops.SHEARS)
    state = inventory.wear(state, jnp.where(wears, jnp.asarray(tools.BREAK_WEAR)[tool], 0))
    state = vitals.exhaust(state, jnp.where(breaks, vitals.BREAK_COST, 0.0))
    edit = grid.Edit(breaks, target.cell, jnp.full(len(held), REMOVED, jnp.uint8))
    quantity = jnp.where(breaks[:, None], quantity, 0)
    return state, edit, _popped(state, name, quantity, target.cell)


def _popped(
    state: WorldState, name: jax.Array, quantity: jax.Array, cell: jax.Array
) -> drops.Dropped:
    """Items at a broken block: near its centre, with a small hop."""
    u = hashing.uniform(state.seed, state.tick, hashing.ITEM_X)
    v = hashing.uniform(state.seed, state.tick, hashing.ITEM_Z)
    offset = jnp.stack([0.25 + 0.5 * u, jnp.full_like(u, 0.25), 0.25 + 0.5 * v], -1)
    velocity = jnp.stack([0.2 * v - 0.1, jnp.full_like(u, 0.2), 0.2 * u - 0.1], -1)
    return drops.Dropped(
        name, quantity, cell.astype(jnp.float32) + offset, velocity, jnp.zeros_like(cell[:, 0])
    )
