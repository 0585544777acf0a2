"""What the frames of N lanes need besides the worlds: small arrays, gathered in one jit.

Both renderers (plain JAX, numba) read the same `Scenes`, `WorldState.blocks`
and the pool's stored light. Places are float32 and relative to the low corner of the
block that the eye is in ("local"), so that they stay exact far from x = z = 0; local
cells are int32 from the same corner.
"""

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.render.art.icons import block_of
from rlgpt_jax.envs.voxel.render.art.mob_models import DYES
from rlgpt_jax.envs.voxel.render.art.textures import IS_CUBE
from rlgpt_jax.envs.voxel.render.jax.near_light import HALF, WINDOW, near_light
from rlgpt_jax.envs.voxel.rules.items.item_table import NUM_ITEMS
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE
from rlgpt_jax.envs.voxel.senses.rays import eye_of
from rlgpt_jax.envs.voxel.state import WorldState
from rlgpt_jax.envs.voxel.terrain.biomes import BIOMES

FAR = 80.0  # blocks; fog hides what is beyond
CLOUD_HEIGHT, CLOUD_SIZE = 112.0, 12.0  # blocks
HURT, SHEARED, BURNING = 1, 2, 4  # bits of `Scenes.mob_look`
DARK = 0.027  # what is left where there is no light
_MOON = 0.3  # what the moon leaves of the light of the sky
_MARGIN = 4.0  # blocks round a body's place that may be seen of it and its shadow
# By biome: colour of grass, colour of oak leaves.
_TEMPERATE = ((121, 192, 90), (82, 152, 44))
_TINTS = {
    "plains": ((145, 189, 89), (106, 158, 48)),
    "extreme_hills": ((138, 182, 137), (96, 148, 92)),
    "taiga": ((134, 183, 131), (104, 164, 100)),
    "jungle": ((89, 201, 60), (48, 187, 11)),
    "desert": ((191, 183, 85), (174, 164, 42)),
}
# float32[biomes, 3, 3]: factors for what has no tint, for grass and for leaves.
TINTS = np.array(
    [[(255, 255, 255), *_TINTS.get(biome.name, _TEMPERATE)] for biome in BIOMES], np.float32
) / np.float32(255)
_ZENITH, _HORIZON = np.array([[96, 148, 240], [190, 216, 250]], np.float32)
_NIGHT, _DUSK = np.array([[8, 10, 24], [246, 150, 84]], np.float32)
_DYE = np.array(DYES, np.float32) / np.array(DYES[0], np.float32)


def _cube_bytes() -> np.ndarray:
    """int32[NUM_ITEMS]: the block that an item lies as a small cube of, 0 if it is flat."""
    blocks = [block_of(item) if item else 0 for item in range(NUM_ITEMS)]
    return np.array([byte if byte and IS_CUBE[byte] else 0 for byte in blocks], np.int32)


_CUBE_BYTE = _cube_bytes()


class Scenes(NamedTuple):
    """N lanes; M mobs, D items, L lights, those that can be seen first in each list.

    Axes are x east, y up, z south; colours 0..255, factors of colours 0..1.
    """

    cell: jax.Array  # int32[N, 3]  block of the eye, unwrapped: the origin of all local places
    eye: jax.Array  # float32[N, 3]  local, each 0..1
    axes: jax.Array  # float32[N, 3, 3]  rows: right, up, forward
    sun: jax.Array  # float32[N, 3]  unit vector to the sun
    day: jax.Array  # float32[N]  0 night .. 1 noon
    zenith: jax.Array  # float32[N, 3]  colour of the sky overhead
    horizon: jax.Array  # float32[N, 3]
    dusk: jax.Array  # float32[N, 4]  colour round a low sun and how much of it
    clouds: jax.Array  # float32[N, 3]  the eye's x, z in cloud cells 0..64; blocks up to them
    sky_light: jax.Array  # float32[N, 3]  factors of the full light of the sky at this hour
    tints: jax.Array  # float32[N, 3, 3]  factors of colour: none, grass, leaves
    num_mobs: jax.Array  # int32[N]  those listed first that may be seen; the rest is not drawn
    mob_kind: jax.Array  # int32[N, M]  index into `names.MOBS`
    mob_position: jax.Array  # float32[N, M, 3]  local place of the feet
    mob_turn: jax.Array  # float32[N, M, 2]  cosine and sine of the yaw
    mob_stride: jax.Array  # float32[N, M]  how far the legs are apart, -1..1
    mob_look: jax.Array  # int32[N, M]  bits HURT, SHEARED, BURNING
    mob_dye: jax.Array  # float32[N, M, 3]  factors of the wool
    mob_size: jax.Array  # float32[N, M, 2]  width, height
    mob_flicker: jax.Array  # float32[N, M]  shift of the flames' picture, 0, 0.25, 0.5, 0.75
    num_items: jax.Array  # int32[N]
    item_id: jax.Array  # int32[N, D]  id of `item_table`; its icon if it is flat
    item_byte: jax.Array  # int32[N, D]  the block that it is a small cube of, 0 if it is flat
    item_position: jax.Array  # float32[N, D, 3]  local middle, bobbing
    item_turn: jax.Array  # float32[N, 2]  cosine and sine of the cubes' turn
    mining_cell: jax.Array  # int32[N, 3]  local
    mining_stage: jax.Array  # int32[N]  cracks 0..9, -1 none
    hand_item: jax.Array  # int32[N]  id of the held item, 0 a bare arm
    hand_dip: jax.Array  # float32[N]  0..6, how far the hand is down after a swing
    num_lights: jax.Array  # int32[N]  lights that were placed
    light_place: jax.Array  # float32[N, L, 3]  local middle of their cells
    light_level: jax.Array  # float32[N, L]  at that cell, 1..15
    light_is_near: jax.Array  # int32[N, L]  1 in the window of `near`, which holds its light
    # uint8[N, 16, 16, 16]  x, z, y: light as stored in pools (16 * sky + blocks) but of now,
    # of the local cells -8..7 of each axis.
    near: jax.Array | None


@functools.partial(jax.jit, static_argnames="near")
def make_scenes(
    state: WorldState, pool_light: Any, near: bool = True, lanes: jax.Array | None = None
) -> Scenes:
    """Gathers what frames of every lane need.

    Args:
      state: N worlds.
      pool_light: uint8[P, X, Z, Y], of the pool's worlds as they were at reset; unused, and
        may be None, without `near`.
      near: whether to gather `Scenes.near`; if not it is None, for the host's kernel, which
        finds that light itself.
      lanes: int32[K], the lanes to gather for; all by default.
    """
    blocks = state.blocks
    if lanes is None:
        lanes = jnp.arange(len(blocks), dtype=jnp.int32)
    else:
        state = jax.tree.map(lambda x: x[lanes], state.replace(blocks=None))  # type: ignore[arg-type]
    player, eye = state.player, eye_of(state.player.position)
    corner = jnp.floor(eye)
    cell = corner.astype(jnp.int32)
    axes = _axes(player.yaw, player.pitch)
    time = state.tick.astype(jnp.float32)
    stage = jnp.minimum(9, (player.mining_progress * 10.0).astype(jnp.int32))
    dip = 6.0 - player.attack_cooldown.astype(jnp.float32)
    return Scenes(
        cell=cell,
        eye=eye - corner,
        axes=axes,
        **_sky(state.world_time.astype(jnp.float32)),
        clouds=_clouds(eye, time),
        tints=jnp.asarray(TINTS)[state.biome],
        **_mobs(state, eye, corner, axes[:, 2]),
        **_items(state, eye, corner, axes[:, 2]),
        item_turn=jnp.stack([jnp.cos(0.08 * time), jnp.sin(0.08 * time)], -1),
        mining_cell=player.mining_block - cell,
        mining_stage=jnp.where(player.mining_progress > 0, stage, -1),
        hand_item=state.inventory.item[:, 0],
        hand_dip=jnp.clip(dip, 0.0, 6.0),
        **_lights(state, cell),
        near=near_light(blocks, pool_light, state.pool_index, cell, lanes) if near else None,
    )


def _axes(yaw: jax.Array, pitch: jax.Array) -> jax.Array:
    """float32[N, 3, 3] of angles float32[N] in degrees."""
    yaw, pitch = jnp.deg2rad(yaw), jnp.deg2rad(pitch)
    sin, cos, fall, flat = jnp.sin(yaw), jnp.cos(yaw), jnp.sin(pitch), jnp.cos(pitch)
    rows = (
        (-cos, jnp.zeros_like(cos), -sin),
        (-sin * fall, flat, cos * fall),
        (-sin * flat, -fall, cos * flat),
    )
    return jnp.stack([jnp.stack(row, -1) for row in rows], -2)


def _sky(time: jax.Array) -> dict[str, jax.Array]:
    """Sun and colours: noon at 6000, dusk about 12500, dawn about 23500."""
    angle = (time - 6000.0) * (2.0 * math.pi / 24000.0)
    height = jnp.cos(angle)
    day = jnp.clip(height * 2.0 + 0.4, 0.0, 1.0)
    low = jnp.maximum(0.0, 1.0 - jnp.abs(height) / 0.35)
    sun = _MOON + (1.0 - _MOON) * day
    moon = 0.35 + 0.65 * sun  # the light of the night is blue
    share = day[:, None]
    dusk = jnp.broadcast_to(jnp.asarray(_DUSK), (*time.shape, 3))
    # The sun rises in the east, +x, passes overhead and sets in the west.
    return {
        "sun": jnp.stack([-jnp.sin(angle), height, jnp.zeros_like(height)], -1),
        "day": day,
        "zenith": _NIGHT + (_ZENITH - _NIGHT) * share,
        "horizon": _NIGHT * 1.6 + (_HORIZON - _NIGHT * 1.6) * share,
        "dusk": jnp.concatenate([dusk, low[:, None]], -1),
        "sky_light": jnp.stack([sun * moon, sun * moon, sun], -1),
    }


def _clouds(eye: jax.Array, time: jax.Array) -> jax.Array:
    """They drift to the west by 0.03 blocks a tick."""
    x = (eye[:, 0] + 0.03 * time) / CLOUD_SIZE
    z = eye[:, 2] / CLOUD_SIZE
    return jnp.stack([jnp.mod(x, 64.0), jnp.mod(z, 64.0), CLOUD_HEIGHT - eye[:, 1]], -1)


def _in_sight(there: jax.Array, offset: jax.Array, forward: jax.Array) -> jax.Array:
    """bool[N, K]: what may be seen.

    Args:
      there: bool[N, K].
      offset: float32[N, K, 3] from the eye.
      forward: float32[N, 3], where the eye looks.
    """
    # Written out: a matrix product may be rounded coarsely on a GPU.
    ahead = (offset * forward[:, None]).sum(-1)
    near = (offset**2).sum(-1) < (FAR + _MARGIN) ** 2
    return there & near & (ahead > -_MARGIN)


def _seen_first(number: str, seen: jax.Array, fields: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """Fields [N, K, ...] with what is `seen` bool[N, K] in front, and how many those are."""
    order = jnp.argsort(~seen, axis=1, stable=True).astype(jnp.int32)

    def in_order(array: jax.Array) -> jax.Array:
        return jnp.take_along_axis(array, order.reshape(order.shape + (1,) * (array.ndim - 2)), 1)

    return {number: seen.sum(1, dtype=jnp.int32)} | jax.tree.map(in_order, fields)


def _mobs(
    state: WorldState, eye: jax.Array, corner: jax.Array, forward: jax.Array
) -> dict[str, jax.Array]:
    place, velocity = state.mobs.position, state.mobs.velocity
    seen = _in_sight(state.mobs.kind > 0, place - eye[:, None], forward)
    yaw = jnp.deg2rad(state.mobs.yaw)
    speed = jnp.sqrt(velocity[..., 0] ** 2 + velocity[..., 2] ** 2)
    index = jnp.arange(state.mobs.kind.shape[1], dtype=jnp.int32)
    phase = jnp.sin(0.66 * state.tick.astype(jnp.float32)[:, None] + index)
    look = (
        HURT * (state.mobs.hurt_time > 0)
        + SHEARED * state.mobs.sheared
        + BURNING * (state.mobs.fire > 0)
    )
    fields = {
        "mob_kind": state.mobs.kind,
        "mob_position": place - corner[:, None],
        "mob_turn": jnp.stack([jnp.cos(yaw), jnp.sin(yaw)], -1),
        "mob_stride": 0.7 * phase * jnp.minimum(1.0, speed / 0.06),
        "mob_look": look.astype(jnp.int32),
        "mob_dye": jnp.asarray(_DYE)[state.mobs.variant % len(_DYE)],
        "mob_size": jnp.asarray(MOB_SIZE, jnp.float32)[state.mobs.kind],
        "mob_flicker": 0.25 * ((state.tick[:, None] // 2 + index) % 4).astype(jnp.float32),
    }
    return _seen_first("num_mobs", seen, fields)


def _items(
    state: WorldState, eye: jax.Array, corner: jax.Array, forward: jax.Array
) -> dict[str, jax.Array]:
    there = (state.items.id > 0) & (state.items.quantity > 0)
    seen = _in_sight(there, state.items.position - eye[:, None], forward)
    bob = 0.05 * jnp.sin(0.2 * (state.items.age + state.tick[:, None]).astype(jnp.float32))
    lift = jnp.zeros_like(state.items.position).at[..., 1].set(0.2 + bob)
    fields = {
        "item_id": state.items.id,
        "item_byte": jnp.asarray(_CUBE_BYTE)[state.items.id],
        "item_position": state.items.position - corner[:, None] + lift,
    }
    return _seen_first("num_items", seen, fields)


def _lights(state: WorldState, cell: jax.Array) -> dict[str, jax.Array]:
    """Lights that were placed and may shine on something in sight."""
    local = state.lights.block - cell[:, None]
    lit = (state.lights.level > 0) & (jnp.abs(local).max(-1) < FAR + 15)
    near = ((local >= -HALF) & (local < WINDOW - HALF)).all(-1)
    fields = {
        "light_place": local.astype(jnp.float32) + 0.5,
        "light_level": state.lights.level.astype(jnp.float32),
        "light_is_near": near.astype(jnp.int32),
    }
    return _seen_first("num_lights", lit, fields)
