"""Zombies that appear in the dark while an episode runs.

Minecraft 1.11 fills the land around the player with up to 70 hostile mobs of all kinds per
17 x 17 chunks (8.7 in a world of 96 x 96 columns) at random heights. Here zombies stand for
all of them, at most `hostile` at a time, and `TRIES` random cells a tick are tried.
Source: https://minecraft.wiki/w/Spawn (Java 1.11).
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel import hashing, lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid, light
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, IS_LIQUID, IS_SOLID
from rlgpt_jax.envs.voxel.rules.blocks.light import FULL, OPACITY
from rlgpt_jax.envs.voxel.rules.mobs import mob_life
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import ZOMBIE
from rlgpt_jax.envs.voxel.state import WorldState

NEAR, FAR = 24.0, 44.0  # blocks from the player
TRIES = 2  # cells per tick
DARK = 8  # a cell fits if its light is at most a random number below this
# By byte: bears a mob; leaves room for one.
BEARS = IS_SOLID & (OPACITY == FULL)
ROOM = ~IS_SOLID & ~IS_LIQUID
BEARS[AIR_CODE:], ROOM[AIR_CODE:] = False, True


def spawn(state: WorldState, pool_light: jax.Array, hostile: int) -> WorldState:
    """Lets a zombie appear in a free one of the last `hostile` entries of the mobs.

    Args:
      state: N worlds.
      pool_light: uint8[P, X, Z, Y].
      hostile: how many zombies a lane may have; 0 does nothing.
    """
    if hostile == 0:
        return state

    def act(state: WorldState) -> WorldState:
        for number in range(TRIES):
            state = _try(state, pool_light, hostile, number)
        return state

    return lanes.only_if_any(state.mobs.kind[:, -hostile:] == 0, act, state)


def _try(state: WorldState, pool_light: jax.Array, hostile: int, number: int) -> WorldState:
    """Tries one random cell per lane."""
    cell = _draw(state, number)
    byte = [grid.block_at(state.blocks, cell + np.array([0, dy, 0])) for dy in (-1, 0, 1)]
    fits = jnp.asarray(BEARS)[byte[0]]
    fits &= jnp.asarray(ROOM)[byte[1]] & jnp.asarray(ROOM)[byte[2]]
    place = cell.astype(jnp.float32) + jnp.array([0.5, 0.0, 0.5], jnp.float32)
    way = jnp.sqrt(((place - state.player.position) ** 2).sum(-1))
    fits &= (way > NEAR) & (way < FAR) & _is_dark(state, pool_light, cell, number)

    m = state.mobs.kind.shape[1]
    index = jnp.arange(m, dtype=jnp.int32)
    free = (state.mobs.kind == 0) & (index >= m - hostile)
    entry = jnp.argmax(free, axis=1).astype(jnp.int32)
    new = (fits & free.any(1))[:, None] & (index == entry[:, None])
    yaw = 360.0 * hashing.uniform(state.seed, state.tick, hashing.MOB_FACING, number) - 180.0
    zombie = jnp.full_like(entry, ZOMBIE)[:, None]
    born = mob_life.born(zombie, place[:, None], yaw[:, None])
    return state.replace(mobs=lanes.choose(new, born, state.mobs))


def _draw(state: WorldState, number: int) -> jax.Array:
    """int32[N, 3]: a column in the square around the player, any height."""
    span = 2 * int(FAR) + 1
    feet = grid.floor(state.player.position)
    x, z = (
        feet[:, axis] + hashing.below(span, state.seed, state.tick, purpose, number) - int(FAR)
        for axis, purpose in ((0, hashing.HOSTILE_X), (2, hashing.HOSTILE_Z))
    )
    height = state.blocks.shape[3]
    y = 1 + hashing.below(height - 2, state.seed, state.tick, hashing.HOSTILE_Y, number)
    return jnp.stack([x, y, z], 1)


def _is_dark(state: WorldState, pool_light: jax.Array, cell: jax.Array, number: int) -> jax.Array:
    """bool[N]: light of the sky up to a random 0..31, and light of the hour up to 0..7."""
    sky, block, _ = light.at(state, pool_light, cell)
    level = light.total(sky, block, state.world_time)
    draw = hashing.bits(state.seed, state.tick, hashing.HOSTILE_LIGHT, number)
    most_sky, most = draw % 32, draw // 32 % DARK
    return (sky <= most_sky.astype(jnp.int32)) & (level <= most.astype(jnp.int32))
