"""Zombies: they notice the player, hit, burn by day, and go when they are far away.

`mobs.py` moves them; they walk straight, without path finding. Of every lane's mobs one
a tick is looked at for what needs the world (sight, light), in turn, with chances raised
to match. Source: `third_party/minecraft/mobs.json`, https://minecraft.wiki/w/Zombie (Java
1.11), normal difficulty; without children, armour, doors and reinforcements.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel import hashing, lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid, light
from rlgpt_jax.envs.voxel.rules.mobs import mob_life, mobs
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE, PLAYER_SIZE, ZOMBIE
from rlgpt_jax.envs.voxel.rules.player import physics, vitals
from rlgpt_jax.envs.voxel.senses import rays
from rlgpt_jax.envs.voxel.state import WorldState

DAMAGE = 3.0  # normal difficulty
PERIOD = 20  # ticks from one blow to the next
FOLLOW_RANGE = 35.0  # blocks
# Square of the distance between feet within which a blow lands: (2 w)^2 + the player's w.
REACH = float((2.0 * MOB_SIZE[ZOMBIE, 0]) ** 2 + PLAYER_SIZE[0])
EYE = 1.74  # blocks above its feet
DAYLIGHT_FIRE = 160  # ticks, renewed
LOST, FAR = 32.0, 47.0  # blocks: may go, goes at once
LOST_CHANCE = 1.0 / 800.0  # per tick


def act(state: WorldState, pool_light: jax.Array) -> WorldState:
    """One tick of the zombies after their move, if any; `pool_light` is uint8[P, X, Z, Y]."""
    return lanes.only_if_any(
        state.mobs.kind == ZOMBIE, lambda state: _notice(_attack(state), pool_light), state
    )


def _attack(state: WorldState) -> WorldState:
    """A zombie that hunts and is close enough hits; one blow a tick counts."""
    offset = state.player.position[:, None] - state.mobs.position
    hits = (state.mobs.kind == ZOMBIE) & mob_life.alive(state) & (state.mobs.panic > 0)
    hits &= ((offset**2).sum(-1) <= REACH) & (state.mobs.timer <= 1)
    hits &= (state.player.life > 0)[:, None]
    lane, first = jnp.arange(len(hits), dtype=jnp.int32), jnp.argmax(hits, axis=1)
    state = state.replace(
        mobs=state.mobs.replace(
            timer=jnp.where(hits, PERIOD + 1, state.mobs.timer).astype(jnp.int32)
        )
    )
    state, fresh = vitals.hurt(state, jnp.where(hits.any(1), DAMAGE, 0.0), "mob")
    away = offset[lane, first][:, ::2]
    away = away / jnp.maximum(jnp.sqrt((away**2).sum(-1, keepdims=True)), 1e-3)
    player = state.player
    pushed = mobs.knock(player.velocity, player.on_ground, away, mobs.KNOCK)
    velocity = jnp.where(fresh[:, None], pushed, player.velocity)
    return state.replace(player=player.replace(velocity=velocity))


def _notice(state: WorldState, pool_light: jax.Array) -> WorldState:
    """Sight, daylight and distance of this tick's mob of every lane, if it is a zombie."""
    n, m = state.mobs.kind.shape
    entry = state.tick % m
    at = lambda values: values[jnp.arange(n, dtype=jnp.int32), entry]  # noqa: E731
    chosen = jnp.arange(m, dtype=jnp.int32) == entry[:, None]
    is_zombie = (at(state.mobs.kind) == ZOMBIE) & at(mob_life.alive(state))
    place = at(state.mobs.position)
    way = jnp.sqrt(((place - state.player.position) ** 2).sum(-1))

    sees = is_zombie & (way < FOLLOW_RANGE) & _in_sight(state, place)
    aware = jnp.maximum(state.mobs.panic, mob_life.SIGHT_TICKS)
    burns = is_zombie & _in_daylight(state, pool_light, place)
    fire = jnp.maximum(state.mobs.fire, DAYLIGHT_FIRE)
    u = hashing.uniform(state.seed, state.tick, hashing.DESPAWN)
    goes = is_zombie & ((way > FAR) | ((way > LOST) & (u < m * LOST_CHANCE)))
    return state.replace(
        mobs=state.mobs.replace(
            panic=jnp.where(chosen & sees[:, None], aware, state.mobs.panic),
            fire=jnp.where(chosen & burns[:, None], fire, state.mobs.fire),
            kind=jnp.where(chosen & goes[:, None], 0, state.mobs.kind),
        )
    )


def _in_sight(state: WorldState, place: jax.Array) -> jax.Array:
    """bool[N]: no block between the player's eyes and those of a zombie at float32[N, 3]."""
    eye = rays.eye_of(state.player.position)
    to = place + jnp.array([0.0, EYE, 0.0], jnp.float32) - eye
    way = jnp.sqrt((to**2).sum(-1, keepdims=True))
    direction = to / jnp.maximum(way, 1e-3)
    hit = rays.cast(state.blocks, eye, direction[:, None], FOLLOW_RANGE, False)
    return hit.distance[:, 0] >= way[:, 0]


def _in_daylight(state: WorldState, pool_light: jax.Array, place: jax.Array) -> jax.Array:
    """bool[N]: the sun sets a zombie at float32[N, 3] on fire in this tick."""
    m = state.mobs.kind.shape[1]
    cell = grid.floor(place + jnp.array([0.0, 0.5, 0.0], jnp.float32))
    sky, block, open_sky = light.at(state, pool_light, cell)
    dark = light.darkening(state.world_time)
    level = light.total(sky, block, state.world_time) / 15.0
    brightness = level / (4.0 - 3.0 * level)
    u = hashing.uniform(state.seed, state.tick, hashing.DAYLIGHT)
    catches = 30.0 * u < (brightness - 0.4) * 2.0 * m
    wet = physics.is_water(grid.block_at(state.blocks, cell))
    return open_sky & (dark < 4) & (brightness > 0.5) & catches & ~wet
