"""Look-ups of one lane for the per-pixel code.

Cells are local (see `scene.py`), int32 arrays of any one shape.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.render.jax.near_light import DAYLIGHT, HALF, WINDOW
from rlgpt_jax.envs.voxel.render.jax.scene import FAR, Scenes
from rlgpt_jax.envs.voxel.render.jax.tables import TEXELS, Tables
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, MAX_AIR

Vector = tuple[jax.Array, jax.Array, jax.Array]
_WIDEST = int(FAR) + 8  # cells to each side of the eye that are looked up


class Sources(NamedTuple):
    """What pixels of one lane read; arrays of the scene have no lane axis."""

    scene: Scenes
    tables: Tables
    blocks: jax.Array  # uint8[N, X, Z, Y]
    lane: jax.Array  # int32, index into `blocks`
    pool_light: jax.Array  # uint8[P, X, Z, Y]
    world: jax.Array  # int32, index into `pool_light`
    base: Vector  # int32 scalars: the eye's cell, x and z within the world


def sources(
    scene: Scenes, tables: Tables, blocks: jax.Array, lane: jax.Array, pool_light: jax.Array,
    world: jax.Array,
) -> Sources:  # fmt: skip
    """One lane's `Sources`."""
    _, size_x, size_z, _ = blocks.shape
    x, y, z = (load(scene.cell, k) for k in range(3))
    base = jnp.mod(x, size_x), y, jnp.mod(z, size_z)
    return Sources(scene, tables, blocks, lane, pool_light, world, base)


def load(array: Any, *index: Any) -> jax.Array:
    """`array[index]`, scalars or arrays, which must be in bounds; an array, or a kernel's ref."""
    if not isinstance(array, jax.Array):
        return array[index]
    return array.at[index].get(mode="promise_in_bounds")


def vector(array: Any, *index: Any) -> Vector:
    """Three scalars of a field of the scene."""
    return three(load(array, *index, k) for k in range(3))


def some(mask: jax.Array) -> jax.Array:
    """bool[]: any of a tile bool[...]. Kernels have no reduction of booleans."""
    return jnp.max(mask.astype(jnp.int32)) > 0


def pick(mask: jax.Array, a: jax.Array | float, b: jax.Array | float) -> jax.Array:
    """`where` for scalars. Triton's lowering takes literals of a choice to be booleans, unless
    they have a type of their own."""
    return jnp.where(mask, _typed(a), _typed(b))


def _typed(x: jax.Array | float) -> Any:
    if isinstance(x, float):
        return np.float32(x)
    return np.int32(x) if isinstance(x, int) else x


def three(values: Iterable[jax.Array]) -> Vector:
    """A vector of three values made one after the other."""
    x, y, z = values
    return x, y, z


def block_at(s: Sources, x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
    """int32: bytes; outside the world's height air, as clear as that layer is far."""
    size_y = s.blocks.shape[-1]
    height = y + s.base[1]
    outside = jnp.maximum(height - (size_y - 1), -height)
    byte = _in_world(s, s.blocks, s.lane, x, y, z)
    return jnp.where(outside <= 0, byte, AIR_CODE + jnp.clip(outside, 1, MAX_AIR))


def light_at(s: Sources, x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
    """int32: 16 * light of the sky + light of blocks, without distant lights of the agent."""
    near_x, near_y, near_z = ((at + HALF) & (WINDOW - 1) for at in (x, y, z))
    own = load(s.scene.near, near_x, near_z, near_y).astype(jnp.int32)
    height = y + s.base[1]
    inside = (height >= 0) & (height < s.blocks.shape[-1])
    stored = _in_world(s, s.pool_light, s.world, x, y, z)
    return jnp.where(is_near(x, y, z), own, jnp.where(inside, stored, DAYLIGHT))


def is_near(x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
    """bool[...]: the cells int32[...] whose light is in `Scenes.near`."""
    return ((x + HALF) | (y + HALF) | (z + HALF)) & ~(WINDOW - 1) == 0


def texel_index(picture: jax.Array, u: jax.Array, v: jax.Array) -> jax.Array:
    """int32: index into `Tables.texel`; u, v 0..1 to the right and down."""
    column = jnp.clip((u * TEXELS).astype(jnp.int32), 0, TEXELS - 1)
    row = jnp.clip((v * TEXELS).astype(jnp.int32), 0, TEXELS - 1)
    return picture * (TEXELS * TEXELS) + row * TEXELS + column


def _in_world(
    s: Sources, worlds: jax.Array, index: jax.Array, x: jax.Array, y: jax.Array, z: jax.Array
) -> jax.Array:
    _, size_x, size_z, size_y = worlds.shape
    column_x, column_z = _wrap(x + s.base[0], size_x), _wrap(z + s.base[2], size_z)
    row = jnp.clip(y + s.base[1], 0, size_y - 1)
    return load(worlds, index, column_x, column_z, row).astype(jnp.int32)


def _wrap(at: jax.Array, size: int) -> jax.Array:
    """at modulo size, for |at| < size + _WIDEST."""
    if size >= _WIDEST:
        at = jnp.where(at < 0, at + size, at)
        return jnp.where(at >= size, at - size, at)
    turns = size * (1 + (_WIDEST + size) // size)
    return jax.lax.rem(at + turns, size)
