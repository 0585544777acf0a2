"""Where to look, in bins of 15 degrees, so that the crosshair meets what is meant."""

import numba
import numpy as np

from rlgpt_jax.envs.base import CAMERA_CENTRE, CAMERA_STEP
from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, FIRST_LIQUID, LAST_LIQUID
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import BLOCK_REACH, MOB_REACH, MOB_SIZE

Cell = tuple[int, int, int]
NUM_TURNS = int(360 / CAMERA_STEP)


def wrap(angle):
    """Degrees into [-180, 180)."""
    return (np.asarray(angle) + 180.0) % 360.0 - 180.0


def heading(offset: np.ndarray) -> tuple[float, float]:
    """(yaw, pitch) in degrees of a direction float[3]."""
    flat = float(np.hypot(offset[0], offset[2]))
    return (
        float(np.degrees(np.arctan2(-offset[0], offset[2]))),
        float(-np.degrees(np.arctan2(offset[1], flat))),
    )


def direction(yaw: float, pitch: float) -> np.ndarray:
    """Unit vector float[3] of a view."""
    a, b = np.radians(yaw), np.radians(pitch)
    return np.array([-np.sin(a) * np.cos(b), -np.sin(b), np.cos(a) * np.cos(b)])


def bins(yaw: float, pitch: float, to_yaw: float, to_pitch: float) -> dict[str, int]:
    """The camera's columns that turn a view as near as possible to another."""
    by_yaw = round(float(wrap(to_yaw - yaw)) / CAMERA_STEP)
    by_pitch = round((float(np.clip(to_pitch, -90, 90)) - pitch) / CAMERA_STEP)
    return {
        "YAW": CAMERA_CENTRE + int(np.clip(by_yaw, -12, 12)),
        "PITCH": CAMERA_CENTRE + int(np.clip(by_pitch, -12, 12)),
    }


def views(yaw: float) -> np.ndarray:
    """float[V, 2] of (yaw, pitch): all that one can turn to from this yaw."""
    pitches = np.arange(-90, 91, CAMERA_STEP)
    yaws = wrap(yaw + CAMERA_STEP * np.arange(NUM_TURNS))
    return np.stack(np.meshgrid(yaws, pitches, indexing="ij"), -1).reshape(-1, 2)


@numba.njit(cache=True)
def first_block(blocks, eye, ray, reach, see_liquid):
    """(x, y, z, face axis, face sign, distance) of the first block that a ray meets.

    The face is the side through which the ray enters; distance is `reach` if none is met.
    """
    size_x, size_z, size_y = blocks.shape
    cell = np.floor(eye).astype(np.int64)
    sign = np.sign(ray).astype(np.int64)
    axis, distance = 1, 0.0
    while distance < reach:
        if 0 <= cell[1] < size_y:
            byte = blocks[cell[0] % size_x, cell[2] % size_z, cell[1]]
            liquid = FIRST_LIQUID <= byte <= LAST_LIQUID
            if 0 < byte < AIR_CODE and (see_liquid or not liquid):
                return cell[0], cell[1], cell[2], axis, sign[axis], distance
        distance = np.inf
        for k in range(3):
            if sign[k] != 0:
                wall = cell[k] + (1 if sign[k] > 0 else 0)
                time = (wall - eye[k]) / ray[k]
                if time < distance:
                    distance, axis = time, k
        cell[axis] += sign[axis]
    return cell[0], cell[1], cell[2], axis, sign[axis], reach


def at_cell(
    blocks: np.ndarray, eye: np.ndarray, yaw: float, cell: Cell
) -> tuple[float, float] | None:
    """The (yaw, pitch) in reach of the bins whose ray meets this block first.

    Of several the one that passes nearest to the block's centre, so that a small
    motion does not lose it.
    """
    centre = np.array(cell) + 0.5 - eye
    if np.linalg.norm(centre) > BLOCK_REACH + 0.9:
        return None
    centre = centre / np.linalg.norm(centre)
    best, closest = None, 0.5
    for view in views(yaw):
        ray = direction(*view)
        match = float(ray @ centre)
        if match <= closest:
            continue
        hit = first_block(blocks, eye, ray, BLOCK_REACH - 0.02, False)
        if hit[:3] == cell and hit[5] < BLOCK_REACH - 0.02:
            best, closest = (float(view[0]), float(view[1])), match
    return best


def at_mob(
    blocks: np.ndarray, eye: np.ndarray, yaw: float, kind: str, position: np.ndarray
) -> tuple[float, float] | None:
    """The (yaw, pitch) whose ray meets a mob's box within reach and before any block."""
    width, height = (float(v) for v in MOB_SIZE[MOBS.index(kind)])
    low = np.array([-width / 2, 0.0, -width / 2]) + position - eye
    high = np.array([width / 2, height, width / 2]) + position - eye
    centre = (low + high) / 2
    if np.linalg.norm(centre) > MOB_REACH + 1.5:
        return None
    best, closest = None, -1.0
    for view in views(yaw):
        ray = direction(*view)
        match = float(ray @ centre) / float(np.linalg.norm(centre))
        if match <= max(closest, 0.3):
            continue
        safe = np.where(np.abs(ray) < 1e-9, 1e-9, ray)
        times = np.sort(np.stack([low / safe, high / safe]), 0)
        enter, leave = float(times[0].max()), float(times[1].min())
        if not max(enter, 0.0) <= leave or enter > MOB_REACH - 0.05:
            continue
        hit = first_block(blocks, eye, ray, MOB_REACH, True)
        if hit[5] > max(enter, 0.0):
            best, closest = (float(view[0]), float(view[1])), match
    return best
