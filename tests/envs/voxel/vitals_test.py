"""Falling, drowning, hunger and healing."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.voxel.vitals import _digest
from tests.envs.voxel import worlds


@pytest.mark.parametrize(("height", "damage"), [(3, 0), (4, 1), (6, 3), (10, 7)])
def test_a_fall_costs_the_blocks_beyond_three(height, damage):
    """The tick of the landing is not counted, so a whole height costs height - 3."""
    state = worlds.player()
    state = state.replace(
        position=state.position + jnp.array([0.0, float(height), 0.0]),
        velocity=jnp.zeros_like(state.velocity),
        on_ground=jnp.zeros(worlds.LANES, bool),
        food=jnp.full(worlds.LANES, 10.0),  # no healing
    )
    state = worlds.run(state, 40)
    assert state.position[0, 1] == worlds.GROUND
    assert state.life[0] == 20 - damage
    assert state.fall_distance[0] == 0


def test_water_breaks_the_fall():
    state = worlds.with_block(worlds.player(), "water", *[(8, y, 8) for y in (8, 9)])
    state = state.replace(
        position=state.position + jnp.array([0.0, 12.0, 0.0]),
        on_ground=jnp.zeros(worlds.LANES, bool),
    )
    assert worlds.run(state, 60).life[0] == 20


def test_air_lasts_300_ticks_and_comes_back_at_once():
    pool = [(x, y, z) for x in (7, 8, 9) for z in (7, 8, 9) for y in (8, 9, 10, 11, 12)]
    state = worlds.with_block(worlds.player(), "water", *pool)
    under = worlds.run(state, 5)
    assert under.oxygen[0] == 295
    hungry = jnp.full(worlds.LANES, 10.0)  # no healing
    drowning = under.replace(oxygen=jnp.full(worlds.LANES, 1.0), food=hungry)
    assert worlds.run(drowning, 25).life[0] == 18
    assert worlds.run(under.replace(position=worlds.player().position + 12.0)).oxygen[0] == 300


def test_sprinting_tires_and_walking_does_not():
    start = worlds.player()
    sprint = worlds.run(start, 20, MOVE=1, JUMP=3)
    way = float(sprint.position[0, 2] - start.position[0, 2])
    np.testing.assert_allclose(sprint.exhaustion[0], 0.1 * way, rtol=1e-3)
    assert worlds.run(start, 20, MOVE=1).exhaustion[0] == 0
    assert way > 1.25 * float(worlds.run(start, 20, MOVE=1).position[0, 2] - 8.5)


def test_exhaustion_eats_saturation_before_food():
    state = worlds.player().replace(
        exhaustion=jnp.array([4.5, 4.5]), saturation=jnp.array([2.0, 0.0])
    )
    state = jax.jit(_digest)(state)
    assert state.saturation.tolist() == [1.0, 0.0]
    assert state.food.tolist() == [20.0, 19.0]
    np.testing.assert_allclose(state.exhaustion, 0.5)


@pytest.mark.parametrize(("food", "saturation", "healed"), [(20, 6, 1.0), (18, 0, 1.0), (17, 6, 0)])
def test_food_heals(food, saturation, healed):
    """A point per 10 ticks at full food by 6 of saturation, or per 80 ticks from 18 on."""
    state = worlds.player().replace(
        life=jnp.full(2, 10.0),
        food=jnp.full(2, float(food)),
        saturation=jnp.full(2, float(saturation)),
    )
    ticks = 10 if food == 20 else 80
    state = worlds.run(state, ticks)
    assert state.life[0] == 10 + healed
    total = lambda s: float(s.exhaustion[0] - 4 * (s.saturation[0] + s.food[0]))  # noqa: E731
    spent = total(state) + 4 * (saturation + food)
    np.testing.assert_allclose(spent, 6 * healed, atol=1e-4)


def test_starving_stops_at_one_point_of_life():
    state = worlds.player().replace(food=jnp.zeros(2), life=jnp.array([1.5, 1.0]))
    state = worlds.run(state, 81)
    assert state.life.tolist() == [0.5, 1.0]


def test_time_passes_from_noon():
    state = worlds.player().replace(world_time=jnp.array([6000, 23_999]))
    assert worlds.run(state).world_time.tolist() == [6001, 0]


def test_lava_burns_and_walls_suffocate():
    hungry = worlds.player().replace(food=jnp.full(worlds.LANES, 10.0))  # no healing
    lava = worlds.with_block(hungry, "lava", (8, 8, 8), (8, 9, 8))
    assert worlds.run(lava, 1).life[0] == 16
    assert worlds.run(lava, 12).life[0] == 12  # once per 10 ticks
    wall = worlds.with_block(hungry, "stone", (8, 9, 8))
    assert worlds.run(wall, 1).life[0] == 19
