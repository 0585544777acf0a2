"""Putting blocks into the world: what can be placed, where, and in which state.

A block is put against the face under the crosshair. It must find room and, if it needs
one, something that holds it (`support.py`).
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid, support
from rlgpt_jax.envs.voxel.rules.blocks import neighbours as near_by
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_ID,
    BLOCKS,
    BYTE_OF,
    DOORS,
    IS_LIQUID,
    IS_SOLID,
    META_OF,
    is_one_of,
)
from rlgpt_jax.envs.voxel.rules.bodies import collision
from rlgpt_jax.envs.voxel.rules.bodies.shapes import TOP
from rlgpt_jax.envs.voxel.rules.items import inventory
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEMS, NUM_ITEMS
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE, PLAYER_SIZE
from rlgpt_jax.envs.voxel.rules.player import orientation as turning
from rlgpt_jax.envs.voxel.rules.player.interact import Target
from rlgpt_jax.envs.voxel.senses import rays
from rlgpt_jax.envs.voxel.state import WorldState

# Blocks that exist in the world but not as an item, and items that place another block.
_NOT_ITEMS = {
    "air", "water", "flowing_water", "lava", "flowing_lava", "fire", "bedrock", "wheat",
    "farmland", "lit_furnace", "standing_sign", "redstone_wire", "lit_redstone_ore",
    "mob_spawner", "double_stone_slab", "grass_path",
}  # fmt: skip
_PLACED_AS = {"sign": "standing_sign", "redstone": "redstone_wire"}
# By item id: the byte that placing the item writes, 0 if it is not placed.
BYTE_OF_ITEM = np.zeros(NUM_ITEMS, np.uint8)
for _id, (_block, _variant) in enumerate(ITEMS):
    if _block in set(BLOCKS) - _NOT_ITEMS:
        BYTE_OF_ITEM[_id] = BYTE_OF.get((_block, _variant), BLOCK_ID[_block])
for _item, _block in _PLACED_AS.items():
    BYTE_OF_ITEM[NAME_ID[_item]] = BLOCK_ID[_block]

# A block may be put where these are; they vanish.
REPLACEABLE = is_one_of("tallgrass", "deadbush", "vine", "fire") | IS_LIQUID
REPLACEABLE |= is_one_of("snow_layer") & (META_OF == 0)
REPLACEABLE[0], REPLACEABLE[AIR_CODE:] = True, True

# Blocks that fit where a body stands: thin ones, and those that the game does not ask.
_FITS = ~IS_SOLID | is_one_of("ladder", "bed", *DOORS)
# How much of the cell a block fills, from its bottom: what may not cut a body.
HEIGHT = np.where(_FITS, 0.0, np.minimum(TOP, 1.0)).astype(np.float32)
# Items that must be put on the upper face, and blocks that ask for solid ground once.
_ON_TOP = is_one_of("bed", *DOORS)
_ON_SOLID = is_one_of("fence_gate")
_BED = is_one_of("bed")


def before_face(target: Target) -> jax.Array:
    """int32[N, 3]: where a block put against the target goes.

    That is the cell in front of the face that the crosshair meets, or the target's own
    cell if what stands there gives way (tall grass).
    """
    axis, forward = target.face // 2, target.face % 2
    step = jnp.where(forward == 1, -1, 1)[:, None] * (jnp.arange(3) == axis[:, None])
    gives_way = jnp.asarray(REPLACEABLE)[target.byte]
    return target.cell + jnp.where(gives_way[:, None], 0, step).astype(jnp.int32)


def direction(yaw: jax.Array) -> jax.Array:
    """int32: the quarter that degrees look to, 0 = +z, 1 = -x, 2 = -z, 3 = +x."""
    return jnp.floor(yaw / 90.0 + 0.5).astype(jnp.int32) % 4


class _Attempt(NamedTuple):
    """What K lanes that want to put a block down know."""

    lane: jax.Array  # int32[K]
    own: jax.Array  # uint8[K]  the item's byte
    target: Target
    yaw: jax.Array  # float32[K]
    pitch: jax.Array  # float32[K]
    position: jax.Array  # float32[K, 3]
    mob_kind: jax.Array  # int32[K, M]
    mob_position: jax.Array  # float32[K, M, 3]


def _meets_upper_half(attempt: _Attempt) -> jax.Array:
    """bool[K]: the crosshair meets the upper half of the target's face at a side."""
    target, eye = attempt.target, rays.eye_of(attempt.position)
    along = rays.direction_of(attempt.yaw, attempt.pitch)
    axis, forward = target.face // 2, target.face % 2
    pick = lambda values: jnp.take_along_axis(values, axis[:, None], 1)[:, 0]  # noqa: E731
    plane = pick(target.cell.astype(jnp.float32)) + 1.0 - forward
    speed = pick(along)
    distance = (plane - pick(eye)) / jnp.where(jnp.abs(speed) < 1e-6, 1.0, speed)
    return eye[:, 1] + distance * along[:, 1] - target.cell[:, 1] > 0.5


def is_free(state: WorldState, cell: jax.Array, byte: jax.Array) -> jax.Array:
    """bool[N]: a block `byte` fits into a cell int32[N, 3] that now allows it."""
    old = grid.block_at(state.blocks, cell)
    bodies = state.player.position, state.mobs.kind, state.mobs.position
    return jnp.asarray(REPLACEABLE)[old] & _has_room(*bodies, cell, byte, state.blocks.shape[3])


def _has_room(
    position: jax.Array, kind: jax.Array, mob_position: jax.Array, cell: jax.Array,
    byte: jax.Array, size_y: int,
) -> jax.Array:  # fmt: skip
    """bool[N]: the cell lies in the world and the block would cut no body."""
    inside = (cell[:, 1] >= 0) & (cell[:, 1] < size_y)
    height = jnp.asarray(HEIGHT)[byte]
    player = _cuts(position, jnp.asarray(PLAYER_SIZE, jnp.float32), cell, height)
    size = jnp.asarray(MOB_SIZE)[kind]
    mob = _cuts(mob_position, size, cell[:, None], height[:, None])
    return inside & ~player & ~(mob & (kind > 0)).any(1)


def _cuts(position: jax.Array, size: jax.Array, cell: jax.Array, top: jax.Array) -> jax.Array:
    """bool[...]: a body's box and the lower part of a cell overlap, `top` blocks high."""
    low = position - cell.astype(jnp.float32)
    half, height = size[..., 0] / 2, size[..., 1]
    eps = collision.EPS
    flat = (jnp.abs(low[..., ::2] - 0.5) < 0.5 - eps + half[..., None]).all(-1)
    return flat & (low[..., 1] < top - eps) & (low[..., 1] + height > eps)


def place(
    state: WorldState, active: jax.Array, slot: jax.Array, target: Target
) -> tuple[WorldState, grid.Edit]:
    """Puts one piece of a slot's item at the face under the crosshair.

    Of a door or bed the edit is the lower half or the foot, see `second_half`.

    Args:
      state: N worlds.
      active: bool[N].
      slot: int32[N]; the first slot with this slot's item is used, as in MineDojo.
      target: what the crosshair meets.
    """
    slot = inventory.slot_of(state, slot)
    item = jnp.take_along_axis(state.inventory.item, slot[:, None], 1)[:, 0]
    own = jnp.asarray(BYTE_OF_ITEM)[item]
    wants = active & target.is_block & (own > 0)
    player = state.player
    attempt = _Attempt(
        jnp.arange(len(slot), dtype=jnp.int32), own, target, player.yaw, player.pitch,
        player.position, state.mobs.kind, state.mobs.position,
    )  # fmt: skip
    nothing = grid.Edit(jnp.zeros_like(wants), target.cell, own)
    edit = lanes.for_some(wants, functools.partial(_attempt, state.blocks), attempt, nothing)
    return inventory.take_from(state, slot, edit.active.astype(jnp.int32)), edit


def _attempt(blocks: jax.Array, attempt: _Attempt) -> grid.Edit:
    """The block that K lanes put down, if they can."""
    own, target, size_y = attempt.own, attempt.target, blocks.shape[3]
    # A slab or a layer of snow joins what the crosshair meets, or what is before it.
    joins = jnp.asarray(turning.MERGES_WITH)[target.byte] == own
    joins &= jnp.asarray(turning.MERGE_FACE)[target.byte] == target.face
    cell = jnp.where(joins[:, None], target.cell, before_face(target))
    near = grid.at(blocks, attempt.lane, cell[:, None] + near_by.NEAR)
    old = near[:, near_by.SELF]
    merges = jnp.asarray(turning.MERGES_WITH)[old] == own

    byte, held = _oriented(attempt, near)
    byte = jnp.where(merges, jnp.asarray(turning.MERGED)[old], byte)
    gives_way = jnp.asarray(REPLACEABLE)[old]
    fits = merges | (held & gives_way & _allows(cell, byte, near, target.face, size_y))
    bodies = attempt.position, attempt.mob_kind, attempt.mob_position
    return grid.Edit(fits & _has_room(*bodies, cell, byte, size_y), cell, byte)


def _oriented(attempt: _Attempt, near: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The state in which a block stays, uint8[K], and whether there is one, bool[K].

    What hangs tries the face that the crosshair meets, then the other sides.
    """
    upper = _meets_upper_half(attempt).astype(jnp.int32)
    own, face, ahead = attempt.own, attempt.target.face, direction(attempt.yaw)
    faced = jnp.asarray(turning.FACED)[own, face, ahead, upper]
    choices = jnp.concatenate([faced[:, None], jnp.asarray(turning.OTHERS)[own]], 1)
    stays = support.holds(choices, near[:, None], whole=False)
    first = jnp.argmax(stays, axis=1)
    return jnp.take_along_axis(choices, first[:, None], 1)[:, 0], stays.any(1)


def _allows(
    cell: jax.Array, byte: jax.Array, near: jax.Array, face: jax.Array, size_y: int
) -> jax.Array:
    """bool[K]: what doors, beds and gates ask for besides, when they are put down."""
    is_in = lambda table, cells: jnp.asarray(table)[cells]  # noqa: E731
    second = second_half(grid.Edit(jnp.ones(len(byte), bool), cell, byte))
    place_at = is_in(support.OTHER_AT, byte)[:, None] == jnp.arange(near.shape[1])
    there = jnp.where(place_at, near, 0).sum(1).astype(jnp.uint8)
    room = is_in(REPLACEABLE, there) & (second.cell[:, 1] < size_y)
    # The head of a bed lies at a side; below it is 4 entries on.
    head = jnp.where(jnp.roll(place_at, 4, axis=1), near, 0).sum(1).astype(jnp.uint8)
    lies = is_in(support.SOLID_TOP, near[:, near_by.DOWN]) & is_in(support.SOLID_TOP, head)
    on_top = (face == turning.FROM_ABOVE) | ~is_in(_ON_TOP, byte)
    on_solid = is_in(IS_SOLID, near[:, near_by.DOWN]) | ~is_in(_ON_SOLID, byte)
    return on_top & on_solid & (room | ~second.active) & (lies | ~is_in(_BED, byte))


def second_half(edit: grid.Edit) -> grid.Edit:
    """The other cell of a door or bed whose lower half or foot an edit puts down."""
    byte = jnp.asarray(support.SECOND_BYTE)[edit.byte]
    cell = edit.cell + jnp.asarray(support.SECOND_STEP)[edit.byte]
    return grid.Edit(edit.active & (byte > 0), cell, byte)


def swing(state: WorldState, active: jax.Array, target: Target) -> grid.Edit:
    """Opens or closes the door, trapdoor or gate under the crosshair, in the lanes bool[N].

    The upper half of a door moves the lower one.
    """
    is_upper = target.byte == turning.UPPER_DOOR
    step = jnp.array(near_by.STEPS[near_by.DOWN])
    cell = target.cell + jnp.where(is_upper[:, None], step, 0)
    byte = grid.block_at(state.blocks, cell)
    swung = jnp.asarray(turning.SWUNG)[byte, direction(state.player.yaw)]
    return grid.Edit(active & target.is_block & (swung > 0), cell, swung)
