"""The lidar of `rays.py` as one Pallas kernel, written for the Triton lowering.

A program casts the rays of one lane, which start in the same cell and mostly walk through
the same clear air. Worlds stay in the GPU's memory and are looked up by index.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from rlgpt_jax.envs.base import NUM_RAYS, RAY_RANGE
from rlgpt_jax.envs.voxel import rays
from rlgpt_jax.envs.voxel.blocks import AIR_CODE, FIRST_LIQUID, LAST_LIQUID, MAX_AIR, NAME_OF
from rlgpt_jax.envs.voxel.mob_table import MOB_SIZE
from rlgpt_jax.envs.voxel.pallas_worlds import check_addresses, lane_spec
from rlgpt_jax.envs.voxel.rays import TINY
from rlgpt_jax.envs.voxel.state import WorldState

_PADDED = 128  # rays of a program: 120 and 8 that go nowhere
_WARPS = 4
# A straight line crosses at most so many cell faces.
_TRIPS = math.ceil(RAY_RANGE * math.sqrt(3.0)) + 4


def lidar(
    state: WorldState, interpret: bool = False
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """As `rays.lidar`.

    Args:
      state: N worlds.
      interpret: runs the kernel without a GPU, slowly, for tests.

    Raises:
      ValueError: the worlds have a size that cannot be addressed.
    """
    check_addresses(state.blocks, "worlds of the lanes")
    lanes = len(state.blocks)
    eye = rays.eye_of(state.position)
    way = rays.ray_directions(state.yaw, state.pitch)
    way = jnp.pad(way, ((0, 0), (0, _PADDED - NUM_RAYS), (0, 0)))
    size = jnp.asarray(MOB_SIZE, jnp.float32)[state.mob_kind]
    inputs = (
        eye, jnp.moveaxis(way, 2, 1), state.mob_kind, state.mob_position - eye[:, None], size,
        state.blocks,
    )  # fmt: skip
    one = pl.BlockSpec((None, _PADDED), lambda lane: (lane, 0))
    shapes = [jax.ShapeDtypeStruct((lanes, _PADDED), t) for t in (jnp.int32, jnp.float32)] * 2
    byte, distance, kind, mob_distance = (
        out[:, :NUM_RAYS]
        for out in pl.pallas_call(
            functools.partial(_kernel, state.blocks.shape[1:]),
            grid=(lanes,),
            in_specs=[lane_spec(array) for array in inputs],
            out_specs=[one] * 4,
            out_shape=shapes,
            compiler_params=plgpu.CompilerParams(num_warps=_WARPS, num_stages=1),
            interpret=interpret,
            name="lidar",
        )(*inputs)
    )
    seen = mob_distance < distance
    return (
        jnp.asarray(NAME_OF)[byte],
        distance,
        jnp.where(seen, jnp.asarray(rays.MOB_NAME_ID)[kind], rays.MOB_NAME_ID[0]),
        jnp.where(seen, mob_distance, distance),
    )


def _kernel(
    shape: tuple[int, ...], eye: Any, way: Any, mob_kind: Any, mob_offset: Any,
    mob_size: Any, blocks: Any, byte_out: Any, distance_out: Any, kind_out: Any,
    mob_distance_out: Any,
) -> None:  # fmt: skip
    """All rays of one lane: refs of that lane."""
    size_x, size_z, size_y = shape

    def look(x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
        outside = jnp.maximum(y - (size_y - 1), -y)
        at = jnp.mod(x, size_x), jnp.mod(z, size_z), jnp.clip(y, 0, size_y - 1)
        inside = plgpu.load(blocks.at[at], mask=outside <= 0, other=0).astype(jnp.int32)
        return jnp.where(outside > 0, AIR_CODE + jnp.clip(outside, 1, MAX_AIR), inside)

    ray = [way[k, :] for k in range(3)]
    zero = jnp.zeros((_PADDED,), jnp.int32)
    origin = [eye[k] + zero.astype(jnp.float32) for k in range(3)]
    base = [jnp.floor(o).astype(jnp.int32) for o in origin]
    first = look(*base)
    see_liquid = (first < FIRST_LIQUID) | (first > LAST_LIQUID)
    local = [o - b.astype(jnp.float32) for o, b in zip(origin, base)]
    speed = [jnp.abs(d) for d in ray]
    aim = rays.Aim(
        base=base,
        start=[jnp.where(d > 0, o, 1.0 - o) for d, o in zip(ray, local)],
        sign=[jnp.where(d > 0, 1, -1).astype(jnp.int32) for d in ray],
        speed=speed,
        inverse=[jnp.where(s > TINY, 1.0 / jnp.maximum(s, TINY), jnp.inf) for s in speed],
        see_liquid=see_liquid,
        sources_only=False,
    )
    start = rays.March(
        distance=zero * 0.0,
        cell=(zero, zero, zero),
        axis=zero,
        byte=zero + AIR_CODE,
        active=speed[0] + speed[1] + speed[2] > 0.5,
    )

    def running(loop: tuple[jax.Array, rays.March]) -> jax.Array:
        return (loop[0] < _TRIPS) & (jnp.max(loop[1].active.astype(jnp.int32)) > 0)

    march = jax.lax.while_loop(
        running,
        lambda loop: (loop[0] + 1, rays.trip(look, aim, RAY_RANGE, loop[1])),
        (jnp.int32(0), start),
    )[1]
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
            low = offset[m, k] - (half if k != 1 else 0.0)
            top = offset[m, k] + (half if k != 1 else high)
            enter = jnp.maximum(enter, jnp.minimum(low * i, top * i))
            leave = jnp.minimum(leave, jnp.maximum(low * i, top * i))
        met = (enter <= leave) & (mob_kind[m] > 0) & (enter < best)
        return jnp.where(met, mob_kind[m], kind), jnp.where(met, enter, best)

    nothing = jnp.zeros((_PADDED,), jnp.int32)
    return jax.lax.fori_loop(
        0, mob_kind.shape[0], meet, (nothing, nothing.astype(jnp.float32) + RAY_RANGE)
    )
