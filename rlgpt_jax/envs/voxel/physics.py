"""How the player moves in one tick.

The order of events and the constants are those of `third_party/minecraft/trajectories`
(prismarine-physics 1.11.1 with its 1.11 settings), whose runs the tests repeat.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel import collision, grid
from rlgpt_jax.envs.voxel.blocks import (
    BLOCK_ID,
    FIRST_LAVA,
    FIRST_WATER,
    LAST_LAVA,
    LAST_WATER,
)
from rlgpt_jax.envs.voxel.mob_table import EYE_HEIGHT, PLAYER_SIZE
from rlgpt_jax.envs.voxel.state import WorldState

GRAVITY = 0.08  # blocks/tick^2
AIR_DRAG = 0.98  # of vy; 0.91 * slipperiness of vx, vz
JUMP_SPEED = 0.42
JUMP_PERIOD = 10  # ticks between jumps while the key is held
SPRINT_BOOST = 0.2  # of a sprinting jump
RESTING_SPEED = -GRAVITY * AIR_DRAG  # vy of a body that stands
MIN_FOOD_TO_SPRINT = 6.0

# Cells around the feet that one tick can reach: 3 x 3, 4 down (terminal speed is 3.92
# blocks per tick), 3 up.
REGION = (3, 3, 8)
REGION_OFFSET = (-1, -4, -1)

SLIPPERINESS = np.full(256, 0.6, np.float32)
SLIPPERINESS[[BLOCK_ID["ice"], BLOCK_ID["packed_ice"]]] = 0.98


class Controls(NamedTuple):
    """Keys held in this tick."""

    forward: jax.Array  # float32[N]  1 forward, -1 back
    right: jax.Array  # float32[N]  1 right, -1 left
    jump: jax.Array  # bool[N]
    sneak: jax.Array  # bool[N]
    sprint: jax.Array  # bool[N]


class Motion(NamedTuple):
    """What the vital signs need to know of the move."""

    moved: jax.Array  # float32[N, 3]  blocks
    jumped: jax.Array  # bool[N]
    sprinting: jax.Array  # bool[N]
    in_lava: jax.Array  # bool[N]
    eye_in_water: jax.Array  # bool[N]
    eye_in_wall: jax.Array  # bool[N]


def around(state: WorldState) -> grid.Region:
    """The cells that the player may touch in this tick."""
    corner = grid.floor(state.position) + jnp.array(REGION_OFFSET, jnp.int32)
    return grid.region(state.blocks, corner[:, None], REGION)


def move(state: WorldState, controls: Controls, region: grid.Region) -> tuple[WorldState, Motion]:
    """Moves every player by one tick.

    Order: liquids are felt, tiny speeds become 0, jump, input accelerates, collision in
    y, x, z, then drag and gravity.

    Args:
      state: N worlds.
      controls: keys held.
      region: `around(state)`, with this tick's edit patched in.
    """
    corner, byte = region.corner[:, 0], region.byte[:, 0]
    solid, water, lava = grid.solid(byte), is_water(byte), is_lava(byte)
    box = collision.body(state.position, corner, *PLAYER_SIZE)
    in_water = collision.touches(water, _shrink(box, 0.001, 0.401))
    in_lava = collision.touches(lava, _shrink(box, 0.1, 0.4))
    swims = in_water | in_lava
    sprint = controls.sprint & (controls.forward > 0) & ~controls.sneak
    sprint &= state.food > MIN_FOOD_TO_SPRINT

    velocity = jnp.where(jnp.abs(state.velocity) < 0.003, 0.0, state.velocity)
    velocity, cooldown, jumped = _jump(state, velocity, controls.jump, sprint, swims)
    slip = jnp.asarray(SLIPPERINESS)[byte[:, 1, 1, 3]]  # of the block below the feet
    velocity, inertia = _accelerate(state, velocity, controls, sprint, swims, slip)

    guarded = _stay_on_edge(solid, box, velocity, controls.sneak & state.on_ground)
    moved = collision.sweep(solid, box, guarded)
    bumped = moved != guarded
    on_ground = bumped[:, 1] & (guarded[:, 1] < 0)
    velocity = jnp.where(bumped, 0.0, velocity)
    beside = bumped[:, 0] | bumped[:, 2]
    velocity = _decay(velocity, inertia, in_water, in_lava)
    velocity = _climb_out(solid | water, box, moved, velocity, swims & beside)

    eye = byte[jnp.arange(len(byte)), 1, 1, _eye_row(state.position)]
    motion = Motion(moved, jumped, sprint, in_lava, is_water(eye), grid.solid(eye))
    state = state.replace(
        position=state.position + moved,
        velocity=velocity,
        on_ground=on_ground,
        in_water=in_water,
        jump_cooldown=cooldown,
        fall_distance=_fall(state, moved[:, 1], swims, on_ground),
    )
    return state, motion


def is_water(byte: jax.Array) -> jax.Array:
    return (byte >= FIRST_WATER) & (byte <= LAST_WATER)


def is_lava(byte: jax.Array) -> jax.Array:
    return (byte >= FIRST_LAVA) & (byte <= LAST_LAVA)


def _shrink(box: collision.Box, sides: float, ends: float) -> collision.Box:
    by = jnp.array([sides, ends, sides], jnp.float32)
    return collision.Box(box.low + by, box.high - by)


def _eye_row(position: jax.Array) -> jax.Array:
    eye = jnp.floor(position[:, 1] + EYE_HEIGHT) - jnp.floor(position[:, 1])
    return eye.astype(jnp.int32) - REGION_OFFSET[1]


def _direction(yaw: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(x, z) of the unit vector straight ahead."""
    angle = jnp.deg2rad(yaw)
    return -jnp.sin(angle), jnp.cos(angle)


def _jump(
    state: WorldState, velocity: jax.Array, held: jax.Array, sprint: jax.Array, swims: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Jumps from the ground, or paddles upwards in a liquid.

    Returns the velocity, the ticks until the next jump and whether this one happened.
    """
    waiting = jnp.maximum(state.jump_cooldown - 1, 0)
    leaps = held & ~swims & state.on_ground & (waiting == 0)
    cooldown = jnp.where(leaps, JUMP_PERIOD, jnp.where(held, waiting, 0))
    rise = jnp.where(leaps, JUMP_SPEED, velocity[:, 1] + jnp.where(held & swims, 0.04, 0.0))
    boost = jnp.where(leaps & sprint, SPRINT_BOOST, 0.0)
    ahead_x, ahead_z = _direction(state.yaw)
    velocity = jnp.stack(
        [velocity[:, 0] + boost * ahead_x, rise, velocity[:, 2] + boost * ahead_z], -1
    )
    return velocity, cooldown.astype(jnp.int32), leaps


def _accelerate(
    state: WorldState,
    velocity: jax.Array,
    controls: Controls,
    sprint: jax.Array,
    swims: jax.Array,
    slip: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Adds the input to the velocity. Returns it and the horizontal inertia."""
    ground = state.on_ground & ~swims
    inertia = jnp.where(ground, slip * 0.91, 0.91)
    walk = 0.1 * jnp.where(sprint, 1.3, 1.0) * 0.1627714 / inertia**3
    air = 0.02 * jnp.where(sprint & ~swims, 1.3, 1.0)
    acceleration = jnp.where(ground, walk, air)
    scale = 0.98 * jnp.where(controls.sneak, 0.3, 1.0)
    forward, right = controls.forward * scale, controls.right * scale
    push = acceleration / jnp.maximum(jnp.sqrt(forward**2 + right**2), 1.0)
    ahead_x, ahead_z = _direction(state.yaw)
    dx = push * (forward * ahead_x - right * ahead_z)
    dz = push * (forward * ahead_z + right * ahead_x)
    return velocity + jnp.stack([dx, jnp.zeros_like(dx), dz], -1), inertia


def _stay_on_edge(
    solid: jax.Array, box: collision.Box, velocity: jax.Array, careful: jax.Array
) -> jax.Array:
    """A sneaking player's step is cut in pieces of 0.05 until it ends above a block.

    A block counts as below if it is in the layer under the feet. Six cuts exhaust the
    step of a player who sprinted until now.
    """

    def supported(dx: jax.Array, dz: jax.Array) -> jax.Array:
        under = jnp.stack([dx, jnp.full_like(dx, -0.6), dz], -1)
        return collision.touches(solid, box.shift(under))

    def shorter(step: jax.Array) -> jax.Array:
        return jnp.where(jnp.abs(step) <= 0.05, 0.0, step - 0.05 * jnp.sign(step))

    def cut(velocity: jax.Array) -> jax.Array:
        dx, dz = velocity[:, 0], velocity[:, 2]
        still = jnp.zeros_like(dx)
        for _ in range(6):
            dx = jnp.where(careful & ~supported(dx, still), shorter(dx), dx)
        for _ in range(6):
            dz = jnp.where(careful & ~supported(still, dz), shorter(dz), dz)
        for _ in range(6):
            back = careful & ~supported(dx, dz)
            dx, dz = jnp.where(back, shorter(dx), dx), jnp.where(back, shorter(dz), dz)
        return jnp.stack([dx, velocity[:, 1], dz], -1)

    return jax.lax.cond(careful.any(), cut, lambda v: v, velocity)


def _decay(
    velocity: jax.Array, inertia: jax.Array, in_water: jax.Array, in_lava: jax.Array
) -> jax.Array:
    """Drag and gravity after the move."""
    drag = jnp.where(in_water, 0.8, jnp.where(in_lava, 0.5, inertia))
    swims = in_water | in_lava
    fall = jnp.where(swims, velocity[:, 1] * drag - 0.02, (velocity[:, 1] - GRAVITY) * AIR_DRAG)
    return jnp.stack([velocity[:, 0] * drag, fall, velocity[:, 2] * drag], -1)


def _climb_out(
    occupied: jax.Array,
    box: collision.Box,
    moved: jax.Array,
    velocity: jax.Array,
    pressed: jax.Array,
) -> jax.Array:
    """A swimmer pressed against a rim with free air above it is lifted."""
    ahead = moved.at[:, 1].set(0.0) + velocity + jnp.array([0.0, 0.6, 0.0], jnp.float32)
    free = ~collision.touches(occupied, box.shift(ahead))
    return velocity.at[:, 1].set(jnp.where(pressed & free, 0.3, velocity[:, 1]))


def _fall(
    state: WorldState, moved_y: jax.Array, swims: jax.Array, on_ground: jax.Array
) -> jax.Array:
    """Blocks fallen so far, without the tick of the landing, as the game counts them."""
    fallen = state.fall_distance + jnp.where(on_ground, 0.0, jnp.maximum(-moved_y, 0.0))
    return jnp.where(swims, 0.0, fallen)
