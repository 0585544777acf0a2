"""The client's observation as ours: the inverse of what `view.observation.look` shows."""

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import DAMAGE_KINDS
from rlgpt_jax.envs.minedojo import spelling
from rlgpt_jax.envs.minedojo.batch import resized, stack
from rlgpt_jax.envs.minedojo.convert import client_action, observation, on_ground
from rlgpt_jax.envs.minedojo.damage import damage_of
from rlgpt_jax.envs.names import MOBS, NAME_ID, NAMES, load
from rlgpt_jax.envs.view.observation import Sight, lane, look, with_names
from rlgpt_jax.envs.view.strings import spell
from rlgpt_jax.envs.voxel.terrain.biomes import BIOME_INDEX
from tests.envs.contract_test import act, craft
from tests.envs.contract_worlds import LANES, embedded
from tests.envs.minedojo.driver import table_of, view

PLAINS = BIOME_INDEX["plains"]
# What MineDojo does not tell, and what `convert` makes of it instead.
WORKED_OUT = {"sky_light", "damage_kind", "mask_function", "mask_craft", "rgb"}


def seen_by_the_client() -> list[dict[str, np.ndarray]]:
    """Every lane's observation as strings and numbers, flat."""
    world = embedded()
    sight = Sight(world._now, world._before, world._action, world.host, sea_level=63)
    views = [lane(with_names(look(sight)), index) for index in range(LANES)]
    return [{f"{g}/{k}": v for g, keys in seen.items() for k, v in keys.items()} for seen in views]


def facts_of(obs: base.Observation, index: int) -> dict:
    return {"world_time": int(obs.time_of_day[index]) + 3 * 24_000}


def arranged() -> base.Observation:
    """Lanes that hold things, look at an ore, stand by water and have made planks."""
    world = embedded()
    world.arrange(("iron_pickaxe", 1), ("log", 3), ("crafting_table", 1))
    for block, offset in (("iron_ore", (0, 1, 3)), ("log", (1, 0, 1)), ("stone", (-1, 0, 0))):
        world.put(block, offset)
    return act(world, MOVE=0, YAW=14, **craft("planks")).obs


def test_what_look_shows_is_read_back():
    obs = arranged()
    found = stack([
        observation(seen, facts_of(obs, index), PLAINS, None)
        for index, seen in enumerate(seen_by_the_client())
    ])  # fmt: skip
    for name in obs._fields:
        if name in WORKED_OUT:
            continue
        value, wanted = getattr(found, name), getattr(obs, name)
        assert value.dtype == wanted.dtype and value.shape == wanted.shape, name
        np.testing.assert_allclose(value, wanted, atol=1e-5, err_msg=name)
    np.testing.assert_array_equal(found.sky_light, obs.sky_light)  # the sky is open
    assert not found.damage_kind.any()


def test_a_view_with_ids_is_read_back_too():
    arranged()
    world = embedded()
    wanted = lane(world.view(), 0)
    found = view(seen_by_the_client()[0], {})
    for group, keys in wanted.items():
        for key, value in keys.items():
            assert found[group][key].dtype == value.dtype, (group, key)
            np.testing.assert_array_equal(found[group][key], value, f"{group}/{key}")


def test_masks_are_the_client_s():
    obs = arranged()
    found = observation(seen_by_the_client()[0], {}, PLAINS, None)
    np.testing.assert_array_equal(found.mask_craft, obs.mask_craft[0])
    np.testing.assert_array_equal(found.mask_function, obs.mask_function[0])
    embedded().arrange()
    assert not observation(seen_by_the_client()[0], {}, PLAINS, None).mask_function[base.FN_DROP]


def test_rays_of_a_view_straight_down_which_are_no_numbers_meet_nothing():
    embedded().arrange()
    seen = seen_by_the_client()[0]
    for key in ("rays/block_distance", "rays/entity_distance"):
        seen[key] = np.full(120, np.nan, np.float32)
    seen["rays/block_name"], seen["rays/entity_name"] = np.full(120, "bedrock"), np.full(120, "cow")
    obs = observation(seen, {}, PLAINS, None)
    assert (obs.ray_block == spelling.AIR).all() and (obs.ray_entity == NAME_ID["none"]).all()
    assert (obs.ray_block_distance == base.RAY_RANGE).all()
    assert (obs.ray_entity_distance == base.RAY_RANGE).all()


def test_yaw_is_wrapped_and_misses_are_cut_to_the_range_of_rays():
    embedded().arrange()
    seen = seen_by_the_client()[0]
    for told, wanted in ((180.0, -180.0), (-180.0, -180.0), (725.0, 5.0), (-190.0, 170.0)):
        seen["location_stats/yaw"] = np.array([told], np.float32)
        assert observation(seen, {}, PLAINS, None).yaw == pytest.approx(wanted)
    true = observation(seen, {}, PLAINS, None)
    misses = seen["rays/block_name"] == "air"
    assert misses.any() and not misses.all()
    for nonsense in (57.0, 3.0):  # it grows with the coordinates of the place
        seen["rays/block_distance"][misses] = nonsense
        seen["rays/entity_distance"][misses] = nonsense
        obs = observation(seen, {}, PLAINS, None)
        np.testing.assert_array_equal(obs.ray_block_distance, true.ray_block_distance)
        np.testing.assert_array_equal(obs.ray_entity_distance, true.ray_entity_distance)
    seen["rays/entity_name"] = np.full(120, "cow")
    assert (observation(seen, {}, PLAINS, None).ray_entity_distance[misses] == 3.0).all()


# --- names ---------------------------------------------------------------------------------
def test_every_name_of_a_block_or_mob_is_read_as_one_that_is_shown_alike():
    for group, key, names in (("rays", "block_name", load("blocks_all")["blocks"]),
                              ("rays", "entity_name", MOBS)):  # fmt: skip
        ids = np.array([NAME_ID[name] for name in names])
        shown = spell(group, key, ids)
        found = spelling.ids_of(table_of(group, key), shown)
        np.testing.assert_array_equal(spell(group, key, found), shown)
        alone = np.array([list(shown).count(word) == 1 for word in shown])
        assert alone.sum() > 5
        np.testing.assert_array_equal(found[alone], ids[alone])


def test_of_blocks_that_are_shown_alike_the_usual_one_is_meant():
    for shown, name in (("wood", "log"), ("leaves", "leaves"), ("water", "water"),
                        ("grass", "tallgrass"), ("grass block", "grass"),
                        ("furnace", "furnace"), ("melon", "melon_block")):  # fmt: skip
        assert NAMES[spelling.BLOCKS[shown]] == name


def test_items_are_read_with_spaces_and_with_underscores():
    for name in load("items")["items"]:
        assert spelling.ITEMS[name] == spelling.ITEMS[name.replace("_", " ")] == NAME_ID[name]


def test_unknown_names_are_neither_air_nor_nothing():
    embedded().arrange(("log", 1))
    seen = seen_by_the_client()[0]
    seen["rays/entity_name"] = np.full(120, "creeper")
    seen["voxels/block_name"] = np.full((3, 3, 3), "a block of another version")
    obs = observation(seen, {}, PLAINS, None)
    assert (obs.ray_entity == spelling.UNKNOWN).all() and (obs.voxels == spelling.UNKNOWN).all()
    assert spelling.UNKNOWN not in (NAME_ID["air"], NAME_ID["none"])


def test_an_unknown_biome_is_the_task_s():
    embedded().arrange()
    seen = seen_by_the_client()[0]
    seen["location_stats/biome_id"] = np.array(127)  # the void
    assert observation(seen, {}, BIOME_INDEX["taiga"], None).biome == BIOME_INDEX["taiga"]


# --- what is worked out ----------------------------------------------------------------------
def test_feet_are_on_the_ground_where_something_bears_their_box():
    bears = np.zeros((3, 3, 3), bool)
    assert not on_ground(np.array([0.5, 64.0, 0.5]), bears)
    bears[1, 0, 1] = True  # the block below
    assert on_ground(np.array([0.5, 64.0, 0.5]), bears)
    assert on_ground(np.array([0.5, 63.99999, 0.5]), bears)  # a rounding error below its top
    assert not on_ground(np.array([0.5, 64.3, 0.5]), bears)  # in the air above it
    edge = np.zeros((3, 3, 3), bool)
    edge[2, 0, 1] = True  # the block to the east of it
    assert on_ground(np.array([0.8, 64.0, 0.5]), edge)  # the box reaches over
    assert not on_ground(np.array([0.6, 64.0, 0.5]), edge)
    slab = np.zeros((3, 3, 3), bool)
    slab[1, 1, 1] = True
    assert on_ground(np.array([0.5, 64.5, 0.5]), slab)


@pytest.mark.parametrize(
    ("source", "changes", "kind"),
    [
        ({"damage_distance": 1.5}, {}, "mob"),
        ({"is_fire_damage": True}, {}, "in_fire"),
        ({"is_fire_damage": True, "is_unblockable": True}, {}, "on_fire"),
        ({"is_fire_damage": True}, {"voxels": "lava"}, "lava"),
        ({}, {}, "cactus"),
        ({"is_unblockable": True}, {}, "fall"),
        ({"is_unblockable": True}, {"life_stats/oxygen": [0.0]}, "drown"),
        ({"is_unblockable": True}, {"life_stats/food": [0.0]}, "starve"),
        ({"is_unblockable": True}, {"location_stats/pos": [0.0, -3.0, 0.0]}, "out_of_world"),
    ],
)
def test_the_kind_of_damage_follows_from_its_flags(source, changes, kind):
    embedded().arrange()
    seen = seen_by_the_client()[0]
    voxels = np.full((3, 3, 3), NAME_ID[changes.pop("voxels", "air")])
    seen |= {key: np.array(value, np.float32) for key, value in changes.items()}
    facts = {"damage_source": {"damage_amout": 2.0, **source}}  # as the game spells it
    amount, found = damage_of(seen, facts, voxels, np.float32(18), None)
    assert amount == 2.0 and DAMAGE_KINDS[found] == kind


@pytest.mark.parametrize(
    ("around", "kind"),
    [("zombie", "mob"), ("cavespider", "mob"), ("cow", "none"), ("null", "none")],
)
def test_damage_before_the_last_tick_of_a_slow_action_has_no_flags(around, kind):
    """The client tells of the last tick alone: the life is gone, and nothing took it."""
    embedded().arrange()
    seen = seen_by_the_client()[0]
    before = observation(seen, {}, PLAINS, None)
    seen["rays/entity_name"] = np.array([*["null"] * 119, around])
    facts = {"damage_source": {"damage_amout": 0.0, "is_unblockable": False}}
    amount, found = damage_of(seen, facts, before.voxels, np.float32(17), before)
    assert amount == 3.0 and DAMAGE_KINDS[found] == kind


def test_damage_is_the_life_that_was_lost_where_that_is_known():
    embedded().arrange()
    seen = seen_by_the_client()[0]
    before = observation(seen, {}, PLAINS, None)
    facts = {"damage_source": {"damage_amout": 7.0, "damage_distance": 1.0}}  # armour held 4 off
    amount, kind = damage_of(seen, facts, before.voxels, np.float32(17), before)
    assert amount == 3.0 and DAMAGE_KINDS[kind] == "mob"
    amount, kind = damage_of(seen, {}, before.voxels, np.float32(20), before)
    assert amount == 0.0 and kind == 0


# --- actions -----------------------------------------------------------------------------------
def test_actions_are_the_client_s_own_but_for_empty_slots():
    names = np.array(["log", *["air"] * 35])
    row = np.array([1, 2, 3, 4, 5, base.FN_NONE, 6, 1])
    for function in range(8):
        row[base.FUNCTION] = function
        asked, ticks = client_action(row, names)
        if function in (base.FN_EQUIP, base.FN_PLACE, base.FN_DESTROY):
            assert asked == [1, 2, 3, 4, 5, base.FN_NONE, 6, 1] and ticks == base.SLOW_TICKS
        else:
            assert asked == row.tolist() and ticks == 1
    row[base.SLOT_ARG] = 0
    assert client_action(row, names) == (row.tolist(), 1)
    for bad in ([0] * 7, [*[0] * 7, 36], [-1, *[0] * 7]):
        with pytest.raises(ValueError, match="an action is 8 numbers"):
            client_action(np.array(bad), names)


def test_pictures_are_shrunk_by_means():
    image = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    np.testing.assert_array_equal(resized(image, (4, 6)), image)
    small = resized(image, (2, 3))
    assert small.dtype == np.uint8 and small.shape == (2, 3, 3)
    np.testing.assert_allclose(small[0, 0], image[:2, :2].reshape(4, 3).mean(0), atol=0.5)
    flat = np.full((160, 256, 3), 77, np.uint8)
    assert (resized(flat, (64, 64)) == 77).all()
