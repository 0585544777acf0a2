"""The lidar of `rays.py` for worlds in host memory, as one numba kernel.

Lanes run in parallel. In a lane the rays advance as one front, a trip each per turn:
their look-ups do not wait for each other, and finished rays leave the front. Each ray
is mirrored so that it moves in + direction on every axis; a table holds the offset
of every periodic coordinate within range.

Tables of other files are arguments of the kernel and not globals: numba would keep a
global's value in its cache on disk even when the other file changes.
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS, RAY_PITCHES, RAY_RANGE, RAY_YAWS
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, IS_LIQUID, NAME_OF
from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.mob_table import MOB_SIZE
from rlgpt_jax.envs.voxel.rays import EYE_HEIGHT, MOB_NAME_ID, TINY

kernel = make_kernel("rays_host.py")

Rays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

_YAWS = np.array(RAY_YAWS, np.float32)
_PITCHES = np.array(RAY_PITCHES, np.float32)
_RANGE = np.float32(RAY_RANGE)
_REACH = int(RAY_RANGE) + 9  # cells to each side that a ray may name before it stops
_NEVER = np.float32(1e9)


class _Tables(NamedTuple):
    """Facts about blocks and mobs."""

    name_of: np.ndarray  # int32[256]  by byte
    is_liquid: np.ndarray  # bool[256]
    mob_name: np.ndarray  # int32[len(MOBS)]
    mob_size: np.ndarray  # float32[len(MOBS), 2]  width, height


_TABLES = _Tables(
    np.asarray(NAME_OF), np.asarray(IS_LIQUID), MOB_NAME_ID, np.asarray(MOB_SIZE, np.float32)
)


def lidar_numba(
    blocks: np.ndarray,
    position: np.ndarray,
    yaw: np.ndarray,
    pitch: np.ndarray,
    mob_kind: np.ndarray,
    mob_position: np.ndarray,
    lanes: np.ndarray | None = None,
    out: Rays | None = None,
) -> Rays:
    """What MineDojo's rays meet; `rays.lidar` for host arrays.

    Args:
      blocks: uint8[N, X, Z, Y], C-contiguous.
      position: float32[N, 3] of the feet.
      yaw: float32[N], degrees.
      pitch: float32[N], degrees.
      mob_kind: int32[N, M].
      mob_position: float32[N, M, 3].
      lanes: int[L], the lanes to look from; all if None.
      out: arrays of an earlier call to write to; other lanes keep their values.

    Returns:
      The ray fields of `Observation`: int32, float32, int32, float32, each [N, 120].
    """
    num_envs = len(blocks)
    if out is None:
        names, distances = (np.zeros((2, num_envs, NUM_RAYS), t) for t in (np.int32, np.float32))
        out = names[0], distances[0], names[1], distances[1]
    if lanes is None:
        lanes = np.arange(num_envs)
    worlds = blocks.reshape(num_envs, -1)  # a view
    shape = np.array(blocks.shape[1:], np.int64)
    _lidar(
        _TABLES, worlds, shape, position, yaw, pitch, mob_kind, mob_position,
        np.asarray(lanes, np.int64), *out,
    )  # fmt: skip
    return out


@kernel(parallel=True, fastmath={"contract", "nsz"})
def _lidar(
    tables, worlds, shape, position, yaw, pitch, mob_kind, mob_position, lanes,
    block, block_distance, entity, entity_distance,
):  # fmt: skip
    for i in numba.prange(len(lanes)):
        n = lanes[i]
        rays = np.empty((7, NUM_RAYS), np.float32)
        _aim(yaw[n], pitch[n], rays)
        _march(tables, worlds[n], shape, position[n], rays, block[n], block_distance[n])
        entity[n] = tables.mob_name[0]
        entity_distance[n] = block_distance[n]
        for m in range(mob_kind.shape[1]):
            if mob_kind[n, m] > 0:
                kind = mob_kind[n, m]
                _meet_mob(
                    position[n], mob_position[n, m], tables.mob_size[kind],
                    tables.mob_name[kind], rays, entity[n], entity_distance[n],
                )  # fmt: skip


@kernel(fastmath={"contract", "nsz"})
def _aim(yaw, pitch, rays):
    """Writes rows 0 to 2, the unit vectors, as `rays.ray_directions`."""
    radian = np.float32(math.pi / 180.0)
    for j in range(len(_PITCHES)):
        down = (pitch + _PITCHES[j]) * radian
        flat, fall = np.cos(down), -np.sin(down)
        for i in range(len(_YAWS)):
            r = j * len(_YAWS) + i
            rays[0, r], rays[1, r], rays[2, r] = flat, fall, flat
    for i in range(len(_YAWS)):
        turn = (yaw + _YAWS[i]) * radian
        east, south = -np.sin(turn), np.cos(turn)
        for j in range(len(_PITCHES)):
            r = j * len(_YAWS) + i
            rays[0, r] *= east
            rays[2, r] *= south


@kernel(fastmath={"contract", "nsz"})
def _offsets(base, size, stride, table):
    """Fills int32[2 * _REACH + 1] offsets of the coordinates around `base`."""
    at = (base - _REACH) % size
    for k in range(len(table)):
        table[k] = at * stride
        at += 1
        if at == size:
            at = 0


@kernel(fastmath={"contract", "nsz"})
def _march(tables, world, shape, position, rays, block, distance):
    """Writes int32[120] names of blocks and float32[120] distances of one lane."""
    size_x, size_z, size_y = shape[0], shape[1], np.int32(shape[2])
    eye_y = position[1] + np.float32(EYE_HEIGHT)
    corner_x, corner_z = math.floor(position[0]), math.floor(position[2])
    corner_y = math.floor(eye_y)
    start_x = np.float32(position[0] - corner_x)
    start_y = np.float32(eye_y - corner_y)
    start_z = np.float32(position[2] - corner_z)
    table_x = np.empty(2 * _REACH + 1, np.int32)
    table_z = np.empty(2 * _REACH + 1, np.int32)
    _offsets(int(corner_x), size_x, size_z * size_y, table_x)
    _offsets(int(corner_z), size_z, size_y, table_z)
    base_y = np.int32(corner_y)

    air_name = tables.name_of[AIR_CODE]
    first = AIR_CODE
    if 0 <= base_y < size_y:
        first = world[table_x[_REACH] + table_z[_REACH] + base_y]
    see_liquid = not tables.is_liquid[first]

    cells = np.zeros((7, NUM_RAYS), np.int32)
    origin = np.empty((3, NUM_RAYS), np.float32)
    front = np.empty(NUM_RAYS, np.int32)
    for r in range(NUM_RAYS):
        front[r] = r
        distance[r] = 0.0
        for k in range(3):
            start = start_x if k == 0 else start_y if k == 1 else start_z
            forward = rays[k, r] > 0
            size = abs(rays[k, r])
            origin[k, r] = start if forward else np.float32(1.0) - start
            cells[3 + k, r] = 1 if forward else -1
            rays[3 + k, r] = np.float32(1.0) / size if size > TINY else _NEVER
    left = NUM_RAYS
    while left > 0:
        kept = 0
        for i in range(left):
            r = np.uint32(front[np.uint32(i)])  # type: ignore[assignment]
            cx, cy, cz = cells[0, r], cells[1, r], cells[2, r]
            y = base_y + cells[4, r] * cy
            if np.uint32(y) < np.uint32(size_y):
                ix = np.uint32(_REACH + cells[3, r] * cx)
                iz = np.uint32(_REACH + cells[5, r] * cz)
                byte = np.int32(world[np.uint32(table_x[ix] + table_z[iz] + y)])
            else:
                byte = np.int32(AIR_CODE) + max(-y, y - size_y + np.int32(1))
            reach = byte - np.int32(AIR_CODE)
            if reach < 0:
                if byte > 0 and (see_liquid or not tables.is_liquid[byte]):
                    block[r] = tables.name_of[byte]
                    continue
                reach = np.int32(1)
            wx, wy, wz = cx + reach, cy + reach, cz + reach
            ox, oy, oz = origin[0, r], origin[1, r], origin[2, r]
            tx = (np.float32(wx) - ox) * rays[3, r]
            ty = (np.float32(wy) - oy) * rays[4, r]
            tz = (np.float32(wz) - oz) * rays[5, r]
            t = min(tx, min(ty, tz))
            if t >= _RANGE:
                block[r] = air_name
                distance[r] = _RANGE
                continue
            ax = np.int32(ox + t * abs(rays[0, r]))
            ay = np.int32(oy + t * abs(rays[1, r]))
            az = np.int32(oz + t * abs(rays[2, r]))
            cells[0, r] = max(max(cx, ax), wx * np.int32(tx == t))
            cells[1, r] = max(max(cy, ay), wy * np.int32(ty == t))
            cells[2, r] = max(max(cz, az), wz * np.int32(tz == t))
            distance[r] = t
            front[kept] = r
            kept += 1
        left = kept


@kernel(fastmath={"contract", "nsz"})
def _meet_mob(position, mob, size, name, rays, entity, distance):
    """Puts one mob where it is nearer than what the rays have met so far."""
    half, height = size[0] / 2, size[1]
    low_x, high_x = mob[0] - half - position[0], mob[0] + half - position[0]
    low_z, high_z = mob[2] - half - position[2], mob[2] + half - position[2]
    low_y = mob[1] - position[1] - np.float32(EYE_HEIGHT)
    high_y = low_y + height
    away = max(low_x, -high_x, low_y, -high_y, low_z, -high_z)
    if away > _RANGE:
        return
    for r in range(NUM_RAYS):
        ix, iy, iz = rays[3, r], rays[4, r], rays[5, r]
        ix = ix if rays[0, r] > 0 else -ix
        iy = iy if rays[1, r] > 0 else -iy
        iz = iz if rays[2, r] > 0 else -iz
        ax, bx = low_x * ix, high_x * ix
        ay, by = low_y * iy, high_y * iy
        az, bz = low_z * iz, high_z * iz
        enter = max(min(ax, bx), min(ay, by), min(az, bz), np.float32(0.0))
        leave = min(max(ax, bx), max(ay, by), max(az, bz))
        if enter <= leave and enter < distance[r]:
            distance[r] = enter
            entity[r] = name
