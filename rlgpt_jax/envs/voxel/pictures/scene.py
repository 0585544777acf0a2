"""What a picture of one lane needs, gathered from the state as plain NumPy arrays."""

import math
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.biomes import BIOMES
from rlgpt_jax.envs.voxel.mob_table import EYE_HEIGHT, MOB_SIZE
from rlgpt_jax.envs.voxel.pictures import glow, paint
from rlgpt_jax.envs.voxel.pictures.art import KIND, LAVA, WATER
from rlgpt_jax.envs.voxel.pictures.colours import DYES
from rlgpt_jax.envs.voxel.pictures.icons import block_of, icon
from rlgpt_jax.envs.voxel.pictures.textures import IS_CUBE

FAR = 80.0  # blocks; fog hides what is beyond
_WRAP = int(FAR) + 24  # columns on each side of the eye that rays and their light look up
# By biome: colour of grass, colour of oak leaves.
_TEMPERATE = ((121, 192, 90), (82, 152, 44))
_TINTS = {
    "plains": ((145, 189, 89), (106, 158, 48)),
    "extreme_hills": ((138, 182, 137), (96, 148, 92)),
    "taiga": ((134, 183, 131), (104, 164, 100)),
    "jungle": ((89, 201, 60), (48, 187, 11)),
    "desert": ((191, 183, 85), (174, 164, 42)),
    "savanna": ((191, 183, 85), (174, 164, 42)),
    "swampland": ((106, 112, 57), (106, 112, 57)),
    "ice_plains": ((128, 180, 151), (96, 161, 123)),
}
_ZENITH, _HORIZON = np.array([96, 148, 240.0]), np.array([190, 216, 250.0])
_NIGHT, _DUSK = np.array([8, 10, 24.0]), np.array([246, 150, 84.0])


class Scene(NamedTuple):
    """One lane. Positions are unwrapped blocks; M mobs, D items."""

    world: np.ndarray  # uint8[X, Z, Y]
    light: np.ndarray  # uint8[X, Z, Y]  16 * light of the sky + light of blocks
    # Column x of the endless world is column wrap_x[x - low_x] of the arrays; z likewise.
    wrap_x: np.ndarray  # int64[2 * _WRAP]
    wrap_z: np.ndarray  # int64[2 * _WRAP]
    low_x: int
    low_z: int
    lamp: np.ndarray  # float32[61, 61, 3]  see `glow.lamp`
    eye: np.ndarray  # float64[3]
    axes: np.ndarray  # float64[3, 3]  rows: right, up, forward
    sun: np.ndarray  # float64[3]  unit vector to the sun
    day: float  # 0 night .. 1 noon
    zenith: np.ndarray  # float64[3]  colour 0..255
    horizon: np.ndarray  # float64[3]
    dusk: np.ndarray  # float64[4]  colour round a low sun and how much of it
    tints: np.ndarray  # float64[3, 3]  factors: none, grass, leaves
    tick: float
    mob_kind: np.ndarray  # int32[M]
    mob_position: np.ndarray  # float64[M, 3]
    mob_turn: np.ndarray  # float64[M, 2]  cosine and sine of the yaw
    mob_stride: np.ndarray  # float64[M]  how far the legs are apart, -1..1
    mob_look: np.ndarray  # int32[M, 3]  hurt, sheared, burning
    mob_dye: np.ndarray  # float64[M, 3]  factors for the wool
    mob_size: np.ndarray  # float64[M, 2]  width, height
    mob_light: np.ndarray  # float64[M, 3]  factors
    item_position: np.ndarray  # float64[D, 3]
    item_byte: np.ndarray  # int32[D]  0 no item, a block to be drawn as a cube, -1 flat
    item_icon: np.ndarray  # uint8[D, 16, 16, 4]
    item_light: np.ndarray  # float64[D, 3]  factors
    mining_cell: np.ndarray  # int64[3]
    mining_stage: int  # cracks 0..9, -1 none


def lane_of(state: Any, lane: int) -> dict[str, np.ndarray]:
    """The small fields of one lane as copies, and a view of its world."""
    return {name: np.asarray(value[lane]) for name, value in vars(state).items()}


def make_scene(one: dict[str, np.ndarray]) -> Scene:
    """Gathers the picture of a lane given by `lane_of`."""
    time, tick = float(one["world_time"]), float(one["tick"])
    progress = float(one["mining_progress"])
    stage = min(9, int(progress * 10)) if progress > 0 else -1
    world = np.ascontiguousarray(one["blocks"])
    eye = one["position"].astype(np.float64) + np.array([0.0, EYE_HEIGHT, 0.0])
    sky = _sky(time)
    light, lamp = glow.light_of(world), glow.lamp(round(sky["day"], 3))
    low_x, low_z = (math.floor(eye[axis]) - _WRAP for axis in (0, 2))
    return Scene(
        world=world,
        light=light,
        wrap_x=np.arange(low_x, low_x + 2 * _WRAP) % world.shape[0],
        wrap_z=np.arange(low_z, low_z + 2 * _WRAP) % world.shape[1],
        low_x=low_x,
        low_z=low_z,
        lamp=lamp,
        eye=eye,
        axes=_axes(float(one["yaw"]), float(one["pitch"])),
        **sky,
        tints=tints_of(one),
        tick=tick,
        **_mobs(one, tick),
        mob_light=_lit(light, lamp, one["mob_position"] + (0.0, 0.5, 0.0)),
        **_items(one, tick),
        item_light=_lit(light, lamp, one["item_position"] + (0.0, 0.2, 0.0)),
        mining_cell=one["mining_block"].astype(np.int64),
        mining_stage=stage,
    )


def tints_of(one: dict[str, np.ndarray]) -> np.ndarray:
    """float64[3, 3]: factors for what has no tint, for grass and for leaves."""
    biome = BIOMES[int(one["biome"])].name
    return np.array([(255, 255, 255), *_TINTS.get(biome, _TEMPERATE)]) / 255.0


def light_at_eye(scene: Scene) -> np.ndarray:
    """float64[3]: the factors of light where the viewer is."""
    return _lit(scene.light, scene.lamp, scene.eye[None])[0]


def liquid_at_eye(scene: Scene) -> int:
    """`art.WATER` or `art.LAVA` if the eye is in one, else 0."""
    x, y, z = np.floor(scene.eye).astype(int)
    if not 0 <= y < scene.world.shape[2]:
        return 0
    kind = int(KIND[scene.world[x % scene.world.shape[0], z % scene.world.shape[1], y]])
    return kind if kind in (WATER, LAVA) else 0


def _lit(light: np.ndarray, lamp: np.ndarray, position: np.ndarray) -> np.ndarray:
    """float64[K, 3]: factors of light at positions float[K, 3]."""
    x, y, z = np.floor(position).astype(int).T
    there = light[x % light.shape[0], z % light.shape[1], np.clip(y, 0, light.shape[2] - 1)]
    return lamp[there // 16 * glow.STEPS, there % 16 * glow.STEPS].astype(np.float64)


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
    day = min(1.0, max(0.0, height * 2.0 + 0.4))
    low = max(0.0, 1.0 - abs(height) / 0.35)
    # It rises in the east, +x, passes overhead and sets in the west.
    return {
        "sun": np.array([-math.sin(angle), height, 0.0]),
        "day": day,
        "zenith": _NIGHT + (_ZENITH - _NIGHT) * day,
        "horizon": _NIGHT * 1.6 + (_HORIZON - _NIGHT * 1.6) * day,
        "dusk": np.append(_DUSK, low),
    }


def _mobs(one: dict[str, np.ndarray], tick: float) -> dict[str, Any]:
    yaw = np.radians(one["mob_yaw"].astype(np.float64))
    speed = np.hypot(one["mob_velocity"][:, 0], one["mob_velocity"][:, 2])
    phase = np.sin(0.66 * tick + np.arange(len(yaw)))
    look = np.stack([one["mob_hurt_time"] > 0, one["mob_sheared"], one["mob_fire"] > 0], 1)
    return {
        "mob_kind": one["mob_kind"].astype(np.int32),
        "mob_position": one["mob_position"].astype(np.float64),
        "mob_turn": np.stack([np.cos(yaw), np.sin(yaw)], 1),
        "mob_stride": 0.7 * phase * np.minimum(1.0, speed / 0.06),
        "mob_look": look.astype(np.int32),
        "mob_dye": np.array(DYES)[one["mob_variant"] % len(DYES)] / np.array(DYES[0], float),
        "mob_size": MOB_SIZE[one["mob_kind"]].astype(np.float64),
    }


def _items(one: dict[str, np.ndarray], tick: float) -> dict[str, Any]:
    items = one["item_id"]
    blocks = [block_of(int(item)) for item in items]
    kinds = [0 if not i else b if b and IS_CUBE[b] else -1 for i, b in zip(items, blocks)]
    bob = 0.05 * np.sin(0.2 * (one["item_age"] + tick))
    pictures = [icon(int(item)) for item in items] or [paint.empty().astype(np.uint8)]
    position = one["item_position"].astype(np.float64)
    position[:, 1] += 0.2 + bob
    return {
        "item_position": position,
        "item_byte": np.array(kinds, np.int32),
        "item_icon": np.stack(pictures),
    }
