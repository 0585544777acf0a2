"""The contract of `envs.base`, MineDojo's, checked on every world that offers it."""

import jax
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NUM_HAND, NUM_TABLE
from tests.envs.contract_worlds import HORIZON, LANES, NOOPS, WORLDS, Driver

TURN_ROUND = 0  # bin of -180 degrees
DOWN_45 = base.CAMERA_CENTRE + 3


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest) -> Driver:
    return WORLDS[request.param]()


def act(world: Driver, ticks: int = 1, **columns: int) -> base.Step:
    """Every lane does the same for some ticks. Returns the last one."""
    action = NOOPS.copy()
    for name, value in columns.items():
        action[:, getattr(base, name)] = value
    for _ in range(ticks):
        step = world.step(action)
    return step


def craft(name: str) -> dict[str, int]:
    return {"FUNCTION": base.FN_CRAFT, "CRAFT_ARG": CRAFT_NAMES.index(name)}


def can_craft(obs: base.Observation, name: str) -> bool:
    """Whether every lane may make it; the lanes must agree."""
    allowed = obs.mask_craft[:, CRAFT_NAMES.index(name)]
    assert allowed.all() or not allowed.any()
    return bool(allowed.all())


def carried(obs: base.Observation, name: str) -> int:
    """Pieces in the first lane."""
    return int(obs.slot_quantity[0][obs.slot_name[0] == NAME_ID[name]].sum())


# --- shapes ------------------------------------------------------------------
def test_observations_have_their_shapes_and_types(world):
    n = LANES
    floats, ints, bools = np.float32, np.int32, np.bool_
    wanted = {
        "position": ((n, 3), floats), "yaw": ((n,), floats), "pitch": ((n,), floats),
        "on_ground": ((n,), bools), "in_water": ((n,), bools), "life": ((n,), floats),
        "food": ((n,), floats), "saturation": ((n,), floats), "oxygen": ((n,), floats),
        "armor": ((n,), floats), "xp": ((n,), floats), "light_level": ((n,), ints),
        "sky_light": ((n,), ints), "can_see_sky": ((n,), bools), "damage": ((n,), floats),
        "damage_kind": ((n,), ints), "time_of_day": ((n,), floats), "biome": ((n,), ints),
        "voxels": ((n, 3, 3, 3), ints), "ray_block": ((n, 120), ints),
        "ray_block_distance": ((n, 120), floats), "ray_entity": ((n, 120), ints),
        "ray_entity_distance": ((n, 120), floats), "slot_name": ((n, 36), ints),
        "slot_variant": ((n, 36), ints), "slot_quantity": ((n, 36), ints),
        "slot_durability": ((n, 36), floats), "equipment": ((n, 6), ints),
        "near_table": ((n,), bools), "near_furnace": ((n,), bools),
        "mask_function": ((n, 8), bools), "mask_equip": ((n, 36), bools),
        "mask_place": ((n, 36), bools), "mask_destroy": ((n, 36), bools),
        "mask_craft": ((n, 244), bools),
    }  # fmt: skip
    assert {*wanted, "rgb"} == set(base.Observation._fields)
    first = world.reset(0)
    step = world.step(NOOPS)
    for obs in (first, step.obs, step.final_obs):
        assert obs.rgb is None  # no picture was asked for
        found = {name: (getattr(obs, name).shape, getattr(obs, name).dtype) for name in wanted}
        assert found == {name: (shape, np.dtype(kind)) for name, (shape, kind) in wanted.items()}
    assert step.reward.shape == (n,) and step.reward.dtype == np.float32
    for flag in (step.terminated, step.truncated, step.info["success"], step.info["busy"]):
        assert flag.shape == (n,) and flag.dtype == np.bool_


def test_an_episode_starts_healthy_and_with_empty_hands(world):
    obs = world.arrange()
    for name, value in (("life", 20), ("food", 20), ("oxygen", 300), ("armor", 0), ("xp", 0)):
        np.testing.assert_array_equal(getattr(obs, name), value)
    assert not obs.slot_name.any() and not obs.slot_quantity.any()
    np.testing.assert_allclose(obs.time_of_day, 6000, atol=20)
    assert obs.can_see_sky.all() and (obs.light_level == 15).all()
    middle = obs.voxels[0, 1, :, 1]
    assert [int(i) for i in middle] == [NAME_ID["grass"], NAME_ID["air"], NAME_ID["air"]]


# --- camera --------------------------------------------------------------------
def test_the_camera_turns_by_15_degrees_a_bin_and_yaw_wraps(world):
    yaw = float(world.arrange().yaw[0])
    for bin_ in range(base.ACTION_SIZES[base.YAW]):
        yaw = (yaw + (bin_ - 12) * 15.0 + 180.0) % 360.0 - 180.0
        obs = act(world, YAW=bin_).obs
        np.testing.assert_allclose(obs.yaw, yaw, atol=1e-3)
        assert (obs.yaw >= -180).all() and (obs.yaw < 180).all()


def test_pitch_is_clipped_at_straight_down_and_up(world):
    world.arrange()
    for bin_, pitch in ((13, 15), (17, 90), (24, 90), (11, 75), (0, -90), (6, -90), (14, -60)):
        obs = act(world, PITCH=bin_).obs
        np.testing.assert_allclose(obs.pitch, pitch, atol=1e-3)


def test_positive_yaw_turns_right(world):
    """Looking along +z, right is -x: after a quarter turn, forward goes there."""
    start = world.arrange().position
    act(world, YAW=base.CAMERA_CENTRE + 6)
    moved = act(world, ticks=10, MOVE=1).obs.position - start
    assert (moved[:, 0] < -1).all()
    np.testing.assert_allclose(moved[:, 1:], 0, atol=1e-2)


@pytest.mark.parametrize(
    ("columns", "axis", "sign"),
    [({"MOVE": 1}, 2, 1), ({"MOVE": 2}, 2, -1), ({"STRAFE": 1}, 0, 1), ({"STRAFE": 2}, 0, -1)],
)
def test_movement_keys_go_their_ways(world, columns, axis, sign):
    start = world.arrange().position
    moved = act(world, ticks=10, **columns).obs.position - start
    assert (sign * moved[:, axis] > 1).all()
    np.testing.assert_allclose(moved[:, 2 - axis], 0, atol=1e-3)


def test_jump_sneak_and_sprint(world):
    start = world.arrange().position
    assert (act(world, ticks=3, JUMP=1).obs.position[:, 1] > start[:, 1] + 0.5).all()
    far = {}
    for name, jump in (("walk", 0), ("sneak", 2), ("sprint", 3)):
        start = world.arrange().position
        far[name] = (act(world, ticks=20, MOVE=1, JUMP=jump).obs.position - start)[:, 2]
    assert (far["sneak"] < 0.5 * far["walk"]).all()
    assert (far["sprint"] > 1.2 * far["walk"]).all()


# --- time of actions -------------------------------------------------------------
@pytest.mark.parametrize("function", base.SLOW_FUNCTIONS)
def test_slow_functions_take_three_ticks_in_which_nothing_else_is_heard(world, function):
    world.arrange(("dirt", 4), ("log", 1))
    steps = [act(world, FUNCTION=function, CRAFT_ARG=CRAFT_NAMES.index("planks"))]
    yaw = steps[0].obs.yaw
    steps += [act(world, YAW=14), act(world, YAW=14)]
    assert [step.info["busy"].all() for step in steps] == [True, True, False]
    assert not steps[2].info["busy"].any()
    np.testing.assert_array_equal(steps[2].obs.yaw, yaw)  # both turns fell on deaf ears
    np.testing.assert_allclose(act(world, YAW=14).obs.yaw, yaw + 30, atol=1e-3)


@pytest.mark.parametrize("function", [base.FN_NONE, base.FN_USE, base.FN_ATTACK])
def test_use_and_attack_take_one_tick(world, function):
    world.arrange()
    assert not act(world, FUNCTION=function).info["busy"].any()
    np.testing.assert_allclose(act(world, YAW=14).obs.yaw, 30, atol=1e-3)


def test_doing_nothing_changes_nothing(world):
    first = world.arrange(("log", 3))
    step = act(world, ticks=20)
    assert not step.reward.any() and not step.terminated.any() and not step.truncated.any()
    for name in ("yaw", "pitch", "life", "slot_name", "slot_quantity", "equipment", "voxels",
                 "mask_craft", "mask_equip", "near_table"):  # fmt: skip
        np.testing.assert_array_equal(getattr(step.obs, name), getattr(first, name), name)
    np.testing.assert_allclose(step.obs.position, first.position, atol=1e-3)


# --- masks -----------------------------------------------------------------------
def test_empty_slots_can_be_neither_equipped_nor_placed_nor_destroyed(world):
    obs = world.arrange()
    assert not obs.mask_equip.any() and not obs.mask_place.any() and not obs.mask_destroy.any()
    blocked = [base.FN_CRAFT, base.FN_EQUIP, base.FN_PLACE, base.FN_DESTROY]
    assert not obs.mask_function[:, blocked].any()
    assert obs.mask_function[:, [base.FN_NONE, base.FN_USE, base.FN_ATTACK]].all()


def test_slot_masks_follow_what_the_slots_hold(world):
    obs = world.arrange(("stick", 2), ("dirt", 5), ("iron_helmet", 1))
    assert obs.mask_equip[0, :4].tolist() == [False, True, True, False]
    assert obs.mask_place[0, :4].tolist() == [False, True, False, False]
    assert obs.mask_destroy[0, :4].tolist() == [True, True, True, False]
    assert not obs.mask_destroy[:, 3:].any()


def test_the_hand_can_be_equipped_for_armour_only(world):
    obs = world.arrange(("iron_helmet", 1))
    assert obs.mask_equip[:, 0].all()
    obs = act(world, FUNCTION=base.FN_EQUIP, SLOT_ARG=0).obs
    assert (obs.equipment[:, 4] == NAME_ID["iron_helmet"]).all()
    assert not obs.slot_name[:, 0].any() and (obs.armor == 2).all()


def test_equip_swaps_with_the_hand_and_destroy_empties_a_slot(world):
    world.arrange(("stick", 2), ("dirt", 5))
    obs = act(world, ticks=3, FUNCTION=base.FN_EQUIP, SLOT_ARG=1).obs
    assert obs.slot_name[0, :2].tolist() == [NAME_ID["dirt"], NAME_ID["stick"]]
    assert (obs.equipment[:, 0] == NAME_ID["dirt"]).all()
    obs = act(world, ticks=3, FUNCTION=base.FN_DESTROY, SLOT_ARG=0).obs
    assert carried(obs, "dirt") == 0 and carried(obs, "stick") == 2


def test_place_puts_the_block_and_uses_it_up(world):
    world.arrange(("dirt", 2))
    act(world, PITCH=24)  # straight down: nothing fits into one's own place
    assert carried(act(world, ticks=3, FUNCTION=base.FN_PLACE).obs, "dirt") == 2
    act(world, PITCH=base.CAMERA_CENTRE - 3)
    assert carried(act(world, ticks=3, FUNCTION=base.FN_PLACE).obs, "dirt") == 1


# --- crafting and stations ---------------------------------------------------------
def test_hand_recipes_ask_for_ingredients_only(world):
    assert not can_craft(world.arrange(), "planks")
    obs = world.arrange(("log", 1))
    assert can_craft(obs, "planks") and not can_craft(obs, "crafting_table")
    obs = act(world, ticks=3, **craft("planks")).obs
    assert carried(obs, "planks") == 4 and carried(obs, "log") == 0
    assert can_craft(obs, "crafting_table") and not can_craft(obs, "planks")


def test_a_masked_craft_does_nothing(world):
    world.arrange(("planks", 3), ("stick", 2))
    step = act(world, ticks=3, **craft("wooden_pickaxe"))
    assert carried(step.obs, "planks") == 3 and carried(step.obs, "wooden_pickaxe") == 0
    assert not step.reward.any()


def with_station(world: Driver, station: str, *items: tuple[str, int]) -> base.Observation:
    """Places a station of one's own on the ground ahead, within reach and in view."""
    world.arrange((station, 1), *items)
    act(world, PITCH=DOWN_45)
    return act(world, ticks=3, FUNCTION=base.FN_PLACE).obs


@pytest.mark.parametrize(
    ("station", "field"), [("crafting_table", "near_table"), ("furnace", "near_furnace")]
)
def test_a_station_counts_near_by_and_in_view_only(world, station, field):
    assert not getattr(world.arrange((station, 1)), field).any()  # carried is not placed
    obs = with_station(world, station)
    assert getattr(obs, field).all() and carried(obs, station) == 0
    assert not getattr(act(world, YAW=TURN_ROUND).obs, field).any()  # behind the back
    obs = act(world, YAW=TURN_ROUND).obs
    assert getattr(obs, field).all()
    act(world, PITCH=base.CAMERA_CENTRE - 2)
    obs = act(world, ticks=24, MOVE=2).obs  # backwards, with the eyes on it
    assert not getattr(obs, field).any()


def test_a_station_that_was_removed_counts_no_more(world):
    obs = with_station(world, "crafting_table", ("diamond_axe", 1))
    assert obs.near_table.all()
    act(world, ticks=3, FUNCTION=base.FN_EQUIP, SLOT_ARG=1)
    seen = []
    for _ in range(20):
        obs = act(world, FUNCTION=base.FN_ATTACK).obs
        seen.append(bool(obs.near_table.all()))
    assert seen[0] and not seen[-1]
    assert not obs.near_table.any() and not can_craft(obs, "wooden_pickaxe")


def test_table_recipes_ask_for_the_table_in_view(world):
    items = (("planks", 3), ("stick", 2))
    assert not can_craft(world.arrange(*items), "wooden_pickaxe")
    obs = with_station(world, "crafting_table", *items)
    assert can_craft(obs, "wooden_pickaxe") and not can_craft(obs, "stone_pickaxe")
    assert not can_craft(act(world, YAW=TURN_ROUND).obs, "wooden_pickaxe")
    obs = act(world, ticks=3, **craft("wooden_pickaxe")).obs
    assert carried(obs, "wooden_pickaxe") == 0  # the table is behind the back
    act(world, YAW=TURN_ROUND)
    obs = act(world, ticks=3, **craft("wooden_pickaxe")).obs
    assert carried(obs, "wooden_pickaxe") == 1 and carried(obs, "planks") == 0


def test_smelting_asks_for_furnace_ore_and_fuel(world):
    iron = "iron_ingot"
    assert CRAFT_NAMES.index(iron) >= NUM_HAND + NUM_TABLE
    assert not can_craft(world.arrange(("iron_ore", 1), ("coal", 1)), iron)
    assert not can_craft(with_station(world, "furnace", ("iron_ore", 1)), iron)
    assert not can_craft(with_station(world, "furnace", ("coal", 1)), iron)
    obs = with_station(world, "furnace", ("iron_ore", 1), ("coal", 1))
    assert can_craft(obs, iron)
    assert not can_craft(act(world, YAW=TURN_ROUND).obs, iron)
    act(world, YAW=TURN_ROUND)
    obs = act(world, ticks=3, **craft(iron)).obs
    assert carried(obs, iron) == 1 and carried(obs, "iron_ore") == 0 and carried(obs, "coal") == 0


# --- rewards and ends -----------------------------------------------------------------
def test_reward_is_the_change_of_the_goal_item_s_count_and_may_be_negative(world):
    world.arrange(("log", 1))
    step = act(world, **craft("planks"))
    np.testing.assert_array_equal(step.reward, 4.0)
    assert not step.terminated.any()  # the goal is 8
    np.testing.assert_array_equal(act(world, ticks=2).reward, 0.0)
    step = act(world, **craft("stick"))
    np.testing.assert_array_equal(step.reward, -2.0)


def test_success_terminates_and_the_next_episode_begins(world):
    world.arrange(("log", 2))
    act(world, ticks=3, **craft("planks"))
    step = act(world, **craft("planks"))
    assert step.terminated.all() and step.info["success"].all() and not step.truncated.any()
    np.testing.assert_array_equal(step.reward, 4.0)
    assert carried(step.final_obs, "planks") == 8
    assert carried(step.obs, "planks") == 0  # the next episode
    assert not step.info["busy"].any()


def test_time_runs_out_at_the_horizon(world):
    world.arrange()
    step = act(world, ticks=HORIZON - 1, YAW=13)
    assert not step.truncated.any()
    step = act(world, YAW=13)
    assert step.truncated.all() and not step.terminated.any()
    assert not step.info["success"].any()
    np.testing.assert_allclose(step.final_obs.yaw, (HORIZON * 15.0 + 180) % 360 - 180, atol=1e-2)
    assert (step.final_obs.time_of_day - step.obs.time_of_day == HORIZON).all()
    assert not act(world).truncated.any()  # the clock began anew


def test_death_ends_the_episode_of_its_lane_alone(world):
    world.arrange(("log", 1))
    world.kill(1)
    step = act(world)
    assert step.terminated.tolist() == [lane == 1 for lane in range(LANES)]
    assert not step.truncated.any() and not step.info["success"].any()
    assert step.final_obs.life[1] <= 0 and step.obs.life[1] == 20
    for new, last in zip(*map(jax.tree.leaves, (step.obs, step.final_obs)), strict=True):
        np.testing.assert_array_equal(new[0], last[0])
    assert carried(step.obs, "log") == 1


# --- seeds -------------------------------------------------------------------------
def test_equal_seeds_give_equal_episodes(world):
    rng = np.random.default_rng(0)
    actions = np.tile(NOOPS, (HORIZON + 5, 1, 1))  # into the episode after
    actions[..., base.MOVE] = rng.integers(0, 3, actions.shape[:2])
    actions[..., base.YAW] = rng.integers(10, 15, actions.shape[:2])
    runs = []
    for seed in (3, 3, 4):
        run = [world.reset(seed).position]
        run += [world.step(action).obs.position for action in actions]
        runs.append(np.stack(run))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0][0] != runs[2][0]).any() and (runs[0][-1] != runs[2][-1]).any()
