"""Mining and hitting through whole ticks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID, load
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID
from rlgpt_jax.envs.voxel.rules.player import interact
from tests.envs.voxel import worlds

# The player stands at (8.5, 8, 8.5) and looks along +z at eye height: cell y 9.
look = jax.jit(interact.look)
AHEAD, BEHIND_IT = (8, 9, 11), (8, 9, 12)


def ticks_to_break(state, cell) -> int:
    for tick in range(1, 201):
        state = worlds.run(state, FUNCTION=base.FN_ATTACK)
        if worlds.block(state, cell) >= AIR_CODE:
            return tick
    return -1


@pytest.mark.parametrize(
    ("tool", "block"),
    [("hand", "log"), ("iron_axe", "log"), ("stone_pickaxe", "stone"), ("hand", "dirt"),
     ("wooden_shovel", "dirt"), ("shears", "wool")],
)  # fmt: skip
def test_a_block_breaks_after_the_ticks_of_the_table(tool, block):
    state = worlds.with_block(worlds.player(), block, AHEAD)
    if tool != "hand":
        state = worlds.holding(state, (tool, 1))
    expected = load("mining_ticks")["blocks"][block][tool][0]
    assert abs(ticks_to_break(state, AHEAD) - expected) <= 1


def test_the_next_block_starts_five_ticks_later():
    state = worlds.with_block(worlds.player(), "log", AHEAD, BEHIND_IT)
    state = worlds.holding(state, ("iron_axe", 1))
    alone = ticks_to_break(state, AHEAD)
    assert ticks_to_break(state, BEHIND_IT) == 2 * alone + 5


def test_releasing_the_key_or_turning_away_forgets_the_progress():
    state = worlds.with_block(worlds.player(), "dirt", AHEAD)
    half = worlds.run(state, 10, FUNCTION=base.FN_ATTACK)
    assert half.player.mining_progress[0] > 0.5
    assert worlds.run(half).player.mining_progress[0] == 0
    turned = worlds.run(half, FUNCTION=base.FN_ATTACK, YAW=18)
    assert turned.player.mining_progress[0] == 0
    assert ticks_to_break(worlds.run(half), AHEAD) == 15


def test_a_broken_log_is_picked_up_and_wears_the_axe():
    state = worlds.with_block(worlds.player(), "log", (8, 9, 9))
    state = worlds.holding(state, ("iron_axe", 1))
    state = worlds.run(state, 11, FUNCTION=base.FN_ATTACK)
    assert state.inventory.damage[0, 0] == 1
    assert (state.items.id == NAME_ID["log"]).any()
    assert worlds.count(state, "log")[0] == 0  # items wait 10 ticks
    assert worlds.count(worlds.run(state, 20, MOVE=1), "log")[0] == 1


def test_stone_without_a_pickaxe_leaves_nothing():
    state = worlds.with_block(worlds.player(), "stone", AHEAD)
    state = worlds.with_player(
        state,
        mining_progress=jnp.full(worlds.LANES, 0.999),
        mining_block=jnp.tile(jnp.array(AHEAD), (2, 1)),
    )
    state = worlds.run(state, FUNCTION=base.FN_ATTACK)
    assert worlds.block(state, AHEAD) >= AIR_CODE
    assert not state.items.id.any()


def test_blocks_beyond_four_and_a_half_are_out_of_reach():
    state = worlds.with_block(worlds.player(), "tallgrass", (8, 9, 13))  # 4.5 away, at 13.0
    near = worlds.with_player(state, position=state.player.position + jnp.array([0.0, 0.0, 0.2]))
    far = worlds.with_player(state, position=state.player.position - jnp.array([0.0, 0.0, 0.2]))
    reach = lambda s: bool(look(s, jnp.zeros(2, bool)).is_block[0])  # noqa: E731
    assert reach(near) and not reach(far)


def test_a_mob_in_front_of_a_block_is_the_target_and_behind_it_is_not():
    state = worlds.with_block(worlds.player(), "glass", (8, 9, 10))
    behind = worlds.with_mob(state, "cow", (8.5, worlds.GROUND, 11.4))
    front = worlds.with_mob(state, "cow", (8.5, worlds.GROUND, 9.5))
    down = lambda s: worlds.with_player(s, pitch=jnp.full(worlds.LANES, 15.0))  # noqa: E731
    target = look(down(behind), jnp.zeros(2, bool))
    assert target.mob[0] == -1 and target.is_block[0]
    target = look(down(front), jnp.zeros(2, bool))
    assert target.mob[0] == 0 and not target.is_block[0]


def beside_mob(kind):
    state = worlds.with_mob(worlds.player(), kind, (8.5, worlds.GROUND, 10.5))
    return worlds.with_player(state, pitch=jnp.full(worlds.LANES, 30.0))


@pytest.mark.parametrize(("kind", "weapon"), [("cow", "wooden_sword"), ("sheep", "iron_axe")])
def test_full_hits_kill_as_the_table_says(kind, weapon):
    state, hits = worlds.holding(beside_mob(kind), (weapon, 1)), 0
    while state.mobs.kind[0, 0] > 0 and hits < 20:
        state = worlds.run(state, FUNCTION=base.FN_ATTACK)
        hits += 1
        state = worlds.with_player(
            state.replace(
                mobs=state.mobs.replace(
                    hurt_time=jnp.zeros_like(state.mobs.hurt_time),
                    position=beside_mob(kind).mobs.position,
                    velocity=jnp.zeros_like(state.mobs.velocity),
                )
            ),
            attack_cooldown=state.player.attack_cooldown + 100,
        )
    assert hits == load("combat")["full_hits_to_kill"][kind][weapon]
    names = set(np.asarray(state.items.id[0]).tolist()) - {0}
    expected = {"cow": ("beef", "leather"), "sheep": ("mutton", "wool")}[kind]
    assert NAME_ID[expected[0]] in names and names <= {NAME_ID[n] for n in expected}


def test_a_quick_second_swing_is_weak_and_the_hurt_window_blocks_it():
    state = worlds.run(
        worlds.holding(beside_mob("cow"), ("iron_sword", 1)), FUNCTION=base.FN_ATTACK
    )
    assert state.mobs.life[0, 0] == 4.0  # 10 - 6
    held = worlds.run(state, 1, FUNCTION=base.FN_ATTACK)
    assert held.mobs.life[0, 0] == 4.0
    # p = 1.5 ticks / 12.5: damage 6 * (0.2 + 0.8 p^2).
    again = worlds.with_player(
        state.replace(
            mobs=state.mobs.replace(
                hurt_time=jnp.zeros_like(state.mobs.hurt_time),
                position=beside_mob("cow").mobs.position,
            )
        ),
        attack_cooldown=jnp.full(2, 1),
    )
    again = worlds.run(again, FUNCTION=base.FN_ATTACK)
    np.testing.assert_allclose(again.mobs.life[0, 0], 4 - 6 * (0.2 + 0.8 * 0.12**2), rtol=1e-5)


def test_a_full_hit_while_falling_is_half_as_strong_again():
    state = worlds.holding(beside_mob("cow"), ("stone_sword", 1))
    state = worlds.with_player(
        state, on_ground=~state.player.on_ground, fall_distance=state.player.fall_distance + 0.1
    )
    state = worlds.run(state, FUNCTION=base.FN_ATTACK)
    np.testing.assert_allclose(state.mobs.life[0, 0], 10 - 1.5 * 5)


def test_a_hit_pushes_away_wears_the_sword_and_starts_panic():
    state = worlds.run(
        worlds.holding(beside_mob("cow"), ("iron_sword", 1)), FUNCTION=base.FN_ATTACK
    )
    assert state.mobs.position[0, 0, 2] > 10.8 and state.mobs.position[0, 0, 1] > worlds.GROUND
    assert state.inventory.damage[0, 0] == 1
    assert state.mobs.panic[0, 0] == 99
    fled = worlds.run(state, 60)
    away = fled.mobs.position[:, 0, ::2] - state.mobs.position[:, 0, ::2]
    assert np.linalg.norm(np.asarray(away), axis=1).min() > 1.0


def test_gravel_gives_flint_in_one_of_ten_breaks():
    n = 2000
    state = worlds.player().replace(
        seed=jnp.arange(n, dtype=jnp.uint32), tick=jnp.zeros(n, jnp.int32)
    )
    held, byte = jnp.zeros(n, jnp.int32), jnp.full(n, BLOCK_ID["gravel"], jnp.uint8)
    name, quantity = jax.jit(interact.drops.of_blocks)(state, held, byte)
    flint = ((name == NAME_ID["flint"]) & (quantity > 0)).sum() / n
    assert 0.075 < flint < 0.125
    assert (quantity.sum(1) == 1).all()


SWING = jax.jit(lambda s, sprints: interact._hit(s, jnp.ones(2, bool), sprints, first_mob()))


def first_mob():
    none = jnp.zeros(2, jnp.int32)
    return interact.Target(none > 0, none.astype(jnp.uint8), jnp.zeros((2, 3), jnp.int32), none,
                           none)  # fmt: skip


def swing(state, sprints=False):
    return SWING(state, jnp.full(2, sprints))


def test_within_the_hurt_window_only_the_excess_of_a_stronger_hit_counts():
    state = swing(worlds.holding(beside_mob("cow"), ("wooden_sword", 1)))  # 4
    assert state.mobs.life[0, 0] == 6 and state.mobs.hurt_time[0, 0] == 10
    rested = worlds.with_player(state, attack_cooldown=jnp.full(2, 100))
    assert swing(rested).mobs.life[0, 0] == 6  # 4 again
    harder = swing(worlds.holding(rested, ("diamond_sword", 1)))  # 7, that is 3 more
    assert harder.mobs.life[0, 0] == 3 and harder.mobs.hurt_amount[0, 0] == 7
    # It pushes no more than the first did.
    np.testing.assert_array_equal(harder.mobs.velocity, state.mobs.velocity)


def test_a_hit_pushes_by_0_4_and_a_sprinting_one_by_0_5_more_after_halving():
    state = worlds.holding(beside_mob("cow"), ("iron_sword", 1))
    state = state.replace(mobs=state.mobs.replace(velocity=state.mobs.velocity * 0))
    np.testing.assert_allclose(swing(state).mobs.velocity[0, 0], [0, 0.4, 0.4], atol=1e-6)
    fast = swing(worlds.with_player(state, velocity=jnp.full((2, 3), 0.2)), sprints=True)
    np.testing.assert_allclose(fast.mobs.velocity[0, 0], [0, 0.4, 0.7], atol=1e-6)
    np.testing.assert_allclose(fast.player.velocity[0], [0.12, 0.2, 0.12], rtol=1e-6)
    flying = swing(
        state.replace(mobs=state.mobs.replace(on_ground=jnp.zeros_like(state.mobs.on_ground)))
    )
    np.testing.assert_allclose(flying.mobs.velocity[0, 0], [0, 0, 0.4], atol=1e-6)


def two_cows(apart, item="iron_sword"):
    state = worlds.holding(beside_mob("cow"), (item, 1))
    return state.replace(
        mobs=state.mobs.replace(
            kind=state.mobs.kind.at[:, 1].set(state.mobs.kind[:, 0]),
            life=state.mobs.life.at[:, 1].set(10.0),
            position=state.mobs.position.at[:, 1].set(jnp.array([8.5 + apart, 8.0, 10.5])),
        )
    )


def test_a_sword_swung_while_standing_sweeps_over_those_beside():
    assert swing(two_cows(1.5)).mobs.life[0, :2].tolist() == [4.0, 9.0]
    assert swing(two_cows(2.0)).mobs.life[0, 1] == 10  # boxes 1.1 apart
    assert swing(two_cows(1.5, "iron_axe")).mobs.life[0, 1] == 10
    assert swing(two_cows(1.5), sprints=True).mobs.life[0, 1] == 10
    walking = worlds.with_player(
        two_cows(1.5), velocity=jnp.tile(jnp.array([0.0, -0.08, 0.118]), (2, 1))
    )
    assert swing(walking).mobs.life[0, 1] == 10
    quick = worlds.with_player(two_cows(1.5), attack_cooldown=jnp.full(2, 5))
    assert swing(quick).mobs.life[0, 1] == 10
    falling = worlds.with_player(
        two_cows(1.5), on_ground=jnp.zeros(2, bool), fall_distance=jnp.full(2, 0.5)
    )
    assert swing(falling).mobs.life[0, :2].tolist() == [1.0, 10.0]


def test_a_zombies_armour_counts():
    state = swing(worlds.holding(beside_mob("zombie"), ("iron_sword", 1)))
    np.testing.assert_allclose(state.mobs.life[0, 0], 20 - 6 * (1 - 0.4 / 25), rtol=1e-6)
    bare = beside_mob("zombie")
    bare = bare.replace(inventory=bare.inventory.replace(item=state.inventory.item * 0))
    np.testing.assert_allclose(swing(bare).mobs.life[0, 0], 20 - (1 - 1.5 / 25), rtol=1e-6)


def test_a_killed_mob_gives_experience_and_ore_does_too():
    state = worlds.holding(beside_mob("chicken"), ("iron_sword", 1))
    state = worlds.run(state, FUNCTION=base.FN_ATTACK)
    assert not state.mobs.kind.any() and 1 <= state.player.xp[0] <= 3
    ore = worlds.holding(worlds.with_block(worlds.player(), "diamond_ore", AHEAD),
                         ("iron_pickaxe", 1))  # fmt: skip
    ore = worlds.run(ore, 20, FUNCTION=base.FN_ATTACK)
    assert 3 <= ore.player.xp[0] <= 7
