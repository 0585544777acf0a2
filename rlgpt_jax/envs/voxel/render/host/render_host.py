"""Frames by one numba kernel, for worlds in the CPU's memory: `render` of `render_jax.py`.

It reads the worlds in place between jitted steps. A unit of work is a lane, or a band of
tiles of it where lanes are few. A tile of 8 x 8 rays goes through air as one front
(`march_host.py`); then each ray is finished alone: what it met, its light, the fog.
"""

import collections
from typing import Any, NamedTuple

import numba
import numpy as np

from rlgpt_jax.envs.voxel.render.host.host_tables import (
    FAST,
    LANE,
    LOOK,
    REACH,
    SLOTS,
    TILE,
    inline,
    jit,
    kernel,
)
from rlgpt_jax.envs.voxel.render.host.near_light_host import update_near
from rlgpt_jax.envs.voxel.render.host.pixel_host import draw_tile
from rlgpt_jax.envs.voxel.render.host.sky_host import write_sky
from rlgpt_jax.envs.voxel.render.jax.scene import Scenes

SAMPLES = (1, 2, 4)  # rays along each side of a pixel
_NO_WORLDS = np.zeros((0, 1, 1, 1), np.uint8)


def _that_begin(*prefixes: str) -> list[str]:
    return [name for name in Scenes._fields if name.startswith(prefixes)]


# Fields of `Scenes`: of bodies, of the lights that agents placed, and what is read once a lane.
_BODIES, _LIGHTS = _that_begin("num_mobs", "mob_", "num_items", "item_"), _that_begin("light_")
_OTHERS = [name for name in Scenes._fields if name not in (*_BODIES, *_LIGHTS, "near")]
Bodies = collections.namedtuple("Bodies", _BODIES)  # type: ignore[misc]
Lights = collections.namedtuple("Lights", _LIGHTS)  # type: ignore[misc]
Eyes = collections.namedtuple("Eyes", _OTHERS)  # type: ignore[misc]


class Worlds(NamedTuple):
    """What is read in place."""

    blocks: np.ndarray  # uint8[N, X, Z, Y]
    light: np.ndarray  # uint8[P, X, Z, Y]
    pool: np.ndarray  # int32[N]  indices into `light` and `before`
    before: np.ndarray  # uint8[P, X, Z, Y]  blocks as they were, or uint8[0, 1, 1, 1]
    near: np.ndarray  # uint8[N, 16, 16, 16]  `Scenes.near`, or uint8[0, 1, 1, 1]


def render(
    scenes: Scenes,
    blocks: np.ndarray,
    pool_light: np.ndarray,
    pool_index: np.ndarray,
    height: int,
    width: int,
    *,
    pool_blocks: np.ndarray | None = None,
    lanes: np.ndarray | None = None,
    out: np.ndarray | None = None,
    samples: int = 1,
    hand: bool = True,
    beam: bool = True,
) -> np.ndarray:
    """Draws what agents see, as `render_jax.render`.

    Args:
      scenes: of N lanes, by `scene.make_scenes`, as NumPy arrays. `near` may be None: then the
        light near the eye is brought up to date here if `pool_blocks` are given, else it is
        the stored one.
      blocks: uint8[N, X, Z, Y], C-contiguous. Not kept.
      pool_light: uint8[P, X, Z, Y].
      pool_index: int32[N].
      height: pixels.
      width: pixels.
      pool_blocks: uint8[P, X, Z, Y], what `pool_light` is the light of.
      lanes: int[L], the lanes to draw; all if None.
      out: an array of an earlier call to write to; other lanes keep their pictures.
      samples: rays along each side of a pixel, one of `SAMPLES`.
      hand: whether to draw what the agent holds.
      beam: whether tiles cross clear air as a whole, which changes nothing but the time.

    Returns:
      uint8[N, height, width, 3].

    Raises:
      ValueError: no pixels, or another number of samples.
    """
    if height < 1 or width < 1 or samples not in SAMPLES:
        raise ValueError(
            f"cannot draw {height} x {width} pixels with samples={samples}. Take at least one "
            f"pixel each way, and samples of {', '.join(map(str, SAMPLES))}."
        )
    if out is None:
        out = np.zeros((len(blocks), height, width, 3), np.uint8)
    if lanes is None:
        lanes = np.arange(len(blocks))
    near = _NO_WORLDS if scenes.near is None else scenes.near
    before = _NO_WORLDS if pool_blocks is None or scenes.near is not None else pool_blocks
    worlds = Worlds(*map(_frozen, (blocks, pool_light, pool_index, before, near)))
    threads = numba.get_num_threads()
    tile_rows = -(-height * samples // TILE)
    bands = 1 if len(lanes) >= 2 * threads else min(tile_rows, 4 * threads)
    _draw(
        LOOK, np.zeros(threads, LANE).view(np.recarray), worlds, _part(Eyes, scenes),
        _part(Bodies, scenes), _part(Lights, scenes), _frozen(np.asarray(lanes, np.int64)), out,
        samples, hand, beam, bands,
    )  # fmt: skip
    return out


def _part(kind: Any, scenes: Scenes) -> Any:
    return kind(*(_frozen(getattr(scenes, name)) for name in kind._fields))


def _frozen(array: Any) -> np.ndarray:
    """A read-only view: for arrays that may be written numba compiles everything again."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


@kernel(parallel=True, fastmath=FAST)
def _draw(look, notes, worlds, eyes, bodies, lights, lanes, images, samples, hand, beam, bands):
    for unit in numba.prange(len(lanes) * bands):
        note = notes[numba.get_thread_id()]
        lane, band = lanes[unit // bands], unit % bands
        _draw_band(
            look[0], note, worlds, eyes, bodies, lights, lane, images[lane], samples, hand,
            beam, band, bands,
        )  # fmt: skip


@jit
def _draw_band(
    look, note, worlds, eyes, bodies, lights, n, image, samples, hand, beam, band, bands
):
    """Every `bands`-th row of tiles of one lane's picture."""
    _begin(look, note, worlds, eyes, n, hand)
    world = worlds.blocks[n].reshape(-1)
    light = worlds.light[worlds.pool[n]].reshape(-1)
    tiles_down = (image.shape[0] * samples + TILE - 1) // TILE
    tiles_across = (image.shape[1] * samples + TILE - 1) // TILE
    for down in range(band, tiles_down, bands):
        for across in range(tiles_across):
            draw_tile(
                look, note, (world, light), bodies, lights, n, image, samples,
                beam, down * TILE, across * TILE,
            )  # fmt: skip


@inline
def _fill(table, first, size, stride):
    """Offsets of the periodic coordinates from `first` on."""
    at, end = first % size * stride, size * stride
    for k in range(2 * REACH + 1):
        table[k] = at
        at += stride
        at = 0 if at == end else at


@jit
def _begin(look, note, worlds, eyes, n, hand):
    """Writes the note about a lane."""
    size_x, size_z, size_y = worlds.blocks.shape[1:]
    note.lane, note.size_y, note.base_y = n, size_y, eyes.cell[n, 1]
    note.is_inside = 0 <= note.base_y < size_y
    _fill(note.along_x, eyes.cell[n, 0] - REACH, size_x, size_z * size_y)
    _fill(note.along_z, eyes.cell[n, 2] - REACH, size_z, size_y)
    for k in range(3):
        note.eye[k], note.sun[k] = eyes.eye[n, k], eyes.sun[n, k]
        note.zenith[k], note.horizon[k] = eyes.zenith[n, k], eyes.horizon[n, k]
        note.clouds[k], note.sky_light[k] = eyes.clouds[n, k], eyes.sky_light[n, k]
        note.mining_cell[k] = eyes.mining_cell[n, k]
        for i in range(3):
            note.axes[i, k], note.tints[i, k] = eyes.axes[n, i, k], eyes.tints[n, i, k]
    for k in range(4):
        note.dusk[k] = eyes.dusk[n, k]
    note.day, note.num_lights = eyes.day[n], eyes.num_lights[n]
    note.mining_stage = eyes.mining_stage[n]
    note.hand_item, note.hand_dip = eyes.hand_item[n] if hand else -1, eyes.hand_dip[n]
    for k in range(256):
        note.is_lit[k] = 0
    for k in range(SLOTS):
        note.face_key[k] = -1
    write_sky(note)
    update_near(look, note, worlds, n)
