"""The lidar of `rays.py` on a GPU, as one Pallas kernel: docs/gpu.md says what it gives.

A program casts the rays of one lane, which start in the same cell and mostly walk through the same
clear air. Worlds stay in the GPU's memory and are looked up by index.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from rlgpt_jax.envs.base import NUM_RAYS, RAY_RANGE
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, FIRST_LIQUID, LAST_LIQUID, MAX_AIR
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE
from rlgpt_jax.envs.voxel.senses import rays
from rlgpt_jax.envs.voxel.senses.rays import TINY
from rlgpt_jax.envs.voxel.state import WorldState

_PADDED = 128  # rays of a program: 120 and 8 that go nowhere
_WARPS = 4
# Pallas addresses arrays of more than the second by 64 bits, others by 32 with a sign.
_LOW, _HIGH = 1 << 31, 1 << 32


def halves(blocks: jax.Array) -> tuple[slice, ...]:
    """The parts of the lanes whose worlds uint8[N, X, Z, Y] a kernel can address."""
    half = len(blocks) // 2
    fits = not _LOW < math.prod(blocks.shape) <= _HIGH
    return (slice(None),) if fits else (slice(half), slice(half, None))


def lane_spec(array: jax.Array, axis: int | None = None) -> pl.BlockSpec:
    """A program sees its lane's part of an array [N, ...], with a first axis of 1 or none."""
    return pl.BlockSpec((axis, *array.shape[1:]), lambda lane, *_: (lane, *[0] * (array.ndim - 1)))


def lidar(
    state: WorldState, interpret: bool = False
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """As `rays.lidar`.

    Args:
      state: N worlds.
      interpret: runs the kernel without a GPU, slowly, for tests.
    """
    eye = rays.eye_of(state.player.position)
    way = rays.ray_directions(state.player.yaw, state.player.pitch)
    way = jnp.pad(way, ((0, 0), (0, _PADDED - NUM_RAYS), (0, 0)))
    size = jnp.asarray(MOB_SIZE, jnp.float32)[state.mobs.kind]
    offset = state.mobs.position - eye[:, None]
    inputs = eye, jnp.moveaxis(way, 2, 1), state.mobs.kind, offset, size, state.blocks
    parts = [
        _cast(*(array[part] for array in inputs), interpret=interpret)
        for part in halves(state.blocks)
    ]
    byte, distance, kind, mob_distance = (jnp.concatenate(one)[:, :NUM_RAYS] for one in zip(*parts))
    return rays.named(byte, distance, kind, mob_distance, mob_distance < distance)


def _cast(*inputs: jax.Array, interpret: bool) -> list[jax.Array]:
    """int32 bytes and kinds of mobs, float32 distances of both, each [N, _PADDED]."""
    lanes, *size = inputs[-1].shape
    return pl.pallas_call(
        functools.partial(_kernel, size),
        grid=(lanes,),
        in_specs=[lane_spec(array) for array in inputs],
        out_specs=[pl.BlockSpec((None, _PADDED), lambda lane: (lane, 0))] * 4,
        out_shape=[jax.ShapeDtypeStruct((lanes, _PADDED), t) for t in (jnp.int32, jnp.float32)] * 2,
        compiler_params=plgpu.CompilerParams(num_warps=_WARPS, num_stages=1),
        interpret=interpret,
        name="lidar",
    )(*inputs)


def _kernel(
    size: list[int], eye: Any, way: Any, mob_kind: Any, mob_offset: Any, mob_size: Any,
    blocks: Any, byte_out: Any, distance_out: Any, kind_out: Any, mob_distance_out: Any,
) -> None:  # fmt: skip
    """All rays of one lane: refs of that lane."""
    size_x, size_z, size_y = size

    def look(x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
        outside = jnp.maximum(y - (size_y - 1), -y)
        at = jnp.mod(x, size_x), jnp.mod(z, size_z), jnp.clip(y, 0, size_y - 1)
        code = AIR_CODE + jnp.clip(outside, 1, MAX_AIR)
        return jnp.where(outside > 0, code, blocks[at].astype(jnp.int32))

    ray = [way[k, :] for k in range(3)]
    zero = jnp.zeros((_PADDED,), jnp.int32)
    origin = [eye[k] + zero.astype(jnp.float32) for k in range(3)]
    base = [jnp.floor(o).astype(jnp.int32) for o in origin]
    first = look(*base)
    local = [o - b.astype(jnp.float32) for o, b in zip(origin, base)]
    see_liquid = (first < FIRST_LIQUID) | (first > LAST_LIQUID)
    aim = rays.aim_of(base, local, ray, see_liquid)
    start = rays.March(
        distance=zero.astype(jnp.float32), cell=(zero, zero, zero), axis=zero,
        byte=zero + AIR_CODE, active=aim.speed[0] + aim.speed[1] + aim.speed[2] > 0.5,
    )  # fmt: skip
    march = jax.lax.while_loop(
        lambda m: jnp.max(m.active.astype(jnp.int32)) > 0,  # no reduction of booleans in kernels
        functools.partial(rays.trip, look, aim, RAY_RANGE),
        start,
    )
    byte_out[:] = march.byte
    distance_out[:] = jnp.where(march.byte < AIR_CODE, march.distance, RAY_RANGE)
    kind_out[:], mob_distance_out[:] = _nearest_mob(ray, mob_kind, mob_offset, mob_size)


def _nearest_mob(
    ray: list[jax.Array], mob_kind: Any, offset: Any, size: Any
) -> tuple[jax.Array, jax.Array]:
    """int32 and float32 of each ray: kind of the first mob box, distance, RAY_RANGE if none."""
    inverse = [1.0 / jnp.where(jnp.abs(d) < TINY, TINY, d) for d in ray]

    def meet(m: jax.Array, found: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        kind, best = found
        half, high = size[m, 0] / 2, size[m, 1]
        enter, leave = best * 0.0, best * 0.0 + RAY_RANGE
        for k, i in enumerate(inverse):
            at = offset[m, k]
            low, top = (at, at + high) if k == 1 else (at - half, at + half)
            enter = jnp.maximum(enter, jnp.minimum(low * i, top * i))
            leave = jnp.minimum(leave, jnp.maximum(low * i, top * i))
        met = (enter <= leave) & (mob_kind[m] > 0) & (enter < best)
        return jnp.where(met, mob_kind[m], kind), jnp.where(met, enter, best)

    nothing = jnp.zeros((_PADDED,), jnp.int32)
    return jax.lax.fori_loop(
        0, mob_kind.shape[0], meet, (nothing, nothing.astype(jnp.float32) + RAY_RANGE)
    )
