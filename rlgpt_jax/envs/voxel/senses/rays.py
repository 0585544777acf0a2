"""Rays through N worlds in JAX: what is seen, what is pointed at.

A ray marches over the clearance bytes of `blocks.py`: one look-up per trip tells
either the block that is met or how far the air around reaches, and the ray leaves that
cube of air in one go. Coordinates are taken relative to the block of the origin, so
float32 stays exact far from x = z = 0. The cell that is entered is found from the face
that is crossed and not by rounding a point, so every trip crosses at least one cell:
a bounded number of trips is exact.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import RAY_PITCHES, RAY_RANGE, RAY_STEEPEST, RAY_YAWS
from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_ID,
    FIRST_LIQUID,
    LAST_LIQUID,
    MAX_AIR,
    NAME_OF,
)
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import EYE_HEIGHT, MOB_SIZE
from rlgpt_jax.envs.voxel.state import WorldState

MOB_NAME_ID = np.array([NAME_ID[mob] for mob in MOBS], np.int32)

WATER, LAVA = BLOCK_ID["water"], BLOCK_ID["lava"]  # sources
# A direction component this small moves a ray by less than 1e-5 blocks over its range.
TINY = 1e-7
UNROLL = 4  # trips per test whether any ray still runs


class Hit(NamedTuple):
    """What R rays in each of N worlds meet first."""

    byte: jax.Array  # uint8[N, R]  block id, an air code (>= 128) if nothing
    cell: jax.Array  # int32[N, R, 3]  unwrapped coordinates of the block, x, y, z
    face: jax.Array  # int32[N, R]  axis * 2 + (1 if the ray moves in + direction)
    distance: jax.Array  # float32[N, R]  blocks from the origin


class March(NamedTuple):
    """Rays on their way. Cells count from the block of the origin, along the ray.

    Each axis is mirrored so that the ray moves in + direction.
    """

    distance: jax.Array  # float32[N, R]
    cell: tuple[jax.Array, jax.Array, jax.Array]  # int32[N, R] each, never decreasing
    axis: jax.Array  # int32[N, R]  crossed last
    byte: jax.Array  # uint8[N, R]  of the block met, AIR_CODE so far
    active: jax.Array  # bool[N, R]


class Aim(NamedTuple):
    """What stays the same on the way; one entry per axis."""

    base: list[jax.Array]  # int32[N, 1]  block of the origin
    start: list[jax.Array]  # float32[N, R]  mirrored place of the origin in its block
    sign: list[jax.Array]  # int32[N, R]  1 or -1
    speed: list[jax.Array]  # float32[N, R]  size of the direction's component
    inverse: list[jax.Array]  # float32[N, R]  its inverse, inf if it is TINY
    see_liquid: jax.Array  # bool[N, 1]
    sources_only: bool  # of liquids that are seen, what flows lets rays through


def direction_of(yaw: jax.Array, pitch: jax.Array) -> jax.Array:
    """Unit vectors float32[..., 3] of angles in degrees (yaw 0 = +z, 90 = -x)."""
    yaw, pitch = jnp.deg2rad(yaw), jnp.deg2rad(pitch)
    flat = jnp.cos(pitch)
    return jnp.stack([-jnp.sin(yaw) * flat, -jnp.sin(pitch), jnp.cos(yaw) * flat], -1)


def eye_of(position: jax.Array) -> jax.Array:
    """Where float32[..., 3] feet look from."""
    return position + jnp.array([0.0, EYE_HEIGHT, 0.0], jnp.float32)


def look_up(blocks: jax.Array, x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
    """Bytes of unwrapped cells int32[N, R]; outside the world's height it is air.

    There the clearance is the distance to the nearest layer of the world.
    """
    n, size_x, size_z, size_y = blocks.shape
    lane = jnp.arange(n, dtype=jnp.int32)[:, None]
    inside = blocks.at[lane, x % size_x, z % size_z, jnp.clip(y, 0, size_y - 1)].get(
        mode="promise_in_bounds"
    )
    outside = jnp.maximum(y - (size_y - 1), -y)
    code = AIR_CODE + jnp.clip(outside, 1, MAX_AIR)
    return jnp.where(outside > 0, code.astype(jnp.uint8), inside)


def aim_of(
    base: list[jax.Array],
    local: list[jax.Array],
    ray: list[jax.Array],
    see_liquid: jax.Array,
    sources_only: bool = False,
) -> Aim:
    """Of rays with the components `ray`, from the places `local` 0..1 in the blocks `base`."""
    speed = [jnp.abs(axis) for axis in ray]
    return Aim(
        base=base,
        start=[jnp.where(axis > 0, at, 1.0 - at) for axis, at in zip(ray, local)],
        sign=[jnp.where(axis > 0, 1, -1).astype(jnp.int32) for axis in ray],
        speed=speed,
        inverse=[jnp.where(s > TINY, 1.0 / jnp.maximum(s, TINY), jnp.inf) for s in speed],
        see_liquid=see_liquid,
        sources_only=sources_only,
    )


def trip(
    look: Callable[[jax.Array, jax.Array, jax.Array], jax.Array],
    aim: Aim,
    max_distance: float,
    march: March,
) -> March:
    """Looks once for every ray, then leaves the cube of air it is in; `look` gives the bytes of
    unwrapped cells x, y, z."""
    x, y, z = (b + s * c for b, s, c in zip(aim.base, aim.sign, march.cell))
    byte = look(x, y, z)
    liquid = (byte >= FIRST_LIQUID) & (byte <= LAST_LIQUID)
    if aim.sources_only:
        liquid_stops = aim.see_liquid & ((byte == WATER) | (byte == LAVA))
    else:
        liquid_stops = aim.see_liquid
    met = (byte > 0) & (byte < AIR_CODE) & (liquid_stops | ~liquid)
    reach = jnp.maximum(byte.astype(jnp.int32) - AIR_CODE, 1)

    wall = [c + reach for c in march.cell]
    # A wall lies ahead of the start, so that no time is 0 * inf.
    times = [jnp.maximum(w - o, TINY) * i for w, o, i in zip(wall, aim.start, aim.inverse)]
    distance = jnp.minimum(jnp.minimum(times[0], times[1]), times[2])
    axis = jnp.where(times[0] == distance, 0, jnp.where(times[1] == distance, 1, 2))

    go = march.active & ~met & (distance < max_distance)

    def moved(k: int) -> jax.Array:
        along = (aim.start[k] + aim.speed[k] * distance).astype(jnp.int32)
        along = jnp.clip(along, march.cell[k], wall[k] - 1)
        return jnp.where(go, jnp.where(axis == k, wall[k], along), march.cell[k])

    return March(
        distance=jnp.where(go, distance, march.distance),
        cell=(moved(0), moved(1), moved(2)),
        axis=jnp.where(go, axis.astype(jnp.int32), march.axis),
        byte=jnp.where(march.active & met, byte, march.byte),
        active=go,
    )


def cast(
    blocks: jax.Array,
    origin: jax.Array,
    direction: jax.Array,
    max_distance: float,
    see_liquid: jax.Array | bool = True,
    sources_only: bool = False,
) -> Hit:
    """Finds the first block each ray meets, the origin's own cell included.

    Args:
      blocks: uint8[N, X, Z, Y], periodic in x and z; above and below is air.
      origin: float32[N, 3], unwrapped block coordinates.
      direction: float32[N, R, 3], unit vectors.
      max_distance: blocks; what lies farther is not met.
      see_liquid: bool[N] or bool, whether liquids stop rays or let them through.
      sources_only: of liquids, only sources stop rays.

    Returns:
      `Hit`; rays that meet nothing have an air code and `distance == max_distance`.
    """
    num_rays = direction.shape[:2]
    corner = jnp.floor(origin)
    base = [corner[:, k, None].astype(jnp.int32) for k in range(3)]
    local = [(origin - corner)[:, k, None] for k in range(3)]
    see = jnp.broadcast_to(jnp.asarray(see_liquid, bool), origin.shape[:1])[:, None]
    aim = aim_of(base, local, [direction[..., k] for k in range(3)], see, sources_only)
    look = functools.partial(look_up, blocks)

    def trips(carry: tuple[jax.Array, March]) -> tuple[jax.Array, March]:
        count, march = carry
        for _ in range(UNROLL):
            march = trip(look, aim, max_distance, march)
        return count + UNROLL, march

    # A straight line of this length crosses at most so many cell faces.
    limit = math.ceil(max_distance * math.sqrt(3.0)) + 4
    zero = jnp.zeros(num_rays, jnp.int32)
    start = March(
        distance=jnp.zeros(num_rays, jnp.float32),
        cell=(zero, zero, zero),
        axis=jnp.argmax(jnp.abs(direction), axis=-1).astype(jnp.int32),
        byte=jnp.full(num_rays, AIR_CODE, jnp.uint8),
        active=jnp.ones(num_rays, bool),
    )
    _, march = jax.lax.while_loop(
        lambda carry: (carry[0] < limit) & jnp.any(carry[1].active), trips, (jnp.int32(0), start)
    )
    return _as_hit(march, aim, max_distance)


def _as_hit(march: March, aim: Aim, max_distance: float) -> Hit:
    met = march.byte < AIR_CODE
    sign = jnp.stack(aim.sign, -1)
    forward = jnp.take_along_axis(sign, march.axis[..., None], -1)[..., 0] > 0
    return Hit(
        byte=march.byte,
        cell=jnp.stack(aim.base, -1) + sign * jnp.stack(march.cell, -1),
        face=march.axis * 2 + forward.astype(jnp.int32),
        distance=jnp.where(met, march.distance, jnp.float32(max_distance)),
    )


def hit_mobs(
    origin: jax.Array,
    direction: jax.Array,
    mob_position: jax.Array,
    mob_kind: jax.Array,
    max_distance: float,
) -> tuple[jax.Array, jax.Array]:
    """Finds the nearest mob box on each ray; blocks are not looked at.

    Args:
      origin: float32[N, 3].
      direction: float32[N, R, 3], unit vectors.
      mob_position: float32[N, M, 3] of the feet.
      mob_kind: int32[N, M], index into `MOBS`; 0 is no mob.
      max_distance: blocks.

    Returns:
      int32[N, R] index of the mob or -1, float32[N, R] distance to its box
      (0 if the origin is inside it; `max_distance` if there is none).
    """
    size = jnp.asarray(MOB_SIZE, jnp.float32)[mob_kind]  # [N, M, (width, height)]
    half = size[..., 0] / 2
    offset = mob_position - origin[:, None]
    low = offset - jnp.stack([half, jnp.zeros_like(half), half], -1)
    high = offset + jnp.stack([half, size[..., 1], half], -1)

    enter = jnp.zeros(direction.shape[:2] + mob_kind.shape[1:], jnp.float32)
    leave = jnp.full_like(enter, max_distance)
    for k in range(3):
        d = direction[:, :, None, k]
        # A component of 0 becomes tiny: the ray is then inside the slab for ever or never.
        inverse = 1.0 / jnp.where(jnp.abs(d) < TINY, jnp.float32(TINY), d)
        near, far = low[:, None, :, k] * inverse, high[:, None, :, k] * inverse
        enter = jnp.maximum(enter, jnp.minimum(near, far))
        leave = jnp.minimum(leave, jnp.maximum(near, far))
    met = (enter <= leave) & (mob_kind > 0)[:, None]
    distance = jnp.where(met, enter, max_distance)
    index = jnp.argmin(distance, -1).astype(jnp.int32)
    return jnp.where(met.any(-1), index, -1), distance.min(-1)


def ray_directions(yaw: jax.Array, pitch: jax.Array) -> jax.Array:
    """Unit vectors float32[N, 120, 3] of the lidar for a view float32[N] in degrees."""
    pitch = pitch[:, None, None]
    steepest = jnp.maximum(jnp.abs(pitch), RAY_STEEPEST)
    pitches = jnp.asarray(RAY_PITCHES, jnp.float32)[None, :, None] + pitch
    pitches = jnp.clip(pitches, -steepest, steepest)
    yaws = jnp.asarray(RAY_YAWS, jnp.float32)[None, None, :] + yaw[:, None, None]
    return direction_of(*jnp.broadcast_arrays(yaws, pitches)).reshape(len(yaw), -1, 3)


def eye_in_liquid(blocks: jax.Array, eye: jax.Array) -> jax.Array:
    """bool[N]: the cell of float32[N, 3] eyes holds water or lava."""
    x, y, z = (jnp.floor(eye[:, k, None]).astype(jnp.int32) for k in range(3))
    byte = look_up(blocks, x, y, z)[:, 0]
    return (byte >= FIRST_LIQUID) & (byte <= LAST_LIQUID)


def lidar(state: WorldState) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """MineDojo's rays: the four ray arrays of `Observation`, each [N, 120].

    Liquids are seen from outside; from inside a liquid one sees through it. A mob
    behind a block is not seen.
    """
    eye = eye_of(state.player.position)
    direction = ray_directions(state.player.yaw, state.player.pitch)
    see_liquid = ~eye_in_liquid(state.blocks, eye)
    hit = cast(state.blocks, eye, direction, RAY_RANGE, see_liquid)
    index, distance = hit_mobs(eye, direction, state.mobs.position, state.mobs.kind, RAY_RANGE)
    seen = (index >= 0) & (distance < hit.distance)
    kind = jnp.take_along_axis(state.mobs.kind, jnp.maximum(index, 0), 1)
    return named(hit.byte, hit.distance, kind, distance, seen)


def named(
    byte: jax.Array, distance: jax.Array, kind: jax.Array, mob_distance: jax.Array, seen: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """The four ray arrays of what rays meet, a mob where it is `seen` bool[N, 120]."""
    return (
        jnp.asarray(NAME_OF)[byte],
        distance,
        jnp.where(seen, jnp.asarray(MOB_NAME_ID)[kind], MOB_NAME_ID[0]),
        jnp.where(seen, mob_distance, distance),
    )
