"""What the networks see: an observation as a few compact arrays per lane.

Names become small class ids by the tables below, distances become closeness
1 / (1 + d). Rows are kept small (about 0.5 kB) because a rollout stores one per tick. With
pictures, which take the place of the rays, a row is that of one picture: 12 kB at 64 x 64.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import FN_ATTACK, FN_USE, FUNCTION, JUMP, MOVE, STRAFE, Observation
from rlgpt_jax.envs.names import MOBS, NAME_ID, NUM_NAMES
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.interface import OBSERVATION_PARTS, PICTURE
from rlgpt_jax.rl.networks import target_memory

# The released code embeds voxels by a table of 32 entries, unknown -> 0.
VOXEL_NAMES = (
    "air", "stone", "grass", "dirt", "cobblestone", "planks", "log", "leaves", "log2",
    "leaves2", "water", "flowing_water", "lava", "flowing_lava", "sand", "gravel",
    "sandstone", "coal_ore", "iron_ore", "gold_ore", "diamond_ore", "redstone_ore",
    "bedrock", "crafting_table", "furnace", "tallgrass", "double_plant", "yellow_flower",
    "red_flower", "snow_layer", "wool",
)  # fmt: skip
NUM_VOXEL_CLASSES = 32

# Classes of what a ray meets first; 0 is any other block. The mobs come after the blocks.
RAY_BLOCK_CLASSES = (
    ("air",),
    ("grass", "dirt", "farmland", "grass_path"),
    ("stone", "cobblestone", "mossy_cobblestone", "stonebrick", "sandstone"),
    ("log", "log2"),
    ("leaves", "leaves2"),
    ("water", "flowing_water"),
    ("lava", "flowing_lava"),
    ("sand", "gravel", "clay"),
    ("coal_ore",),
    ("iron_ore",),
    ("gold_ore", "diamond_ore", "redstone_ore", "lit_redstone_ore", "lapis_ore", "emerald_ore"),
    ("tallgrass", "double_plant", "yellow_flower", "red_flower", "sapling", "deadbush"),
    ("crafting_table",),
    ("furnace", "lit_furnace"),
    ("bedrock", "obsidian"),
)
NUM_RAY_BLOCK_CLASSES = len(RAY_BLOCK_CLASSES) + 1
# The mobs of MOBS after "none", then any other mob.
NUM_RAY_CLASSES = NUM_RAY_BLOCK_CLASSES + len(MOBS)

# Items whose counts the networks see.
ITEM_NAMES = (
    "log", "planks", "stick", "crafting_table", "wooden_pickaxe", "wooden_axe",
    "wooden_sword", "cobblestone", "stone_pickaxe", "stone_axe", "stone_sword", "furnace",
    "coal", "torch", "iron_ore", "iron_ingot", "iron_pickaxe", "iron_sword", "shears",
    "bucket", "water_bucket", "milk_bucket", "diamond", "diamond_sword", "wool", "bed",
    "beef", "cooked_beef", "mutton", "cooked_mutton", "porkchop", "chicken", "leather",
    "dirt", "sand", "gravel", "sapling", "apple", "bowl", "chest", "redstone",
)  # fmt: skip
NUM_HELD_CLASSES = len(ITEM_NAMES) + 2  # 0 nothing, 1 any other item
NUM_STATUS = 9
NUM_BIOMES = 16

# The released id of the previous action: a0 + 3 a1 + 9 a2 + 36 f, f in noop, use, attack.
NUM_PRIMITIVE_IDS = 108

# Blocks that make 1 in the gps features (position less that of the episode's start).
GPS_SCALE = (50.0, 10.0, 50.0)


def _classes(groups, first: int, default: int) -> np.ndarray:
    """uint8[NUM_NAMES]: name id -> class, `first` for the first group and so on."""
    table = np.full(NUM_NAMES, default, np.uint8)
    for i, group in enumerate(groups):
        for name in group:
            table[NAME_ID[name]] = first + i
    return table


VOXEL_CLASS = _classes([(n,) for n in VOXEL_NAMES], 1, 0)
RAY_BLOCK_CLASS = _classes(RAY_BLOCK_CLASSES, 1, 0)
RAY_ENTITY_CLASS = _classes([(m,) for m in MOBS[1:]], NUM_RAY_BLOCK_CLASSES, NUM_RAY_CLASSES - 1)
NO_MOB = (0, NAME_ID["none"])
HELD_CLASS = _classes([(n,) for n in ITEM_NAMES], 2, 1)
HELD_CLASS[0] = HELD_CLASS[NAME_ID["air"]] = 0
ITEM_IDS = np.array([NAME_ID[n] for n in ITEM_NAMES], np.int32)


class Features(NamedTuple):
    """One row per lane, batch axes first."""

    compass: jax.Array  # float32[..., 4]  cos yaw, sin yaw, cos pitch, sin pitch
    gps: jax.Array  # float32[..., 3]  from the episode's start, see GPS_SCALE
    voxels: jax.Array  # uint8[..., 27]  class of each block around the feet
    biome: jax.Array  # uint8[...]
    previous: jax.Array  # uint8[...]  id of the previous action
    held: jax.Array  # uint8[...]  class of the item in hand
    # None with pictures:
    ray: Any  # uint8[..., 120]  class of what each ray meets first, as a picture shows
    ray_near: Any  # float16[..., 120]  1 / (1 + distance of it)
    inventory: jax.Array  # float16[..., 41]  log(1 + count)
    status: jax.Array  # float16[..., 9]  life, food, oxygen, day, flags
    # None without pictures:
    rgb: Any = None  # uint8[..., H, W, 3]  the view; networks are given K of them, [..., H, W, 3 K]
    past: Any = None  # uint8[...]  pictures before it of the same episode, see `frame_stack`
    target: Any = None  # float16[..., 8]  see `target_memory`; None where nothing is remembered
    # uint8[...]  slot of the macro that leads, 0 for none; None where nothing is decided. Not an
    # input of the networks: it moves the logits, see `actor_critic.led`.
    lead: Any = None


class FieldFeatures(NamedTuple):
    """The same of a world with a spec: its fields, the previous action, a picture."""

    fields: jax.Array  # float32[..., F]  `low` is -1, `high` is 1
    previous: jax.Array
    rgb: Any = None
    past: Any = None
    lead: Any = None


AnyFeatures = Features | FieldFeatures


def count_items(obs: Observation, item_ids: np.ndarray | jax.Array) -> jax.Array:
    """Returns float32[N, I], how many of each item the agent holds; 0 where an id is -1."""
    match = obs.slot_name[:, :, None] == jnp.asarray(item_ids)[None, None, :]
    return jnp.sum(match * obs.slot_quantity[:, :, None].astype(jnp.float32), axis=1)


def _status(obs: Observation) -> jax.Array:
    day = obs.time_of_day * (2.0 * np.pi / 24000.0)
    return jnp.stack(
        [
            obs.life / 20.0, obs.food / 20.0, obs.oxygen / 300.0, jnp.sin(day), jnp.cos(day),
            obs.on_ground, obs.in_water, obs.near_table, obs.near_furnace,
        ],
        axis=-1, dtype=jnp.float16,
    )  # fmt: skip


def _rays(obs: Observation) -> tuple[jax.Array, jax.Array]:
    """Class and closeness of the nearest thing on each ray."""
    mob_first = (
        (obs.ray_entity != NO_MOB[0])
        & (obs.ray_entity != NO_MOB[1])
        & (obs.ray_entity_distance <= obs.ray_block_distance)
    )
    distance = jnp.where(mob_first, obs.ray_entity_distance, obs.ray_block_distance)
    block = jnp.asarray(RAY_BLOCK_CLASS)[obs.ray_block]
    mob = jnp.asarray(RAY_ENTITY_CLASS)[obs.ray_entity]
    return jnp.where(mob_first, mob, block), (1.0 / (1.0 + distance)).astype(jnp.float16)


def make_features(
    obs: Observation, previous: jax.Array, start: jax.Array, picture: bool = False
) -> Features:
    """The features of an observation.

    Args:
      previous: int32[N], action ids.
      start: float32[N, 3], where the episode began, or [N, 7], as of `target_memory.start`.
      picture: whether the view is among them, in the place of the rays.
    """
    yaw, pitch = jnp.deg2rad(obs.yaw), jnp.deg2rad(obs.pitch)
    ray, ray_near = (None, None) if picture else _rays(obs)
    return Features(
        compass=jnp.stack([jnp.cos(yaw), jnp.sin(yaw), jnp.cos(pitch), jnp.sin(pitch)], -1),
        gps=(obs.position - start[:, :3]) / jnp.asarray(GPS_SCALE, jnp.float32),
        voxels=jnp.asarray(VOXEL_CLASS)[obs.voxels.reshape(-1, 27)],
        biome=jnp.clip(obs.biome, 0, NUM_BIOMES - 1).astype(jnp.uint8),
        previous=previous.astype(jnp.uint8),
        held=jnp.asarray(HELD_CLASS)[obs.equipment[:, 0]],
        ray=ray,
        ray_near=ray_near,
        inventory=jnp.log1p(count_items(obs, ITEM_IDS)).astype(jnp.float16),
        status=_status(obs),
        rgb=jnp.asarray(obs.rgb) if picture else None,
        target=target_memory.features(start, obs) if start.shape[1] > 3 else None,
    )


def zero_features(num: int, config: NetworkConfig) -> Features:
    """As the networks are given them."""
    zeros = functools.partial(jnp.zeros, dtype=jnp.uint8)
    half = functools.partial(jnp.zeros, dtype=jnp.float16)
    size = config.image_size
    return Features(
        compass=jnp.zeros((num, 4)), gps=jnp.zeros((num, 3)), voxels=zeros((num, 27)),
        biome=zeros(num), previous=zeros(num), held=zeros(num),
        ray=None if size else zeros((num, 120)), ray_near=None if size else half((num, 120)),
        inventory=half((num, len(ITEM_NAMES))), status=half((num, NUM_STATUS)),
        rgb=zeros((num, *size, 3 * config.frame_stack)) if size else None,
        target=half((num, target_memory.SIZE)) if config.remembers else None,
    )  # fmt: skip


def keep_parts(features: Features, parts: jax.Array) -> Features:
    """Zeros in the parts that are left out; `parts` is bool[9]."""
    kept = dict(zip(OBSERVATION_PARTS, parts, strict=True))
    kept |= dict.fromkeys(("ray", "ray_near", "target"), kept["rays"])
    parts_of = {name: x for name, x in features._asdict().items() if x is not None}
    always = {name: parts_of.pop(name) for name in (PICTURE, "past") if name in parts_of}
    some = {name: jnp.where(kept[name], x, jnp.zeros((), x.dtype)) for name, x in parts_of.items()}
    return features._replace(**some, **always)


def action_id(action: jax.Array, macro: jax.Array) -> jax.Array:
    """The id under which an action is seen as the previous one in the next tick.

    Args:
      action: int32[N, 8].
      macro: int32[N], the slot that made it, 0 if the policy's own primitive.

    Returns:
      int32[N]: 0..107 as in the released code (the camera is left out), then one id per
      macro slot, which the released table lacks.
    """
    function = action[:, FUNCTION]
    f = jnp.where(function == FN_USE, 1, jnp.where(function == FN_ATTACK, 2, 0))
    primitive = action[:, MOVE] + 3 * action[:, STRAFE] + 9 * action[:, JUMP] + 36 * f
    return jnp.where(macro > 0, NUM_PRIMITIVE_IDS - 1 + macro, primitive)
