"""The host's frames: what is in them, and that the worlds stay where they are.

That they agree with the reference, pixel for pixel, is tested in `frames_agreement_test.py`.
"""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.render.host import render_host
from rlgpt_jax.envs.voxel.render.jax.scene import make_scenes
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.blocks.light import flood
from tests.envs.voxel import worlds
from tests.envs.voxel.frames_views import random_views

NOON, MIDNIGHT = 6000, 18000
SIZE = 64
LANES = 2


def flat_pool() -> tuple[np.ndarray, np.ndarray]:
    """Blocks and light uint8[1, X, Z, Y] of a flat world."""
    return worlds.flat()[None], flood(worlds.flat())[None]


def draw(state, pool=None, near: bool = False, **options) -> np.ndarray:
    """uint8[N, 64, 64, 3] of a state reset from the flat pool, or from another one."""
    blocks, light = pool or flat_pool()
    scenes = jax.tree.map(np.asarray, make_scenes(state, light, near=near))
    size = options.pop("size", SIZE)
    return render_host.render(
        scenes, np.asarray(state.blocks), light, np.asarray(state.pool_index), size, size,
        pool_blocks=None if near else blocks, **options,
    )  # fmt: skip


def look(time: int = NOON, **fields):
    """Two players on flat grass at an hour, looking along +z."""
    return worlds.player(LANES, world_time=[time] * LANES, **fields)


def changed(one: np.ndarray, other: np.ndarray, by: int = 10) -> np.ndarray:
    """bool[N, H, W]: pixels that differ clearly."""
    return (np.abs(one.astype(int) - other) > by).any(-1)


def test_sky_is_above_grass_below_and_night_darker():
    day, night = draw(look(), hand=False), draw(look(MIDNIGHT), hand=False)
    assert day.shape == (LANES, SIZE, SIZE, 3) and day.dtype == np.uint8
    assert day[0, 2].mean(0).argmax() == 2 and day[0, -2].mean(0).argmax() == 1
    assert night.mean() < 0.4 * day.mean()


def test_a_cow_changes_the_pixels_where_it_stands_and_casts_a_shadow():
    bare = draw(look(pitch=[20.0] * LANES))
    cow = worlds.with_mob(look(pitch=[20.0] * LANES), "cow", (8.5, worlds.GROUND, 12.5))
    where = changed(draw(cow), bare)[0]
    assert where[12:36, 24:40].mean() > 0.4
    assert not where[:, :16].any() and not where[:, 48:].any()
    darker = draw(cow, hand=False).astype(int).sum(-1) < bare.astype(int).sum(-1) - 6
    assert darker[0, 34:42, 24:40].any()  # the ground under it


def test_the_crack_shows_on_the_block_being_mined_and_nowhere_else():
    wall = [(x, y, 11) for x in range(32) for y in range(8, 14)]
    state = worlds.with_block(look(), "stone", *wall)
    mined = worlds.with_player(
        state,
        mining_block=np.full((LANES, 3), (8, 9, 11)),
        mining_progress=np.array([0.9, 0.0], np.float32),
    )
    where = changed(draw(mined), draw(state))
    assert where[0, 16:48, 16:48].mean() > 0.02 and not where[1].any()
    rows, columns = np.nonzero(where[0])
    # A block 2.5 away is about 18 pixels wide.
    assert np.ptp(rows) < 22 and np.ptp(columns) < 22


def cave(**fields):
    """A sealed room of stone, its pool, and a state in it."""
    blocks = worlds.flat()
    blocks[:, :, 1:20] = BLOCK_ID["stone"]
    blocks[6:11, 7:15, 4:8] = 0
    blocks = encode_clearance(blocks)
    state = look(position=[[8.5, 4.0, 8.5]] * LANES, **fields)
    return state.replace(blocks=np.stack([blocks] * LANES)), (blocks[None], flood(blocks)[None])


def test_a_torch_that_was_placed_brightens_a_cave_and_so_does_one_far_off():
    state, pool = cave()
    dark = draw(state, pool).mean((1, 2, 3))
    lit = state.replace(
        lights=state.lights.replace(
            block=state.lights.block.at[0, 0].set(np.array([8, 4, 11])),
            level=state.lights.level.at[0, 0].set(14),
        )
    )
    blocks = np.array(state.blocks)
    blocks[0, 8, 11, 4] = BYTE_OF["torch", 5]
    bright = draw(lit.replace(blocks=blocks), pool).mean((1, 2, 3))
    assert bright[0] > 3 * dark[0] and bright[1] == dark[1]
    # Beyond the cells whose light is kept up to date it shines by distance alone.
    far = lit.replace(
        lights=lit.lights.replace(block=state.lights.block.at[0, 0].set(np.array([8, 4, 17])))
    )
    assert dark[0] < draw(far, pool).mean((1, 2, 3))[0] < bright[0]


def test_a_shaft_that_was_dug_lets_the_day_into_a_cave():
    state, pool = cave()
    blocks = np.array(state.blocks)
    blocks[0, 8, 11, 8:20] = worlds.AIR
    one, other = draw(state.replace(blocks=blocks), pool).mean((1, 2, 3))
    assert one > 2 * other


def test_what_is_held_and_dropped_is_seen():
    bare = draw(look())
    held = changed(draw(worlds.holding(look(), ("iron_pickaxe", 1))), bare)[0]
    assert held[36:, 36:].mean() > 0.1 and not held[:, :24].any()
    state = look(pitch=[30.0] * LANES)
    item = state.replace(
        items=state.items.replace(
            id=state.items.id.at[:, 0].set(int(worlds.NAME_ID["log"])),
            quantity=state.items.quantity.at[:, 0].set(1),
            position=state.items.position.at[:, 0].set(np.array([8.5, 8.0, 10.5])),
        )
    )
    seen = changed(draw(item, hand=False), draw(state, hand=False))[0]
    assert 0.002 < seen.mean() < 0.05 and seen[20:60, 22:42].sum() == seen.sum()


def test_water_is_blue_from_above_and_dims_from_below():
    pond = [(x, worlds.GROUND - k, z) for x in range(32) for z in range(9, 30) for k in (1, 2)]
    wet = worlds.with_block(look(pitch=[30.0] * LANES), "water", *pond)
    assert draw(wet, hand=False)[0, 24:].mean((0, 1)).argmax() == 2
    deep = [(x, y, z) for x in range(32) for z in range(32) for y in range(8, 16)]
    drowned = draw(worlds.with_block(look(), "water", *deep), hand=False)[0]
    assert drowned.mean((0, 1)).argmax() == 2 and drowned.mean() < draw(look(), hand=False).mean()


def test_water_that_came_far_from_the_eye_is_as_bright_as_by_its_true_light():
    """The stored light of its cells is that of the ground which was there: none."""
    lake = [(x, worlds.GROUND - k, z) for x in range(32) for z in range(18, 31) for k in (1, 2)]
    dry = look(pitch=[15.0] * LANES)
    wet = worlds.with_block(dry, "water", *lake)
    blocks = np.asarray(wet.blocks[0])
    stored, true = draw(wet)[0], draw(wet, (blocks[None], flood(blocks)[None]))[0]
    water = changed(draw(dry)[:1], true[None])[0]
    assert water.mean() > 0.05
    assert 0.9 < stored[water].mean() / true[water].mean() < 1.05


def test_pixels_do_not_depend_on_how_the_work_is_shared_out():
    """A few lanes are drawn in bands of rows, many lane by lane."""
    views = random_views(8)
    scenes = jax.tree.map(np.asarray, make_scenes(views.state, views.pool_light))
    given = (
        scenes, np.asarray(views.state.blocks), np.asarray(views.pool_light),
        np.asarray(views.state.pool_index), 40, 56,
    )  # fmt: skip
    whole = render_host.render(*given)
    out = whole.copy()
    out[3] = 7
    again = render_host.render(*given, lanes=np.array([3]), out=out)
    assert again is out
    np.testing.assert_array_equal(again, whole)


def test_light_near_the_eye_is_that_of_the_reference():
    """Where nothing was dug or built it is the stored light."""
    views = random_views(8)
    light, state = np.asarray(views.pool_light), views.state
    dug = np.array(state.blocks)
    for lane, (x, y, z) in enumerate(np.floor(np.asarray(state.player.position)).astype(int)):
        dug[lane, (x + 2) % 32, (z + 1) % 32, max(1, y - 3) : y + 1] = worlds.AIR
    dug[0] = np.asarray(state.blocks)[0]  # as the pool, where all lanes but this are changed
    state = state.replace(blocks=dug, pool_index=np.arange(8, dtype=np.int32))
    pool = (np.asarray(views.state.blocks), np.stack([flood(world) for world in pool_of(views)]))
    del light
    np.testing.assert_array_equal(draw(state, pool), draw(state, pool, near=True))


def pool_of(views) -> list[np.ndarray]:
    return list(np.asarray(views.state.blocks))


def test_more_rays_a_pixel_are_the_mean_of_a_larger_picture():
    views = random_views(2)
    state, light = views.state, np.asarray(views.pool_light)
    pool = (None, light)
    fine = draw(state, pool, near=True, size=2 * SIZE, hand=False).astype(float)
    mean = fine.reshape(2, SIZE, 2, SIZE, 2, 3).mean((2, 4))
    smooth = draw(state, pool, near=True, hand=False, samples=2)
    assert np.abs(smooth - mean).max() <= 1.0


@pytest.mark.parametrize("bad", [{"size": 0}, {"samples": 3}])
def test_what_cannot_be_drawn_is_refused(bad):
    with pytest.raises(ValueError, match="cannot draw"):
        draw(look(), **bad)


@functools.cache
def seeing() -> HostVoxel:
    task = dataclasses.replace(get_task("harvest_milk"), horizon=6)
    pool = worlds.pool(worlds.HOST_PARAMS)
    env = VoxelEnv(task, worlds.HOST_PARAMS, worlds.HOST_LANES, pool)
    return HostVoxel(env, image_size=(24, 32))


def test_a_host_s_worlds_are_drawn_in_place():
    """Were a view of them held, the next tick would copy them to another place."""
    world = seeing()
    obs = world.reset(0)
    assert obs.rgb.shape == (worlds.HOST_LANES, 24, 32, 3) and obs.rgb.dtype == np.uint8
    assert np.ptp(obs.rgb) > 50
    turn = np.tile(worlds.action(YAW=15), (worlds.HOST_LANES, 1))
    step = world.step(turn)
    place = world.state.blocks.unsafe_buffer_pointer()
    for _ in range(3):
        before, step = step.obs, world.step(turn)
        assert world.state.blocks.unsafe_buffer_pointer() == place
        assert (step.obs.rgb != before.rgb).any((1, 2, 3)).all()


def test_only_lanes_that_begin_anew_are_drawn_again():
    world = seeing()
    world.reset(1)
    turn = np.tile(worlds.action(YAW=15), (worlds.HOST_LANES, 1))
    for _ in range(5):
        world.step(turn)
    last = world.advance(turn)
    assert last.truncated.all()
    first = world.restart(np.array([False, True, False, False]))
    np.testing.assert_array_equal(first.rgb[[0, 2, 3]], last.obs.rgb[[0, 2, 3]])
    assert (first.rgb[1] != last.obs.rgb[1]).any()
    assert world.advance(turn, rays=False).obs.rgb is None


@pytest.mark.parametrize(
    "options, words",
    [({"renderer": "opengl"}, "no renderer 'opengl'"), ({"image_size": (0, 64)}, "image_size is")],
)
def test_a_host_refuses_what_it_cannot_draw(options, words):
    task = get_task("harvest_milk")
    with pytest.raises(ValueError, match=words):
        HostVoxel(VoxelEnv(task, worlds.PARAMS, 1, worlds.pool()), **options)
