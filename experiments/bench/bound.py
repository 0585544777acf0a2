"""The bound that its gathers set on the renderer.

A pixel is drawn by following one ray through bytes of a world until something is met, and
by reading light and a texel there. All else is arithmetic on what is held in registers, so
that on a GPU the memory is the floor. A gather of a warp of 32 pixels moves whole sectors
of 32 bytes; pixels that meet in a sector share it. With, for one picture,

    T = sum over all gathers and warps of the sectors that the warp's pixels touch
    B = bytes per second that the memory delivers

no renderer that gathers so can draw more than

    pictures per second <= B / (32 bytes * T)

B is that of the device's own memory, measured by copying an array (bytes read and written).
Sectors that are found in a cache cost less, so that a renderer may come near the bound or
pass it; the aim is to stay within 3 times of it. The sectors that a picture touches at all,
each counted once, are the bound of a perfect cache. T is counted by drawing pictures with
the tracer of plain JAX, outside of jit, with look-ups that count: it is a
property of the worlds and of a warp's shape, not of a machine. Numbers that all pixels of
a lane share (its eye, its sky, its mobs) are not counted.
"""

import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.bench import turns
from experiments.bench.table import Row
from experiments.bench.turns import Contestant
from experiments.bench.world import random_actions
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.render.jax import pixel
from rlgpt_jax.envs.voxel.render.jax.lookups import sources
from rlgpt_jax.envs.voxel.render.jax.scene import Scenes, make_scenes
from rlgpt_jax.envs.voxel.render.jax.tables import TABLES, Tables
from rlgpt_jax.envs.voxel.senses import eyes
from rlgpt_jax.envs.voxel.state import WorldState

SECTOR = 32  # bytes that a GPU's memory moves at least
WARP = (4, 8)  # rows and columns of the pixels that run together
COPY_BYTES = {"cpu": 1 << 28, "gpu": 1 << 32}
WARM_UP = 60  # ticks of random play before the pictures that are counted
COUNTED = 4  # pictures
SIZE = (64, 64)


@dataclasses.dataclass
class Gathers:
    """What drawing some pictures read, by array."""

    pixels: int = 0
    loads: dict[str, int] = dataclasses.field(default_factory=dict)  # elements
    sectors: dict[str, int] = dataclasses.field(default_factory=dict)  # by warp and gather
    touched: set[tuple[str, int]] = dataclasses.field(default_factory=set)

    def note(self, name: str, address: np.ndarray, size: int, active: np.ndarray) -> None:
        """One gather of a tile.

        Args:
          address: int[P] elements, of pixels in the order of `warps`.
          size: bytes of an element.
          active: bool[P].
        """
        sector = np.where(active, address * size // SECTOR, -1).reshape(-1, WARP[0] * WARP[1])
        sector = np.sort(sector, 1)
        first = np.diff(sector, axis=1, prepend=-2) != 0
        self.touched |= {(name, int(one)) for one in np.unique(sector[sector >= 0])}
        self.loads[name] = self.loads.get(name, 0) + int(active.sum())
        self.sectors[name] = self.sectors.get(name, 0) + int((first & (sector >= 0)).sum())

    @property
    def bytes_per_pixel(self) -> float:
        """Bytes moved per pixel if every gather of a warp goes to the memory."""
        return SECTOR * sum(self.sectors.values()) / self.pixels

    @property
    def least_bytes_per_pixel(self) -> float:
        """Bytes moved per pixel if every sector is read once."""
        return SECTOR * len(self.touched) / self.pixels


def warps(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns int32[P] of a picture's pixels, those of a warp together.

    Raises:
      ValueError: the picture is not made of whole warps.
    """
    if height % WARP[0] or width % WARP[1]:
        raise ValueError(f"pictures must be multiples of {WARP[0]} x {WARP[1]}, not "
                         f"{height} x {width}.")  # fmt: skip
    blocks = (height // WARP[0], WARP[0], width // WARP[1], WARP[1])
    place = np.arange(height * width).reshape(blocks).transpose(0, 2, 1, 3).reshape(-1)
    return (place // width).astype(np.int32), (place % width).astype(np.int32)


def count(
    state: WorldState, pool_light: jax.Array, size: tuple[int, int] = SIZE, lanes: int = COUNTED
) -> Gathers:
    """What the pictures of the first lanes of a state read."""
    found = Gathers()
    scenes = make_scenes(state, pool_light)
    tables: Any = Tables(*map(jnp.asarray, TABLES))  # type: ignore[arg-type]
    row, column = map(jnp.asarray, warps(*size))
    for lane in range(lanes):
        scene = Scenes(*(field[lane] for field in scenes))
        names = {id(state.blocks): "blocks", id(pool_light): "light", id(scene.near): "light"}
        names |= {id(table): "tables" for table in tables} | {id(tables.texel): "texels"}
        source = sources(
            scene, tables, state.blocks, (lane,), pool_light, (int(state.pool_index[lane]),),
            state.blocks.shape[1:], counting(found, names, row.shape),
        )  # fmt: skip
        with jax.disable_jit():
            pixel.draw(source, row, column, *size)
        found.pixels += row.size
    return found


def counting(found: Gathers, names: dict[int, str], shape: tuple[int, ...]) -> Callable[..., Any]:
    """`Sources.load` that notes every look-up of a tile of pixels."""

    def load(array: Any, *index: Any, where: Any = None) -> jax.Array:
        if any(np.shape(at) == shape for at in index) and id(array) in names:
            active = np.ones(shape, bool) if where is None else np.broadcast_to(where, shape)
            address = address_of(array, index, shape)
            found.note(names[id(array)], address, array.dtype.itemsize, active)
        return array.at[index].get(mode="clip") if index else array

    return load


def worlds(env: VoxelEnv) -> WorldState:
    """Worlds in mid-episode, on the default device."""
    host = HostVoxel(env)
    host.reset(0)
    for action in itertools.islice(itertools.cycle(random_actions(env.num_envs)), WARM_UP):
        host.step(action)
    return jax.device_put(jax.tree.map(np.array, host.state), jax.devices()[0])


def measure(env_of: Callable[[int], VoxelEnv], at: int, seconds: float) -> Iterator[Row]:
    """The bound, then the renderer of the device beside it, on `at` lanes of 64 x 64."""
    few, pixels = env_of(COUNTED), SIZE[0] * SIZE[1]
    found = count(worlds(few), few.default_params.pool.light)
    rate = copied_per_second(seconds)
    bound = rate / (found.bytes_per_pixel * pixels)
    gathers = {f"{name} per pixel": n / found.pixels for name, n in found.loads.items()}
    yield Row("bound", "of the gathers", {
        **gathers, "bytes_per_pixel": found.bytes_per_pixel, "gigabytes_per_second": rate / 1e9,
        "pictures_per_second": bound,
    })  # fmt: skip
    least = found.least_bytes_per_pixel
    yield Row("bound", "of a perfect cache", {
        "bytes_per_pixel": least, "pictures_per_second": rate / (least * pixels),
    })  # fmt: skip
    env = env_of(at)
    state, light = worlds(env), jax.device_put(env.default_params.pool.light, jax.devices()[0])
    drawn = turns.measure([drawer(state, light)], seconds)["jax"].median
    yield Row("bound", "jax renderer alone", {
        "lanes": float(at), "pictures_per_second": drawn, "bound over this": bound / drawn,
    })  # fmt: skip


def drawer(state: WorldState, light: jax.Array) -> Contestant:
    """The renderer, drawing the same worlds again and again."""
    draw = jax.jit(lambda state, light: eyes.draw(state, light, SIZE))

    def once() -> None:
        jax.block_until_ready(draw(state, light))

    once()
    return Contestant("jax", len(state.tick), once)


def copied_per_second(seconds: float = 1.0) -> float:
    """Bytes per second that the default device reads and writes while it copies an array."""
    size = COPY_BYTES.get(jax.default_backend(), COPY_BYTES["cpu"])
    array = jnp.zeros(size // 4, jnp.float32)
    copy = jax.jit(lambda x: x + 1.0, donate_argnums=0)
    array = jax.block_until_ready(copy(array))
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        array = jax.block_until_ready(copy(array))
        count += 1
    return 2.0 * size * count / passed


def address_of(array: Any, index: tuple, shape: tuple[int, ...]) -> np.ndarray:
    """Flat places int64[...] of an element by its indices, scalars or arrays of `shape`."""
    place = np.zeros(shape, np.int64)
    for size, at in zip(array.shape, index):
        place = place * size + np.asarray(at)
    return place
