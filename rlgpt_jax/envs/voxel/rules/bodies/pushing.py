"""Bodies that overlap push each other; mobs and items stay in the player's part of the world."""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE, PLAYER_SIZE
from rlgpt_jax.envs.voxel.state import WorldState

# Blocks/tick; each of the two bodies pushes both by half of it.
STRENGTH = 0.1


def push(state: WorldState, alive: jax.Array) -> WorldState:
    """Adds the pushes of this tick's places to the speeds of mobs bool[N, M], and the player's."""
    size = jnp.asarray(MOB_SIZE)[state.mobs.kind]
    half, tall = size[..., 0] / 2, size[..., 1]
    by_player = _shove(
        state.mobs.position - state.player.position[:, None],
        half + PLAYER_SIZE[0] / 2,
        (tall, jnp.float32(PLAYER_SIZE[1])),
    )
    by_player = jnp.where(alive[..., None], by_player, 0.0)
    change = by_player
    if half.shape[1] > 1:
        pairs = alive[:, :, None] & alive[:, None]
        between = _shove(
            state.mobs.position[:, :, None] - state.mobs.position[:, None],
            half[:, :, None] + half[:, None],
            (tall[:, :, None], tall[:, None]),
        )
        change = change + jnp.where(pairs[..., None], between, 0.0).sum(2)
    velocity = state.player.velocity.at[:, ::2].add(-by_player.sum(1))
    return state.replace(
        mobs=state.mobs.replace(velocity=state.mobs.velocity.at[..., ::2].add(change)),
        player=state.player.replace(velocity=velocity),
    )


def _shove(offset: jax.Array, width: jax.Array, tall: tuple[jax.Array, jax.Array]) -> jax.Array:
    """float32[..., 2]: what a body gets from another one that it overlaps.

    Args:
      offset: float32[..., 3], from the other to the body.
      width: float32[...], half of both widths together.
      tall: heights of the body and of the other.
    """
    flat = offset[..., ::2]
    far = jnp.abs(flat).max(-1)
    meets = (far < width) & (far >= 0.01)
    meets &= (offset[..., 1] < tall[1]) & (offset[..., 1] > -tall[0])
    root = jnp.sqrt(jnp.maximum(far, 0.01))
    scale = STRENGTH / root * jnp.minimum(1.0 / root, 1.0)
    return jnp.where(meets, scale, 0.0)[..., None] * flat


def way_back(state: WorldState, position: jax.Array) -> jax.Array:
    """float32[N, K, 2]: whole periods, along x and z, that bring bodies at float32[N, K, 3] to
    within half a period of the player."""
    period = jnp.array(state.blocks.shape[1:3], jnp.float32)
    offset = position[..., ::2] - state.player.position[:, None, ::2]
    return -period * jnp.round(offset / period)


def stay_near(state: WorldState) -> WorldState:
    """Moves mobs by whole periods to within half a period of the player.

    The blocks repeat, so a mob that is a period farther stands in the same place; there
    the player would look for it in vain.
    """
    by = way_back(state, state.mobs.position)

    def shift(arrays: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        position, target = arrays
        return position.at[..., ::2].add(by), target + by

    arrays = (state.mobs.position, state.mobs.target)
    position, target = jax.lax.cond((by != 0).any(), shift, lambda arrays: arrays, arrays)
    return state.replace(mobs=state.mobs.replace(position=position, target=target))
