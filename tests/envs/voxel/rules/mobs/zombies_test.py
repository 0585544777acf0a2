"""Zombies notice, chase and hit the player, burn by day, come in the dark and go far away."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.base import DAMAGE_KINDS
from rlgpt_jax.envs.voxel.rules.blocks import light
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.mobs import mob_life, mobs, spawning, zombies
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_LIFE, ZOMBIE
from tests.envs.voxel import worlds

NIGHT = np.full(worlds.LANES, 18_000)
WIDE = dataclasses.replace(worlds.PARAMS, size_x=96, size_z=96)


def zombie(x, z, params=worlds.PARAMS, **fields):
    fields.setdefault("world_time", NIGHT)
    state = worlds.player(params=params, **fields)
    return worlds.with_mob(state, "zombie", (x, worlds.GROUND, z))


def aware(state, ticks=1000):
    return state.replace(mobs=state.mobs.replace(panic=state.mobs.panic.at[:, 0].set(ticks)))


def run(state, ticks):
    """Healed in every tick; returns the state and the damage of lane 0 in each tick."""
    damage = []
    for _ in range(ticks):
        state = worlds.run(worlds.with_player(state, life=jnp.full(worlds.LANES, 20.0)))
        damage.append(float(state.player.damage[0]))
    return state, damage


_ACT = jax.jit(zombies.act)


def notice(state, ticks=3):
    """What the zombies alone do; in 3 ticks each of 3 mobs has its turn."""
    for _ in range(ticks):
        state = _ACT(state, lit(state, 16 * light.FULL))
        state = state.replace(tick=state.tick + 1)
    return state


def test_a_zombie_sees_the_player_in_the_open_and_not_through_a_wall():
    state = zombie(8.5, 20.5)
    m = state.mobs.kind.shape[1]
    assert (worlds.run(state, m).mobs.panic[:, 0] > 0).all()
    wall = [(x, worlds.GROUND + k, 14) for x in range(32) for k in range(4)]
    blind = worlds.run(worlds.with_block(state, "stone", *wall), m)
    assert not blind.mobs.panic.any()


def test_a_zombie_beyond_35_blocks_sees_nothing():
    for away, seen in ((34.0, True), (36.0, False)):
        state = zombie(8.5, 8.5 + away, params=WIDE)
        assert (notice(state).mobs.panic[0, 0] > 0) == seen


def test_it_comes_straight_at_its_speed_and_forgets_after_three_seconds():
    state = worlds.run(aware(zombie(8.5, 22.5)), 15)
    after = worlds.run(state, 10)
    speed = float(state.mobs.position[0, 0, 2] - after.mobs.position[0, 0, 2]) / 10
    np.testing.assert_allclose(speed, worlds.steady_speed("zombie"), rtol=0.01)
    wall = [(x, worlds.GROUND + k, 14) for x in range(32) for k in range(4)]
    hidden = worlds.with_block(aware(zombie(8.5, 20.5), 60), "stone", *wall)
    assert worlds.run(hidden, 59).mobs.panic[0, 0] == 1
    assert worlds.run(hidden, 60).mobs.panic[0, 0] == 0


def test_it_climbs_one_block_to_the_player():
    wall = [(x, worlds.GROUND, 12) for x in range(32)]
    state = worlds.with_block(aware(zombie(8.5, 15.5)), "stone", *wall)
    state, _ = run(state, 100)
    assert float(state.mobs.position[0, 0, 2]) < 12.0


def test_it_hits_for_three_every_second_and_pushes_away():
    state = aware(zombie(8.5, 9.6))
    first = worlds.run(state)
    assert first.player.life[0] == 17 and DAMAGE_KINDS[int(first.player.damage_kind[0])] == "mob"
    assert first.player.velocity[0, 2] < -0.3 and first.player.velocity[0, 1] > 0.3
    # Held in its place the player is hit again after exactly 20 ticks.
    hits = []
    for tick in range(61):
        state = worlds.run(
            worlds.with_player(
                state.replace(
                    mobs=state.mobs.replace(position=aware(zombie(8.5, 9.6)).mobs.position)
                ),
                life=jnp.full(worlds.LANES, 20.0),
                position=zombie(0, 0).player.position,
            )
        )
        hits += [tick] if state.player.damage[0] else []
    assert hits == [0, 20, 40, 60]


@pytest.mark.parametrize(("distance", "lands"), [(1.40, True), (1.45, False)])
def test_its_reach_is_that_of_the_game(distance, lands):
    """Squared distance up to (2 * 0.6)^2 + 0.6 = 2.04."""
    hit = jax.jit(zombies._attack)(aware(zombie(8.5, 8.5 + distance)))
    assert (hit.player.life[0] < 20) == lands


def test_it_does_not_hit_whom_it_has_not_noticed():
    assert jax.jit(zombies._attack)(zombie(8.5, 9.5)).player.life[0] == 20


def lit(state, level):
    return np.full((1, *state.blocks.shape[1:]), level, np.uint8)


def test_it_burns_by_day_under_the_open_sky_and_not_at_night_in_shade_or_in_water():
    noon = np.full(worlds.LANES, 6000)
    day = zombie(4.5, 4.5, world_time=noon)
    burning = worlds.run(day, 150)
    assert burning.mobs.fire[0, 0] > 0 and burning.mobs.life[0, 0] < 20
    night = worlds.run(zombie(4.5, 4.5), 150)
    assert not night.mobs.fire.any() and night.mobs.life[0, 0] == 20
    roof = [(x, 16, z) for x in range(32) for z in range(32)]
    shade = worlds.run(worlds.with_block(day, "stone", *roof), 150)
    assert not shade.mobs.fire.any()
    wet = [(x, worlds.GROUND + k, z) for x in range(32) for z in range(32) for k in range(4)]
    assert not worlds.run(worlds.with_block(day, "water", *wet), 60).mobs.fire.any()


def test_the_sun_lights_one_in_25_ticks_at_noon():
    n = 3000
    state = zombie(4.5, 4.5, world_time=np.full(worlds.LANES, 6000))
    catches = 0
    check = jax.jit(zombies._in_daylight)
    state = state.replace(
        blocks=state.blocks[:1], mobs=state.mobs.replace(kind=state.mobs.kind[:1])
    )
    state = state.replace(
        seed=jnp.zeros(1, jnp.uint32),
        world_time=jnp.array([6000]),
        lights=state.lights.replace(block=state.lights.block[:1], level=state.lights.level[:1]),
        pool_index=jnp.zeros(1, jnp.int32),
    )
    place = jnp.array([[4.5, 8.0, 4.5]])
    for tick in range(n // 3):
        state = state.replace(tick=jnp.array([tick]))
        catches += int(check(state, lit(state, 16 * light.FULL), place)[0])
    # Of 3 mobs each is asked in every third tick, with three times the chance.
    expected = n / 3 * 3 * 0.04
    assert abs(catches - expected) < 4 * np.sqrt(expected)


def test_far_away_it_goes_at_once_or_now_and_then():
    between = zombie(8.5, 8.5 + 40.0, params=WIDE)
    gone = 0
    for tick in range(3, 303):
        after = _ACT(between.replace(tick=between.tick + 3 * tick), lit(between, 255))
        gone += int((after.mobs.kind[:, 0] == 0).sum())
    # Each is asked in every third tick, with 3 / 800: 2.25 of 600 tries go.
    assert 0 < gone < 10
    far = zombie(8.5, 8.5 + 47.5, params=WIDE)
    assert not notice(far).mobs.kind.any()
    keep = notice(zombie(8.5, 8.5 + 30.0, params=WIDE))
    assert (keep.mobs.kind[:, 0] == ZOMBIE).all()


def caves(n, time, params=WIDE):
    """Lanes of flat ground at night or by day, with one free entry for a zombie each."""
    state = worlds.player(1, params=params, position=[[48.5, worlds.GROUND, 48.5]])
    state = jax.tree.map(lambda a: np.repeat(a, n, 0), state)
    return state.replace(
        seed=jnp.arange(n, dtype=jnp.uint32), world_time=jnp.full(n, time, jnp.int32)
    )


_SPAWN = jax.jit(spawning.spawn, static_argnames="hostile")


def appear(state, ticks, hostile=1, stored=16 * light.FULL):
    for _ in range(ticks):
        state = _SPAWN(state, lit(state, stored), hostile=hostile)
        state = state.replace(tick=state.tick + 1)
    return state


def test_zombies_come_at_night_on_the_ground_24_to_44_blocks_away():
    state = appear(caves(16, 18_000), 150)
    came = np.asarray(state.mobs.kind[:, -1] == ZOMBIE)
    assert came.sum() >= 8 and not state.mobs.kind[:, :-1].any()
    place = np.asarray(state.mobs.position)[came, -1]
    assert (place[:, 1] == worlds.GROUND).all()
    way = np.linalg.norm(place - np.asarray(state.player.position)[came], axis=1)
    assert way.min() > 24 and way.max() < 44
    assert (np.asarray(state.mobs.life)[came, -1] == MOB_LIFE[ZOMBIE]).all()


def test_no_zombie_comes_by_day_or_near_a_torch():
    assert not appear(caves(16, 6000), 100).mobs.kind.any()
    assert not appear(caves(16, 18_000), 100, stored=16 * light.FULL + 8).mobs.kind.any()


@pytest.mark.slow
def test_zombies_come_into_dark_caves_by_day():
    params = dataclasses.replace(WIDE, max_mobs=1)
    state = caves(16, 6000, params)
    blocks = state.blocks.at[:, :, :, 3:6].set(worlds.AIR)
    state = appear(state.replace(blocks=blocks), 150, stored=0)
    came = np.asarray(state.mobs.kind[:, 0] == ZOMBIE)
    assert came.sum() >= 8
    # The open ground has the sky above it, whatever the stored light says.
    assert (np.asarray(state.mobs.position)[came, 0, 1] == 3).all()


@pytest.mark.slow
def test_no_more_come_than_are_allowed_and_none_without_ground_or_room():
    full = appear(caves(8, 18_000), 400, hostile=2)
    assert (full.mobs.kind[:, 1:] == ZOMBIE).all() and not full.mobs.kind[:, 0].any()
    same = appear(full, 20, hostile=2)
    assert (same.mobs.position == full.mobs.position).all()
    low = caves(8, 18_000)
    roof = low.blocks.at[:, :, :, worlds.GROUND + 1].set(BLOCK_ID["stone"])
    roof = roof.at[:, :, :, worlds.GROUND + 2 :].set(BLOCK_ID["water"])
    assert not appear(low.replace(blocks=roof), 100).mobs.kind.any()
    assert not appear(caves(2, 18_000), 5, hostile=0).mobs.kind.any()


def test_being_hit_makes_it_hunt():
    state = zombie(8.5, 20.5)
    one = jnp.zeros_like(state.mobs.kind, bool).at[:, 0].set(True)
    no = jnp.zeros(worlds.LANES, bool)
    state, counts = jax.jit(mobs.hurt)(state, one, jnp.full(worlds.LANES, 5.0), no)
    assert counts[:, 0].all()
    # Its armour of 2 points: 5 damage leave a fifth of them, 0.4 of 25.
    np.testing.assert_allclose(state.mobs.life[0, 0], 20 - 5 * (1 - 0.4 / 25), rtol=1e-6)
    assert state.mobs.panic[0, 0] == mob_life.PANIC_TICKS + mob_life.SIGHT_TICKS
