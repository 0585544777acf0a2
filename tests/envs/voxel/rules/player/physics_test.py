"""The player moves as in the recorded runs of prismarine-physics."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, BYTE_OF
from rlgpt_jax.envs.voxel.rules.bodies import collision, move
from rlgpt_jax.envs.voxel.rules.bodies.shapes import FULL, SHAPES, SPECIAL
from rlgpt_jax.envs.voxel.rules.player import physics
from tests.envs.voxel import worlds
from tests.fidelity import motion, trajectories

GOLDEN = sorted(path.stem for path in trajectories.GOLDEN.glob("*.json"))
# Of the runs made for this project: two of each kind of random field.
KINDS = 6
MADE = {f"heldout_{1000 + k}" for k in range(2 * KINDS)} | {
    f"shapes_{3000 + k}" for k in range(2 * KINDS)
}


@functools.cache
def results() -> dict[str, motion.Result]:
    """All golden and the sampled made runs, as lanes of one batch."""
    cases = [case for name in GOLDEN for case in load(name)]
    cases += [case for case in trajectories.load(trajectories.MADE) if case.name in MADE]
    return {result.name: result for result in motion.run_cases(cases)}


def load(name: str) -> list[trajectories.Trajectory]:
    return trajectories.load(trajectories.GOLDEN / f"{name}.json")


@pytest.mark.parametrize("name", GOLDEN + sorted(MADE))
def test_every_tick_agrees_with_the_recorded_run(name):
    result = results()[name]
    assert result.first_divergence is None, result


def test_golden_runs_need_no_repeated_rounding():
    assert len(GOLDEN) == 29
    assert not any(results()[name].rounded for name in GOLDEN)


def step(state, ticks=1, **keys):
    """Every lane holds the same keys. Returns the state and the last tick's motion."""
    n = len(state.tick)
    held = {"forward": 0.0, "right": 0.0, "jump": False, "sneak": False, "sprint": False} | keys
    held = {key: jnp.full(n, value) for key, value in held.items()}
    controls = physics.Controls(**held)
    for _ in range(ticks):
        state, motion = MOVE(state, controls)
    return state, motion


MOVE = jax.jit(lambda state, controls: physics.move(state, controls, physics.around(state)))


def test_cactus_and_fire_are_felt_where_they_are_touched():
    place = (8, worlds.GROUND, 9)
    for name in ("cactus", "fire"):
        state = worlds.with_block(worlds.player(), name, place)
        _, motion = step(state)
        assert not (motion.touches_cactus | motion.in_fire).any()
        state, motion = step(state, ticks=6, forward=1.0)
        assert motion.touches_cactus.all() == (name == "cactus")
        assert motion.in_fire.all() == (name == "fire")


def test_a_head_in_stone_suffocates_but_not_in_glass_or_a_slab():
    head = (8, worlds.GROUND + 1, 8)
    for name, hurts in (("stone", True), ("glass", False), ("stone_slab", False), ("ice", True)):
        _, motion = step(worlds.with_block(worlds.player(), name, head))
        assert motion.eye_in_wall.all() == hurts, name


def test_ladders_vines_webs_and_water_break_a_fall():
    for name in ("ladder", "vine", "web", "water", "air"):
        state = worlds.player(fall_distance=np.full(worlds.LANES, 5.0), on_ground=[False] * 2)
        state = worlds.with_player(state, position=state.player.position.at[:, 1].add(3.5))
        cells = [(8, worlds.GROUND + up, 8) for up in range(8)]
        state = worlds.with_block(state, name, *cells) if name != "air" else state
        state, _ = step(state)
        assert (state.player.fall_distance < 0.1).all() == (name != "air"), name


def test_a_lane_among_shapes_does_not_change_the_others():
    both = worlds.player(yaw=np.array([0.0, 0.0]))
    blocks = np.array(both.blocks)
    blocks[0, 8, 10, worlds.GROUND] = BLOCK_ID["stone_slab"]
    alone, _ = step(both, ticks=10, forward=1.0)
    beside, _ = step(both.replace(blocks=jnp.asarray(blocks)), ticks=10, forward=1.0)
    np.testing.assert_array_equal(beside.player.position[1], alone.player.position[1])
    assert beside.player.position[0, 1] == worlds.GROUND + 0.5


@pytest.mark.slow
def test_both_ways_agree_among_full_cubes():
    """Random cells of stone around bodies in the air, moved by random wishes."""
    chance = np.random.default_rng(0)
    n = 600
    byte = np.where(chance.random((n, *physics.REGION)) < 0.35, BLOCK_ID["stone"], worlds.AIR)
    position = (np.array([0.5, 4.0, 0.5]) + chance.uniform(-0.4, 0.4, (n, 3))).astype(np.float32)
    corner = np.floor(position).astype(np.int32) + np.array(physics.REGION_OFFSET)
    box = collision.body(position, corner, *physics.PLAYER_SIZE)
    byte[np.asarray(collision.inside(physics.REGION, box))] = worlds.AIR
    wish = chance.uniform(-0.5, 0.5, (n, 3)).astype(np.float32)
    no = np.zeros(n, bool)
    start = move.Step(
        jnp.asarray(byte, jnp.uint8), corner, position, wish, wish, no, no,
        np.full(n, 0.91, np.float32), no, no,
    )  # fmt: skip
    cubes = (jnp.asarray(SHAPES.flags)[start.byte] & FULL) > 0
    fast = physics._by_cubes(cubes, jnp.zeros_like(cubes), box, start)
    exact = move.by_shapes(start, SHAPES)
    steps = np.asarray(physics._may_step(start, fast))
    assert 0 < steps.sum() < n / 4  # left to the exact way, which may step up
    stopped = np.asarray(fast.moved) != wish
    assert stopped.any(0).all()
    for one, other in zip(fast, exact):
        np.testing.assert_allclose(one[~steps], other[~steps], atol=2e-6)


def test_only_blocks_of_special_shape_or_motion_leave_the_fast_way():
    special = (SHAPES.flags & SPECIAL) > 0
    for name in ("stone", "leaves", "glass", "ice", "tallgrass", "torch", "water", "fire"):
        assert not special[BLOCK_ID[name]], name
    for name in ("stone_slab", "fence", "web", "vine", "ladder", "soul_sand", "chest"):
        assert special[BLOCK_ID[name]], name
    assert not special[BYTE_OF["snow_layer", 0]] and special[BYTE_OF["snow_layer", 3]]
    assert not special[AIR_CODE:].any()
