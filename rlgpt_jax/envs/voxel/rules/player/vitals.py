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
from rlgpt_jax.envs.voxel.state import WorldState

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


def exhaust(state: WorldState, amount: jax.Array) -> WorldState:
    """Adds float32[N] exhaustion."""
    return state.replace(exhaustion=jnp.minimum(state.exhaustion + amount, MOST_EXHAUSTION))


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
    counts = (damage > 0) & (state.life > 0)
    fresh = counts & (state.hurt_time == 0)
    harder = counts & ~fresh & (damage > state.hurt_amount)
    new = jnp.where(fresh, damage, jnp.where(harder, damage - state.hurt_amount, 0.0))
    loss = new
    if kind not in PIERCING:
        loss = armor.absorb_worn(state, new)
        state = armor.wear(state, new)
        state = exhaust(state, jnp.where(new > 0, HURT_COST, 0.0))
    life = jnp.maximum(state.life - loss, 0.0)
    lost = state.life - life
    state = state.replace(
        life=life,
        hurt_time=jnp.where(fresh, HURT_WINDOW, state.hurt_time).astype(jnp.int32),
        hurt_amount=jnp.where(fresh | harder, damage, state.hurt_amount),
        damage=state.damage + lost,
        damage_kind=jnp.where(lost > 0, DAMAGE_KINDS.index(kind), state.damage_kind).astype(
            jnp.int32
        ),
    )
    return state, fresh


def live(state: WorldState, motion: Motion) -> WorldState:
    """One tick of the body after the move: tire, burn, breathe, land, digest."""
    state = state.replace(
        hurt_time=jnp.maximum(state.hurt_time - 1, 0),
        damage=jnp.zeros_like(state.damage),
        damage_kind=jnp.zeros_like(state.damage_kind),
    )
    state = _tire(state, motion)
    state = _burn(state, motion)
    state, _ = hurt(state, jnp.where(state.position[:, 1] < VOID, VOID_DAMAGE, 0.0), "out_of_world")
    state, _ = hurt(state, motion.eye_in_wall.astype(jnp.float32), "in_wall")
    state = _breathe(state, motion)
    state = _land(state)
    state = _touch(state, motion)
    return _digest(state)


def _tire(state: WorldState, motion: Motion) -> WorldState:
    """Ways count in whole hundredths of a block."""
    path = jnp.sqrt(motion.moved[:, 0] ** 2 + motion.moved[:, 2] ** 2)
    dived = jnp.sqrt((motion.moved**2).sum(-1))
    swum = _hundredths(jnp.where(motion.eye_in_water, dived, path)) * SWIM_COST
    run = jnp.where(motion.sprinting & state.on_ground, _hundredths(path) * SPRINT_COST, 0.0)
    leap = jnp.where(motion.sprinting, SPRINT_JUMP_COST, JUMP_COST)
    way = jnp.where(state.in_water, swum, run)
    return exhaust(state, way + jnp.where(motion.jumped, leap, 0.0))


def _hundredths(path: jax.Array) -> jax.Array:
    return jnp.round(100.0 * path) / 100.0


def _burn(state: WorldState, motion: Motion) -> WorldState:
    """A burning body loses a point each second; lava sets it on fire, water puts it out."""
    hot = (state.fire > 0) & (state.fire % FIRE_PERIOD == 0)
    state, _ = hurt(state, hot.astype(jnp.float32), "on_fire")
    state, _ = hurt(state, jnp.where(motion.in_lava, LAVA_DAMAGE, 0.0), "lava")
    fire = state.fire - (state.fire > 0)
    fire = jnp.where(motion.in_lava, LAVA_FIRE, fire)
    fire = jnp.where(state.in_water, jnp.minimum(fire, 0), fire)
    return state.replace(fire=fire.astype(jnp.int32))


def _touch(state: WorldState, motion: Motion) -> WorldState:
    """Fire and cactus. Up to `KINDLING` ticks in fire count below 0, then the body burns."""
    state, _ = hurt(state, motion.in_fire.astype(jnp.float32), "in_fire")
    state, _ = hurt(state, motion.touches_cactus.astype(jnp.float32), "cactus")
    warm = jnp.where(state.fire == 0, -KINDLING, state.fire) + 1
    warm = jnp.where(warm == 0, BLOCK_FIRE, warm)
    away = jnp.where(state.fire > 0, state.fire, 0)
    fire = jnp.where(motion.in_fire & ~state.in_water, warm, away)
    return state.replace(fire=fire.astype(jnp.int32))


def _land(state: WorldState) -> WorldState:
    damage = jnp.maximum(jnp.ceil(state.fall_distance - SAFE_FALL), 0.0)
    state, _ = hurt(state, jnp.where(state.on_ground, damage, 0.0), "fall")
    return state.replace(fall_distance=jnp.where(state.on_ground, 0.0, state.fall_distance))


def _breathe(state: WorldState, motion: Motion) -> WorldState:
    """Air lasts 320 ticks; then the player loses 2 every 20 ticks."""
    left = jnp.where(motion.eye_in_water, state.oxygen - 1.0, FULL_OXYGEN)
    drowns = left <= NO_OXYGEN
    state = state.replace(oxygen=jnp.where(drowns, 0.0, left))
    return hurt(state, jnp.where(drowns, DROWN_DAMAGE, 0.0), "drown")[0]


def _digest(state: WorldState) -> WorldState:
    """Exhaustion eats saturation, then food; food heals or starves."""
    tired = state.exhaustion > 4.0
    saturated = state.saturation > 0.0
    state = state.replace(
        exhaustion=state.exhaustion - jnp.where(tired, 4.0, 0.0),
        saturation=jnp.maximum(state.saturation - jnp.where(tired, 1.0, 0.0), 0.0),
        food=jnp.maximum(state.food - jnp.where(tired & ~saturated, 1.0, 0.0), 0.0),
    )
    wounded = (state.life > 0.0) & (state.life < FULL_LIFE)
    fast = wounded & (state.food >= FULL_FOOD) & (state.saturation > 0.0)
    slow = wounded & ~fast & (state.food >= 18.0)
    empty = ~fast & ~slow & (state.food <= 0.0)
    waited = jnp.where(fast | slow | empty, state.food_timer + 1, 0)
    rings = waited >= jnp.where(fast, FAST_HEAL, SLOW_HEAL)
    spent = jnp.minimum(state.saturation, HEAL_COST)
    heal = jnp.where(rings & fast, spent / HEAL_COST, jnp.where(rings & slow, 1.0, 0.0))
    state = state.replace(
        life=jnp.minimum(state.life + heal, FULL_LIFE),
        food_timer=jnp.where(rings, 0, waited).astype(jnp.int32),
    )
    state = exhaust(state, heal * HEAL_COST)
    starves = rings & empty & (state.life > STARVED_LIFE)
    return hurt(state, starves.astype(jnp.float32), "starve")[0]
