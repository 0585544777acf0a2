"""Falling, drowning, burning, hunger, healing, armour."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.base import DAMAGE_KINDS
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.player import tools, vitals
from rlgpt_jax.envs.voxel.rules.player.vitals import _digest
from tests.envs.voxel import worlds


@pytest.mark.parametrize(("height", "damage"), [(3, 0), (4, 1), (6, 3), (10, 7)])
def test_a_fall_costs_the_blocks_beyond_three(height, damage):
    """The tick of the landing is not counted, so a whole height costs height - 3."""
    state = worlds.player()
    state = worlds.with_player(
        state,
        position=state.player.position + jnp.array([0.0, float(height), 0.0]),
        velocity=jnp.zeros_like(state.player.velocity),
        on_ground=jnp.zeros(worlds.LANES, bool),
        food=jnp.full(worlds.LANES, 10.0),  # no healing
    )
    state = worlds.run(state, 40)
    assert state.player.position[0, 1] == worlds.GROUND
    assert state.player.life[0] == 20 - damage
    assert state.player.fall_distance[0] == 0


def test_water_breaks_the_fall():
    state = worlds.with_block(worlds.player(), "water", *[(8, y, 8) for y in (8, 9)])
    state = worlds.with_player(
        state,
        position=state.player.position + jnp.array([0.0, 12.0, 0.0]),
        on_ground=jnp.zeros(worlds.LANES, bool),
    )
    assert worlds.run(state, 60).player.life[0] == 20


def pool_of_water():
    cells = [(x, y, z) for x in (7, 8, 9) for z in (7, 8, 9) for y in (8, 9, 10, 11, 12)]
    return worlds.with_block(hungry(), "water", *cells)


def hungry(**fields):
    """A player with too little food to heal and enough not to starve."""
    return worlds.player(food=np.full(worlds.LANES, 10.0), **fields)


def test_air_runs_down_below_zero_hurts_every_second_and_comes_back_at_once():
    under = worlds.run(pool_of_water(), 5)
    assert under.player.oxygen[0] == 295
    out = worlds.with_player(under, oxygen=jnp.full(worlds.LANES, 1.0))
    assert worlds.run(out, 20).player.life[0] == 20
    first = worlds.run(out, 21)
    player = first.player
    assert player.life[0] == 18 and player.damage[0] == 2 and player.oxygen[0] == 0
    assert player.damage_kind[0] == DAMAGE_KINDS.index("drown")
    assert worlds.run(first, 19).player.life[0] == 18
    assert worlds.run(first, 20).player.life[0] == 16
    above = worlds.with_player(under, position=worlds.player().player.position + 12.0)
    assert worlds.run(above).player.oxygen[0] == 300


def test_sprinting_tires_and_walking_does_not():
    start = worlds.player()
    sprint = worlds.run(start, 20, MOVE=1, JUMP=3)
    way = float(sprint.player.position[0, 2] - start.player.position[0, 2])
    # Every tick's way counts in whole hundredths of a block.
    np.testing.assert_allclose(sprint.player.exhaustion[0], 0.1 * way, atol=20 * 0.1 * 0.005)
    assert worlds.run(start, 20, MOVE=1).player.exhaustion[0] == 0
    assert way > 1.25 * float(worlds.run(start, 20, MOVE=1).player.position[0, 2] - 8.5)


def test_exhaustion_eats_saturation_before_food():
    state = worlds.player(exhaustion=jnp.array([4.5, 4.5]), saturation=jnp.array([2.0, 0.0]))
    state = jax.jit(_digest)(state)
    assert state.player.saturation.tolist() == [1.0, 0.0]
    assert state.player.food.tolist() == [20.0, 19.0]
    np.testing.assert_allclose(state.player.exhaustion, 0.5)


@pytest.mark.parametrize(
    ("food", "saturation", "ticks", "healed"),
    [(20, 6, 10, 1.0), (20, 3, 10, 0.5), (18, 0, 80, 1.0), (17, 6, 80, 0.0)],
)
def test_food_heals(food, saturation, ticks, healed):
    """Up to 6 of saturation per 10 ticks at full food, or a point per 80 ticks from 18 on."""
    state = worlds.player(
        tick=[7, 7],
        life=jnp.full(2, 10.0),
        food=jnp.full(2, float(food)),
        saturation=jnp.full(2, float(saturation)),
    )
    state = worlds.run(state, ticks - 1)
    assert state.player.life[0] == 10
    state = worlds.run(state)
    assert state.player.life[0] == 10 + healed
    total = lambda p: float(p.exhaustion[0] - 4 * (p.saturation[0] + p.food[0]))  # noqa: E731
    spent = total(state.player) + 4 * (saturation + food)
    np.testing.assert_allclose(spent, 6 * healed, atol=1e-4)


def test_the_timer_of_food_starts_anew_when_nothing_is_to_be_done():
    state = worlds.player(life=[10.0, 10.0], saturation=[0.0, 0.0])
    state = worlds.run(worlds.with_player(state, food=jnp.full(2, 18.0)), 50)
    assert state.player.food_timer[0] == 50
    assert worlds.run(worlds.with_player(state, food=jnp.full(2, 17.0))).player.food_timer[0] == 0


def test_starving_stops_at_one_point_of_life():
    state = worlds.player(food=jnp.zeros(2), life=jnp.array([1.5, 1.0]))
    assert worlds.run(state, 79).player.life.tolist() == [1.5, 1.0]
    state = worlds.run(state, 80)
    assert state.player.life.tolist() == [0.5, 1.0]
    assert state.player.damage_kind.tolist() == [DAMAGE_KINDS.index("starve"), 0]


def test_time_passes_from_noon():
    state = worlds.player().replace(world_time=jnp.array([6000, 23_999]))
    assert worlds.run(state).world_time.tolist() == [6001, 0]


def kinds(state, ticks):
    """Life and kind of damage of lane 0 after each tick."""
    seen = []
    for _ in range(ticks):
        state = worlds.run(state)
        seen.append((float(state.player.life[0]), DAMAGE_KINDS[int(state.player.damage_kind[0])]))
    return state, seen


def test_lava_hurts_four_each_half_second_and_sets_on_fire():
    lava = worlds.with_block(hungry(), "lava", (8, 8, 8), (8, 9, 8))
    state, seen = kinds(lava, 12)
    assert seen[0] == (16, "lava") and seen[9] == (16, "none") and seen[10] == (12, "lava")
    assert state.player.fire[0] == 300
    # Out of it the body burns on, a point each second: 300 / 20 of them.
    state = worlds.with_player(
        state, position=hungry().player.position + 5.0, life=jnp.full(2, 20.0)
    )
    state = worlds.with_player(state, hurt_time=jnp.zeros_like(state.player.hurt_time))
    state = worlds.with_player(state, position=state.player.position.at[:, 1].set(worlds.GROUND))
    state, seen = kinds(state, 310)
    assert sum(kind == "on_fire" for _, kind in seen) == 15
    assert state.player.life[0] == 5 and state.player.fire[0] == 0


def test_water_puts_fire_out():
    state = worlds.with_player(pool_of_water(), fire=jnp.full(2, 200, jnp.int32))
    assert worlds.run(state).player.fire[0] == 0


def test_a_fire_hurts_at_once_and_the_body_burns_after_a_second():
    state = worlds.with_block(hungry(), "fire", (8, 8, 8))
    state, seen = kinds(state, 19)
    assert [kind for _, kind in seen].count("in_fire") == 2 and state.player.fire[0] == -1
    state = worlds.run(state)
    assert state.player.fire[0] == 160
    away = worlds.with_player(state, position=state.player.position + jnp.array([3.0, 0.0, 0.0]))
    away, seen = kinds(away, 165)
    assert [kind for _, kind in seen].count("on_fire") == 160 // 20
    assert away.player.fire[0] == 0


def test_walls_suffocate_and_a_cactus_pricks():
    wall = worlds.with_block(hungry(), "stone", (8, 9, 8))
    assert kinds(wall, 1)[1] == [(19, "in_wall")]
    cactus = worlds.with_block(hungry(), "cactus", (8, 8, 9), (8, 9, 9))
    state = worlds.run(cactus, 6, MOVE=1)
    assert state.player.life[0] == 19
    assert worlds.run(state, 9, MOVE=1).player.life[0] == 18


def test_below_the_world_life_goes():
    state = worlds.with_player(hungry(), position=jnp.tile(jnp.array([8.5, -70.0, 8.5]), (2, 1)))
    assert kinds(state, 1)[1] == [(16, "out_of_world")]


hurt = jax.jit(vitals.hurt, static_argnames="kind")


def damaged(state, amount, kind="mob"):
    return hurt(state, jnp.full(2, amount, jnp.float32), kind=kind)


def test_within_ten_ticks_only_the_excess_counts():
    state, fresh = damaged(hungry(), 4.0)
    assert fresh.all() and state.player.life[0] == 16 and state.player.hurt_time[0] == 10
    weaker, fresh = damaged(state, 4.0)
    assert not fresh.any() and weaker.player.life[0] == 16
    harder, fresh = damaged(state, 7.0)
    assert not fresh.any() and harder.player.life[0] == 13 and harder.player.hurt_time[0] == 10
    assert harder.player.hurt_amount[0] == 7 and harder.player.damage[0] == 7
    assert damaged(harder, 7.0)[0].player.life[0] == 13


def armored(*items):
    state = hungry()
    worn = state.armor.item
    for item in items:
        slot = ("boots", "leggings", "chestplate", "helmet").index(item.rpartition("_")[2])
        worn = worn.at[:, slot].set(NAME_ID[item])
    return state.replace(armor=state.armor.replace(item=worn))


FULL = ("boots", "leggings", "chestplate", "helmet")


@pytest.mark.parametrize(
    ("material", "damage", "lost"),
    [
        # By hand: points 15 -> 15 - 8 / 2 = 11 of 25; 20 and toughness 8 -> 18 of 25;
        # 7 points and 30 damage -> a fifth of them, 1.4 of 25.
        ("iron", 8.0, 8 * (1 - 11 / 25)),
        ("diamond", 8.0, 8 * (1 - 18 / 25)),
        ("leather", 18.0, 18 * (1 - 1.4 / 25)),
    ],
)
def test_armour_keeps_damage_off_by_its_points_and_toughness(material, damage, lost):
    state, _ = damaged(armored(*(f"{material}_{piece}" for piece in FULL)), damage)
    np.testing.assert_allclose(20 - state.player.life[0], lost, rtol=1e-5)
    assert (state.armor.damage[:, :4] == max(int(damage // 4), 1)).all()
    assert state.armor.damage[0, 4] == 0
    np.testing.assert_allclose(state.player.exhaustion, 0.1)


@pytest.mark.parametrize("kind", vitals.PIERCING)
def test_armour_does_not_keep_off_what_pierces(kind):
    state, _ = damaged(armored(*(f"iron_{piece}" for piece in FULL)), 5.0, kind)
    assert (
        state.player.life[0] == 15
        and not state.armor.damage.any()
        and state.player.exhaustion[0] == 0
    )


def test_armour_breaks_when_its_uses_are_spent():
    state = armored("leather_helmet", "iron_boots")
    state = state.replace(armor=state.armor.replace(damage=state.armor.damage.at[:, 3].set(55)))
    state, _ = damaged(state, 3.0)
    assert state.armor.item[0, 3] == 0 and state.armor.damage[0, 3] == 0
    assert state.armor.item[0, 0] == NAME_ID["iron_boots"] and state.armor.damage[0, 0] == 1


def test_the_table_of_durability_is_eleven_to_sixteen_times_the_materials_number():
    base = {"leather": 5, "golden": 7, "chainmail": 15, "iron": 15, "diamond": 33}
    for piece, times in (("helmet", 11), ("chestplate", 16), ("leggings", 15), ("boots", 13)):
        for material, number in base.items():
            assert tools.DURABILITY[NAME_ID[f"{material}_{piece}"]] == times * number
