"""MineDojo's `location_stats`, `voxels`, `rays` and `damage_source`."""

import itertools

import numpy as np

from rlgpt_jax.envs.base import DAMAGE_KINDS, RAY_PITCHES, RAY_STEEPEST, RAY_YAWS
from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.view import facts
from rlgpt_jax.envs.view.sight import Sight
from rlgpt_jax.envs.voxel.rules.blocks.blocks import IS_LIQUID, META_OF, NAME_OF
from rlgpt_jax.envs.voxel.rules.player import vitals
from rlgpt_jax.envs.voxel.senses.rays import EYE_HEIGHT
from rlgpt_jax.envs.voxel.terrain.worldgen import BIOMES

Group = dict[str, np.ndarray]

_BIOME_ID = np.array([biome.biome_id for biome in BIOMES], np.int64)
_RAINFALL = np.array([biome.rainfall for biome in BIOMES], np.float32)
_TEMPERATURE = np.array([biome.temperature for biome in BIOMES], np.float32)

_AROUND = np.array(list(itertools.product((-1, 0, 1), repeat=3)))
_REST = np.array([0.0, 1e-3, 0.0])  # feet may be a rounding error below a block's top
_EYE = np.array([0.0, EYE_HEIGHT, 0.0])
_INTO = 1e-3  # blocks by which a ray is followed into the block that it meets

# Ray index = pitch index * 12 + yaw index; angles of `base` are + down and + right.
_RAY_PITCH = np.deg2rad(np.repeat(RAY_PITCHES, len(RAY_YAWS)))
_RAY_YAW = np.deg2rad(np.tile(RAY_YAWS, len(RAY_PITCHES)))

# uint8[names]: the first byte with that name, air for names of no block.
_USUAL = np.zeros(int(NAME_OF.max()) + 1, np.uint8)
_USUAL[np.unique(NAME_OF)] = np.unique(NAME_OF, return_index=True)[1]

_IS_FIRE = np.isin(DAMAGE_KINDS, ("in_fire", "on_fire", "lava"))
_IS_UNBLOCKABLE = np.isin(DAMAGE_KINDS, vitals.PIERCING)
_HOSTILE = np.isin(MOBS, ("zombie",))
_NEAR = 8.0  # blocks; no mob hits from farther away


def sun(world_time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hour's brightness of sun and sky, float32[N] 0..1 and 0.2..1.

    Source: https://minecraft.wiki/w/Daylight_cycle; the sun moves a little unevenly.
    """
    turn = (world_time / 24_000.0 - 0.25) % 1.0
    turn = turn + ((1.0 - np.cos(turn * np.pi)) / 2.0 - turn) / 3.0
    height = np.cos(turn * 2.0 * np.pi) * 2.0
    brightness = np.clip(height + 0.5, 0.0, 1.0)
    sky = np.clip(height + 0.2, 0.0, 1.0) * 0.8 + 0.2
    return brightness.astype(np.float32), sky.astype(np.float32)


def location_stats(sight: Sight) -> Group:
    """Where the player is, the land, the light. Light is that at the eyes."""
    obs, biome = sight.obs, sight.obs.biome
    brightness, sky = sun(obs.time_of_day)
    one = lambda value: np.asarray(value, np.float32)[:, None].copy()  # noqa: E731
    return {
        "pos": obs.position.copy(),
        "yaw": one(obs.yaw),
        "pitch": one(obs.pitch),
        "biome_id": _BIOME_ID[biome],
        "rainfall": one(_RAINFALL[biome]),
        "temperature": one(_TEMPERATURE[biome]),
        "can_see_sky": obs.can_see_sky.copy(),
        "is_raining": np.zeros(len(biome), bool),
        "light_level": one(obs.light_level),
        "sky_light_level": one(sky),
        "sun_brightness": one(brightness),
        "sea_level": np.full((len(biome), 1), sight.sea_level, np.float32),
    }


def eye_of(sight: Sight) -> np.ndarray:
    return sight.obs.position.astype(np.float64) + _EYE


def direction_of(yaw: np.ndarray, pitch: np.ndarray) -> np.ndarray:
    """Unit vectors [..., 3] of radians; yaw 0 = +z, 90 degrees = -x, pitch + is down."""
    flat = np.cos(pitch)
    return np.stack([-np.sin(yaw) * flat, -np.sin(pitch), np.cos(yaw) * flat], -1)


def ray_directions(
    yaw: np.ndarray, pitch: np.ndarray, ray_yaw: np.ndarray, ray_pitch: np.ndarray
) -> np.ndarray:
    """Unit vectors [..., 3] of rays from a view, as `senses.rays.ray_directions`; radians."""
    steepest = np.maximum(np.abs(pitch), np.deg2rad(RAY_STEEPEST))
    return direction_of(yaw + ray_yaw, np.clip(pitch + ray_pitch, -steepest, steepest))


def facts_of(byte: np.ndarray) -> Group:
    """The entries that voxels and rays share, by the bytes uint8[...] of blocks."""
    return {
        "block_name": NAME_OF[byte],
        "block_meta": META_OF[byte].astype(np.int64),
        "is_tool_not_required": facts.IS_TOOL_NOT_REQUIRED[byte],
        "blocks_movement": facts.BLOCKS_MOVEMENT[byte],
        "is_liquid": IS_LIQUID[byte],
        "is_solid": facts.IS_SOLID[byte],
        "can_burn": facts.CAN_BURN[byte],
    }


def voxels(sight: Sight) -> Group:
    """[N, 3, 3, 3] around the block of the feet, axes x, y, z ascending."""
    group = voxels_at(sight, _AROUND)
    return {key: value.reshape(-1, 3, 3, 3) for key, value in group.items()}


def voxels_at(sight: Sight, around: np.ndarray) -> Group:
    """[N, K]: the blocks at int[K, 3] cells (x, y, z) from the block of the feet."""
    obs = sight.obs
    feet = np.floor(obs.position.astype(np.float64) + _REST).astype(np.int64)
    cell = feet[:, None] + around
    byte = sight.lanes.bytes_at(cell)
    offset = cell - eye_of(sight)[:, None]  # MineDojo looks at the low corner of each block
    look = direction_of(np.deg2rad(obs.yaw), np.deg2rad(obs.pitch))
    length = np.maximum(np.linalg.norm(offset, axis=-1), 1e-9)
    cosine = np.clip((offset * look[:, None]).sum(-1) / length, -1.0, 1.0)
    return facts_of(byte) | {
        "is_collidable": facts.IS_COLLIDABLE[byte],
        "blocks_light": facts.BLOCKS_LIGHT[byte],
        "cos_look_vec_angle": cosine.astype(np.float32),
    }


def rays(sight: Sight) -> Group:
    """[N, 120]. A ray that meets no block tells of the air at its end."""
    obs = sight.obs
    yaw, pitch = (np.deg2rad(angle.astype(np.float64))[:, None] for angle in (obs.yaw, obs.pitch))
    way = ray_directions(yaw, pitch, _RAY_YAW, _RAY_PITCH)
    distance = obs.ray_block_distance.astype(np.float64) + _INTO
    end = eye_of(sight)[:, None] + way * distance[..., None]
    cell = np.floor(end).astype(np.int64)
    byte = sight.lanes.bytes_at(cell)
    # A grazing ray may be followed into the neighbour: then the usual state is told.
    byte = np.where(NAME_OF[byte] == obs.ray_block, byte, _USUAL[obs.ray_block])
    ray = np.ones((len(obs.yaw), 1), np.float32)
    traced = {
        f"traced_block_{axis}": cell[..., k].astype(np.float32) for k, axis in enumerate("xyz")
    }
    return {
        **facts_of(byte),
        **traced,
        "entity_name": obs.ray_entity.copy(),
        "entity_distance": obs.ray_entity_distance.copy(),
        "block_distance": obs.ray_block_distance.copy(),
        "harvest_level": facts.HARVEST_LEVEL[byte],
        "ray_pitch": ray * (-_RAY_PITCH).astype(np.float32),
        "ray_yaw": ray * (-_RAY_YAW).astype(np.float32),
    }


def damage_source(sight: Sight) -> Group:
    """The life lost in the last tick and what took it.

    The client of MineDojo 0.1 always tells zeros here; these are the true values. Of a
    mob's hit the nearest hostile mob is taken for the one that hit.
    """
    obs, lanes = sight.obs, sight.lanes
    kind, amount = obs.damage_kind, obs.damage.astype(np.float32)
    hurt = amount > 0
    hostile = _HOSTILE[lanes.field("mobs.kind")]
    offset = lanes.field("mobs.position").astype(np.float64) - obs.position[:, None]
    away = np.where(hostile, np.linalg.norm(offset, axis=-1), np.inf)
    nearest = away.argmin(1)
    lane = np.arange(len(kind))
    distance = away[lane, nearest]
    by_mob = hurt & (kind == DAMAGE_KINDS.index("mob")) & (distance < _NEAR)
    x, y, z = offset[lane, nearest].T
    pitch = np.rad2deg(np.arctan2(y, np.hypot(x, z)))
    yaw = np.rad2deg(np.arctan2(x, z))
    unblockable = hurt & _IS_UNBLOCKABLE[kind]
    one = lambda value: value.astype(np.float32)[:, None]  # noqa: E731
    where = lambda value: one(np.where(by_mob, value, 0.0))  # noqa: E731
    never = np.zeros(len(kind), bool)
    return {
        "damage_amount": one(amount),
        "damage_distance": where(distance),
        "damage_pitch": where(pitch),
        "damage_yaw": where(yaw),
        "hunger_damage": one(np.where(hurt & ~unblockable, vitals.HURT_COST, 0.0)),
        "is_explosion": never,
        "is_fire_damage": hurt & _IS_FIRE[kind],
        "is_magic_damage": never.copy(),
        "is_projectile": never.copy(),
        "is_unblockable": unblockable,
    }
