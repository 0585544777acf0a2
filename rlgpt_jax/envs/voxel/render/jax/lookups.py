"""Look-ups of one lane for the per-pixel code, by whatever `load` is given: a bench counts them.

Cells are local (see `scene.py`), int32 arrays of any one shape.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.render.jax.near_light import DAYLIGHT, HALF, WINDOW
from rlgpt_jax.envs.voxel.render.jax.scene import FAR, Scenes
from rlgpt_jax.envs.voxel.render.jax.tables import TEXELS, Tables
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, MAX_AIR

Vector = tuple[jax.Array, jax.Array, jax.Array]
_WIDEST = int(FAR) + 8  # cells to each side of the eye that are looked up


class Sources(NamedTuple):
    """What pixels of one lane read. Arrays have no lane axis but for the worlds."""

    scene: Scenes
    tables: Tables
    blocks: Any  # uint8[*lane, X, Z, Y]
    lane: tuple  # indices in front of `blocks`
    pool_light: Any  # uint8[*world, X, Z, Y]
    world: tuple  # indices in front of `pool_light`
    size: tuple[int, int, int]  # X, Z, Y
    base: Vector  # int32 scalars: the eye's cell, x and z within the world
    # `load(array, *index, where=mask)`: scalars or arrays; what the mask leaves out may be
    # anything.
    load: Callable[..., jax.Array]


def sources(
    scene: Scenes, tables: Tables, blocks: Any, lane: tuple, pool_light: Any, world: tuple,
    size: tuple[int, ...], load: Callable[..., jax.Array],
) -> Sources:  # fmt: skip
    """One lane's `Sources`; `size` is X, Z, Y."""
    x, y, z = (load(scene.cell, k) for k in range(3))
    base = jnp.mod(x, size[0]), y, jnp.mod(z, size[1])
    size_x, size_z, size_y = size
    return Sources(
        scene, tables, blocks, lane, pool_light, world, (size_x, size_z, size_y), base, load
    )


def vector(s: Sources, array: Any, *index: Any) -> Vector:
    """Three scalars of a field of the scene."""
    return three(s.load(array, *index, k) for k in range(3))


def three(values: Iterable[jax.Array]) -> Vector:
    """A vector of three values made one after the other."""
    x, y, z = values
    return x, y, z


def block_at(s: Sources, x: jax.Array, y: jax.Array, z: jax.Array, where: Any = None) -> jax.Array:
    """int32: bytes; outside the world's height air, as clear as that layer is far."""
    size_y = s.size[2]
    height = y + s.base[1]
    outside = jnp.maximum(height - (size_y - 1), -height)
    inside = outside <= 0
    byte = _in_world(s, s.blocks, s.lane, x, y, z, inside if where is None else inside & where)
    return jnp.where(inside, byte, AIR_CODE + jnp.clip(outside, 1, MAX_AIR))


def light_at(s: Sources, x: jax.Array, y: jax.Array, z: jax.Array, where: jax.Array) -> jax.Array:
    """int32: 16 * light of the sky + light of blocks, without distant lights of the agent."""
    near_x, near_y, near_z = x + HALF, y + HALF, z + HALF
    near = is_near(x, y, z)
    own = s.load(
        s.scene.near, near_x & (WINDOW - 1), near_z & (WINDOW - 1), near_y & (WINDOW - 1),
        where=near & where,
    ).astype(jnp.int32)  # fmt: skip
    height = y + s.base[1]
    inside = (height >= 0) & (height < s.size[2])
    stored = _in_world(s, s.pool_light, s.world, x, y, z, inside & ~near & where)
    return jnp.where(near, own, jnp.where(inside, stored, DAYLIGHT))


def is_near(x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
    """bool: the cells whose light is in `Scenes.near`."""
    return ((x + HALF) | (y + HALF) | (z + HALF)) & ~(WINDOW - 1) == 0


def texel_index(picture: jax.Array, u: jax.Array, v: jax.Array) -> jax.Array:
    """int32: index into `Tables.texel`; u, v 0..1 to the right and down."""
    column = jnp.clip((u * TEXELS).astype(jnp.int32), 0, TEXELS - 1)
    row = jnp.clip((v * TEXELS).astype(jnp.int32), 0, TEXELS - 1)
    return picture * (TEXELS * TEXELS) + row * TEXELS + column


def _in_world(
    s: Sources, array: Any, front: tuple, x: jax.Array, y: jax.Array, z: jax.Array, where: Any
) -> jax.Array:
    size_x, size_z, size_y = s.size
    column_x, column_z = _wrap(x + s.base[0], size_x), _wrap(z + s.base[2], size_z)
    row = jnp.clip(y + s.base[1], 0, size_y - 1)
    return s.load(array, *front, column_x, column_z, row, where=where).astype(jnp.int32)


def _wrap(at: jax.Array, size: int) -> jax.Array:
    """at modulo size, for |at| < size + _WIDEST."""
    if size >= _WIDEST:
        at = jnp.where(at < 0, at + size, at)
        return jnp.where(at >= size, at - size, at)
    turns = size * (1 + (_WIDEST + size) // size)
    return jax.lax.rem(at + turns, size)
