"""The lidar of `rays.py` for worlds in host memory, as one numba kernel.

Lanes run in parallel. The rays of a lane are kept in bundles of neighbours. All bundles
advance together, a trip each per turn: first every byte is looked up, so that no look-up
waits for another, then LLVM moves a bundle with vector instructions. For these the
inner loops have no branches, numbers of one width and a single array, `march`; rays that
are through stand still until their bundle leaves. Each ray is mirrored so that it moves
in + direction on every axis. Cells are whole numbers in float32.

Tables of other files are arguments of the kernel and not globals: numba would keep a
global's value in its cache on disk even when the other file changes.
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS, RAY_PITCHES, RAY_RANGE, RAY_STEEPEST, RAY_YAWS
from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    FIRST_LIQUID,
    IS_LIQUID,
    LAST_LIQUID,
    NAME_OF,
)
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE
from rlgpt_jax.envs.voxel.senses.rays import EYE_HEIGHT, MOB_NAME_ID, TINY

kernel = make_kernel("senses/rays_host.py")

Rays = tuple[np.ndarray, ...]  # the four ray fields of `Observation`

_YAWS = np.array(RAY_YAWS, np.float32)
_PITCHES = np.array(RAY_PITCHES, np.float32)
_RANGE, _STEEPEST = np.float32(RAY_RANGE), np.float32(RAY_STEEPEST)
_NEVER = np.float32(1e9)
_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
_AIR, _TINY = np.float32(AIR_CODE), np.float32(TINY)

_BUNDLE = 8  # rays: float32 in a register of 256 bits, and most of them end together
_BUNDLES = NUM_RAYS // _BUNDLE
assert _BUNDLES * _BUNDLE == NUM_RAYS

# Rows of `march`, NUM_RAYS numbers each. It is float32[_SIZE] and has one dimension, so
# that LLVM knows all distances in it.
_ROW = NUM_RAYS
_START_X, _START_Y, _START_Z = 0 * _ROW, 1 * _ROW, 2 * _ROW  # these 15 as `rays.Aim`
_SIGN_X, _SIGN_Y, _SIGN_Z = 3 * _ROW, 4 * _ROW, 5 * _ROW
_SPEED_X, _SPEED_Y, _SPEED_Z = 6 * _ROW, 7 * _ROW, 8 * _ROW
_INVERSE_X, _INVERSE_Y, _INVERSE_Z = 9 * _ROW, 10 * _ROW, 11 * _ROW
_CELL_X, _CELL_Y, _CELL_Z = 12 * _ROW, 13 * _ROW, 14 * _ROW
_DISTANCE = 15 * _ROW  # blocks, to where the ray is
_BYTE = 16 * _ROW  # of the block met, AIR_CODE so far
_OUTSIDE = 17 * _ROW  # layers above or below the world, 0 or less inside
_AT = 18 * _ROW  # int32: index of the cell in the world, then its byte
_NEAR = 19 * _ROW  # blocks, to the nearest block or mob
_NAME = 20 * _ROW  # int32: of the mob that is nearest
_SIZE = 21 * _ROW


class _Tables(NamedTuple):
    """Facts about blocks and mobs."""

    name_of: np.ndarray  # int32[256]  by byte
    is_liquid: np.ndarray  # bool[256]
    liquid: np.ndarray  # float32[2]  the first and the last liquid's byte
    mob_name: np.ndarray  # int32[len(MOBS)]
    mob_size: np.ndarray  # float32[len(MOBS), 2]  width, height


_TABLES = _Tables(
    np.asarray(NAME_OF),
    np.asarray(IS_LIQUID),
    np.array([FIRST_LIQUID, LAST_LIQUID], np.float32),
    MOB_NAME_ID,
    np.asarray(MOB_SIZE, np.float32),
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
        make = np.zeros if lanes is not None else np.empty
        names, distances = (make((2, num_envs, NUM_RAYS), t) for t in (np.int32, np.float32))
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
        march = np.empty(_SIZE, np.float32)
        _aim(yaw[n], pitch[n], march)
        _march(tables, worlds[n], shape, position[n], march)
        _stop(march, tables.mob_name[0])
        for m in range(mob_kind.shape[1]):
            kind = mob_kind[n, m]
            if kind > 0:
                _meet_mob(
                    position[n], mob_position[n, m], tables.mob_size[kind],
                    tables.mob_name[kind], march,
                )  # fmt: skip
        whole = march.view(np.int32)
        for r in range(NUM_RAYS):
            block[n, r] = tables.name_of[np.int32(march[r + _BYTE])]
            block_distance[n, r] = march[r + _DISTANCE]
            entity[n, r] = whole[r + _NAME]
            entity_distance[n, r] = march[r + _NEAR]


@kernel(fastmath={"contract", "nsz"})
def _aim(yaw, pitch, march):
    """Writes the components of the unit vectors, as `rays.ray_directions`, to `_SPEED`."""
    radian = np.float32(math.pi / 180.0)
    east, south = np.empty((2, len(_YAWS)), np.float32)
    for i in range(len(_YAWS)):
        turn = (yaw + _YAWS[i]) * radian
        east[i], south[i] = -np.sin(turn), np.cos(turn)
    steepest = max(abs(pitch), _STEEPEST)
    for j in range(len(_PITCHES)):
        down = min(max(pitch + _PITCHES[j], -steepest), steepest) * radian
        flat, fall = np.cos(down), -np.sin(down)
        for i in range(len(_YAWS)):
            r = j * len(_YAWS) + i
            march[r + _SPEED_X] = flat * east[i]
            march[r + _SPEED_Y] = fall
            march[r + _SPEED_Z] = flat * south[i]


@kernel(fastmath={"contract", "nsz"})
def _march(tables, world, shape, position, march):
    """Sends the rays that `_aim` wrote through the blocks of one lane."""
    size_x, size_z, size_y = np.float32(shape[0]), np.float32(shape[1]), np.float32(shape[2])
    stride_x, stride_z = np.int32(shape[1] * shape[2]), np.int32(shape[2])
    per_x, per_z, top = _ONE / size_x, _ONE / size_z, size_y - _ONE
    eye_y = position[1] + np.float32(EYE_HEIGHT)
    corner_x, corner_y = math.floor(position[0]), math.floor(eye_y)
    corner_z = math.floor(position[2])
    base_x, base_z = np.float32(int(corner_x) % shape[0]), np.float32(int(corner_z) % shape[1])
    base_y = np.float32(corner_y)
    inside = min(max(base_y, _ZERO), top)
    at = np.int32(np.int32(base_x) * stride_x + np.int32(base_z) * stride_z + np.int32(inside))

    # From inside a liquid one sees through it.
    low, high = _AIR, _ZERO
    if inside == base_y and tables.is_liquid[world[np.uint32(at)]]:
        low, high = tables.liquid[0], tables.liquid[1]

    whole = march.view(np.int32)
    starts = (
        np.float32(position[0] - corner_x),
        np.float32(eye_y - corner_y),
        np.float32(position[2] - corner_z),
    )
    for axis in range(3):
        start, row = starts[axis], axis * _ROW
        for r in range(row, row + NUM_RAYS):
            direction = march[r + _SPEED_X]
            speed = abs(direction)
            march[r + _START_X] = start if direction > _ZERO else _ONE - start
            march[r + _SIGN_X] = _ONE if direction > _ZERO else -_ONE
            march[r + _SPEED_X] = speed
            march[r + _INVERSE_X] = _ONE / speed if speed >= _TINY else _NEVER
            march[r + _CELL_X] = _ZERO
    for r in range(NUM_RAYS):
        march[r + _DISTANCE] = _ZERO
        march[r + _OUTSIDE] = max(-base_y, base_y - top)
        whole[r + _AT] = at

    front = np.empty(_BUNDLES, np.uint32)  # first rays of the bundles that are on their way
    for b in range(_BUNDLES):
        front[b] = b * _BUNDLE
    left = _BUNDLES
    while left > 0:
        for i in range(left):
            first = front[np.uint32(i)]
            for k in range(_BUNDLE):
                r = first + k
                whole[r + _AT] = world[np.uint32(whole[r + _AT])]
        kept = 0
        for i in range(left):
            first = front[np.uint32(i)]
            moved = np.int32(0)
            for k in range(_BUNDLE):
                r = first + k
                outside = march[r + _OUTSIDE]
                byte = np.float32(whole[r + _AT])
                byte = byte if outside <= _ZERO else _AIR + outside
                free = (byte == _ZERO) | (byte >= _AIR) | ((byte >= low) & (byte <= high))
                march[r + _BYTE] = _AIR if free else byte
                reach = max(byte - _AIR, _ONE)
                cx, cy, cz = march[r + _CELL_X], march[r + _CELL_Y], march[r + _CELL_Z]
                ox, oy, oz = march[r + _START_X], march[r + _START_Y], march[r + _START_Z]
                wx, wy, wz = cx + reach, cy + reach, cz + reach
                tx = (wx - ox) * march[r + _INVERSE_X]
                ty = (wy - oy) * march[r + _INVERSE_Y]
                tz = (wz - oz) * march[r + _INVERSE_Z]
                t = min(tx, min(ty, tz))
                ax = max(cx, np.floor(ox + t * march[r + _SPEED_X]))
                ay = max(cy, np.floor(oy + t * march[r + _SPEED_Y]))
                az = max(cz, np.floor(oz + t * march[r + _SPEED_Z]))
                ax = wx if tx == t else ax
                ay = wy if ty == t else ay
                az = wz if tz == t else az
                go = free & (t < _RANGE)
                cx = ax if go else cx
                cy = ay if go else cy
                cz = az if go else cz
                march[r + _CELL_X], march[r + _CELL_Y], march[r + _CELL_Z] = cx, cy, cz
                march[r + _DISTANCE] = t if go else march[r + _DISTANCE]
                x = base_x + cx * march[r + _SIGN_X]
                y = base_y + cy * march[r + _SIGN_Y]
                z = base_z + cz * march[r + _SIGN_Z]
                # The half keeps the quotient clear of whole numbers, where it could round.
                x -= size_x * np.floor((x + _HALF) * per_x)
                z -= size_z * np.floor((z + _HALF) * per_z)
                march[r + _OUTSIDE] = max(-y, y - top)
                y = min(max(y, _ZERO), top)
                whole[r + _AT] = np.int32(x) * stride_x + np.int32(z) * stride_z + np.int32(y)
                moved = np.int32(moved | np.int32(go))
            front[np.uint32(kept)] = first
            kept += moved > 0  # type: ignore[assignment]
        left = kept


@kernel(fastmath={"contract", "nsz"})
def _stop(march, no_name):
    """Puts rays that met no block at the end of their range, and no mob on any."""
    whole = march.view(np.int32)
    for r in range(NUM_RAYS):
        distance = march[r + _DISTANCE] if march[r + _BYTE] < _AIR else _RANGE
        march[r + _DISTANCE] = distance
        march[r + _NEAR] = distance
        whole[r + _NAME] = no_name


@kernel(fastmath={"contract", "nsz"})
def _meet_mob(position, mob, size, name, march):
    """Puts one mob where it is nearer than what the rays have met so far."""
    half, height = size[0] / 2, size[1]
    low_x, high_x = mob[0] - half - position[0], mob[0] + half - position[0]
    low_z, high_z = mob[2] - half - position[2], mob[2] + half - position[2]
    low_y = mob[1] - position[1] - np.float32(EYE_HEIGHT)
    high_y = low_y + height
    away = max(low_x, -high_x, low_y, -high_y, low_z, -high_z)
    if away > _RANGE:
        return
    whole = march.view(np.int32)
    for r in range(NUM_RAYS):
        ix = march[r + _INVERSE_X] * march[r + _SIGN_X]
        iy = march[r + _INVERSE_Y] * march[r + _SIGN_Y]
        iz = march[r + _INVERSE_Z] * march[r + _SIGN_Z]
        ax, bx = low_x * ix, high_x * ix
        ay, by = low_y * iy, high_y * iy
        az, bz = low_z * iz, high_z * iz
        enter = max(max(min(ax, bx), min(ay, by)), max(min(az, bz), _ZERO))
        leave = min(min(max(ax, bx), max(ay, by)), max(az, bz))
        nearer = (enter <= leave) & (enter < march[r + _NEAR])
        march[r + _NEAR] = enter if nearer else march[r + _NEAR]
        whole[r + _NAME] = name if nearer else whole[r + _NAME]
