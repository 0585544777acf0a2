"""Rays in JAX and in numba against a slow march in float64, one cell at a time."""

import math
import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.view import surroundings
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, BLOCKS
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE
from rlgpt_jax.envs.voxel.senses import rays, rays_host
from rlgpt_jax.envs.voxel.senses.rays_host import lidar_numba
from tests.doubles.minecraft import lidar as standin
from tests.envs.voxel import worlds

SHAPE = (24, 20, 28)  # x, z, y
RANGE = 32.0
cast = jax.jit(rays.cast, static_argnums=3)
lidar = jax.jit(rays.lidar)


def random_worlds(densities: tuple[float, ...]) -> np.ndarray:
    rng = np.random.default_rng(0)
    made = []
    for density in densities:
        full = (rng.random(SHAPE) < density) * rng.integers(1, len(BLOCKS), SHAPE)
        made.append(encode_clearance(full.astype(np.uint8)))
    return np.stack(made)


def march(blocks, origin, direction, max_distance):
    """(byte, cell, face, distance) by visiting every cell in float64."""
    origin, direction = origin.astype(float), direction.astype(float)
    cell, distance = np.floor(origin).astype(int), 0.0
    axis = int(np.argmax(np.abs(direction)))
    while distance < max_distance:
        if 0 <= cell[1] < blocks.shape[2]:
            byte = blocks[cell[0] % blocks.shape[0], cell[2] % blocks.shape[1], cell[1]]
            if 0 < byte < AIR_CODE:
                return byte, cell, axis * 2 + (direction[axis] > 0), distance
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(direction == 0, np.inf, (cell + (direction > 0) - origin) / direction)
        axis = int(np.argmin(times))
        distance = times[axis]
        cell = cell + np.sign(direction).astype(int) * (np.arange(3) == axis)
    return AIR_CODE, None, None, max_distance


def random_rays(num: int) -> tuple[np.ndarray, np.ndarray]:
    """Origins in, above, below and far from the worlds; some axis-parallel directions."""
    rng = np.random.default_rng(1)
    origin = rng.uniform((-50, -3, -50), (80, 31, 80), (4, 3))
    origin[3] += (3000, 0, -5000)
    direction = rng.normal(size=(4, num, 3))
    direction[:, : num // 8] = np.round(direction[:, : num // 8])
    direction[:, num // 8 : num // 4, 0] = 0.0
    length = np.linalg.norm(direction, axis=-1, keepdims=True)
    direction = np.where(length > 0, direction / np.maximum(length, 1e-9), (0.0, 1.0, 0.0))
    return origin.astype(np.float32), direction.astype(np.float32)


def test_cast_agrees_with_a_cell_by_cell_march():
    blocks = random_worlds((0.002, 0.02, 0.06, 0.02))
    origin, direction = random_rays(160)
    hit = jax.tree.map(np.asarray, cast(blocks, origin, direction, RANGE))
    same = []
    for n, r in np.ndindex(hit.byte.shape):
        byte, cell, face, distance = march(blocks[n], origin[n], direction[n, r], RANGE)
        assert abs(hit.distance[n, r] - distance) < 1e-4 or byte != hit.byte[n, r]
        equal = byte == hit.byte[n, r] or (byte >= AIR_CODE and hit.byte[n, r] >= AIR_CODE)
        if byte < AIR_CODE and equal:
            equal = (cell == hit.cell[n, r]).all() and face == hit.face[n, r]
        same.append(equal)
    assert 0.1 < (hit.byte < AIR_CODE).mean() < 0.9  # the test has hits and misses
    assert np.mean(same) >= 0.999


def test_a_world_without_clearance_gives_the_same_hits():
    """Clearance is a short cut only: bytes that say 1 everywhere must not matter."""
    blocks = random_worlds((0.01, 0.02, 0.01, 0.02))
    plain = np.where(blocks >= AIR_CODE, AIR_CODE + 1, blocks).astype(np.uint8)
    origin, direction = random_rays(64)
    ours, slow = (cast(b, origin, direction, RANGE) for b in (blocks, plain))
    solid = np.asarray(slow.byte) < AIR_CODE
    np.testing.assert_array_equal(np.asarray(ours.byte)[solid], np.asarray(slow.byte)[solid])
    np.testing.assert_allclose(ours.distance, slow.distance, atol=1e-5)


def test_hit_names_cell_face_and_distance():
    """From (8.5, 9.62, 8.5) along +x: the block at x = 12 begins 3.5 blocks away."""
    state = worlds.with_block(worlds.player(1), "stone", (12, 9, 8))
    hit = cast(state.blocks, rays.eye_of(state.player.position), jnp.array([[[1.0, 0, 0]]]), 4.5)
    assert int(hit.byte[0, 0]) == BLOCK_ID["stone"]
    np.testing.assert_array_equal(hit.cell[0, 0], (12, 9, 8))
    assert int(hit.face[0, 0]) == 1  # axis x, moving in + direction
    assert float(hit.distance[0, 0]) == pytest.approx(3.5)
    short = cast(state.blocks, rays.eye_of(state.player.position), jnp.array([[[1.0, 0, 0]]]), 3.4)
    assert int(short.byte[0, 0]) >= AIR_CODE
    assert float(short.distance[0, 0]) == pytest.approx(3.4)


def test_liquids_stop_only_rays_that_see_them():
    state = worlds.with_block(worlds.player(2), "water", (10, 9, 8))
    state = state.replace(blocks=state.blocks.at[:, 12, 8, 9].set(BLOCK_ID["stone"]))
    direction = jnp.tile(jnp.array([[[1.0, 0.0, 0.0]]]), (2, 1, 1))
    hit = cast(
        state.blocks, rays.eye_of(state.player.position), direction, 8.0, jnp.array([True, False])
    )
    assert [BLOCKS[b] for b in np.asarray(hit.byte)[:, 0]] == ["water", "stone"]


def test_hit_mobs_gives_the_nearest_box():
    origin = jnp.zeros((1, 3))
    direction = jnp.array([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]])
    cow, none = MOBS.index("cow"), 0
    position = jnp.array([[[0.0, -0.5, 9.0], [0.2, -0.5, 5.0], [3.0, -0.5, 0.0]]])
    kind = jnp.array([[cow, cow, none]])
    index, distance = rays.hit_mobs(origin, direction, position, kind, RANGE)
    np.testing.assert_array_equal(index[0], (1, -1, -1))
    half = MOB_SIZE[cow, 0] / 2
    np.testing.assert_allclose(distance[0], (5.0 - half, RANGE, RANGE), rtol=1e-6)


def test_a_mob_behind_a_block_is_not_seen():
    seen = worlds.with_mob(worlds.player(1), "cow", (8.5, worlds.GROUND, 14.5))
    wall = [(x, y, 11) for x in range(4, 13) for y in range(8, 12)]
    hidden = worlds.with_block(seen, "stone", *wall)
    cow = NAME_ID["cow"]
    assert (np.asarray(lidar(seen)[2]) == cow).any()
    assert not (np.asarray(lidar(hidden)[2]) == cow).any()


def test_the_centre_ray_looks_where_the_agent_looks():
    """Yaw 90 looks along -x; pitch 0 is level: the wall at x = 4 is 8.5 - 5 away."""
    walls = [(4, y, z) for y in range(8, 12) for z in range(32)]
    state = worlds.with_block(worlds.player(1, yaw=[90.0]), "planks", *walls)
    block, distance, _, entity_distance = (np.asarray(part)[0] for part in lidar(state))
    assert block[base.CENTRE_RAY] == NAME_ID["planks"]
    assert distance[base.CENTRE_RAY] == pytest.approx(3.5, abs=1e-4)
    assert entity_distance[base.CENTRE_RAY] == distance[base.CENTRE_RAY]


def mixin_directions(yaw: float, pitch: float) -> np.ndarray:
    """Unit vectors [120, 3] as MineDojo's `MixinVec3d.java` and `JSONWorldDataHelper.java` make
    them: `look.rotatePitchLidar(up).rotateYaw(left)`, of a view in degrees."""
    yaw, pitch = math.radians(yaw), math.radians(pitch)
    look = -math.sin(yaw) * math.cos(pitch), -math.sin(pitch), math.cos(yaw) * math.cos(pitch)
    made = []
    for up, left in ((-math.radians(p), -math.radians(y)) for p in base.RAY_PITCHES
                     for y in base.RAY_YAWS):  # fmt: skip
        x, y, z = look
        flat = math.hypot(x, z)
        steep = min(max(math.degrees(math.atan2(y, flat)) + math.degrees(up), -89.0), 89.0)
        y = math.tan(math.radians(steep)) * flat
        x, y, z = np.array([x, y, z]) / math.sqrt(x * x + y * y + z * z)
        cos, sin = math.cos(left), math.sin(left)
        made.append((x * cos + z * sin, y, z * cos - x * sin))
    return np.array(made)


def cast_directions(yaw: float, pitch: float) -> dict[str, np.ndarray]:
    """Unit vectors [120, 3] of the same rays, by everything that casts or follows them."""
    march = np.zeros(rays_host._SIZE, np.float32)
    rays_host._aim(np.float32(yaw), np.float32(pitch), march)
    speed = march[rays_host._SPEED_X :][: 3 * base.NUM_RAYS].reshape(3, base.NUM_RAYS)
    one = jnp.array([yaw], jnp.float32), jnp.array([pitch], jnp.float32)
    radians = np.deg2rad([yaw]), np.deg2rad([pitch])
    angles = surroundings._RAY_YAW, surroundings._RAY_PITCH
    return {
        "jax": np.asarray(rays.ray_directions(*one)[0]),
        "numba": speed.T,
        "view": surroundings.ray_directions(*radians, *angles),
        "stand-in": standin.directions(standin.USUAL, yaw, pitch, "view"),
    }


@pytest.mark.parametrize("pitch", [*range(-75, 90, 15), 88.5, -61.5])
def test_rays_point_where_those_of_the_mod_do(pitch: float):
    for yaw in (-180.0, -105.0, -90.0, 0.0, 37.5, 90.0):
        wanted = mixin_directions(yaw, pitch)
        for name, found in cast_directions(yaw, pitch).items():
            np.testing.assert_allclose(found, wanted, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("pitch", range(-90, 91, 15))
def test_the_centre_ray_is_the_line_of_view_and_none_bends_over_the_zenith(pitch: int):
    """Also straight up and down, where the mod makes no numbers of use."""
    look = np.asarray(rays.direction_of(jnp.float32(60.0), jnp.float32(pitch)))
    for name, found in cast_directions(60.0, pitch).items():
        np.testing.assert_allclose(found[base.CENTRE_RAY], look, atol=1e-6, err_msg=name)
        straight = found[base.RAY_YAWS.index(0.0) :: len(base.RAY_YAWS)]
        assert ((straight[:, [0, 2]] @ (-math.sin(math.pi / 3), 0.5)) > -1e-6).all(), name


def scattered(num_envs: int = 6):
    """Lanes in random worlds with mobs around them, some far from the origin."""
    rng = np.random.default_rng(5)
    params = worlds.PARAMS
    ground = worlds.flat(params)
    made = []
    for _ in range(num_envs):
        extra = rng.random(ground.shape) < 0.02
        made.append(np.where(extra, rng.integers(1, len(BLOCKS), ground.shape), ground))
    blocks = np.stack([encode_clearance(world.astype(np.uint8)) for world in made])
    position = rng.uniform((-40, 8, -40), (70, 20, 70), (num_envs, 3))
    position[0] += (2000, 0, -2000)
    mobs = position[:, None] + rng.uniform((-6, -1, -6), (6, 1, 6), (num_envs, 3, 3))
    return worlds.lanes(
        blocks,
        position=position,
        yaw=rng.choice(np.arange(-180, 180, 15), num_envs),
        pitch=rng.choice(np.arange(-90, 91, 15), num_envs),
        mobs=dict(kind=rng.integers(0, len(MOBS), (num_envs, 3)), position=mobs),
    )


def host_lidar(state, **more):
    player = ("player.position", "player.yaw", "player.pitch")
    fields = ("blocks", *player, "mobs.kind", "mobs.position")
    return lidar_numba(*(np.asarray(operator.attrgetter(name)(state)) for name in fields), **more)


def test_numba_and_jax_rays_agree():
    state = scattered()
    ours, theirs = host_lidar(state), [np.asarray(part) for part in lidar(state)]
    assert len(np.unique(theirs[0])) > 20 and (theirs[2] != NAME_ID["none"]).any()
    for k in (0, 2):
        assert np.mean(ours[k] == theirs[k]) >= 0.999
    for k in (1, 3):
        assert np.mean(np.abs(ours[k] - theirs[k]) < 1e-3) >= 0.999


def test_numba_rays_of_some_lanes_leave_the_others_alone():
    state = scattered()
    whole = host_lidar(state)
    out = tuple(np.full_like(part, 7) for part in whole)
    host_lidar(state, lanes=np.array([4, 1]), out=out)
    for got, full in zip(out, whole):
        np.testing.assert_array_equal(got[[1, 4]], full[[1, 4]])
        assert (got[[0, 2, 3, 5]] == 7).all()


def test_an_eye_under_water_sees_through_it():
    """In numba as in JAX: the pond's wall is met, not the water around the eye."""
    pond = [(x, y, z) for x in range(6, 12) for y in (8, 9, 10) for z in range(6, 12)]
    state = worlds.with_block(worlds.player(1), "water", *pond)
    state = state.replace(blocks=state.blocks.at[:, :, 12, 8:12].set(BLOCK_ID["stone"]))
    for block in (lidar(state)[0], host_lidar(state)[0]):
        assert NAME_ID["water"] not in np.asarray(block)
        assert np.asarray(block)[0, base.CENTRE_RAY] == NAME_ID["stone"]
