"""Mobs walk, climb, fall, burn, push, graze, lay eggs, and stay out of walls."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from rlgpt_jax.envs.voxel.rules.mobs import mob_life, mob_turns, mobs
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_SIZE, ZOMBIE
from tests.envs.voxel import worlds

_MOVE = jax.jit(lambda state: mob_turns.act(state).replace(tick=state.tick + 1))


_LEAVE = jax.jit(mob_life.leave)
_GRAZE = jax.jit(mob_life.graze)
AWAY = (4.5, worlds.GROUND, 4.5)  # not in the player's way
FAR = [[20.5, worlds.GROUND, 20.5]] * worlds.LANES  # the player, not in a mob's way


def walk(state, ticks):
    for _ in range(ticks):
        state = _MOVE(state)
    return state


def heading(state, x, z, panic=0):
    """The first mob walks to (x, z)."""
    return state.replace(
        mobs=state.mobs.replace(
            target=state.mobs.target.at[:, 0].set(jnp.array([x, z])),
            walk=state.mobs.walk.at[:, 0].set(1000),
            panic=state.mobs.panic.at[:, 0].set(panic),
            yaw=state.mobs.yaw * 0,
        )
    )


@pytest.mark.parametrize(
    ("kind", "panic", "multiplier"), [("cow", 0, 1.0), ("cow", 50, 2.0), ("sheep", 50, 1.25)]
)
def test_a_walking_mob_reaches_the_speed_of_the_table(kind, panic, multiplier):
    state = worlds.with_mob(worlds.player(), kind, (4.5, worlds.GROUND, 4.5))
    state = walk(heading(state, 4.5, 100.0, panic), 15)
    after = walk(state, 10)
    speed = float(after.mobs.position[0, 0, 2] - state.mobs.position[0, 0, 2]) / 10
    np.testing.assert_allclose(speed, worlds.steady_speed(kind, multiplier), rtol=0.01)


def test_a_mob_climbs_one_block_and_not_two():
    for height, passes in ((1, True), (2, False)):
        wall = [(x, worlds.GROUND + k, 8) for x in range(32) for k in range(height)]
        state = worlds.with_block(worlds.player(position=FAR), "stone", *wall)
        state = worlds.with_mob(state, "cow", (8.5, worlds.GROUND, 5.5))
        state = walk(heading(state, 8.5, 14.5), 90)
        assert (float(state.mobs.position[0, 0, 2]) > 9.0) == passes


def test_mobs_fall_and_land_on_the_ground():
    state = worlds.with_mob(worlds.player(), "sheep", (8.5, worlds.GROUND + 9.3, 5.5))
    state = walk(
        state.replace(mobs=state.mobs.replace(on_ground=jnp.zeros_like(state.mobs.on_ground))), 40
    )
    assert state.mobs.position[0, 0, 1] == worlds.GROUND and state.mobs.on_ground[0, 0]


def test_a_calm_mob_stops_at_a_cliff():
    state = worlds.player()
    hole = jnp.asarray(worlds.empty(32, 9, 5))
    blocks = state.blocks.at[:, :, 10:19, 3:8].set(hole)
    state = worlds.with_mob(state.replace(blocks=blocks), "cow", (8.5, worlds.GROUND, 6.5))
    state = walk(heading(state, 8.5, 15.5), 60)
    assert state.mobs.position[0, 0, 1] == worlds.GROUND
    assert float(state.mobs.position[0, 0, 2]) < 10.5


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
        state = _MOVE(
            state.replace(mobs=state.mobs.replace(panic=jnp.full_like(state.mobs.panic, 100)))
        )
        feet = np.asarray(state.mobs.position[:, 0])
        for lane, (x, y, z) in enumerate(feet):
            for dx in (-0.44, 0.44):
                for dz in (-0.44, 0.44):
                    cell = (int(np.floor(x + dx)), int(np.floor(y + 0.01)), int(np.floor(z + dz)))
                    assert worlds.block(state, cell, lane) >= 128
    assert np.abs(feet[:, ::2] - 9.0).max() > 2.0


def airborne(kind, height):
    state = worlds.with_mob(worlds.player(), kind, (4.5, worlds.GROUND + height, 4.5))
    return state.replace(mobs=state.mobs.replace(on_ground=jnp.zeros_like(state.mobs.on_ground)))


@pytest.mark.parametrize(("kind", "height", "lost"), [("cow", 3, 0), ("cow", 7, 4), ("pig", 10, 7)])
def test_a_fall_costs_a_mob_the_blocks_beyond_three(kind, height, lost):
    state = airborne(kind, height)
    after = walk(state, 40)
    assert after.mobs.position[0, 0, 1] == worlds.GROUND
    assert after.mobs.life[0, 0] == state.mobs.life[0, 0] - lost
    assert after.mobs.fall[0, 0] == 0


def test_a_chicken_flutters_down_unhurt():
    state = walk(airborne("chicken", 12), 30)
    assert 2 < state.mobs.position[0, 0, 1] - worlds.GROUND < 12
    # Speed settles at v = (v - 0.08) * 0.98 * 0.6.
    np.testing.assert_allclose(state.mobs.velocity[0, 0, 1], -0.0784 * 0.6 / (1 - 0.588), rtol=1e-3)
    landed = walk(state, 120)
    assert landed.mobs.on_ground[0, 0] and landed.mobs.life[0, 0] == 4


def test_lava_burns_a_mob_that_then_leaves_cooked_meat():
    lava = [(x, worlds.GROUND - 1, z) for x in range(3, 7) for z in range(3, 7)]
    state = worlds.with_block(worlds.player(), "lava", *lava)
    state = worlds.with_mob(state, "cow", (5.0, worlds.GROUND - 0.5, 5.0))
    state = walk(state, 1)
    assert state.mobs.life[0, 0] == 6 and state.mobs.fire[0, 0] == 300
    state = walk(state, 10)
    assert state.mobs.life[0, 0] == 2
    state = _LEAVE(walk(state, 10))
    assert not state.mobs.kind.any()
    names = set(np.asarray(state.items.id).ravel().tolist()) - {0}
    assert NAME_ID["cooked_beef"] in names and NAME_ID["beef"] not in names
    assert state.player.xp[0] == 0  # the player did not do it


def test_a_fire_lights_a_mob_for_eight_seconds_and_water_puts_it_out():
    state = worlds.with_block(worlds.player(), "fire", (4, worlds.GROUND, 4))
    state = worlds.with_mob(state, "pig", AWAY)
    state = walk(state, 1)
    assert state.mobs.life[0, 0] == 9 and state.mobs.fire[0, 0] == 160
    assert mobs._think(state, mob_life.alive(state), jnp.arange(3)).speed[0, 0] > 0  # it runs
    state = worlds.with_block(state, "water", (4, worlds.GROUND, 4), (4, worlds.GROUND + 1, 4))
    assert walk(state, 1).mobs.fire[0, 0] == 0


def test_animals_swim_up():
    pool = [(x, y, z) for x in range(2, 8) for z in range(2, 8) for y in range(3, worlds.GROUND)]
    state = worlds.with_block(worlds.player(), "water", *pool)
    for kind in ("cow", "sheep", "pig", "chicken"):
        swimmer = walk(worlds.with_mob(state, kind, (5.0, 4.0, 5.0)), 100)
        eyes = swimmer.mobs.position[:, 0, 1] + 0.85 * MOB_SIZE[MOBS.index(kind), 1]
        assert (eyes > worlds.GROUND - 0.2).all()


def test_a_fence_stops_mobs_and_a_block_does_not():
    for block, passes in (("fence", False), ("planks", True)):
        wall = [(x, worlds.GROUND, 8) for x in range(32)]
        state = worlds.with_block(worlds.player(position=FAR), block, *wall)
        state = worlds.with_mob(state, "cow", (8.5, worlds.GROUND, 5.5))
        state = walk(heading(state, 8.5, 14.5), 90)
        assert (float(state.mobs.position[0, 0, 2]) > 9.0) == passes


def test_bodies_that_overlap_push_each_other_apart():
    state = worlds.with_mob(worlds.player(), "cow", (8.9, worlds.GROUND, 8.5))
    state = state.replace(
        mobs=state.mobs.replace(
            kind=state.mobs.kind.at[:, 1].set(MOBS.index("pig")),
            position=state.mobs.position.at[:, 1].set(jnp.array([4.5, worlds.GROUND, 4.5])),
            life=state.mobs.life.at[:, 1].set(10.0),
        )
    )
    # 0.4 apart along x: each gets 0.1 * sqrt(0.4) to its side.
    pushed = walk(state, 1)
    np.testing.assert_allclose(pushed.player.velocity[0, 0], -0.1 * np.sqrt(0.4), rtol=1e-4)
    np.testing.assert_allclose(pushed.mobs.velocity[0, 0, 0], 0.1 * np.sqrt(0.4), rtol=1e-4)
    assert not pushed.mobs.velocity[0, 1, ::2].any()
    beside = state.replace(
        mobs=state.mobs.replace(
            position=state.mobs.position.at[:, 1, ::2].set(jnp.array([9.5, 8.5]))
        )
    )
    pushed = walk(beside, 1)
    assert pushed.mobs.velocity[0, 1, 0] > 0.05 and pushed.player.velocity[0, 0] < 0
    above = state.replace(
        mobs=state.mobs.replace(position=state.mobs.position.at[:, 0, 1].add(3.0))
    )
    assert not walk(above, 1).player.velocity[0, ::2].any()


def test_mobs_stay_in_the_players_period():
    state = worlds.with_mob(worlds.player(), "cow", (8.5 + 17, worlds.GROUND, 8.5 - 30))
    state = walk(heading(state, 30.5, -20.5), 1)
    np.testing.assert_allclose(state.mobs.position[0, 0, ::2], [-6.5, 10.5], atol=0.2)
    np.testing.assert_allclose(state.mobs.target[0, 0], [-1.5, 11.5], atol=1e-4)


def test_a_shorn_sheep_on_grass_gets_its_wool_back():
    n = 4000
    state = worlds.with_mob(worlds.player(1), "sheep", AWAY)
    state = jax.tree.map(lambda a: np.repeat(a, n, 0), state.replace(blocks=jnp.zeros((1, 1))))
    state = state.replace(
        seed=jnp.arange(n, dtype=jnp.uint32),
        mobs=state.mobs.replace(sheared=jnp.ones_like(state.mobs.sheared)),
    )
    index = jnp.arange(state.mobs.kind.shape[1])
    below = lambda name: jnp.full(state.mobs.kind.shape, BLOCK_ID[name], jnp.uint8)  # noqa: E731
    grown, ticks = 0, 20
    for tick in range(ticks):
        after = _GRAZE(state.replace(tick=state.tick + tick), below("grass"), index)
        grown += int((~after.mobs.sheared).sum())
    tries = state.mobs.kind.size * ticks  # every entry is asked
    assert abs(grown - tries / 1000) < 4 * np.sqrt(tries / 1000)
    assert _GRAZE(state, below("stone"), index).mobs.sheared.all()


def test_a_chicken_lays_an_egg_when_its_time_has_come():
    state = worlds.with_mob(worlds.player(), "chicken", AWAY)
    state = state.replace(mobs=state.mobs.replace(timer=state.mobs.timer.at[:, 0].set(3)))
    state = _LEAVE(walk(state, 1))
    assert not state.items.id.any()
    state = _LEAVE(walk(state, 1))
    assert state.items.id[0, 0] == NAME_ID["egg"] and state.items.quantity[0, 0] == 1
    assert 6000 <= state.mobs.timer[0, 0] < 12_000
    assert (state.mobs.kind[:, 0] == MOBS.index("chicken")).all()


def dead(kind, n=600, **of_mob):
    state = worlds.with_mob(worlds.player(1), kind, AWAY)
    state = jax.tree.map(lambda a: np.repeat(a, n, 0), state.replace(blocks=jnp.zeros((1, 1))))
    state = state.replace(seed=jnp.arange(n, dtype=jnp.uint32))
    own = {name: getattr(state.mobs, name).at[:, 0].set(x) for name, x in of_mob.items()}
    life = state.mobs.life.at[:, 0].set(0.0)
    return _LEAVE(state.replace(mobs=state.mobs.replace(life=life, **own)))


def test_the_player_gets_experience_for_what_he_killed():
    state = dead("sheep", panic=50)
    assert not state.mobs.kind.any()
    points, counts = np.unique(np.asarray(state.player.xp), return_counts=True)
    assert points.tolist() == [1, 2, 3] and counts.min() > 150
    assert not dead("sheep").player.xp.any()
    assert (dead("zombie", panic=61).player.xp == 5).all()
    assert not dead("zombie", panic=60).player.xp.any()  # it has only seen him


def test_wool_falls_in_the_sheeps_colour_unless_it_is_shorn():
    brown, shorn = dead("sheep", variant=12), dead("sheep", sheared=True)
    assert (brown.items.id == item_id("wool:12")).sum() == 600
    assert not (shorn.items.id == NAME_ID["wool"]).any()
    assert (shorn.items.id == NAME_ID["mutton"]).any(1).all()


def test_two_mobs_that_die_together_leave_one_after_the_other():
    state = worlds.with_mob(worlds.player(), "cow", AWAY)
    state = state.replace(
        mobs=state.mobs.replace(
            kind=state.mobs.kind.at[:, 1].set(ZOMBIE), life=jnp.zeros_like(state.mobs.life)
        )
    )
    once = _LEAVE(state)
    assert once.mobs.kind[0].tolist() == [0, ZOMBIE, 0]
    assert not _LEAVE(once).mobs.kind.any()


@pytest.mark.slow
def test_mobs_that_are_left_out_would_not_have_moved():
    """Far, idle mobs rest; all others move just as if all were computed together."""
    params = dataclasses.replace(worlds.PARAMS, size_x=96, size_z=96, max_mobs=5)
    n, rng = 40, np.random.default_rng(1)
    state = worlds.player(n, params)
    place = np.array([8.5, 0, 8.5]) + rng.uniform(-47, 47, (n, 5, 3))
    place[..., 1] = worlds.GROUND + 3.0 * (rng.random((n, 5)) < 0.2)
    state = state.replace(
        mobs=state.mobs.replace(
            kind=jnp.asarray(rng.integers(0, 6, (n, 5)), jnp.int32),
            life=jnp.full((n, 5), 8.0),
            position=jnp.asarray(place, jnp.float32),
            on_ground=jnp.asarray(place[..., 1] == worlds.GROUND),
            velocity=jnp.zeros((n, 5, 3)).at[..., 1].set(-0.0784),
            walk=jnp.asarray(100 * (rng.random((n, 5)) < 0.3), jnp.int32),
            panic=jnp.asarray(100 * (rng.random((n, 5)) < 0.1), jnp.int32),
            target=jnp.asarray(rng.uniform(-20, 40, (n, 5, 2)), jnp.float32),
        )
    )
    is_awake = np.asarray(mob_turns.awake(state))
    assert 20 < is_awake.sum() < 150
    some = jax.jit(mob_turns._move_awake)(state)
    together = jax.jit(lambda s: mobs.move(s, mobs.around(s)))(state)
    exists = np.asarray(state.mobs.kind > 0)
    for name in mob_turns._MOB:
        new, old = (np.asarray(getattr(s.mobs, name)) for s in (some, together))
        np.testing.assert_allclose(new[exists], old[exists], rtol=1e-5, atol=1e-5, err_msg=name)
