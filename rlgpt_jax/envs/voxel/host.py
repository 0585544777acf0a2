"""The embedded world driven from the host: one jitted tick, rays and pictures by numba.

The worlds stay in one buffer for the whole run: the tick's state is donated, and the
kernels read the buffer in place. `np.asarray` of a donated array would pin it (the
array keeps the view) and make XLA copy every world at the next tick.
"""

import ctypes
import functools
import operator
import zlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.voxel.env import EnvParams, Outcome, VoxelEnv
from rlgpt_jax.envs.voxel.lanes import lane_of
from rlgpt_jax.envs.voxel.large_pages import collapse
from rlgpt_jax.envs.voxel.render.host import render_host
from rlgpt_jax.envs.voxel.render.jax import render_jax
from rlgpt_jax.envs.voxel.render.jax.scene import make_scenes
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.senses.eyes import checked_size
from rlgpt_jax.envs.voxel.senses.rays_host import lidar_numba
from rlgpt_jax.envs.voxel.state import WorldPool, WorldState

KINDS = ("auto", "numba", "jax")  # of code for rays and pictures
RAYS = ("ray_block", "ray_block_distance", "ray_entity", "ray_entity_distance")  # as they are cast


# The compiled parts of a tick. Equal environments share them; `rays` says whether XLA casts any.


@functools.partial(jax.jit, static_argnums=(0, 1))
def _reset(
    env: VoxelEnv, rays: bool, params: EnvParams, key: jax.Array
) -> tuple[WorldState, Observation]:
    state, _ = env.reset(params, key)
    return state, env.observe(params, state, rays)


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=3)
def _advance(
    env: VoxelEnv, rays: bool, params: EnvParams, state: WorldState, action: jax.Array
) -> tuple[WorldState, Outcome, jax.Array, Observation]:
    state, outcome = env.advance(params, state, action)
    return state, outcome, state.player.busy > 0, env.observe(params, state, rays)


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=3)
def _restart(
    env: VoxelEnv, rays: bool, params: EnvParams, state: WorldState, done: jax.Array
) -> tuple[WorldState, Observation]:
    state = env.reset_lanes(params, state, done)
    return state, env.observe(params, state, rays)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _observe(env: VoxelEnv, rays: bool, params: EnvParams, state: WorldState) -> Observation:
    return env.observe(params, state, rays)


class HostVoxel:
    """A `base.HostEnvironment` of N embedded worlds, on the CPU."""

    def __init__(
        self,
        env: VoxelEnv,
        raycaster: str = "auto",
        image_size: tuple[int, int] | None = None,
        renderer: str = "auto",
    ):
        """Wraps an environment.

        Args:
          env: the worlds; its pool is used from the CPU's memory.
          raycaster: "numba", which "auto" is, or "jax", the slow reference.
          image_size: height and width of `Observation.rgb`; None draws nothing.
          renderer: of the pictures, likewise.

        Raises:
          ValueError: unknown raycaster or renderer, or a size that is none.
        """
        for what, kind in (("raycaster", raycaster), ("renderer", renderer)):
            if kind not in KINDS:
                raise ValueError(
                    f"no {what} {kind!r} for worlds in the CPU's memory. Try: {', '.join(KINDS)}."
                )
        self.image_size = checked_size(image_size)
        self._draw = self._drawn_by_jax if renderer == "jax" else self._drawn_by_numba
        self.env = env
        self.num_envs: int = env.num_envs
        self.goal_names: tuple[str, ...] = env.goal_names
        self._numba_rays = raycaster != "jax"
        self._device = jax.local_devices(backend="cpu")[0]
        self._params: EnvParams = jax.device_put(env.default_params, self._device)
        self._pool: WorldPool = self._params.pool
        self._state: WorldState | None = None
        self._last: Observation | None = None

    @property
    def state(self) -> WorldState:
        """The worlds now, for renderers. Valid until the next `step`: copy what is kept.

        Raises:
          RuntimeError: before the first `reset` or `load`.
        """
        if self._state is None:
            raise RuntimeError("no episode has been started: call reset(seed) or load(saved).")
        return self._state

    def reset(self, seed: int) -> Observation:
        """Starts N episodes. Returns their first observation, NumPy arrays."""
        key = jax.device_put(jax.random.key(seed), self._device)
        self._state = None  # frees the old worlds first
        self._state, seen = _reset(*self._given, key)
        # No episode ends here: what an end needs is compiled now and not in mid-training.
        nobody = np.zeros(self.num_envs, bool)
        self._state, seen = _restart(*self._given, self._state, nobody)
        collapse(self.state.blocks)
        self._last = self._with_senses(seen)
        return self._last

    def step(self, action: np.ndarray) -> Step:
        """One tick of every lane, with auto-reset. `action` is int32[N, 8]."""
        step = self.advance(action)
        done = step.terminated | step.truncated
        return step._replace(obs=self.restart(done)) if done.any() else step

    def advance(self, action: np.ndarray, rays: bool = True) -> Step:
        """One tick without reset: `obs` is `final_obs`, and `state` that of the last tick.

        `restart` must follow before the next tick where an episode ended. Without `rays`,
        for who reads the state alone, the ray fields are zeros and no picture is drawn.
        """
        action = np.asarray(action, np.int32)
        if action.shape != (self.num_envs, 8):
            raise ValueError(f"action must be int32[{self.num_envs}, 8], got {action.shape}.")
        state, self._state = self.state, None
        self._state, outcome, busy, seen = _advance(*self._given, state, action)
        reward, terminated, truncated, success = (np.asarray(part) for part in outcome)
        self._last = self._with_senses(seen) if rays else seen
        info = {"success": success, "busy": np.asarray(busy) & ~(terminated | truncated)}
        return Step(self._last, reward, terminated, truncated, self._last, info)

    def restart(self, done: np.ndarray) -> Observation:
        """Starts the next episode where `done` bool[N]. Returns the observation of all."""
        before, state, self._state = self._last, self.state, None
        self._state, seen = _restart(*self._given, state, done)
        self._last = self._with_senses(seen, before, done)
        return self._last

    def field(self, path: str) -> np.ndarray:
        """A copy of one field of the state, [N, ...], for example of "mobs.position"."""
        return _view(operator.attrgetter(path)(self.state)).copy()

    def bytes_at(self, cell: np.ndarray) -> np.ndarray:
        """uint8[N, K]: the bytes of unwrapped cells int[N, K, 3] (x, y, z).

        Above and below the world's height is air.
        """
        blocks = _view(self.state.blocks)
        num_lanes, size_x, size_z, size_y = blocks.shape
        x, y, z = cell[..., 0] % size_x, cell[..., 1], cell[..., 2] % size_z
        inside = (y >= 0) & (y < size_y)
        lane = np.arange(num_lanes)[:, None]
        found = blocks[lane, x, z, np.where(inside, y, 0)]
        return np.where(inside, found, np.uint8(AIR_CODE + 1))

    def lane_state(self, lane: int) -> WorldState:
        """A copy of one lane's state, [1, ...], for the renderer.

        Raises:
          ValueError: there is no such lane.
        """
        if not 0 <= lane < self.num_envs:
            raise ValueError(f"lane {lane} of {self.num_envs}. Take 0 to {self.num_envs - 1}.")
        return jax.device_get(lane_of(self.state, lane))

    def save(self) -> dict[str, Any]:
        """All that changes, as a tree of NumPy arrays.

        `fields` is the state without `blocks`. Those are kept as their differences from the
        pool: `edit_lane` int32[E], `edit_cell` int64[E] (flat index in one world),
        `edit_byte` uint8[E].
        """
        state = self.state
        blocks, pool = _view(state.blocks), _view(self._pool.blocks)
        lanes = []
        for lane, index in enumerate(np.asarray(state.pool_index)):
            world = blocks[lane].ravel()
            cell = np.flatnonzero(world != pool[index].ravel())
            lanes.append((np.full(len(cell), lane, np.int32), cell, world[cell]))
        edits = (np.concatenate(parts) for parts in zip(*lanes))
        fields = jax.tree.map(np.array, state.replace(blocks=None))  # type: ignore[arg-type]
        names = ("edit_lane", "edit_cell", "edit_byte")
        return {"fields": fields, "pool_mark": self._pool_mark, **dict(zip(names, edits))}

    def load(self, saved: dict[str, Any]) -> Observation:
        """Restores what `save` returned, bit for bit. Returns the current observation.

        Raises:
          ValueError: if it was saved with another pool or another number of lanes.
        """
        fields = saved["fields"]
        if len(fields.tick) != self.num_envs:
            raise ValueError(
                f"saved with {len(fields.tick)} lanes, this environment has "
                f"{self.num_envs}. Build it with the same num_envs."
            )
        if int(saved["pool_mark"]) != int(self._pool_mark):
            raise ValueError(
                "saved with another world pool (biome, split, sizes or number of worlds "
                "differ). Load the pool that the run was started with."
            )
        blocks = _view(self._pool.blocks)[fields.pool_index]
        worlds = blocks.reshape(self.num_envs, -1)
        worlds[saved["edit_lane"], saved["edit_cell"]] = saved["edit_byte"]
        put = functools.partial(jnp.array, copy=True)
        with jax.default_device(self._device):
            self._state = jax.tree.map(put, fields.replace(blocks=blocks))
        self._state = jax.device_put(self._state, self._device)
        collapse(self._state.blocks)
        self._last = self._with_senses(_observe(*self._given, self._state))
        return self._last

    @property
    def _given(self) -> tuple[VoxelEnv, bool, EnvParams]:
        """The first arguments of every compiled part."""
        return self.env, not self._numba_rays, self._params

    @functools.cached_property
    def _pool_mark(self) -> np.uint32:
        """A checksum of the pool's worlds."""
        return np.uint32(zlib.crc32(_view(self._pool.blocks).reshape(-1).data))

    def _with_senses(
        self, seen: Observation, before: Observation | None = None, done: np.ndarray | None = None
    ) -> Observation:
        """NumPy observation with rays and picture; those of `before` where not `done`."""
        seen = jax.tree.map(np.asarray, seen)
        lanes = kept = old = None
        if before is not None and done is not None:
            lanes, old = np.flatnonzero(done), before.rgb
            kept = tuple(np.copy(getattr(before, name)) for name in RAYS)
        if self._numba_rays:
            state = self.state
            rays = lidar_numba(
                _view(state.blocks), seen.position, seen.yaw, seen.pitch,
                _view(state.mobs.kind), _view(state.mobs.position), lanes, kept,
            )  # fmt: skip
            seen = seen._replace(**dict(zip(RAYS, rays)))
        if self.image_size is not None:
            seen = seen._replace(rgb=self._draw(old, None if old is None else lanes))
        return seen

    def _drawn_by_numba(self, old: np.ndarray | None, lanes: np.ndarray | None) -> np.ndarray:
        """uint8[N, H, W, 3]: the lanes int[L] anew, all if None, the others as in `old`."""
        assert self.image_size is not None
        state, pool = self.state, self._pool
        scenes = jax.tree.map(np.asarray, make_scenes(state, None, near=False))
        return render_host.render(
            scenes, _view(state.blocks), _view(pool.light), _view(state.pool_index),
            *self.image_size, pool_blocks=_view(pool.blocks), lanes=lanes,
            out=None if old is None else old.copy(),
        )  # fmt: skip

    def _drawn_by_jax(self, old: np.ndarray | None, lanes: np.ndarray | None) -> np.ndarray:
        """As `_drawn_by_numba`, but all lanes are drawn."""
        assert self.image_size is not None
        del old, lanes
        state, light = self.state, self._pool.light
        scenes = make_scenes(state, light)
        image = render_jax.render(scenes, state.blocks, light, state.pool_index, *self.image_size)
        return np.asarray(image)


def _view(array: jax.Array) -> np.ndarray:
    """A NumPy view that holds no reference to a JAX array in the CPU's memory.

    It must not be used after the array is donated or freed; callers drop it at once.
    """
    array.block_until_ready()
    size = array.size * array.dtype.itemsize
    memory = (ctypes.c_byte * size).from_address(array.unsafe_buffer_pointer())
    return np.frombuffer(memoryview(memory), array.dtype).reshape(array.shape)
