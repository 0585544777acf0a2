"""What the crosshair meets, and what attacking it does."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, HARDNESS
from rlgpt_jax.envs.voxel.rules.items import drops, inventory
from rlgpt_jax.envs.voxel.rules.mobs import mobs
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import BLOCK_REACH, EYE_HEIGHT, MOB_REACH, MOB_SIZE
from rlgpt_jax.envs.voxel.rules.player import physics, tools, vitals
from rlgpt_jax.envs.voxel.senses import rays
from rlgpt_jax.envs.voxel.state import WorldState

MINING_DELAY = 5  # ticks from one broken block to the start of the next
BUCKET = NAME_ID["bucket"]
REMOVED = AIR_CODE + 1  # a broken block leaves air next to other blocks
# A sword sweeps over mobs whose boxes are this near to that of the one that it hits.
SWEEP_SIDES, SWEEP_ENDS = 1.0, 0.25  # blocks
SLOW = 0.091  # blocks/tick that are left of a step of 0.1 / 0.6: a player who stands or sneaks


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
    eye = rays.eye_of(state.player.position)
    direction = rays.direction_of(state.player.yaw, state.player.pitch)[:, None]
    see_liquid = uses & (state.inventory.item[:, 0] == BUCKET)
    hit = rays.cast(state.blocks, eye, direction, BLOCK_REACH, see_liquid, sources_only=True)
    mob, mob_distance = rays.hit_mobs(
        eye, direction, state.mobs.position, state.mobs.kind, MOB_REACH
    )
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
    state = _hit(state, active & (target.mob >= 0), sprints, target)
    state, edit, dropped = _mine(state, active & target.is_block, target, break_speed)
    # A swing that meets no block restarts the cooldown, a hit included.
    swings = active & ~target.is_block
    ticks = jnp.where(swings, 0, state.player.attack_cooldown + 1).astype(jnp.int32)
    return state.replace(player=state.player.replace(attack_cooldown=ticks)), edit, dropped


def _hit(state: WorldState, active: jax.Array, sprints: jax.Array, target: Target) -> WorldState:
    """Damage = full damage * (0.2 + 0.8 p^2), p = share of the weapon's cooldown."""
    player, tool = state.player, jnp.asarray(tools.TOOL_OF_ITEM)[state.inventory.item[:, 0]]
    ticks = player.attack_cooldown.astype(jnp.float32) + 0.5
    p = jnp.clip(ticks / jnp.asarray(tools.COOLDOWN)[tool], 0.0, 1.0)
    damage = jnp.asarray(tools.DAMAGE)[tool] * (0.2 + 0.8 * p**2)
    full = p > 0.9
    falls = (player.fall_distance > 0) & ~player.on_ground & ~player.in_water & ~sprints
    critical = full & falls
    damage = damage * jnp.where(critical, 1.5, 1.0)
    index = jnp.arange(state.mobs.kind.shape[1], dtype=jnp.int32)
    struck = active[:, None] & (index == target.mob[:, None])
    state, counts = mobs.hurt(state, struck, damage, sprints & full)
    counts = counts.any(1)
    if len(index) > 1:
        sweeps = counts & full & ~critical & ~sprints & jnp.asarray(tools.IS_SWORD)[tool]
        state = _sweep(state, sweeps & player.on_ground, struck)
    # A blow out of a sprint slows its giver down.
    slowed = player.velocity * jnp.array([0.6, 1.0, 0.6], jnp.float32)
    velocity = jnp.where((counts & full & sprints)[:, None], slowed, player.velocity)
    player = vitals.exhaust(player, jnp.where(counts, vitals.ATTACK_COST, 0.0))
    state = state.replace(player=player.replace(velocity=velocity))
    return inventory.wear(state, jnp.where(counts, jnp.asarray(tools.HIT_WEAR)[tool], 0))


def _sweep(state: WorldState, active: jax.Array, struck: jax.Array) -> WorldState:
    """A sword swung while standing also hits what is close to the mob bool[N, M]."""
    speed = jnp.sqrt((state.player.velocity[:, ::2] ** 2).sum(-1))
    active = active & (speed < SLOW)
    size = jnp.asarray(MOB_SIZE)[state.mobs.kind]
    at = lambda values: jnp.where(  # noqa: E731
        struck.reshape(struck.shape + (1,) * (values.ndim - 2)), values, 0.0
    ).sum(1, keepdims=True)
    offset = state.mobs.position - at(state.mobs.position)
    width = (size[..., 0] + at(size)[..., 0]) / 2 + SWEEP_SIDES
    near = (jnp.abs(offset[..., ::2]) < width[..., None]).all(-1)
    near &= (offset[..., 1] < at(size)[..., 1] + SWEEP_ENDS) & (
        offset[..., 1] > -size[..., 1] - SWEEP_ENDS
    )
    way = ((state.mobs.position - state.player.position[:, None]) ** 2).sum(-1)
    others = active[:, None] & ~struck & near & (way < MOB_REACH**2)
    return mobs.hurt(state, others, jnp.ones_like(speed), jnp.zeros_like(active))[0]


def _mine(
    state: WorldState, active: jax.Array, target: Target, break_speed: float
) -> tuple[WorldState, grid.Edit, drops.Dropped]:
    """Adds one tick of progress; another target or a released key starts from 0."""
    held, player = state.inventory.item[:, 0], state.player
    same = (target.cell == player.mining_block).all(-1)
    head = grid.block_at(
        state.blocks, grid.floor(player.position + jnp.array([0.0, EYE_HEIGHT, 0.0]))
    )
    slowed = physics.is_water(head).astype(jnp.int32) + ~player.on_ground
    part = tools.progress_per_tick(held, target.byte, slowed) * break_speed
    works = active & (player.mining_delay == 0)
    progress = jnp.where(same, player.mining_progress, 0.0) + part
    breaks = works & (progress >= 1.0)
    delays = breaks & (part < 1.0)
    waits = jnp.where(delays, MINING_DELAY, jnp.maximum(player.mining_delay - 1, 0))
    player = vitals.exhaust(player, jnp.where(breaks, vitals.BREAK_COST, 0.0)).replace(
        mining_block=jnp.where(active[:, None], target.cell, player.mining_block),
        mining_progress=jnp.where(works & ~breaks, progress, 0.0),
        mining_delay=waits.astype(jnp.int32),
        xp=player.xp + jnp.where(breaks, drops.experience(state, held, target.byte), 0.0),
    )
    name, quantity = drops.of_blocks(state, held, target.byte)
    wears = breaks & (jnp.asarray(HARDNESS)[target.byte] > 0)
    tool = jnp.asarray(tools.TOOL_OF_ITEM)[held]
    # Shears wear on every block, even those that break at once.
    wears |= breaks & (tool == drops.SHEARS)
    uses = jnp.where(wears, jnp.asarray(tools.BREAK_WEAR)[tool], 0)
    state = inventory.wear(state.replace(player=player), uses)
    edit = grid.Edit(breaks, target.cell, jnp.full(len(held), REMOVED, jnp.uint8))
    quantity = jnp.where(breaks[:, None], quantity, 0)
    return state, edit, drops.popped(state, name, quantity, target.cell)
