"""Frames on a device: what is in them, light of now, and what they cost in memory."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.tasks.tasks import TASKS
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.render.jax.near_light import near_light
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID
from rlgpt_jax.envs.voxel.rules.blocks.light import flood
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from rlgpt_jax.envs.voxel.senses import eyes
from tests.envs.voxel import worlds

SIZE = (32, 32)
LANES = 5
AIR = AIR_CODE + 1


@jax.jit
def _draw(state, pool_light):
    return eyes.draw(state, pool_light, SIZE)


def draw(*states, light=None) -> np.ndarray:
    """int[K, 32, 32, 3]: what the agents of up to `LANES` states of one lane see."""
    light = worlds.pool().light[:1] if light is None else light
    states += states[:1] * (LANES - len(states))  # always as many, to compile once
    state = jax.tree.map(lambda *parts: jnp.concatenate(parts), *states)
    return np.asarray(_draw(state, light)).astype(int)


def player(**fields):
    return worlds.player(1, **{"world_time": [6000], **fields})


def changed(a: np.ndarray, b: np.ndarray, least: int = 12) -> np.ndarray:
    return (np.abs(a - b) > least).any(-1)


def test_hour_hand_mob_and_item_are_seen():
    there = player()
    night = player(world_time=[18000])
    cow = worlds.with_mob(there, "cow", (8.5, worlds.GROUND, 11.5))
    log = there.replace(
        items=there.items.replace(
            id=there.items.id.at[:, 0].set(item_id("log")),
            quantity=there.items.quantity.at[:, 0].set(1),
            position=there.items.position.at[:, 0].set(jnp.array([8.5, worlds.GROUND, 11.5])),
        )
    )
    sword = worlds.holding(there, ("iron_sword", 1))
    plain, dark, with_cow, with_log, with_sword = draw(there, night, cow, log, sword)[:5]
    assert dark.mean() < 0.5 * plain.mean()
    assert changed(plain, with_cow)[10:, 8:24].mean() > 0.15
    assert 0.001 < changed(plain, with_log).mean() < 0.1
    assert changed(plain, with_sword)[16:, 16:].mean() > 0.05
    assert (
        not changed(plain, with_sword)[:16].any() and not changed(plain, with_sword)[:, :16].any()
    )


def test_cracks_show_on_the_block_that_is_mined():
    wall = [(x, y, 10) for x in range(6, 11) for y in range(8, 12)]
    whole = worlds.with_block(player(), "stone", *wall)
    mined = worlds.with_player(
        whole, mining_block=jnp.array([[8, 9, 10]], jnp.int32), mining_progress=jnp.array([0.8])
    )
    plain, cracked = draw(whole, mined)[:2]
    assert 0.01 < changed(plain, cracked).mean() < 0.25


def test_a_pit_that_was_dug_is_not_black():
    pit = np.array(worlds.flat())
    pit[7:10, 9:11, 4:8] = AIR
    state = player(pitch=[60.0])
    image = draw(state.replace(blocks=jnp.asarray(pit)[None]))[0]
    assert image[8:20, 8:20].mean() > 40


def test_water_that_came_far_from_the_eye_is_as_bright_as_by_its_true_light():
    """The stored light of its cells is that of the ground which was there: none."""
    lake = [(x, worlds.GROUND - k, z) for x in range(32) for z in range(18, 31) for k in (1, 2)]
    wet = worlds.with_block(player(pitch=[15.0]), "water", *lake)
    stored, true = draw(wet)[0], draw(wet, light=flood(np.asarray(wet.blocks[0]))[None])[0]
    water = changed(true, draw(player(pitch=[15.0]))[0])
    assert water.mean() > 0.05
    assert 0.9 < stored[water].mean() / true[water].mean() < 1.05


@pytest.mark.slow
def test_light_near_the_eye_is_the_stored_one_until_blocks_change():
    blocks = worlds.pool().blocks[0]
    stored = flood(np.asarray(blocks))
    for cell in ((8, 9, 8), (-3, 10, 40), (5, 23, 31)):
        near = _near(np.asarray(blocks), stored, cell)
        np.testing.assert_array_equal(near, _window(stored, cell))


def _near(blocks, stored, cell) -> np.ndarray:
    at = jnp.array([cell], jnp.int32)
    lane = jnp.zeros(1, jnp.int32)
    return np.asarray(near_light(jnp.asarray(blocks)[None], stored[None], lane, at, lane))[0]


def _window(light: np.ndarray, cell: tuple[int, int, int]) -> np.ndarray:
    x, y, z = (at - 8 + np.arange(16) for at in cell)
    size_x, size_z, size_y = light.shape
    window = light[np.ix_(x % size_x, z % size_z, np.clip(y, 0, size_y - 1))].copy()
    window[:, :, (y < 0) | (y >= size_y)] = 240
    return window


def test_light_near_the_eye_is_that_of_a_new_flood_after_digging_and_torches():
    """A shaft, a tunnel from it, and a torch in another tunnel without daylight."""
    blocks = np.array(worlds.flat())
    stored = flood(blocks)
    blocks[8, 8, 2:8] = AIR
    blocks[8, 8:13, 2] = AIR
    blocks[3:6, 3, 3:5] = AIR
    blocks[4, 3, 3] = BLOCK_ID["torch"]
    cell = (7, 8, 7)
    np.testing.assert_array_equal(_near(blocks, stored, cell), _window(flood(blocks), cell))


def test_under_a_new_roof_is_shade():
    blocks = np.array(worlds.flat())
    stored = flood(blocks)
    blocks[6:11, 6:11, 12] = BLOCK_ID["planks"]
    near = _near(blocks, stored, (8, 9, 8))
    assert near[8, 8, 8] == 13 * 16 and near[0, 0, 8] == 15 * 16


@pytest.mark.slow
def test_drawing_in_a_scan_copies_no_world():
    """Blocks change in every turn, and what is changed depends on the last picture."""
    params = worlds.WorldParams(size_x=96, size_z=96, size_y=96, num_worlds=1, max_mobs=2)
    lanes = 16
    one = jax.eval_shape(lambda: worlds.player(lanes, params))
    light = jax.ShapeDtypeStruct((1, 96, 96, 96), jnp.uint8)

    def turn(state, _, pool_light):
        image = eyes.draw(state, pool_light, (16, 16))
        lane = jnp.arange(lanes)
        byte = image[:, 0, 0, 0] // 16
        blocks = state.blocks.at[lane, state.tick % 96, 3, 60].set(byte)
        return state.replace(blocks=blocks, tick=state.tick + 1), image

    def run(state, pool_light):
        return jax.lax.scan(functools.partial(turn, pool_light=pool_light), state, None, length=4)

    compiled = jax.jit(run, donate_argnums=0).lower(one, light).compile()
    worlds_size = lanes * 96**3
    assert compiled.memory_analysis().temp_size_in_bytes < 0.3 * worlds_size


@pytest.mark.slow
def test_lanes_whose_episode_ended_are_drawn_anew():
    state = worlds.player(LANES, world_time=np.full(5, 6000), yaw=np.arange(5) * 30.0)
    light = worlds.pool().light[:1]
    before = _draw(state, light)
    done = np.array([False, True, False, False, True])
    turned = worlds.with_player(state, yaw=state.player.yaw + 90.0 * done)
    after = np.asarray(jax.jit(eyes.redraw)(turned, light, done, before))
    np.testing.assert_array_equal(after, _draw(turned, light))
    assert ((after != before).any((1, 2, 3)) == done).all()


def test_an_environment_with_pictures_says_so_in_its_program():
    plain, seeing = (
        VoxelEnv(TASKS["harvest_milk"], worlds.PARAMS, 2, worlds.pool(), image_size=size)
        for size in (None, SIZE)
    )
    assert plain != seeing
    params, state = plain.default_params, worlds.player()
    shapes = [jax.eval_shape(env.observe, params, state).rgb for env in (plain, seeing)]
    assert shapes[0] is None
    assert shapes[1].shape == (2, *SIZE, 3) and shapes[1].dtype == jnp.uint8
    assert jax.eval_shape(lambda s: seeing.observe(params, s, image=False), state).rgb is None


@pytest.mark.parametrize("size", [(0, 64), (64,)])
def test_a_size_without_pixels_is_refused(size):
    with pytest.raises(ValueError, match="height, width"):
        VoxelEnv(TASKS["harvest_milk"], worlds.PARAMS, 2, worlds.pool(), image_size=size)
