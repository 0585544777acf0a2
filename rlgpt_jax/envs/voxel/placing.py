"""Putting blocks into the world: what can be placed, and where."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel import collision, grid, inventory
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, BLOCK_ID, BLOCKS, IS_LIQUID, is_one_of
from rlgpt_jax.envs.voxel.interact import Target
from rlgpt_jax.envs.voxel.item_table import NUM_ITEMS
from rlgpt_jax.envs.voxel.mob_table import MOB_SIZE, PLAYER_SIZE
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
for _block in set(BLOCKS) - _NOT_ITEMS:
    BYTE_OF_ITEM[NAME_ID[_block]] = BLOCK_ID[_block]
for _item, _block in _PLACED_AS.items():
    BYTE_OF_ITEM[NAME_ID[_item]] = BLOCK_ID[_block]

# A block may be put where these are; they vanish.
REPLACEABLE = is_one_of("tallgrass", "deadbush", "vine", "fire", "snow_layer") | IS_LIQUID
REPLACEABLE[AIR_CODE:] = True

STATIONS = np.zeros(NUM_ITEMS, bool)
STATIONS[[NAME_ID["crafting_table"], NAME_ID["furnace"]]] = True


def before_face(target: Target) -> jax.Array:
    """int32[N, 3]: where a block put against the target goes.

    That is the cell in front of the face that the crosshair meets, or the target's own
    cell if what stands there gives way (tall grass).
    """
    axis, forward = target.face // 2, target.face % 2
    step = jnp.where(forward == 1, -1, 1)[:, None] * (jnp.arange(3) == axis[:, None])
    gives_way = jnp.asarray(REPLACEABLE)[target.byte]
    return target.cell + jnp.where(gives_way[:, None], 0, step).astype(jnp.int32)


def is_free(state: WorldState, cell: jax.Array, byte: jax.Array) -> jax.Array:
    """bool[N]: a block `byte` fits into a cell int32[N, 3] that now allows it."""
    old = grid.block_at(state.blocks, cell)
    size_y = state.blocks.shape[3]
    room = jnp.asarray(REPLACEABLE)[old] & (cell[:, 1] >= 0) & (cell[:, 1] < size_y)
    # Bodies that the new block would cut. Only solid blocks need the room.
    player = _cuts(state.position, jnp.asarray(PLAYER_SIZE, jnp.float32), cell)
    mob = _cuts(state.mob_position, jnp.asarray(MOB_SIZE)[state.mob_kind], cell[:, None])
    mob = (mob & (state.mob_kind > 0)).any(1)
    return room & ~(grid.solid(byte) & (player | mob))


def _cuts(position: jax.Array, size: jax.Array, cell: jax.Array) -> jax.Array:
    """bool[...]: a body's box and a cell overlap."""
    low = position - cell.astype(jnp.float32)
    half, height = size[..., 0] / 2, size[..., 1]
    eps = collision.EPS
    flat = (jnp.abs(low[..., ::2] - 0.5) < 0.5 - eps + half[..., None]).all(-1)
    return flat & (low[..., 1] < 1 - eps) & (low[..., 1] + height > eps)


def place(
    state: WorldState, active: jax.Array, slot: jax.Array, target: Target
) -> tuple[WorldState, grid.Edit]:
    """Puts one piece of a slot's item at the face under the crosshair.

    Args:
      state: N worlds.
      active: bool[N].
      slot: int32[N]; the first slot with this slot's item is used, as in MineDojo.
      target: what the crosshair meets.
    """
    slot = inventory.slot_of(state, slot)
    name = jnp.take_along_axis(state.slot_item, slot[:, None], 1)[:, 0]
    byte = jnp.asarray(BYTE_OF_ITEM)[name]
    cell = before_face(target)
    goes = active & target.is_block & (byte > 0) & is_free(state, cell, byte)
    state = inventory.take_from(state, slot, goes.astype(jnp.int32))
    state = _remember_station(state, goes & jnp.asarray(STATIONS)[name], name, cell)
    return state, grid.Edit(goes, cell, byte)


def _remember_station(
    state: WorldState, active: jax.Array, name: jax.Array, cell: jax.Array
) -> WorldState:
    """Keeps where a station stands, in a free entry or else in the first one."""
    entry = jnp.argmax(state.station_name == 0, axis=1)
    here = active[:, None] & (jnp.arange(state.station_name.shape[1]) == entry[:, None])
    return state.replace(
        station_name=jnp.where(here, name[:, None], state.station_name),
        station_block=jnp.where(here[..., None], cell[:, None], state.station_block),
    )


def forget_stations(state: WorldState, edit: grid.Edit) -> WorldState:
    """Drops stations whose cell another block or air takes."""
    _, size_x, size_z, _ = state.blocks.shape
    period = jnp.array([size_x, 1 << 20, size_z], jnp.int32)
    gone = ((state.station_block - edit.cell[:, None]) % period == 0).all(-1)
    gone &= (edit.active & (edit.byte >= AIR_CODE))[:, None]
    return state.replace(station_name=jnp.where(gone, 0, state.station_name))
