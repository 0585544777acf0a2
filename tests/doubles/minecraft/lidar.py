"""Rays in any directions, for missions that ask for others than the lidar of `envs.base`.

A ray's pitch and yaw count from the view: so say the client's words, and so does the mod of
MineDojo's repository since 22 July 2022 (`MixinVec3d.java`). The one of release 0.1 turns the
view by the pitch about the land's x axis and then by the yaw about the upright axis
(`JSONWorldDataHelper.java`): off the way south, rays with a pitch go elsewhere. Both are
here; the first is "view", the second "land".
"""

import functools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.view import facts, surroundings
from rlgpt_jax.envs.view.sight import Sight
from rlgpt_jax.envs.voxel.senses import rays as voxel_rays
from rlgpt_jax.envs.voxel.state import WorldState
from tests.doubles.minecraft.mission import Ray

AXES = ("view", "land")
AIR = 1  # name id
# The lidar of `envs.base` as the client is asked for it.
USUAL = tuple(
    Ray(-np.deg2rad(pitch), -np.deg2rad(yaw), base.RAY_RANGE)
    for pitch in base.RAY_PITCHES for yaw in base.RAY_YAWS
)  # fmt: skip
_CLOSE = 1e-5  # radians and blocks


def is_usual(rays: Sequence[Ray]) -> bool:
    """Whether these are the rays that every observation has."""
    return len(rays) == len(USUAL) and bool(np.allclose(rays, USUAL, rtol=0.0, atol=_CLOSE))


def directions(rays: Sequence[Ray], yaw: float, pitch: float, axes: str) -> np.ndarray:
    """Unit vectors float64[R, 3] of rays from a view in degrees; axes as in `AXES`."""
    up, left = (np.array([getattr(ray, key) for ray in rays]) for key in ("pitch", "yaw"))
    if axes == "view":
        return surroundings.ray_directions(np.deg2rad(yaw), np.deg2rad(pitch), -left, -up)
    x, y, z = surroundings.direction_of(np.deg2rad(yaw), np.deg2rad(pitch))
    y, z = y * np.cos(up) + z * np.sin(up), z * np.cos(up) - y * np.sin(up)
    x, z = x * np.cos(left) + z * np.sin(left), z * np.cos(left) - x * np.sin(left)
    return np.stack(np.broadcast_arrays(x, y, z), -1)


def cast(state: WorldState, sight: Sight, rays: Sequence[Ray], axes: str) -> surroundings.Group:
    """What rays of one lane meet: the entries of `view.spec.SPEC["rays"]`, [1, R] each."""
    obs = sight.obs
    way = directions(rays, float(obs.yaw[0]), float(obs.pitch[0]), axes)
    reach = np.array([ray.distance for ray in rays], np.float32)
    hits, kind, away = _cast(state, jnp.asarray(way[None], jnp.float32), float(reach.max()))
    distance, away = np.asarray(hits.distance), np.asarray(away)
    missed = distance >= reach
    distance = np.minimum(distance, reach)
    end = np.floor(surroundings.eye_of(sight)[:, None] + way * reach[:, None]).astype(np.int64)
    cell = np.where(missed[..., None], end, np.asarray(hits.cell))
    byte = np.where(missed, sight.lanes.bytes_at(end), np.asarray(hits.byte))
    seen = (np.asarray(kind) > 0) & (away < distance)
    angle = np.array([[ray[:2] for ray in rays]], np.float32)
    return surroundings.facts_of(byte) | {
        "block_name": np.where(missed, AIR, surroundings.facts_of(byte)["block_name"]),
        "block_distance": distance,
        "entity_name": np.where(
            seen, voxel_rays.MOB_NAME_ID[np.asarray(kind)], voxel_rays.MOB_NAME_ID[0]
        ),
        "entity_distance": np.where(seen, away, distance),
        "harvest_level": facts.HARVEST_LEVEL[byte],
        "ray_pitch": angle[..., 0],
        "ray_yaw": angle[..., 1],
        **{f"traced_block_{axis}": cell[..., k].astype(np.float32) for k, axis in enumerate("xyz")},
    }


@functools.partial(jax.jit, static_argnums=2)
def _cast(
    state: WorldState, direction: jax.Array, reach: float
) -> tuple[voxel_rays.Hit, jax.Array, jax.Array]:
    """The block of each ray, and kind and distance of the nearest mob on it."""
    eye = voxel_rays.eye_of(state.player.position)
    clear = ~voxel_rays.eye_in_liquid(state.blocks, eye)
    hit = voxel_rays.cast(state.blocks, eye, direction, reach, clear)
    mob, away = voxel_rays.hit_mobs(eye, direction, state.mobs.position, state.mobs.kind, reach)
    kind = jnp.take_along_axis(state.mobs.kind, jnp.maximum(mob, 0), 1)
    return hit, jnp.where(mob >= 0, kind, 0), away
