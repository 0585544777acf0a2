"""One move among blocks of any shape, and blocks that change motion by themselves.

Webs, soul sand, ladders, vines and slime act as in prismarine-physics, which the golden
runs obey. The parts that hold among full cubes as well (drag, climbing out of water) are
here too.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.rules.bodies import box_collision, collision
from rlgpt_jax.envs.voxel.rules.bodies.shapes import CLIMBABLE, SLIME, SOUL_SAND, Shapes
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import PLAYER_SIZE

GRAVITY = 0.08  # blocks/tick^2
AIR_DRAG = 0.98  # of vy; 0.91 * slipperiness of vx, vz
WATER_DRAG, LAVA_DRAG = 0.8, 0.5
LIQUID_GRAVITY = 0.02
LADDER_SPEED = 0.15  # most on a ladder sideways and down, blocks/tick
CLIMB_SPEED = 0.2  # before gravity, of a body that is pressed against something
RIM_SPEED = 0.3  # out of a liquid
SOUL_SAND_DRAG = 0.4  # per block that the body reaches into


class Step(NamedTuple):
    """What N moves start from."""

    byte: jax.Array  # uint8[N, X, Z, Y]  cells around
    corner: jax.Array  # int32[N, 3]  lowest of them
    position: jax.Array  # float32[N, 3]
    delta: jax.Array  # float32[N, 3]  the wish
    velocity: jax.Array  # float32[N, 3]  kept where nothing is in the way
    on_ground: jax.Array  # bool[N]
    sneak: jax.Array  # bool[N]
    inertia: jax.Array  # float32[N]  horizontal, outside liquids
    in_water: jax.Array  # bool[N]
    in_lava: jax.Array  # bool[N]


class End(NamedTuple):
    """How N moves ended."""

    position: jax.Array  # float32[N, 3]
    moved: jax.Array  # float32[N, 3]
    velocity: jax.Array  # float32[N, 3]
    on_ground: jax.Array  # bool[N]


def by_shapes(step: Step, shapes: Shapes) -> End:
    """Moves bodies, steps up, lets the touched blocks act, applies drag."""
    flags = jnp.asarray(shapes.flags)[step.byte]
    solid = box_collision.obstacles(step.byte, shapes)
    box = collision.body(step.position, step.corner, *PLAYER_SIZE)
    walked = box_collision.walk(solid, box, step.delta, step.on_ground)
    bumped = walked.moved != step.delta
    beside = bumped[:, 0] | bumped[:, 2]
    on_ground = bumped[:, 1] & (step.delta[:, 1] < 0)

    # The feet stand exactly on what they landed on: rounding must not sink them.
    height = step.corner[:, 1].astype(jnp.float32) + walked.box.low[:, 1]
    position = (step.position + walked.moved).at[:, 1].set(height)
    feet = position - step.corner.astype(jnp.float32)

    velocity = jnp.where(bumped, 0.0, step.velocity)
    below = feet - jnp.array([0.0, 0.2, 0.0], jnp.float32)
    bounces = bumped[:, 1] & ~step.sneak & _cell_has(flags, below, SLIME)
    fall = jnp.where(bounces, -step.velocity[:, 1], velocity[:, 1])
    velocity = velocity.at[:, 1].set(fall)
    reached = collision.inside(flags.shape[1:], walked.box.shrink(0.001, 0.001), 0.0)
    sand = (((flags & SOUL_SAND) > 0) & reached).sum((1, 2, 3))
    drag = jnp.power(jnp.float32(SOUL_SAND_DRAG), sand.astype(jnp.float32))
    velocity = jnp.stack([velocity[:, 0] * drag, velocity[:, 1], velocity[:, 2] * drag], -1)
    climbs = beside & ~(step.in_water | step.in_lava) & _cell_has(flags, feet, CLIMBABLE)
    velocity = velocity.at[:, 1].set(jnp.where(climbs, CLIMB_SPEED, velocity[:, 1]))

    velocity = decay(velocity, step.inertia, step.in_water, step.in_lava)
    above = box.shift(climbing_out(walked.moved, velocity))
    water = jnp.asarray(shapes.water_level)[step.byte] >= 0
    free = ~box_collision.overlaps(solid, above) & ~collision.touches(water, above)
    velocity = climb_out(step, velocity, beside & free)
    return End(position, position - step.position, velocity, on_ground)


def decay(
    velocity: jax.Array, inertia: jax.Array, in_water: jax.Array, in_lava: jax.Array
) -> jax.Array:
    """float32[..., 3]: velocities after drag and gravity; `inertia` float32[...] is horizontal."""
    liquid = jnp.where(in_water, WATER_DRAG, LAVA_DRAG)
    swims = in_water | in_lava
    drag = jnp.where(swims, liquid, inertia)
    x, y, z = (velocity[..., axis] for axis in range(3))
    fall = jnp.where(swims, y * liquid - LIQUID_GRAVITY, (y - GRAVITY) * AIR_DRAG)
    return jnp.stack([x * drag, fall, z * drag], -1)


def climbing_out(moved: jax.Array, velocity: jax.Array) -> jax.Array:
    """Where a swimmer looks for free room, float32[N, 3] from where the move began."""
    return moved.at[:, 1].set(0.0) + velocity + jnp.array([0.0, 0.6, 0.0], jnp.float32)


def climb_out(step: Step, velocity: jax.Array, pressed_and_free: jax.Array) -> jax.Array:
    """float32[N, 3]: a swimmer pressed against a rim, with free room above bool[N], is lifted."""
    lifted = pressed_and_free & (step.in_water | step.in_lava)
    return velocity.at[:, 1].set(jnp.where(lifted, RIM_SPEED, velocity[:, 1]))


def _cell_has(flags: jax.Array, point: jax.Array, bit: int) -> jax.Array:
    """bool[N]: the cell at float32[N, 3], relative to the corner, has the flag."""
    cell = jnp.floor(point).astype(jnp.int32)
    x, y, z = (jnp.clip(cell[:, a], 0, flags.shape[k] - 1) for a, k in ((0, 1), (1, 3), (2, 2)))
    return (flags[jnp.arange(len(flags)), x, z, y] & bit) > 0
