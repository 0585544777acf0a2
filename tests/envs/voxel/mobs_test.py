"""Mobs walk at their speed, climb one block, fall, and stay out of walls."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.voxel import mobs
from rlgpt_jax.envs.voxel.mob_table import steady_speed
from tests.envs.voxel import worlds

_MOVE = jax.jit(lambda state: mobs.move(state, mobs.around(state)).replace(tick=state.tick + 1))


def walk(state, ticks):
    for _ in range(ticks):
        state = _MOVE(state)
    return state


def heading(state, x, z, panic=0):
    """The first mob walks to (x, z)."""
    return state.replace(
        mob_target=state.mob_target.at[:, 0].set(jnp.array([x, z])),
        mob_walk=state.mob_walk.at[:, 0].set(1000),
        mob_panic=state.mob_panic.at[:, 0].set(panic),
        mob_yaw=state.mob_yaw * 0,
    )


@pytest.mark.parametrize(
    ("kind", "panic", "multiplier"), [("cow", 0, 1.0), ("cow", 50, 2.0), ("sheep", 50, 1.25)]
)
def test_a_walking_mob_reaches_the_speed_of_the_table(kind, panic, multiplier):
    state = worlds.with_mob(worlds.player(), kind, (8.5, worlds.GROUND, 4.5))
    state = walk(heading(state, 8.5, 100.0, panic), 15)
    after = walk(state, 10)
    speed = float(after.mob_position[0, 0, 2] - state.mob_position[0, 0, 2]) / 10
    np.testing.assert_allclose(speed, steady_speed(kind, multiplier), rtol=0.01)


def test_a_mob_climbs_one_block_and_not_two():
    for height, passes in ((1, True), (2, False)):
        wall = [(x, worlds.GROUND + k, 8) for x in range(32) for k in range(height)]
        state = worlds.with_block(worlds.player(), "stone", *wall)
        state = worlds.with_mob(state, "cow", (8.5, worlds.GROUND, 5.5))
        state = walk(heading(state, 8.5, 14.5), 90)
        assert (float(state.mob_position[0, 0, 2]) > 9.0) == passes


def test_mobs_fall_and_land_on_the_ground():
    state = worlds.with_mob(worlds.player(), "sheep", (8.5, worlds.GROUND + 9.3, 5.5))
    state = walk(state.replace(mob_on_ground=jnp.zeros_like(state.mob_on_ground)), 40)
    assert state.mob_position[0, 0, 1] == worlds.GROUND and state.mob_on_ground[0, 0]


def test_a_calm_mob_stops_at_a_cliff():
    state = worlds.player()
    hole = jnp.asarray(worlds.empty(32, 9, 5))
    blocks = state.blocks.at[:, :, 10:19, 3:8].set(hole)
    state = worlds.with_mob(state.replace(blocks=blocks), "cow", (8.5, worlds.GROUND, 6.5))
    state = walk(heading(state, 8.5, 15.5), 60)
    assert state.mob_position[0, 0, 1] == worlds.GROUND
    assert float(state.mob_position[0, 0, 2]) < 10.5


def test_mobs_wander_about_once_in_120_ticks():
    n = 64
    state = worlds.with_mob(worlds.player(n), "cow", (8.5, worlds.GROUND, 8.5))
    starts = 0
    for _ in range(60):
        after = _MOVE(state)
        starts += int(((after.mob_walk > state.mob_walk) & (state.mob_kind > 0)).sum())
        # Back to idle, so that every tick is a fresh draw.
        state = after.replace(mob_walk=jnp.zeros_like(after.mob_walk))
    assert 0.5 < starts / (n * 60 / 120) < 1.6


def test_mobs_never_end_inside_blocks():
    """A maze of pillars, three mobs in panic, every lane another seed."""
    n, rng = 8, np.random.default_rng(0)
    pillars = [
        (int(x), worlds.GROUND + k, int(z))
        for x, z in rng.integers(0, 32, (120, 2))
        for k in (0, 1)
    ]
    state = worlds.with_block(worlds.player(n), "stone", *pillars)
    blocks = state.blocks.at[:, 8:10, 8:10, worlds.GROUND :].set(worlds.AIR)
    state = worlds.with_mob(state.replace(blocks=blocks), "cow", (9.0, worlds.GROUND, 9.0))
    for _ in range(120):
        state = _MOVE(state.replace(mob_panic=jnp.full_like(state.mob_panic, 100)))
        feet = np.asarray(state.mob_position[:, 0])
        for lane, (x, y, z) in enumerate(feet):
            for dx in (-0.44, 0.44):
                for dz in (-0.44, 0.44):
                    cell = (int(np.floor(x + dx)), int(np.floor(y + 0.01)), int(np.floor(z + dz)))
                    assert worlds.block(state, cell, lane) >= 128
    assert np.abs(feet[:, ::2] - 9.0).max() > 2.0
