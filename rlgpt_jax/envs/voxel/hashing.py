"""Randomness of the world: a hash of (lane seed, tick, purpose, index).

No key is carried or split inside a tick, so a lane's episode depends on its seed
alone and not on what happens in other lanes.
"""

import jax
import jax.numpy as jnp

# One number per use, so that two draws of one tick are independent.
(
    WORLD,
    PLACE_X,
    PLACE_Z,
    MOB_X,
    MOB_Z,
    MOB_FACING,
    WALK_START,
    WALK_X,
    WALK_Z,
    DROP_KIND,
    DROP_COUNT,
    ITEM_X,
    ITEM_Z,
    SHEAR_COUNT,
    FACING,
    HERD_KIND,
    HERD_X,
    HERD_Z,
    SHEEP_COLOUR,
    EGG_TIME,
    GRAZE,
    EXPERIENCE,
    DAYLIGHT,
    DESPAWN,
    HOSTILE_X,
    HOSTILE_Y,
    HOSTILE_Z,
    HOSTILE_LIGHT,
) = range(28)
NEXT_EPISODE = 0x5E5E7


def _mix(x: jax.Array) -> jax.Array:
    """A 32-bit finaliser (C. Wellons, "lowbias32"): every input bit flips half the output."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)


def bits(seed: jax.Array, *words: jax.Array | int) -> jax.Array:
    """uint32, the hash of a uint32 seed and any number of small integers (broadcast)."""
    h = _mix(seed + jnp.uint32(0x9E3779B9))
    for word in words:
        h = _mix((h ^ jnp.asarray(word).astype(jnp.uint32)) + jnp.uint32(0x9E3779B9))
    return h


def uniform(seed: jax.Array, *words: jax.Array | int) -> jax.Array:
    """float32 in [0, 1)."""
    return (bits(seed, *words) >> 8).astype(jnp.float32) * jnp.float32(2.0**-24)


def below(limit: jax.Array | int, seed: jax.Array, *words: jax.Array | int) -> jax.Array:
    """int32 in [0, limit); the bias of the remainder is below 1e-6 for small limits."""
    limit = jnp.asarray(limit).astype(jnp.uint32)
    return (bits(seed, *words) % limit).astype(jnp.int32)
