"""Mobs: being hurt, choosing where to walk, walking.

Motion is the player's without keys: walking speed is quadratic in the mob's AI speed
(`mobs.json`). There is no path finding; a mob walks straight and jumps at what stops it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel import collision, drops, grid, hashing, physics
from rlgpt_jax.envs.voxel.mob_table import GROUND_DRAG, MOB_PANIC, MOB_SIZE, MOB_SPEED
from rlgpt_jax.envs.voxel.state import WorldState

HURT_WINDOW = 10  # ticks
PANIC_TICKS = 100  # how long an attacker is remembered
WANDER_CHANCE = 1.0 / 120.0  # per tick
WANDER_RANGE, PANIC_RANGE = 10.0, 5.0  # blocks, +- in x and z
ARRIVED = 0.7  # blocks
MAX_FALL = 1.9  # blocks per tick, so that a region of 5 layers holds the move

# Cells around the feet: 3 x 3, 2 down, 2 up.
REGION = (3, 3, 5)
REGION_OFFSET = (-1, -2, -1)


class _Walk(NamedTuple):
    """Where the mobs head in this tick."""

    target: jax.Array  # float32[N, M, 2]
    left: jax.Array  # int32[N, M]  ticks
    yaw: jax.Array  # float32[N, M]
    speed: jax.Array  # float32[N, M]  AI speed, 0 stands


def hurt(
    state: WorldState, active: jax.Array, index: jax.Array, damage: jax.Array, knock: jax.Array
) -> tuple[WorldState, jax.Array, drops.Dropped]:
    """The player hits a mob.

    Args:
      state: N worlds.
      active: bool[N].
      index: int32[N] of the mob.
      damage: float32[N].
      knock: float32[N], speed of the push, blocks/tick.

    Returns:
      The worlds, bool[N] whether the hit counted (not within 10 ticks of the last one),
      and what a dead mob leaves.
    """
    chosen = jnp.arange(state.mob_kind.shape[1]) == index[:, None]
    struck = chosen & active[:, None] & (state.mob_kind > 0) & (state.mob_hurt_time == 0)
    life = state.mob_life - jnp.where(struck, damage[:, None], 0.0)
    dies = struck & (life <= 0)
    away = state.mob_position[..., ::2] - state.position[:, None, ::2]
    away = away / jnp.maximum(jnp.sqrt((away**2).sum(-1, keepdims=True)), 1e-3)
    push = state.mob_velocity[..., ::2] / 2 + away * knock[:, None, None]
    lift = jnp.minimum(state.mob_velocity[..., 1] / 2 + 0.4, 0.4)
    pushed = jnp.stack([push[..., 0], lift, push[..., 1]], -1)

    pick = lambda values: jnp.where(dies, values, 0).sum(1)  # noqa: E731
    name, quantity = drops.of_mobs(state, pick(state.mob_kind), (dies & state.mob_sheared).any(1))
    place = jnp.where(dies[..., None], state.mob_position, 0.0).sum(1)
    nothing = jnp.zeros_like(index)
    dropped = drops.Dropped(
        name,
        jnp.where(dies.any(1)[:, None], quantity, 0),
        place + jnp.array([0.0, 0.2, 0.0], jnp.float32),
        jnp.zeros_like(place).at[:, 1].set(0.2),
        nothing,
    )
    state = state.replace(
        mob_kind=jnp.where(dies, 0, state.mob_kind),
        mob_life=life,
        mob_hurt_time=jnp.where(struck, HURT_WINDOW, state.mob_hurt_time).astype(jnp.int32),
        mob_panic=jnp.where(struck, PANIC_TICKS, state.mob_panic).astype(jnp.int32),
        mob_walk=jnp.where(struck, 0, state.mob_walk).astype(jnp.int32),
        mob_velocity=jnp.where(struck[..., None], pushed, state.mob_velocity),
    )
    return state, struck.any(1), dropped


def around(state: WorldState) -> grid.Region:
    """The cells that the mobs may touch in this tick, [N, M, ...]."""
    corner = grid.floor(state.mob_position) + jnp.array(REGION_OFFSET, jnp.int32)
    return grid.region(state.blocks, corner, REGION)


def move(state: WorldState, region: grid.Region) -> WorldState:
    """One tick of every mob: think, then walk, collide and fall."""
    alive = state.mob_kind > 0
    walk = _think(state, alive)
    solid = grid.solid(region.byte)
    size = jnp.asarray(MOB_SIZE)[state.mob_kind]
    box = collision.body(state.mob_position, region.corner, size[..., 0], size[..., 1])
    in_water = collision.touches(physics.is_water(region.byte), box)

    ahead = jnp.stack([-jnp.sin(jnp.deg2rad(walk.yaw)), jnp.cos(jnp.deg2rad(walk.yaw))], -1)
    walk = _heed_cliffs(state, walk, ahead, solid)
    ground = state.mob_on_ground & ~in_water
    push = 0.98 * walk.speed * jnp.where(ground, walk.speed, 0.02)
    rise = state.mob_velocity[..., 1] + jnp.where(in_water, 0.04, 0.0)
    wish = jnp.stack(
        [
            state.mob_velocity[..., 0] + push * ahead[..., 0],
            jnp.maximum(rise, -MAX_FALL),
            state.mob_velocity[..., 2] + push * ahead[..., 1],
        ],
        -1,
    )
    wish = jnp.where(alive[..., None], wish, 0.0)
    moved = collision.sweep(solid, box, wish)
    bumped = moved != wish
    on_ground = bumped[..., 1] & (wish[..., 1] < 0)
    beside = bumped[..., 0] | bumped[..., 2]
    velocity = _decay(jnp.where(bumped, 0.0, wish), ground, in_water)
    # A walker that is stopped jumps, one block high; a swimmer climbs out.
    jumps = beside & (walk.speed > 0) & (on_ground | in_water)
    lift = jnp.where(in_water, 0.3, physics.JUMP_SPEED)
    return state.replace(
        mob_position=state.mob_position + moved,
        mob_velocity=velocity.at[..., 1].set(jnp.where(jumps, lift, velocity[..., 1])),
        mob_on_ground=on_ground & ~jumps,
        mob_yaw=walk.yaw,
        mob_target=walk.target,
        mob_walk=walk.left,
        mob_panic=jnp.maximum(state.mob_panic - 1, 0),
        mob_hurt_time=jnp.maximum(state.mob_hurt_time - 1, 0),
    )


def _decay(velocity: jax.Array, ground: jax.Array, in_water: jax.Array) -> jax.Array:
    """Drag and gravity after the move."""
    flat = jnp.where(in_water, 0.8, jnp.where(ground, GROUND_DRAG, 0.91))
    fall = jnp.where(
        in_water,
        velocity[..., 1] * 0.8 - 0.02,
        (velocity[..., 1] - physics.GRAVITY) * physics.AIR_DRAG,
    )
    return jnp.stack([velocity[..., 0] * flat, fall, velocity[..., 2] * flat], -1)


def _think(state: WorldState, alive: jax.Array) -> _Walk:
    """Starts, goes on with or ends a walk; a mob in panic always walks."""
    index = jnp.arange(state.mob_kind.shape[1], dtype=jnp.int32)
    seed, tick = state.seed[:, None], state.tick[:, None]
    panics = state.mob_panic > 0
    offset = state.mob_target - state.mob_position[..., ::2]
    arrived = jnp.sqrt((offset**2).sum(-1)) < ARRIVED
    left = jnp.where(arrived, 0, jnp.maximum(state.mob_walk - 1, 0))
    chance = hashing.uniform(seed, tick, hashing.WALK_START, index) < WANDER_CHANCE
    starts = alive & (left == 0) & (panics | chance)

    reach = jnp.where(panics, PANIC_RANGE, WANDER_RANGE)
    goal = [
        state.mob_position[..., axis]
        + reach * (2.0 * hashing.uniform(seed, tick, purpose, index) - 1.0)
        for axis, purpose in ((0, hashing.WALK_X), (2, hashing.WALK_Z))
    ]
    target = jnp.where(starts[..., None], jnp.stack(goal, -1), state.mob_target)
    kind_speed = jnp.asarray(MOB_SPEED)[state.mob_kind]
    speed = kind_speed * jnp.where(panics, jnp.asarray(MOB_PANIC)[state.mob_kind], 1.0)

    offset = target - state.mob_position[..., ::2]
    pace = jnp.maximum(0.98 * speed**2 / (1.0 - GROUND_DRAG), 0.01)
    # Half as long again as the straight way takes: then a stuck mob gives up.
    limit = 20 + 1.5 * jnp.sqrt((offset**2).sum(-1)) / pace
    left = jnp.where(starts, limit, left).astype(jnp.int32)
    walks = alive & (left > 0)
    yaw = _turn(state.mob_yaw, jnp.rad2deg(jnp.arctan2(-offset[..., 0], offset[..., 1])))
    return _Walk(target, left, jnp.where(walks, yaw, state.mob_yaw), jnp.where(walks, speed, 0.0))


def _turn(yaw: jax.Array, wanted: jax.Array, most: float = 90.0) -> jax.Array:
    """Turns by at most `most` degrees per tick; the result is in [-180, 180)."""
    by = (wanted - yaw + 180.0) % 360.0 - 180.0
    return (yaw + jnp.clip(by, -most, most) + 180.0) % 360.0 - 180.0


def _heed_cliffs(state: WorldState, walk: _Walk, ahead: jax.Array, solid: jax.Array) -> _Walk:
    """A calm mob does not walk where the ground is more than one block lower."""
    feet = state.mob_position - jnp.floor(state.mob_position)
    near = jnp.floor(feet[..., ::2] + 0.8 * ahead).astype(jnp.int32) + 1  # 0..2 in x, z
    x = near[..., 0, None] == jnp.arange(3)
    z = near[..., 1, None] == jnp.arange(3)
    column = x[..., :, None, None] & z[..., None, :, None]
    # Layers 0 and 1 are two and one below the feet, 2 is level with them.
    held = (solid[..., :3] & column).any((-3, -2, -1))
    stops = ~held & (state.mob_panic == 0) & state.mob_on_ground
    return walk._replace(
        speed=jnp.where(stops, 0.0, walk.speed), left=jnp.where(stops, 0, walk.left)
    )
