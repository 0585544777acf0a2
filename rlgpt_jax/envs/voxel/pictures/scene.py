"""What a picture of one lane needs, gathered from the state as plain NumPy arrays."""

import math
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.names import NAMES
from rlgpt_jax.envs.voxel.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.mob_table import EYE_HEIGHT
from rlgpt_jax.envs.voxel.pictures import paint
from rlgpt_jax.envs.voxel.pictures.icons import icon
from rlgpt_jax.envs.voxel.pictures.textures import IS_CUBE
from rlgpt_jax.envs.voxel.worldgen import BIOMES

# By biome: colour of grass, colour of oak leaves.
_TINTS = {
    "plains": ((145, 189, 89), (106, 158, 48)),
    "forest": ((121, 192, 90), (82, 152, 44)),
    "forest_hills": ((121, 192, 90), (82, 152, 44)),
    "extreme_hills": ((138, 182, 137), (96, 148, 92)),
}
_ZENITH, _HORIZON = np.array([96, 148, 240.0]), np.array([190, 216, 250.0])
_NIGHT, _DUSK = np.array([8, 10, 24.0]), np.array([246, 150, 84.0])


class Scene(NamedTuple):
    """One lane. Positions are unwrapped blocks; M mobs, D items."""

    world: np.ndarray  # uint8[X, Z, Y]
    eye: np.ndarray  # float64[3]
    axes: np.ndarray  # float64[3, 3]  rows: right, up, forward
    sun: np.ndarray  # float64[3]  unit vector to the sun
    day: float  # 0 night .. 1 noon
    light: float  # brightness of what the sun does not reach directly, 1 by day
    zenith: np.ndarray  # float64[3]  colour 0..255
    horizon: np.ndarray  # float64[3]
    dusk: np.ndarray  # float64[4]  colour round a low sun and how much of it
    tints: np.ndarray  # float64[3, 3]  factors: none, grass, leaves
    tick: float
    mob_kind: np.ndarray  # int32[M]
    mob_position: np.ndarray  # float64[M, 3]
    mob_turn: np.ndarray  # float64[M, 2]  cosine and sine of the yaw
    mob_stride: np.ndarray  # float64[M]  how far the legs are apart, -1..1
    mob_look: np.ndarray  # int32[M, 2]  hurt, sheared
    item_position: np.ndarray  # float64[D, 3]
    item_byte: np.ndarray  # int32[D]  0 no item, a block to be drawn as a cube, -1 flat
    item_icon: np.ndarray  # uint8[D, 16, 16, 4]
    mining_cell: np.ndarray  # int64[3]
    mining_stage: int  # cracks 0..9, -1 none


def lane_of(state: Any, lane: int) -> dict[str, np.ndarray]:
    """The small fields of one lane as copies, and a view of its world."""
    return {name: np.asarray(value[lane]) for name, value in vars(state).items()}


def make_scene(one: dict[str, np.ndarray]) -> Scene:
    """Gathers the picture of a lane given by `lane_of`."""
    time, tick = float(one["world_time"]), float(one["tick"])
    biome = BIOMES[int(one["biome"])].name
    progress = float(one["mining_progress"])
    stage = min(9, int(progress * 10)) if progress > 0 else -1
    return Scene(
        world=np.ascontiguousarray(one["blocks"]),
        eye=one["position"].astype(np.float64) + np.array([0.0, EYE_HEIGHT, 0.0]),
        axes=_axes(float(one["yaw"]), float(one["pitch"])),
        **_sky(time),
        tints=np.array([(255, 255, 255), *_TINTS[biome]]) / 255.0,
        tick=tick,
        **_mobs(one, tick),
        **_items(one, tick),
        mining_cell=one["mining_block"].astype(np.int64),
        mining_stage=stage,
    )


def _axes(yaw: float, pitch: float) -> np.ndarray:
    yaw, pitch = math.radians(yaw), math.radians(pitch)
    sin, cos, fall, flat = math.sin(yaw), math.cos(yaw), math.sin(pitch), math.cos(pitch)
    forward = (-sin * flat, -fall, cos * flat)
    right = (-cos, 0.0, -sin)
    up = (-sin * fall, flat, cos * fall)
    return np.array([right, up, forward])


def _sky(time: float) -> dict[str, Any]:
    """Sun and colours: noon at 6000, dusk about 12500, dawn about 23500."""
    angle = (time - 6000.0) / 24000.0 * 2.0 * math.pi
    height = math.cos(angle)
    day = min(1.0, max(0.0, height * 1.8 + 0.6))
    low = max(0.0, 1.0 - abs(height) / 0.35)
    # Tilted a little, so that noon has shadows and the two sides of a block differ.
    sun = np.array([math.sin(angle) * -1.0, height, 0.36])
    return {
        "sun": sun / np.linalg.norm(sun),
        "day": day,
        "light": 0.4 + 0.6 * day,
        "zenith": _NIGHT + (_ZENITH - _NIGHT) * day,
        "horizon": _NIGHT * 1.6 + (_HORIZON - _NIGHT * 1.6) * day,
        "dusk": np.append(_DUSK, low),
    }


def _mobs(one: dict[str, np.ndarray], tick: float) -> dict[str, Any]:
    yaw = np.radians(one["mob_yaw"].astype(np.float64))
    speed = np.hypot(one["mob_velocity"][:, 0], one["mob_velocity"][:, 2])
    phase = np.sin(0.66 * tick + np.arange(len(yaw)))
    look = np.stack([one["mob_hurt_time"] > 0, one["mob_sheared"]], 1)
    return {
        "mob_kind": one["mob_kind"].astype(np.int32),
        "mob_position": one["mob_position"].astype(np.float64),
        "mob_turn": np.stack([np.cos(yaw), np.sin(yaw)], 1),
        "mob_stride": 0.7 * phase * np.minimum(1.0, speed / 0.06),
        "mob_look": look.astype(np.int32),
    }


def _items(one: dict[str, np.ndarray], tick: float) -> dict[str, Any]:
    names = one["item_id"]
    bytes_ = [BLOCK_ID.get(NAMES[name], 0) for name in names]
    kinds = [0 if not n else b if b and IS_CUBE[b] else -1 for n, b in zip(names, bytes_)]
    bob = 0.05 * np.sin(0.2 * (one["item_age"] + tick))
    pictures = [icon(int(name)) for name in names] or [paint.empty().astype(np.uint8)]
    position = one["item_position"].astype(np.float64)
    position[:, 1] += 0.2 + bob
    return {
        "item_position": position,
        "item_byte": np.array(kinds, np.int32),
        "item_icon": np.stack(pictures),
    }
