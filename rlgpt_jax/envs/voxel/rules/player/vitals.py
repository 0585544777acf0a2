"""Life, food and air of the player: damage, fire, hunger, healing, drowning.

Every source of damage is one call of `hurt`, in the order of the game. Timers are
counters of their own. Source: https://minecraft.wiki (Damage, Hunger; Java 1.11), normal
difficulty.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import DAMAGE_KINDS
from rlgpt_jax.envs.voxel.rules.player import armor
from rlgpt_jax.envs.voxel.rules.player.physics import Motion
from rlgpt_jax.envs.voxel.state import Player, WorldState

FULL_LIFE = FULL_FOOD = 20.0
FULL_OXYGEN = 300.0
NO_OXYGEN = -20.0  # here it hurts, and the air starts again at 0
START_SATURATION = 5.0
# Ticks after a hit in which only what exceeds it counts.
HURT_WINDOW = 10
SAFE_FALL = 3.0  # blocks
LAVA_DAMAGE, DROWN_DAMAGE, VOID_DAMAGE = 4.0, 2.0, 4.0
LAVA_FIRE, BLOCK_FIRE = 300, 160  # ticks that a body burns on
FIRE_PERIOD = 20  # ticks for each point of burning
KINDLING = 20  # ticks in which a player standing in fire does not burn yet
VOID = -64.0  # y
STARVED_LIFE = 1.0  # hunger stops here on normal difficulty
FAST_HEAL, SLOW_HEAL = 10, 80  # ticks per healing; starving is as slow
# Damage that armour does not keep off; it does not tire either.
PIERCING = ("fall", "on_fire", "in_wall", "drown", "starve", "out_of_world")

# Exhaustion; 4 points cost one of saturation or food.
SPRINT_COST, SWIM_COST = 0.1, 0.01  # per block
JUMP_COST, SPRINT_JUMP_COST = 0.05, 0.2
ATTACK_COST, HURT_COST, BREAK_COST = 0.1, 0.1, 0.005
HEAL_COST = 6.0  # per point of life
MOST_EXHAUSTION = 40.0


def exhaust(player: Player, amount: jax.Array) -> Player:
    """Adds float32[N] exhaustion."""
    return player.replace(exhaustion=jnp.minimum(player.exhaustion + amount, MOST_EXHAUSTION))


def hurt(state: WorldState, damage: jax.Array, kind: str) -> tuple[WorldState, jax.Array]:
    """Damage reaches the players.

    Args:
      state: N worlds.
      damage: float32[N], 0 for none.
      kind: one of `base.DAMAGE_KINDS`.

    Returns:
      The worlds and bool[N], whether it was a new hit and not the rest of one that was
      stronger than the last.
    """
    player, worn = state.player, state.armor
    counts = (damage > 0) & (player.life > 0)
    fresh = counts & (player.hurt_time == 0)
    harder = counts & ~fresh & (damage > player.hurt_amount)
    new = jnp.where(fresh, damage, jnp.where(harder, damage - player.hurt_amount, 0.0))
    loss = new
    if kind not in PIERCING:
        loss = armor.absorb_worn(worn, new)
        worn = armor.wear(worn, new)
        player = exhaust(player, jnp.where(new > 0, HURT_COST, 0.0))
    life = jnp.maximum(player.life - loss, 0.0)
    lost = player.life - life
    taken_by = jnp.where(lost > 0, DAMAGE_KINDS.index(kind), player.damage_kind)
    player = player.replace(
        life=life,
        hurt_time=jnp.where(fresh, HURT_WINDOW, player.hurt_time).astype(jnp.int32),
        hurt_amount=jnp.where(fresh | harder, damage, player.hurt_amount),
        damage=player.damage + lost,
        damage_kind=taken_by.astype(jnp.int32),
    )
    return state.replace(player=player, armor=worn), fresh


def live(state: WorldState, motion: Motion) -> WorldState:
    """One tick of the body after the move: tire, burn, breathe, land, digest."""
    player = state.player.replace(
        hurt_time=jnp.maximum(state.player.hurt_time - 1, 0),
        damage=jnp.zeros_like(state.player.damage),
        damage_kind=jnp.zeros_like(state.player.damage_kind),
    )
    state = _burn(state.replace(player=_tire(player, motion)), motion)
    below = player.position[:, 1] < VOID
    state, _ = hurt(state, jnp.where(below, VOID_DAMAGE, 0.0), "out_of_world")
    state, _ = hurt(state, motion.eye_in_wall.astype(jnp.float32), "in_wall")
    state = _breathe(state, motion)
    state = _land(state)
    state = _touch(state, motion)
    return _digest(state)


def _tire(player: Player, motion: Motion) -> Player:
    """Ways count in whole hundredths of a block."""
    path = jnp.sqrt(motion.moved[:, 0] ** 2 + motion.moved[:, 2] ** 2)
    dived = jnp.sqrt((motion.moved**2).sum(-1))
    swum = _hundredths(jnp.where(motion.eye_in_water, dived, path)) * SWIM_COST
    run = jnp.where(motion.sprinting & player.on_ground, _hundredths(path) * SPRINT_COST, 0.0)
    leap = jnp.where(motion.sprinting, SPRINT_JUMP_COST, JUMP_COST)
    way = jnp.where(player.in_water, swum, run)
    return exhaust(player, way + jnp.where(motion.jumped, leap, 0.0))


def _hundredths(path: jax.Array) -> jax.Array:
    return jnp.round(100.0 * path) / 100.0


def _burn(state: WorldState, motion: Motion) -> WorldState:
    """A burning body loses a point each second; lava sets it on fire, water puts it out."""
    fire = state.player.fire
    hot = (fire > 0) & (fire % FIRE_PERIOD == 0)
    state, _ = hurt(state, hot.astype(jnp.float32), "on_fire")
    state, _ = hurt(state, jnp.where(motion.in_lava, LAVA_DAMAGE, 0.0), "lava")
    fire = jnp.where(motion.in_lava, LAVA_FIRE, fire - (fire > 0))
    fire = jnp.where(state.player.in_water, jnp.minimum(fire, 0), fire)
    return state.replace(player=state.player.replace(fire=fire.astype(jnp.int32)))


def _touch(state: WorldState, motion: Motion) -> WorldState:
    """Fire and cactus. Up to `KINDLING` ticks in fire count below 0, then the body burns."""
    state, _ = hurt(state, motion.in_fire.astype(jnp.float32), "in_fire")
    state, _ = hurt(state, motion.touches_cactus.astype(jnp.float32), "cactus")
    player, fire = state.player, state.player.fire
    warm = jnp.where(fire == 0, -KINDLING, fire) + 1
    warm = jnp.where(warm == 0, BLOCK_FIRE, warm)
    fire = jnp.where(motion.in_fire & ~player.in_water, warm, jnp.where(fire > 0, fire, 0))
    return state.replace(player=player.replace(fire=fire.astype(jnp.int32)))


def _land(state: WorldState) -> WorldState:
    fallen, lands = state.player.fall_distance, state.player.on_ground
    damage = jnp.maximum(jnp.ceil(fallen - SAFE_FALL), 0.0)
    state, _ = hurt(state, jnp.where(lands, damage, 0.0), "fall")
    return state.replace(player=state.player.replace(fall_distance=jnp.where(lands, 0.0, fallen)))


def _breathe(state: WorldState, motion: Motion) -> WorldState:
    """Air lasts 320 ticks; then the player loses 2 every 20 ticks."""
    left = jnp.where(motion.eye_in_water, state.player.oxygen - 1.0, FULL_OXYGEN)
    drowns = left <= NO_OXYGEN
    player = state.player.replace(oxygen=jnp.where(drowns, 0.0, left))
    return hurt(state.replace(player=player), jnp.where(drowns, DROWN_DAMAGE, 0.0), "drown")[0]


def _digest(state: WorldState) -> WorldState:
    """Exhaustion eats saturation, then food; food heals or starves."""
    player = state.player
    tired = player.exhaustion > 4.0
    saturated = player.saturation > 0.0
    player = player.replace(
        exhaustion=player.exhaustion - jnp.where(tired, 4.0, 0.0),
        saturation=jnp.maximum(player.saturation - jnp.where(tired, 1.0, 0.0), 0.0),
        food=jnp.maximum(player.food - jnp.where(tired & ~saturated, 1.0, 0.0), 0.0),
    )
    wounded = (player.life > 0.0) & (player.life < FULL_LIFE)
    fast = wounded & (player.food >= FULL_FOOD) & (player.saturation > 0.0)
    slow = wounded & ~fast & (player.food >= 18.0)
    empty = ~fast & ~slow & (player.food <= 0.0)
    waited = jnp.where(fast | slow | empty, player.food_timer + 1, 0)
    rings = waited >= jnp.where(fast, FAST_HEAL, SLOW_HEAL)
    spent = jnp.minimum(player.saturation, HEAL_COST)
    heal = jnp.where(rings & fast, spent / HEAL_COST, jnp.where(rings & slow, 1.0, 0.0))
    player = player.replace(
        life=jnp.minimum(player.life + heal, FULL_LIFE),
        food_timer=jnp.where(rings, 0, waited).astype(jnp.int32),
    )
    state = state.replace(player=exhaust(player, heal * HEAL_COST))
    starves = rings & empty & (player.life > STARVED_LIFE)
    return hurt(state, starves.astype(jnp.float32), "starve")[0]
