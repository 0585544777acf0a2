"""Light, 0 to 15: flooded through a world when it is made, looked up while it is played.

The light of a pool's worlds is stored with them. Edits do not flood anew: what is dug
out below ground stays dark, a column opened to the sky is light, one that was closed is
in shade, and torches that the agent placed shine through walls.

Rules: light loses 1 a block, more in leaves and liquids; light of the sky falls straight
down without loss. Source: https://minecraft.wiki/w/Light (Java 1.11).
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCKS, IS_SOLID, TABLE, by_byte, is_one_of
from rlgpt_jax.envs.voxel.senses import rays
from rlgpt_jax.envs.voxel.state import WorldState

kernel = make_kernel("rules/blocks/light.py")

FULL = 15
_CLEAR = is_one_of(
    "glass", "glass_pane", "iron_bars", "ladder", "wooden_door", "iron_door", "trapdoor",
    "fence", "fence_gate", "cobblestone_wall", "chest", "cactus", "cake", "bed", "hopper",
    "anvil", "snow_layer", "carpet", "standing_sign", "mob_spawner",
)  # fmt: skip
# By byte: light that a cell takes away, and that a block gives.
OPACITY = np.where(IS_SOLID & ~_CLEAR, FULL, 0).astype(np.uint8)
OPACITY[is_one_of("leaves", "leaves2", "web")] = 1
OPACITY[is_one_of("ice", "water", "flowing_water")] = 3
EMISSION = by_byte([0 if b == "air" else TABLE[b].get("light", 0) for b in BLOCKS], np.uint8)
EMISSION[is_one_of("furnace", "redstone_ore")] = 0  # only their lit forms shine
SHADE = 13  # light of the sky under a roof that was built after reset


def flood(blocks: np.ndarray) -> np.ndarray:
    """The light of one world.

    Args:
      blocks: uint8[X, Z, Y], periodic in x and z.

    Returns:
      uint8[X, Z, Y]: 16 * light of the sky + light of blocks.
    """
    sky, block = np.zeros((2, *blocks.shape), np.uint8)
    _flood(blocks, OPACITY, EMISSION, sky, block)
    return (sky * 16 + block).astype(np.uint8)


@kernel
def _flood(blocks, opacity, emission, sky, block):
    size_x, size_z, size_y = blocks.shape
    for x in range(size_x):
        for z in range(size_z):
            level = 15
            for y in range(size_y - 1, -1, -1):
                level = max(0, level - opacity[blocks[x, z, y]])
                if level == 0:
                    break
                sky[x, z, y] = level
    for x in range(size_x):
        for z in range(size_z):
            for y in range(size_y):
                block[x, z, y] = emission[blocks[x, z, y]]
    waiting = np.empty((16, blocks.size), np.int32)
    _spread(blocks, opacity, sky, waiting)
    _spread(blocks, opacity, block, waiting)


@kernel
def _spread(blocks, opacity, light, waiting):
    """Lets light flow into darker neighbours until none gains.

    The cells that light flows out of wait in one list per level, int32[16, cells], and
    are taken brightest first, so that no cell is left with less than it can have.
    """
    size_x, size_z, size_y = light.shape
    number = np.zeros(16, np.int32)
    for x in range(size_x):
        for z in range(size_z):
            for y in range(size_y):
                level = light[x, z, y]
                if level > 1 and _shines_out(blocks, opacity, light, x, z, y):
                    waiting[level, number[level]] = (x * size_z + z) * size_y + y
                    number[level] += 1
    for level in range(15, 1, -1):
        at = 0
        while at < number[level]:
            cell = waiting[level, at]
            at += 1
            x, z, y = cell // (size_z * size_y), cell // size_y % size_z, cell % size_y
            if light[x, z, y] != level:
                continue  # it became brighter since
            for side in range(6):
                nx, nz, ny = _neighbour(light.shape, x, z, y, side)
                if ny < 0 or ny >= size_y:
                    continue
                left = level - max(1, opacity[blocks[nx, nz, ny]])
                if left > light[nx, nz, ny]:
                    light[nx, nz, ny] = left
                    if left > 1:
                        waiting[left, number[left]] = (nx * size_z + nz) * size_y + ny
                        number[left] += 1


@kernel
def _shines_out(blocks, opacity, light, x, z, y):
    """Whether a neighbour would gain from this cell."""
    for side in range(6):
        nx, nz, ny = _neighbour(light.shape, x, z, y, side)
        if 0 <= ny < light.shape[2]:
            left = light[x, z, y] - max(1, opacity[blocks[nx, nz, ny]])
            if left > light[nx, nz, ny]:
                return True
    return False


@kernel
def _neighbour(shape, x, z, y, side):
    if side == 0:
        return (x + 1 if x + 1 < shape[0] else 0), z, y
    if side == 1:
        return (x - 1 if x else shape[0] - 1), z, y
    if side == 2:
        return x, (z + 1 if z + 1 < shape[1] else 0), y
    if side == 3:
        return x, (z - 1 if z else shape[1] - 1), y
    return x, z, (y + 1 if side == 4 else y - 1)


def at(
    state: WorldState, pool_light: jax.Array, cell: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Light of one cell per lane.

    Args:
      state: N worlds.
      pool_light: uint8[P, X, Z, Y].
      cell: int32[N, 3], unwrapped.

    Returns:
      Light of the sky as at noon and light of blocks, int32[N] 0..15, and bool[N],
      whether nothing but air and glass is above.
    """
    n, size_x, size_z, size_y = state.blocks.shape
    x, z = cell[:, 0] % size_x, cell[:, 2] % size_z
    y = jnp.clip(cell[:, 1], 0, size_y - 1)
    stored = pool_light[state.pool_index, x, z, y].astype(jnp.int32)
    column = state.blocks[jnp.arange(n, dtype=jnp.int32), x, z]
    above = jnp.arange(size_y, dtype=jnp.int32) > cell[:, 1, None]
    open_sky = ~((jnp.asarray(OPACITY)[column] > 0) & above).any(1)
    was_open = stored // 16 == FULL
    sky = jnp.where(open_sky, FULL, jnp.where(was_open, SHADE, stored // 16))
    away = jnp.abs(state.lights.block - cell[:, None]).sum(-1)
    placed = jnp.maximum(state.lights.level - away, 0).max(1)
    return sky, jnp.maximum(stored % 16, placed), open_sky


def at_eye(state: WorldState, pool_light: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """`at` the cell of the player's eyes; `pool_light` is uint8[P, X, Z, Y]."""
    eye = rays.eye_of(state.player.position)
    return at(state, pool_light, jnp.floor(eye).astype(jnp.int32))


def darkening(world_time: jax.Array) -> jax.Array:
    """int32: what the hour takes from the light of the sky, 0 by day to 11 at night.

    The sun is a little late against the clock: a third of the way to a cosine.
    """
    turn = world_time.astype(jnp.float32) / 24_000.0 - 0.25
    turn = jnp.where(turn < 0, turn + 1.0, turn)
    late = 0.5 - jnp.cos(turn * np.pi) / 2.0
    turn = turn + (late - turn) / 3.0
    day = jnp.clip(jnp.cos(turn * (2.0 * np.pi)) * 2.0 + 0.5, 0.0, 1.0)
    return ((1.0 - day) * 11.0).astype(jnp.int32)


def total(sky: jax.Array, block: jax.Array, world_time: jax.Array) -> jax.Array:
    """int32: the light that mobs and plants feel at this hour."""
    return jnp.maximum(jnp.maximum(sky - darkening(world_time), 0), block)
