"""Where the rays last met a target of the reward: what a policy remembers of its episode.

Rays are 10 degrees apart, so a sheep 8 blocks away is as often between two of them as on one, and
a policy without memory loses it. The place is kept in the world's coordinates and told as seen
from the agent.
"""

import functools
import operator

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import RAY_PITCHES, RAY_RANGE, RAY_STEEPEST, RAY_YAWS, Observation

SIZE = 8
FADING = 100.0  # ticks in which the freshness of a sighting falls to 1 / e
HEIGHT = 8.0  # blocks that make 1


def distances(obs: Observation, ids: jax.Array) -> jax.Array:
    """float32[N, 120]: blocks to the target that each ray meets, inf if none.

    `ids` is int32[K] as of `rewards.padded_ids`, or [N, K] where lanes have their own.
    """
    ids = jnp.atleast_2d(jnp.asarray(ids))

    def met(names: jax.Array, blocks: jax.Array) -> jax.Array:
        # One comparison per target: XLA fuses these, but not a reduction over a third axis.
        hit = functools.reduce(
            operator.or_, [names == ids[:, k, None] for k in range(ids.shape[1])]
        )
        return jnp.where(hit, blocks, jnp.inf)

    return jnp.minimum(
        met(obs.ray_block, obs.ray_block_distance), met(obs.ray_entity, obs.ray_entity_distance)
    )


def start(obs: Observation, ids: jax.Array) -> jax.Array:
    """float32[N, 7] at an episode's first observation: its position, where a target was seen last
    (x, y, z of both), and the ticks since then, inf before the first sighting."""
    position = jnp.asarray(obs.position, jnp.float32)
    never = jnp.full((len(position), 1), jnp.inf)
    return follow(jnp.concatenate([position, position, never], 1), obs, ids)


def follow(place: jax.Array, obs: Observation, ids: jax.Array) -> jax.Array:
    """float32[N, 7] a tick later, when `obs` is seen; of targets in sight the nearest counts."""
    blocks = distances(obs, ids)
    ray = jnp.argmin(blocks, 1)
    nearest = jnp.min(blocks, 1)
    yaw = jnp.deg2rad(obs.yaw + jnp.asarray(RAY_YAWS, jnp.float32)[ray % len(RAY_YAWS)])
    steepest = jnp.maximum(jnp.abs(obs.pitch), RAY_STEEPEST)
    pitch = obs.pitch + jnp.asarray(RAY_PITCHES, jnp.float32)[ray // len(RAY_YAWS)]
    pitch = jnp.deg2rad(jnp.clip(pitch, -steepest, steepest))
    flat = jnp.cos(pitch)
    way = jnp.stack([-jnp.sin(yaw) * flat, -jnp.sin(pitch), jnp.cos(yaw) * flat], 1)
    seen = jnp.isfinite(nearest)[:, None]
    at = obs.position + way * jnp.where(seen, nearest[:, None], 0.0)
    at = jnp.where(seen, at, place[:, 3:6])
    ticks = jnp.where(seen, 0.0, place[:, 6:] + 1.0)
    return jnp.concatenate([place[:, :3], at, ticks], 1)


def features(place: jax.Array, obs: Observation) -> jax.Array:
    """float16[N, 8]: 1, whether it is in sight, how fresh the sighting is, cos and sin of the turn
    to it, its closeness and distance over the ground, how much higher it is; zeros before the first
    sighting. Heights count from the eye, where rays begin."""
    way, ticks = place[:, 3:6] - obs.position, place[:, 6]
    flat = jnp.hypot(way[:, 0], way[:, 2])
    turn = jnp.arctan2(-way[:, 0], way[:, 2]) - jnp.deg2rad(obs.yaw)
    made = jnp.stack(
        [
            jnp.ones_like(flat), ticks == 0, jnp.exp(-ticks / FADING), jnp.cos(turn), jnp.sin(turn),
            1.0 / (1.0 + flat), flat / RAY_RANGE, jnp.clip(way[:, 1] / HEIGHT, -2.0, 2.0),
        ], 1,
    )  # fmt: skip
    return jnp.where(jnp.isfinite(ticks)[:, None], made, 0.0).astype(jnp.float16)
