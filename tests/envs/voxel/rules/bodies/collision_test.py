"""Boxes against boxes: sweeping, stepping up, and what a block's boxes are."""

import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BLOCK_STATES, BYTE_OF
from rlgpt_jax.envs.voxel.rules.bodies import box_collision, collision, currents, shapes
from rlgpt_jax.envs.voxel.rules.bodies.shapes import SHAPES
from tests.envs.voxel import worlds

AIR = worlds.AIR
SIZE = (3, 3, 8)  # x, z, y of a region
WIDTH, HEIGHT = 0.6, 1.8


def walk(blocks, feet, wish, grounded=True):
    """One body with its feet at `feet` (x, y, z) among (name, meta, x, y, z) blocks."""
    byte = np.full((1, *SIZE), AIR, np.uint8)
    for name, meta, x, y, z in blocks:
        byte[0, x, z, y] = BYTE_OF[name, meta]
    solid = box_collision.obstacles(jnp.asarray(byte), SHAPES)
    body = collision.body(jnp.array([feet]), jnp.zeros((1, 3), jnp.int32), WIDTH, HEIGHT)
    walked = box_collision.walk(solid, body, jnp.array([wish]), jnp.array([grounded]))
    ends = np.asarray(walked.box.low[0]) + np.array([WIDTH / 2, 0.0, WIDTH / 2])
    return np.asarray(walked.moved[0]), ends


FLOOR = [("stone", 0, x, 2, z) for x in range(3) for z in range(3)]


def test_a_body_steps_up_half_a_block_and_not_a_whole_one():
    wish = (0.0, -0.0784, 0.25)
    for block, rise, ahead in (
        (("stone_slab", 0), 0.5, 0.25),
        (("snow_layer", 4), 0.5, 0.25),
        (("carpet", 0), 0.0625, 0.25),
        (("bed", 0), 0.5625, 0.25),
        (("snow_layer", 5), 0.0, 0.2),
        (("stone", 0), 0.0, 0.2),
        (("fence", 0), 0.0, 0.25),  # a post in the middle of its cell
        (("stone_slab", 8), 0.0, 0.2),
    ):
        _, ends = walk([*FLOOR, (*block, 1, 3, 2)], (1.5, 3.0, 1.5), wish)
        np.testing.assert_allclose(ends, [1.5, 3.0 + rise, 1.5 + ahead], atol=1e-6, err_msg=block)


def test_a_body_in_the_air_does_not_step():
    slab = ("stone_slab", 0, 1, 3, 2)
    _, ends = walk([*FLOOR, slab], (1.5, 3.3, 1.5), (0.0, 0.1, 0.25), grounded=False)
    np.testing.assert_allclose(ends, [1.5, 3.4, 1.7], atol=1e-6)


def test_a_landing_body_steps_from_where_it_was():
    block = ("stone", 0, 1, 3, 2)
    for height, top in ((3.45, 4.0), (3.35, 3.0)):
        moved, ends = walk([*FLOOR, block], (1.5, height, 1.5), (0.0, -0.5, 0.25), grounded=False)
        assert ends[1] == top
        assert moved[1] > -0.5  # it counts as landing either way


def test_a_fence_is_half_a_block_higher_than_its_cell():
    _, ends = walk([("fence", 0, 1, 2, 1)], (1.5, 4.0, 1.5), (0.0, -1.0, 0.0))
    assert ends[1] == 3.5


def test_stairs_carry_by_their_low_and_their_high_half():
    for facing, low_side in ((0, (1.1, 1.5)), (1, (1.9, 1.5)), (2, (1.5, 1.1)), (3, (1.5, 1.9))):
        stairs = ("oak_stairs", facing, 1, 3, 1)
        x, z = low_side
        _, ends = walk([stairs], (x, 5.0, z), (0.0, -3.0, 0.0))
        assert ends[1] == 3.5, facing
        _, ends = walk([stairs], (3.0 - x, 5.0, 3.0 - z), (0.0, -3.0, 0.0))
        assert ends[1] == 4.0, facing


def test_all_boxes_of_a_hopper_stop_a_body():
    hopper = ("hopper", 0, 1, 3, 1)
    cells = [*FLOOR, hopper]
    for x, z in ((0.9, 1.5), (2.1, 1.5), (1.5, 0.9), (1.5, 2.1)):  # over its four walls
        _, ends = walk(cells, (x, 5.0, z), (0.0, -3.0, 0.0))
        assert ends[1] == 4.0
    byte = np.full((1, *SIZE), AIR, np.uint8)
    byte[0, 1, 1, 3] = BLOCK_ID["hopper"]
    solid = box_collision.obstacles(jnp.asarray(byte), SHAPES)
    bowl = collision.Box(jnp.array([[1.2, 3.7, 1.2]]), jnp.array([[1.8, 3.9, 1.8]]))
    assert not box_collision.overlaps(solid, bowl).any()
    assert box_collision.overlaps(solid, bowl.shift(jnp.array([0.1, 0.0, 0.0]))).all()


def test_the_world_s_shapes():
    assert SHAPES.used[BLOCK_ID["air"]] == 0 and SHAPES.used[BLOCK_ID["oak_stairs"]] == 2
    flags = int(SHAPES.flags[BLOCK_ID["stone"]])
    assert flags & shapes.FULL and not flags & shapes.PARTIAL
    for name, top in (
        ("fence", 1.5), ("cobblestone_wall", 1.5), ("farmland", 0.9375), ("carpet", 0.0625),
        ("web", 0.0), ("torch", 0.0), ("stone", 1.0), ("chest", 0.875),
    ):  # fmt: skip
        assert shapes.TOP[BLOCK_ID[name]] == pytest.approx(top), name
    for layers in range(8):
        assert shapes.TOP[BYTE_OF["snow_layer", layers]] == pytest.approx(layers / 8)
    assert SHAPES.used[BYTE_OF["fence_gate", 4]] == 0  # open
    assert (SHAPES.flags[BYTE_OF["fence_gate", 4]] & shapes.BLOCKING) > 0
    used = np.arange(SHAPES.low.shape[1]) < SHAPES.used[:, None]
    assert (SHAPES.low < SHAPES.high).all(-1)[used].all()
    assert (SHAPES.high[used] <= 1.5).all() and (SHAPES.low[used] >= 0).all()


def test_a_table_can_hold_blocks_that_the_world_lacks():
    table = shapes.table([*BLOCK_STATES, ("slime", 0)])
    byte = len(BLOCK_STATES)
    assert table.slipperiness[byte] == pytest.approx(0.8)
    assert table.flags[byte] & shapes.SLIME and table.used[byte] == 1
    with pytest.raises(ValueError, match="no_such_block"):
        shapes.table([("air", 0), ("no_such_block", 0)])
    with pytest.raises(ValueError, match="0..15"):
        shapes.boxes_of("oak_stairs", 16)


def push(blocks, feet=(8.5, 8.0, 8.5)):
    """float32[3]: what the water among (name, meta, x, y, z) blocks adds to the velocity."""
    world = worlds.empty(16, 16, 16)
    for name, meta, x, y, z in blocks:
        world[x, z, y] = BYTE_OF[name, meta]
    position = jnp.array([feet], jnp.float32)
    in_water = jnp.array([True])
    return np.asarray(currents.push(jnp.asarray(world[None]), position, in_water, SHAPES))[0]


def test_water_pushes_towards_lower_levels():
    line = [("flowing_water", level, 8 + level - 2, 8, 8) for level in range(5)]
    np.testing.assert_allclose(push(line), [currents.PUSH, 0.0, 0.0], atol=1e-7)
    line = [("flowing_water", level, 8, 8, 8 - level + 2) for level in range(5)]
    np.testing.assert_allclose(push(line), [0.0, 0.0, -currents.PUSH], atol=1e-7)


def test_still_water_does_not_push_and_falling_water_pulls_down_a_wall():
    lake = [("water", 0, x, 8, z) for x in range(5, 12) for z in range(5, 12)]
    np.testing.assert_array_equal(push(lake), 0.0)
    fall = [("flowing_water", 8, 8, y, 8) for y in range(6, 12)]
    np.testing.assert_array_equal(push(fall), 0.0)
    wall = [("stone", 0, 9, y, 8) for y in range(6, 12)]
    np.testing.assert_allclose(push(fall + wall), [0.0, -currents.PUSH, 0.0], atol=1e-7)


@pytest.mark.parametrize("active", [(), (3,), (0, 2, 4, 6, 8, 9), tuple(range(10))])
def test_some_lanes_are_worked_on_and_the_others_kept(active):
    mask = np.zeros(10, bool)
    mask[list(active)] = True
    inputs = {"x": jnp.arange(10.0), "y": jnp.ones((10, 2))}
    default = (jnp.full(10, -1.0), jnp.zeros((10, 2)))
    act = lambda part: (part["x"] * 2, part["y"] + part["x"][:, None])  # noqa: E731
    got = lanes.for_some(jnp.asarray(mask), act, inputs, default, at_once=4)
    want = [np.where(mask.reshape(-1, *[1] * (a.ndim - 1)), a, d)
            for a, d in zip(act(inputs), default)]  # fmt: skip
    for one, other in zip(got, want):
        np.testing.assert_array_equal(one, other)


def test_many_swimmers_feel_what_few_do():
    chance = np.random.default_rng(1)
    n = currents.AT_ONCE + 8
    levels = [BYTE_OF["flowing_water", level] for level in range(9)]
    world = chance.choice([*levels, BLOCK_ID["stone"], AIR], (n, 12, 12, 12)).astype(np.uint8)
    feet = chance.uniform(3.0, 9.0, (n, 3)).astype(np.float32)
    inputs = jnp.asarray(world), jnp.asarray(feet)
    all_swim = np.asarray(currents.push(*inputs, jnp.ones(n, bool), SHAPES))
    some = np.arange(n) % 3 == 0
    few_swim = np.asarray(currents.push(*inputs, jnp.asarray(some), SHAPES))
    np.testing.assert_allclose(few_swim, np.where(some[:, None], all_swim, 0.0), atol=1e-7)
    assert (np.abs(all_swim).max(1) > 0).mean() > 0.9
