"""Pictures of what the agents of N lanes see, drawn on the device."""

import functools

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.lanes import for_some
from rlgpt_jax.envs.voxel.render.jax import render_jax
from rlgpt_jax.envs.voxel.render.jax.scene import make_scenes
from rlgpt_jax.envs.voxel.state import WorldState

Size = tuple[int, int]  # height, width in pixels
_CHUNK = 16  # lanes that are drawn anew together where episodes end


def checked_size(image_size: Size | None) -> Size | None:
    """The size of pictures as a tuple.

    Raises:
      ValueError: no height and width, or no pixels.
    """
    if image_size is None:
        return None
    if len(image_size) != 2 or min(image_size) < 1:
        raise ValueError(f"image_size is (height, width) in pixels, got {image_size!r}.")
    height, width = image_size
    return height, width


def draw(
    state: WorldState, pool_light: jax.Array, size: Size, lanes: jax.Array | None = None
) -> jax.Array:
    """uint8[K, H, W, 3]: what the agents of lanes int32[K] see, by default of all."""
    scenes = make_scenes(state, pool_light, lanes=lanes)
    index = state.pool_index if lanes is None else state.pool_index[lanes]
    given = scenes, state.blocks, pool_light, index
    plain = functools.partial(render_jax.render, height=size[0], width=size[1], lanes=lanes)
    if jax.default_backend() != "gpu":
        return plain(*given)
    from rlgpt_jax.envs.voxel.render.jax import render_pallas  # takes half a second

    kernel = functools.partial(render_pallas.render, height=size[0], width=size[1], lanes=lanes)
    # By where it is compiled for: beside a GPU, a `HostVoxel` is on the CPU.
    return jax.lax.platform_dependent(*given, cuda=kernel, default=plain)


def redraw(
    state: WorldState, pool_light: jax.Array, done: jax.Array, before: jax.Array
) -> jax.Array:
    """The pictures `before` uint8[N, H, W, 3], drawn anew in the lanes of `done` bool[N].

    A few lanes at a time, for mostly few are done.
    """
    number, height, width, _ = before.shape
    see = functools.partial(draw, state, pool_light, (height, width))
    return for_some(done, see, jnp.arange(number, dtype=jnp.int32), before, at_once=_CHUNK)
