"""Life, food and air of the player: damage, hunger, regeneration, drowning.

Sources: `third_party/minecraft` and Minecraft 1.11's published rules. Timers of 10, 20
and 80 ticks run on the episode's tick and not on counters of their own.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.physics import Motion
from rlgpt_jax.envs.voxel.state import WorldState

FULL_LIFE = FULL_FOOD = 20.0
FULL_OXYGEN = 300.0
START_SATURATION = 5.0
HURT_WINDOW = 10  # ticks in which a hurt body takes no further damage
SAFE_FALL = 3.0  # blocks
STARVED_LIFE = 1.0  # hunger stops here on normal difficulty

# Exhaustion; 4 points cost one of saturation or food.
SPRINT_COST, SWIM_COST = 0.1, 0.01  # per block
JUMP_COST, SPRINT_JUMP_COST = 0.05, 0.2
ATTACK_COST, HURT_COST, BREAK_COST = 0.1, 0.1, 0.005
HEAL_COST = 6.0  # per point of life


def exhaust(state: WorldState, amount: jax.Array) -> WorldState:
    """Adds float32[N] exhaustion."""
    return state.replace(exhaustion=state.exhaustion + amount)


def hurt(state: WorldState, damage: jax.Array) -> WorldState:
    """Takes float32[N] life, unless the body was hurt a moment ago."""
    counts = (damage > 0) & (state.hurt_time == 0)
    return exhaust(
        state.replace(
            life=jnp.maximum(state.life - jnp.where(counts, damage, 0.0), 0.0),
            hurt_time=jnp.where(counts, HURT_WINDOW, state.hurt_time).astype(jnp.int32),
        ),
        jnp.where(counts, HURT_COST, 0.0),
    )


def live(state: WorldState, motion: Motion) -> WorldState:
    """One tick of the body after the move: tire, land, breathe, digest."""
    state = state.replace(hurt_time=jnp.maximum(state.hurt_time - 1, 0))
    state = _tire(state, motion)
    state = _land(state)
    state = _breathe(state, motion)
    state = hurt(state, jnp.where(motion.in_lava, 4.0, jnp.where(motion.eye_in_wall, 1.0, 0.0)))
    return _digest(state)


def _tire(state: WorldState, motion: Motion) -> WorldState:
    path = jnp.sqrt(motion.moved[:, 0] ** 2 + motion.moved[:, 2] ** 2)
    swum = jnp.sqrt((motion.moved**2).sum(-1))
    way = jnp.where(
        state.in_water, swum * SWIM_COST, jnp.where(motion.sprinting, path * SPRINT_COST, 0.0)
    )
    leap = jnp.where(motion.sprinting, SPRINT_JUMP_COST, JUMP_COST)
    return exhaust(state, way + jnp.where(motion.jumped, leap, 0.0))


def _land(state: WorldState) -> WorldState:
    damage = jnp.maximum(jnp.ceil(state.fall_distance - SAFE_FALL), 0.0)
    state = hurt(state, jnp.where(state.on_ground, damage, 0.0))
    return state.replace(fall_distance=jnp.where(state.on_ground, 0.0, state.fall_distance))


def _breathe(state: WorldState, motion: Motion) -> WorldState:
    """Air lasts 300 ticks; without it the player loses 2 every 20 ticks."""
    left = jnp.maximum(state.oxygen - 1.0, 0.0)
    oxygen = jnp.where(motion.eye_in_water, left, FULL_OXYGEN)
    drowns = (oxygen == 0.0) & (state.tick % 20 == 0)
    return hurt(state.replace(oxygen=oxygen), jnp.where(drowns, 2.0, 0.0))


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
    spent = jnp.minimum(state.saturation, HEAL_COST)
    fast_heal = jnp.where(fast & (state.tick % 10 == 0), spent / HEAL_COST, 0.0)
    heal = fast_heal + jnp.where(slow & (state.tick % 80 == 0), 1.0, 0.0)
    state = exhaust(state.replace(life=jnp.minimum(state.life + heal, FULL_LIFE)), heal * HEAL_COST)
    starves = (state.food <= 0.0) & (state.life > STARVED_LIFE) & (state.tick % 80 == 0)
    return hurt(state, jnp.where(starves, 1.0, 0.0))
