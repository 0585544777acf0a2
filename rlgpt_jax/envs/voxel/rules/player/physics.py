"""How the player moves in one tick.

The order of events and the constants are those of `third_party/minecraft/trajectories`
(prismarine-physics 1.11.1 with its 1.11 settings), whose runs the tests repeat.

Most bodies are among full cubes alone, most of the time. They take the fast way of
`collision.py`; lanes with another shape or a block of special motion within reach take
the way of `move.py` in addition, which holds for all blocks.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.blocks.blocks import FIRST_LAVA, FIRST_WATER, LAST_LAVA, LAST_WATER
from rlgpt_jax.envs.voxel.rules.bodies import collision, currents
from rlgpt_jax.envs.voxel.rules.bodies import move as terrain
from rlgpt_jax.envs.voxel.rules.bodies import shapes as shape_table
from rlgpt_jax.envs.voxel.rules.bodies.move import AIR_DRAG, GRAVITY
from rlgpt_jax.envs.voxel.rules.bodies.shapes import SHAPES, Shapes
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import EYE_HEIGHT, PLAYER_SIZE
from rlgpt_jax.envs.voxel.rules.player import sneaking
from rlgpt_jax.envs.voxel.state import Player, WorldState

JUMP_SPEED = 0.42
JUMP_PERIOD = 10  # ticks between jumps while the key is held
SPRINT_BOOST = 0.2  # of a sprinting jump
RESTING_SPEED = -GRAVITY * AIR_DRAG  # vy of a body that stands
REST = np.array([0.0, RESTING_SPEED, 0.0], np.float32)
MIN_FOOD_TO_SPRINT = 6.0
NEGLIGIBLE = 0.003  # blocks/tick
WEB_SLOWNESS = (0.25, 0.05, 0.25)

# Cells around the feet that one tick can reach: 3 x 3, 4 down (terminal speed is 3.92
# blocks per tick), 3 up.
REGION = (3, 3, 8)
REGION_OFFSET = (-1, -4, -1)
FEET = -REGION_OFFSET[1]  # row of the cell with the feet


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
    eye_in_wall: jax.Array  # bool[N]  in an opaque full cube
    touches_cactus: jax.Array  # bool[N]  after the move
    in_fire: jax.Array  # bool[N]  the block, after the move


def around(state: WorldState) -> grid.Region:
    """The cells that the player may touch in this tick."""
    corner = grid.floor(state.player.position) + jnp.array(REGION_OFFSET, jnp.int32)
    return grid.region(state.blocks, corner[:, None], REGION)


def move(
    state: WorldState, controls: Controls, region: grid.Region, shapes: Shapes = SHAPES
) -> tuple[WorldState, Motion]:
    """Moves every player by one tick.

    Order: liquids are felt and push, tiny speeds become 0, jump, input accelerates,
    collision in y, x, z, blocks that slow or lift, then drag and gravity.

    Args:
      state: N worlds.
      controls: keys held.
      region: `around(state)`.
      shapes: tables by byte.
    """
    player, corner, byte = state.player, region.corner[:, 0], region.byte[:, 0]
    flags = jnp.asarray(shapes.flags)[byte]
    water, lava = is_water(byte), is_lava(byte)
    box = collision.body(player.position, corner, *PLAYER_SIZE)
    in_water = collision.touches(water, currents.touched(box), 0.0)
    in_lava = collision.touches(lava, box.shrink(0.1, 0.4), 0.0)
    swims = in_water | in_lava
    sprint = controls.sprint & (controls.forward > 0) & ~controls.sneak
    sprint &= player.food > MIN_FOOD_TO_SPRINT

    velocity = player.velocity + currents.push(state.blocks, player.position, in_water, shapes)
    velocity = jnp.where(jnp.abs(velocity) < NEGLIGIBLE, 0.0, velocity)
    velocity, cooldown, jumped = _jump(player, velocity, controls.jump, sprint, swims)
    slip = jnp.asarray(shapes.slipperiness)[byte[:, 1, 1, FEET - 1]]
    velocity, inertia = _accelerate(player, velocity, controls, sprint, swims, slip)
    climbs = ((flags[:, 1, 1, FEET] & shape_table.CLIMBABLE) > 0) & ~swims
    velocity = jnp.where(climbs[:, None], _cling(velocity, controls.sneak), velocity)
    in_web = _touch(flags, shape_table.WEB, box)
    delta = jnp.where(in_web[:, None], velocity * jnp.array(WEB_SLOWNESS), velocity)
    velocity = jnp.where(in_web[:, None], 0.0, velocity)

    boxed = (flags & shape_table.BOXED) > 0
    delta = sneaking.stay(boxed, box, delta, controls.sneak & player.on_ground)
    step = terrain.Step(
        byte, corner, player.position, delta, velocity, player.on_ground, controls.sneak,
        inertia, in_water, in_lava,
    )  # fmt: skip
    end = _by_cubes((flags & shape_table.FULL) > 0, water, box, step)
    is_special = collision.touches((flags & shape_table.SPECIAL) > 0, _reach(box, delta))
    by_shapes = lambda step: terrain.by_shapes(step, shapes)  # noqa: E731
    end = lanes.for_some(is_special | _may_step(step, end), by_shapes, step, end)

    eye = (jnp.arange(len(byte)), 1, 1, _eye_row(player.position))
    after = box.shift(end.moved)
    motion = Motion(
        end.moved,
        jumped,
        sprint,
        in_lava,
        is_water(byte[eye]),
        (flags[eye] & shape_table.OPAQUE) > 0,
        _touch(flags, shape_table.CACTUS, after),
        _touch(flags, shape_table.FIRE, after),
    )
    hangs = climbs | in_web | in_water
    player = player.replace(
        position=end.position,
        velocity=end.velocity,
        on_ground=end.on_ground,
        in_water=in_water,
        jump_cooldown=cooldown,
        fall_distance=_fall(player, end, hangs, in_lava),
    )
    return state.replace(player=player), motion


def is_water(byte: jax.Array) -> jax.Array:
    return (byte >= FIRST_WATER) & (byte <= LAST_WATER)


def is_lava(byte: jax.Array) -> jax.Array:
    return (byte >= FIRST_LAVA) & (byte <= LAST_LAVA)


def _touch(flags: jax.Array, bit: int, box: collision.Box) -> jax.Array:
    """bool[N]: the body touches a cell with this flag; cheap where no lane is near one."""
    marked = (flags & bit) > 0
    return jax.lax.cond(
        marked.any(),
        lambda: collision.touches(marked, box.shrink(0.001, 0.001), 0.0),
        lambda: jnp.zeros(len(flags), bool),
    )


def _reach(box: collision.Box, delta: jax.Array) -> collision.Box:
    """All that a move may meet: a post from below, a step up, a rim to climb out on."""
    ends = jnp.array([0.0, 1.0, 0.0], jnp.float32)
    low = box.low + 2 * jnp.minimum(delta, 0.0) - ends
    return collision.Box(low, box.high + 2 * jnp.maximum(delta, 0.0) + ends)


def _eye_row(position: jax.Array) -> jax.Array:
    eye = jnp.floor(position[:, 1] + EYE_HEIGHT) - jnp.floor(position[:, 1])
    return eye.astype(jnp.int32) + FEET


def _direction(yaw: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(x, z) of the unit vector straight ahead."""
    angle = jnp.deg2rad(yaw)
    return -jnp.sin(angle), jnp.cos(angle)


def _jump(
    player: Player, velocity: jax.Array, held: jax.Array, sprint: jax.Array, swims: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Jumps from the ground, or paddles upwards in a liquid.

    Returns the velocity, the ticks until the next jump and whether this one happened.
    """
    waiting = jnp.maximum(player.jump_cooldown - 1, 0)
    leaps = held & ~swims & player.on_ground & (waiting == 0)
    cooldown = jnp.where(leaps, JUMP_PERIOD, jnp.where(held, waiting, 0))
    rise = jnp.where(leaps, JUMP_SPEED, velocity[:, 1] + jnp.where(held & swims, 0.04, 0.0))
    boost = jnp.where(leaps & sprint, SPRINT_BOOST, 0.0)
    ahead_x, ahead_z = _direction(player.yaw)
    velocity = jnp.stack(
        [velocity[:, 0] + boost * ahead_x, rise, velocity[:, 2] + boost * ahead_z], -1
    )
    return velocity, cooldown.astype(jnp.int32), leaps


def _accelerate(
    player: Player,
    velocity: jax.Array,
    controls: Controls,
    sprint: jax.Array,
    swims: jax.Array,
    slip: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Adds the input to the velocity. Returns it and the horizontal inertia."""
    ground = player.on_ground & ~swims
    inertia = jnp.where(ground, slip * 0.91, 0.91)
    walk = 0.1 * jnp.where(sprint, 1.3, 1.0) * 0.1627714 / inertia**3
    air = 0.02 * jnp.where(sprint & ~swims, 1.3, 1.0)
    acceleration = jnp.where(ground, walk, air)
    scale = 0.98 * jnp.where(controls.sneak, 0.3, 1.0)
    forward, right = controls.forward * scale, controls.right * scale
    push = acceleration / jnp.maximum(jnp.sqrt(forward**2 + right**2), 1.0)
    ahead_x, ahead_z = _direction(player.yaw)
    dx = push * (forward * ahead_x - right * ahead_z)
    dz = push * (forward * ahead_z + right * ahead_x)
    return velocity + jnp.stack([dx, jnp.zeros_like(dx), dz], -1), inertia


def _cling(velocity: jax.Array, sneak: jax.Array) -> jax.Array:
    """On a ladder or vine a body is slow, and does not slide down while it sneaks."""
    slowest = jnp.where(sneak, 0.0, -terrain.LADDER_SPEED)
    flat = jnp.clip(velocity, -terrain.LADDER_SPEED, terrain.LADDER_SPEED)
    return flat.at[:, 1].set(jnp.maximum(velocity[:, 1], slowest))


def _by_cubes(
    cubes: jax.Array, water: jax.Array, box: collision.Box, step: terrain.Step
) -> terrain.End:
    """The move where all blocks within reach are full cubes or nothing."""
    moved = collision.sweep(cubes, box, step.delta)
    bumped = moved != step.delta
    beside = bumped[:, 0] | bumped[:, 2]
    velocity = jnp.where(bumped, 0.0, step.velocity)
    velocity = terrain.decay(velocity, step.inertia, step.in_water, step.in_lava)
    above = box.shift(terrain.climbing_out(moved, velocity))
    free = ~collision.touches(cubes | water, above)
    velocity = terrain.climb_out(step, velocity, beside & free)
    on_ground = bumped[:, 1] & (step.delta[:, 1] < 0)
    return terrain.End(step.position + moved, moved, velocity, on_ground)


def _may_step(step: terrain.Step, end: terrain.End) -> jax.Array:
    """bool[N]: a body that sinks or lands and is stopped may step up from where it was.

    So it crosses a gap of one tick, or mounts a cube from a jump that falls short of it.
    A body that stays at its height steps onto no full cube.
    """
    bumped = end.moved != step.delta
    lands = bumped[:, 1] & (step.delta[:, 1] < 0)
    return (step.on_ground | lands) & (bumped[:, 0] | bumped[:, 2]) & (end.moved[:, 1] < 0)


def _fall(player: Player, end: terrain.End, hangs: jax.Array, in_lava: jax.Array) -> jax.Array:
    """Blocks fallen so far, without the tick of the landing, as the game counts them."""
    way = jnp.where(end.on_ground, 0.0, jnp.maximum(-end.moved[:, 1], 0.0))
    fallen = (player.fall_distance + way) * jnp.where(in_lava, 0.5, 1.0)
    return jnp.where(hangs, 0.0, fallen)
