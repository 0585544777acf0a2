"""Mobs: being hit, choosing where to walk, walking.

Motion is the player's without keys: walking speed is quadratic in the mob's AI speed
(`mobs.json`). There is no path finding; a mob walks straight and jumps at what stops it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel import hashing
from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    FIRST_LAVA,
    FIRST_WATER,
    IS_SOLID,
    LAST_LAVA,
    LAST_WATER,
    is_one_of,
)
from rlgpt_jax.envs.voxel.rules.bodies import collision
from rlgpt_jax.envs.voxel.rules.bodies.move import decay
from rlgpt_jax.envs.voxel.rules.mobs import mob_life
from rlgpt_jax.envs.voxel.rules.mobs.mob_life import PANIC_TICKS, SIGHT_TICKS
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import (
    CHICKEN,
    GROUND_DRAG,
    MOB_PANIC,
    MOB_SIZE,
    MOB_SPEED,
    ZOMBIE,
)
from rlgpt_jax.envs.voxel.rules.player import physics
from rlgpt_jax.envs.voxel.state import WorldState

KNOCK, SPRINT_KNOCK = 0.4, 0.5  # blocks/tick of a hit, and more of a sprinting one
WANDER_CHANCE = 1.0 / 120.0  # per tick
WANDER_RANGE, PANIC_RANGE = 10.0, 5.0  # blocks, +- in x and z
ACTIVE_RANGE = 32.0  # blocks; mobs farther from the player do not set out
ARRIVED = 0.7  # blocks
BESIDE = 0.6  # blocks at which a zombie stands before the player
MAX_FALL = 1.9  # blocks per tick, so that a region of 5 layers holds the move
FLUTTER = 0.6  # factor on the speed of a falling chicken

# Cells around the feet: 3 x 3, 2 down, 2 up.
REGION = (3, 3, 5)
REGION_OFFSET = (-1, -2, -1)

# What a byte means to a mob, as bits. Blocks are full cubes; some are half as high again.
SOLID, TALL, WATER, LAVA, FIRE = (np.uint8(1 << k) for k in range(5))
BITS = np.zeros(256, np.uint8)
BITS[IS_SOLID] = SOLID
BITS[is_one_of("fence", "fence_gate", "cobblestone_wall")] = SOLID | TALL
BITS[FIRST_WATER : LAST_WATER + 1] = WATER
BITS[FIRST_LAVA : LAST_LAVA + 1] = LAVA
BITS[is_one_of("fire")] = FIRE


class _Walk(NamedTuple):
    """Where the mobs head in this tick."""

    target: jax.Array  # float32[N, M, 2]
    left: jax.Array  # int32[N, M]  ticks
    yaw: jax.Array  # float32[N, M]
    speed: jax.Array  # float32[N, M]  AI speed, 0 stands


def hurt(
    state: WorldState, active: jax.Array, damage: jax.Array, sprints: jax.Array
) -> tuple[WorldState, jax.Array]:
    """The player hits mobs.

    Args:
      state: N worlds.
      active: bool[N, M], the mobs that are hit.
      damage: float32[N].
      sprints: bool[N], a full hit out of a sprint: it pushes farther.

    Returns:
      The worlds and bool[N, M], which hits counted.
    """
    state, fresh, counts = mob_life.strike(state, jnp.where(active, damage[:, None], 0.0))
    away = state.mobs.position[..., ::2] - state.player.position[:, None, ::2]
    away = away / jnp.maximum(jnp.sqrt((away**2).sum(-1, keepdims=True)), 1e-3)
    velocity = state.mobs.velocity
    velocity = jnp.where(
        fresh[..., None], knock(velocity, state.mobs.on_ground, away, KNOCK), velocity
    )
    farther = knock(velocity, state.mobs.on_ground, _ahead(state.player.yaw)[:, None], SPRINT_KNOCK)
    velocity = jnp.where((counts & sprints[:, None])[..., None], farther, velocity)
    memory = PANIC_TICKS + jnp.where(state.mobs.kind == ZOMBIE, SIGHT_TICKS, 0)
    state = state.replace(
        mobs=state.mobs.replace(
            panic=jnp.where(counts, memory, state.mobs.panic).astype(jnp.int32),
            walk=jnp.where(counts, 0, state.mobs.walk).astype(jnp.int32),
            velocity=velocity,
        )
    )
    return state, counts


def knock(
    velocity: jax.Array, on_ground: jax.Array, direction: jax.Array, strength: float
) -> jax.Array:
    """Velocity float32[..., 3] after a push along float32[..., 2]; lifts who stands."""
    flat = velocity[..., ::2] / 2 + direction * strength
    lift = jnp.minimum(velocity[..., 1] / 2 + strength, 0.4)
    rise = jnp.where(on_ground, lift, velocity[..., 1])
    return jnp.stack([flat[..., 0], rise, flat[..., 1]], -1)


def _ahead(yaw: jax.Array) -> jax.Array:
    """Unit vectors float32[..., 2], x and z, of angles in degrees."""
    return jnp.stack([-jnp.sin(jnp.deg2rad(yaw)), jnp.cos(jnp.deg2rad(yaw))], -1)


def around(state: WorldState, lane: jax.Array | None = None) -> grid.Region:
    """The cells that the mobs may touch in this tick, [N, M, ...].

    `lane` is int32[N], in which worlds of `state.blocks` they are; all lanes if not given.
    """
    corner = grid.floor(state.mobs.position) + jnp.array(REGION_OFFSET, jnp.int32)
    return grid.region(state.blocks, corner, REGION, lane)


def move(state: WorldState, region: grid.Region, index: jax.Array | None = None) -> WorldState:
    """One tick of every mob: think, then walk, collide, fall and feel it.

    Args:
      state: N worlds.
      region: `around(state)`.
      index: int32[N, M], the mobs' numbers for randomness; None counts them.
    """
    if index is None:
        index = jnp.arange(state.mobs.kind.shape[1], dtype=jnp.int32)
    alive = mob_life.alive(state)
    walk = _think(state, alive, index)
    bits = jnp.asarray(BITS)[region.byte]
    high = jnp.pad(bits[..., :-1] & TALL, [(0, 0)] * 4 + [(1, 0)])
    solid = ((bits & SOLID) | high) > 0
    size = jnp.asarray(MOB_SIZE)[state.mobs.kind]
    box = collision.body(state.mobs.position, region.corner, size[..., 0], size[..., 1])
    in_water, in_lava, in_fire = _feel(bits, box)
    swims = in_water | in_lava

    ahead = _ahead(walk.yaw)
    walk = _heed_cliffs(state, walk, ahead, solid)
    ground = state.mobs.on_ground & ~swims
    push = 0.98 * walk.speed * jnp.where(ground, walk.speed, 0.02)
    rise = state.mobs.velocity[..., 1] + jnp.where(swims, 0.04, 0.0)
    wish = jnp.stack(
        [
            state.mobs.velocity[..., 0] + push * ahead[..., 0],
            jnp.maximum(rise, -MAX_FALL),
            state.mobs.velocity[..., 2] + push * ahead[..., 1],
        ],
        -1,
    )
    wish = jnp.where(alive[..., None], wish, 0.0)
    moved = collision.sweep(solid, box, wish)
    bumped = moved != wish
    on_ground = bumped[..., 1] & (wish[..., 1] < 0)
    beside = bumped[..., 0] | bumped[..., 2]
    velocity = decay(
        jnp.where(bumped, 0.0, wish), jnp.where(ground, GROUND_DRAG, 0.91), in_water, in_lava
    )
    flutters = (state.mobs.kind == CHICKEN) & ~on_ground & (velocity[..., 1] < 0)
    fall = velocity[..., 1] * jnp.where(flutters, FLUTTER, 1.0)
    # A walker that is stopped jumps, one block high; a swimmer climbs out.
    jumps = beside & (walk.speed > 0) & (on_ground | swims)
    lift = jnp.where(swims, 0.3, physics.JUMP_SPEED)
    # The tick of the landing does not count, as for the player.
    fallen = state.mobs.fall + jnp.where(on_ground, 0.0, jnp.maximum(-moved[..., 1], 0.0))
    fallen = jnp.where(swims, 0.0, fallen)
    state = state.replace(mobs=state.mobs.replace(
        position=state.mobs.position + moved,
        velocity=velocity.at[..., 1].set(jnp.where(jumps, lift, fall)),
        on_ground=on_ground & ~jumps, fall=jnp.where(on_ground, 0.0, fallen),
        yaw=walk.yaw, target=walk.target, walk=walk.left,
        panic=jnp.maximum(state.mobs.panic - 1, 0),
    ))  # fmt: skip
    landed = jnp.where(on_ground, fallen, 0.0)
    state = mob_life.suffer(state, landed, in_water, in_lava & alive, in_fire & alive)
    return mob_life.graze(state, region.byte[..., 1, 1, 1], index)


def _feel(bits: jax.Array, box: collision.Box) -> tuple[jax.Array, jax.Array, jax.Array]:
    """bool[N, M] each: the body touches water, lava, fire."""
    felt = jnp.where(collision.inside(bits.shape[-3:], box), bits, np.uint8(0))
    felt = jax.lax.reduce(felt, np.uint8(0), jax.lax.bitwise_or, (2, 3, 4))
    return (felt & WATER) > 0, (felt & LAVA) > 0, (felt & FIRE) > 0


def _think(state: WorldState, alive: jax.Array, index: jax.Array) -> _Walk:
    """Starts, goes on with or ends a walk; a mob in panic always walks."""
    seed, tick = state.seed[:, None], state.tick[:, None]
    is_zombie = state.mobs.kind == ZOMBIE
    chases = is_zombie & (state.mobs.panic > 0)
    panics = ~is_zombie & ((state.mobs.panic > 0) | (state.mobs.fire > 0))
    offset = state.mobs.target - state.mobs.position[..., ::2]
    arrived = jnp.sqrt((offset**2).sum(-1)) < ARRIVED
    left = jnp.where(arrived, 0, jnp.maximum(state.mobs.walk - 1, 0))
    chance = hashing.uniform(seed, tick, hashing.WALK_START, index) < WANDER_CHANCE
    to_player = state.player.position[:, None, ::2] - state.mobs.position[..., ::2]
    way = jnp.sqrt((to_player**2).sum(-1))
    chance &= way < ACTIVE_RANGE
    starts = alive & (left == 0) & (panics | chance)

    reach = jnp.where(panics, PANIC_RANGE, WANDER_RANGE)
    goal = [
        state.mobs.position[..., axis]
        + reach * (2.0 * hashing.uniform(seed, tick, purpose, index) - 1.0)
        for axis, purpose in ((0, hashing.WALK_X), (2, hashing.WALK_Z))
    ]
    target = jnp.where(starts[..., None], jnp.stack(goal, -1), state.mobs.target)
    target = jnp.where(chases[..., None], state.player.position[:, None, ::2], target)
    kind_speed = jnp.asarray(MOB_SPEED)[state.mobs.kind]
    speed = kind_speed * jnp.where(panics, jnp.asarray(MOB_PANIC)[state.mobs.kind], 1.0)

    offset = target - state.mobs.position[..., ::2]
    pace = jnp.maximum(0.98 * speed**2 / (1.0 - GROUND_DRAG), 0.01)
    # Half as long again as the straight way takes: then a stuck mob gives up.
    limit = 20 + 1.5 * jnp.sqrt((offset**2).sum(-1)) / pace
    left = jnp.where(starts, limit, left).astype(jnp.int32)
    left = jnp.where(chases, way >= BESIDE, left).astype(jnp.int32)
    walks = alive & (left > 0)
    faces = walks | (alive & chases)
    yaw = _turn(state.mobs.yaw, jnp.rad2deg(jnp.arctan2(-offset[..., 0], offset[..., 1])))
    return _Walk(target, left, jnp.where(faces, yaw, state.mobs.yaw), jnp.where(walks, speed, 0.0))


def _turn(yaw: jax.Array, wanted: jax.Array, most: float = 90.0) -> jax.Array:
    """Turns by at most `most` degrees per tick; the result is in [-180, 180)."""
    by = (wanted - yaw + 180.0) % 360.0 - 180.0
    return (yaw + jnp.clip(by, -most, most) + 180.0) % 360.0 - 180.0


def _heed_cliffs(state: WorldState, walk: _Walk, ahead: jax.Array, solid: jax.Array) -> _Walk:
    """A calm mob does not walk where the ground is more than one block lower."""
    feet = state.mobs.position - jnp.floor(state.mobs.position)
    near = jnp.floor(feet[..., ::2] + 0.8 * ahead).astype(jnp.int32) + 1  # 0..2 in x, z
    x = near[..., 0, None] == jnp.arange(3)
    z = near[..., 1, None] == jnp.arange(3)
    column = x[..., :, None, None] & z[..., None, :, None]
    # Layers 0 and 1 are two and one below the feet, 2 is level with them.
    held = (solid[..., :3] & column).any((-3, -2, -1))
    stops = ~held & (state.mobs.panic == 0) & state.mobs.on_ground
    return walk._replace(
        speed=jnp.where(stops, 0.0, walk.speed), left=jnp.where(stops, 0, walk.left)
    )
