"""How the agents of N lanes see on the device: which code casts rays and draws pictures."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel import rays, rays_pallas
from rlgpt_jax.envs.voxel.frames import render_jax, render_pallas
from rlgpt_jax.envs.voxel.frames.scene import make_scenes
from rlgpt_jax.envs.voxel.observe import Rays
from rlgpt_jax.envs.voxel.state import WorldState

KINDS = ("jax", "pallas")
_CHUNK = 16  # lanes that are drawn anew together where episodes end


class Eyes(NamedTuple):
    """Choices that are fixed when a program is compiled."""

    size: tuple[int, int] | None  # height, width of pictures
    renderer: str
    raycaster: str

    @property
    def cast(self) -> Callable[[WorldState], Rays]:
        """What casts the rays."""
        return rays_pallas.lidar if self.raycaster == "pallas" else rays.lidar

    def draw(
        self, state: WorldState, pool_light: jax.Array, lanes: jax.Array | None = None
    ) -> jax.Array:
        """uint8[K, H, W, 3]: what the agents of lanes int32[K] see, by default of all."""
        assert self.size is not None
        scenes = make_scenes(state, pool_light, lanes=lanes)
        index = state.pool_index if lanes is None else state.pool_index[lanes]
        given = scenes, state.blocks, pool_light, index, *self.size, lanes
        if self.renderer == "pallas":
            return render_pallas.render(*given)
        together = 1 if jax.default_backend() == "cpu" else len(index)
        return render_jax.render(*given, lanes_at_once=together)

    def redraw(
        self, state: WorldState, pool_light: jax.Array, done: jax.Array, before: jax.Array
    ) -> jax.Array:
        """The pictures `before`, drawn anew in the lanes of `done` bool[N].

        A few lanes at a time, for mostly few are done.
        """
        number = len(done)
        chunk = min(number, _CHUNK)
        order = jnp.argsort(~done, stable=True).astype(jnp.int32)
        total = done.sum(dtype=jnp.int32)

        def step(loop: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            first, pictures = loop
            # The last ones may be lanes that go on: what they see is drawn once more.
            lanes = jax.lax.dynamic_slice_in_dim(order, jnp.minimum(first, number - chunk), chunk)
            new = self.draw(state, pool_light, lanes)
            return first + chunk, pictures.at[lanes].set(new, unique_indices=True)

        start = jnp.int32(0), before
        return jax.lax.while_loop(lambda loop: loop[0] < total, step, start)[1]


def make_eyes(image_size: tuple[int, int] | None, renderer: str, raycaster: str) -> Eyes:
    """Checks the choices.

    "auto" is "jax" everywhere: the kernels of "pallas" compile for CUDA and draw the same
    where they are interpreted, but were not measured on a GPU, so that they have to be asked for.

    Raises:
      ValueError: an unknown choice, one that cannot run here, or no pixels.
    """
    if image_size is not None:
        image_size = tuple(image_size)  # type: ignore[assignment]
        if len(image_size) != 2 or min(image_size) < 1:
            raise ValueError(f"image_size is (height, width) in pixels, got {image_size!r}.")
    on_gpu = jax.default_backend() == "gpu"
    found = []
    for what, kind in (("renderer", renderer), ("raycaster", raycaster)):
        kind = "jax" if kind == "auto" else kind
        if kind not in KINDS:
            known = ", ".join(("auto", *KINDS))
            hint = " ('numba' is a choice of HostVoxel.)" if kind == "numba" else ""
            raise ValueError(f"no {what} {kind!r} on a device. Try: {known}.{hint}")
        if kind == "pallas" and not on_gpu:
            raise ValueError(f"{what} 'pallas' needs a GPU, and JAX has none here. Take 'jax'.")
        found.append(kind)
    return Eyes(image_size, *found)
