"""What the client is sent: keys, types, and that it is true of the world."""

import math

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS, NAME_ID
from tests.doubles.minecraft import lidar, stats
from tests.doubles.minecraft.controls import Turn
from tests.doubles.minecraft.mission import Ray, Stack
from tests.doubles.minecraft.stats import Before, Stats
from tests.envs.minedojo.standin.client import SIZE
from tests.envs.minedojo.standin.serving import BUCKET, GROUND, PLACE, begin, told

pytestmark = pytest.mark.slow  # a double, with a world of its own to compile

# What MineDojo's client reads from the top of the JSON, and the type that it comes as.
READ = {
    "life": float, "armor": int, "food": int, "saturation": float, "xp": int, "air": int,
    "is_sleeping": bool, "xpos": float, "ypos": float, "zpos": float, "pitch": float,
    "yaw": float, "biome_id": int, "biome_rainfall": float, "biome_temperature": float,
    "sea_level": int, "light_level": int, "is_raining": bool, "can_see_sky": bool,
    "sun_brightness": float, "sky_light_level": float, "nearby_crafting_table": bool,
    "nearby_furnace": bool, "is_dead": bool, "living_death_event_fired": bool,
}  # fmt: skip
HARM = {
    "damage_amout", "damage_distance", "damage_pitch", "damage_yaw", "hunger_damage",
    "is_explosion", "is_fire_damage", "is_magic_damage", "is_projectile", "is_unblockable",
}  # fmt: skip


def test_every_key_that_the_client_reads_is_there_with_its_type(shared):
    info = begin(shared, BUCKET)
    assert {key: type(info[key]) for key in READ} == READ
    assert set(info["damage_source"]) == HARM
    assert (info["xpos"], info["ypos"], info["zpos"]) == PLACE[:3]
    assert (info["life"], info["food"], info["air"]) == (20.0, 20, 300)
    assert info["biome_id"] == 1 and info["sea_level"] == 17


def test_statistics_are_nested_by_the_parts_of_their_names(shared):
    stat = begin(shared)["stat"]
    assert stat["kill_entity"]["cow"] == 0 and stat["time_since_death"] == 0
    assert stat["use_item"]["minecraft"]["iron_pickaxe"] == 0
    flat = [leaf for leaf in stat.values() if not isinstance(leaf, dict)]
    flat += list(stats.blank()["achievement"].values())
    # The client complains of each of these 84 that is missing, at every step.
    assert len(flat) == 84
    sizes = {key: len(value.get("minecraft", value)) for key, value in stat.items()
             if isinstance(value, dict)}  # fmt: skip
    assert sizes["kill_entity"] == sizes["entity_killed_by"] == 42
    assert sizes["craft_item"] == 246 and sizes["break_item"] == 52


def test_the_inventory_has_41_places_and_the_hand_is_the_first(shared):
    rows = begin(
        shared, BUCKET, Stack(9, "planks", 2, 5), Stack(12, "iron_pickaxe", 3, 1),
        Stack(36, "iron_boots", 0, 1), Stack(40, "shield", 0, 1),
    )["inventory"]  # fmt: skip
    assert [row["index"] for row in rows] == list(range(41))
    assert {row["inventory"] for row in rows} == {"inventory"}
    name = [row["name"] for row in rows]
    assert (name[0], name[9], name[36], name[40]) == ("bucket", "planks", "iron_boots", "shield")
    assert name.count("air") == 36
    assert (rows[9]["variant"], rows[9]["quantity"], rows[9]["max_durability"]) == (2, 5, -1)
    assert (rows[12]["max_durability"], rows[12]["cur_durability"]) == (250, 247)
    assert rows[1] == {
        "name": "air", "variant": 0, "quantity": 0, "max_durability": -1, "cur_durability": -1,
        "index": 1, "inventory": "inventory",
    }  # fmt: skip


def test_voxels_run_along_x_then_y_then_z(shared):
    begin(shared)
    # Relative to the feet: one block east, one south of it, one above that.
    shared.step("chat /setblock ~1 ~ ~ stone")
    shared.step("chat /setblock ~1 ~1 ~1 glass")
    assert not shared.refused
    cells = np.array(told(shared)["voxels"], object).reshape(27, 10)
    cube = cells[:, 0].reshape(3, 3, 3)  # z, y, x
    assert set(cube[:, 0].ravel()) == {"grass block"}
    assert cube[1, 1, 2] == "stone" and cube[2, 2, 2] == "glass"
    assert (cube == "air").sum() == 27 - 9 - 2
    stone = cells[cube.ravel() == "stone"][0]
    # meta, collidable, no tool needed, blocks movement, liquid, solid, burns, blocks light
    assert stone[1:9].tolist() == [0, True, False, True, False, True, False, True]


def test_rays_have_sixteen_values_and_meet_what_is_there(shared):
    down, ahead, left = Ray(-math.pi / 2, 0.0, 9.0), Ray(0.0, 0.0, 9.0), Ray(-0.3, 1.5708, 9.0)
    begin(shared, rays=(down, ahead, left))
    shared.step("chat /setblock ~ ~1 ~4 log")
    shared.step("chat /summon sheep ~3 ~ ~")
    told_rays = np.array(told(shared)["rays"], object).reshape(3, 16)
    names = told_rays[:, 0].tolist()
    assert names == ["grass block", "wood", "grass block"]
    assert told_rays[0, 1] == pytest.approx(1.62, abs=1e-3)
    assert told_rays[1, 1] == pytest.approx(3.5, abs=1e-3)
    assert told_rays[:2, 13:].tolist() == [[8, GROUND - 1, 8], [8, GROUND + 1, 12]]
    assert told_rays[:, 9].tolist() == ["null", "null", "EntitySheep"]
    assert told_rays[2, 1] == pytest.approx(1.62 / math.sin(0.3), abs=1e-3)
    assert told_rays[2, 10] == pytest.approx((3.0 - 0.45) / math.cos(0.3), abs=0.06)
    assert told_rays[2, 11:13].tolist() == pytest.approx([-0.3, 1.5708])


def test_a_ray_that_meets_nothing_has_the_mod_s_odd_distance(shared):
    info = begin(shared, rays=(Ray(0.0, 0.0, 10.0),))
    row = info["rays"]
    eye = np.array([8.5, GROUND + 1.62, 8.5])
    assert row[0] == "air" and row[9] == "null"
    assert row[1] == row[10] == pytest.approx(np.linalg.norm(np.array([0.0, 0.0, 10.0]) - eye))
    assert row[13:] == [8, GROUND + 1, 18]


def test_any_rays_are_cast_as_the_usual_ones_are(shared):
    begin(shared, rays=lidar.USUAL)
    assert lidar.is_usual(lidar.USUAL) and not lidar.is_usual(lidar.USUAL[:-1])
    shared.step("chat /summon cow ~2 ~ ~4\ncamera 15.0 30.0")
    usual = told(shared)["rays"]
    sight = shared.sight()
    own = lidar.cast(shared.host.state, sight, lidar.USUAL, "view")
    for k, key in enumerate(("block_name", "block_distance")):
        direct = getattr(sight.obs, f"ray_{key.replace('_name', '')}")[0]
        assert np.isclose(own[key][0], direct, atol=2e-3).mean() > 0.97, (k, usual[k])


def test_the_land_s_axes_agree_with_the_view_s_to_the_south_only(shared):
    rays = (Ray(0.3, 0.0, 9.0), Ray(0.0, 0.4, 9.0))
    south = [lidar.directions(rays, 0.0, 0.0, axes) for axes in lidar.AXES]
    np.testing.assert_allclose(*south, atol=1e-9)
    north = [lidar.directions(rays, 180.0, 0.0, axes) for axes in lidar.AXES]
    assert north[0][0, 1] == pytest.approx(-north[1][0, 1])  # up becomes down
    np.testing.assert_allclose(north[0][1], north[1][1], atol=1e-9)


def test_pixels_have_the_asked_size_and_the_sky_comes_last(shared):
    begin(shared)
    pixels = np.frombuffer(shared.pixels(), np.uint8).reshape(*SIZE, 3).astype(int)
    assert pixels.min() >= 0 and len(np.unique(pixels)) > 3
    blue_over_red = pixels[..., 2] - pixels[..., 0]
    assert blue_over_red[-1].mean() > 20 > blue_over_red[0].mean()


def test_the_yaw_counts_on_and_the_pitch_stops(shared):
    begin(shared)
    for _ in range(5):
        shared.step("camera 45.0 90.0")
    info = told(shared)
    assert info["yaw"] == 450.0 and info["pitch"] == 90.0
    shared.step("camera -1.5 -450.25")  # no whole number of bins
    info = told(shared)
    assert info["yaw"] == pytest.approx(-0.25) and info["pitch"] == 88.5


def test_a_tick_is_counted_and_so_are_ways_and_jumps():
    fields = {
        "player.position": np.zeros((1, 3)), "player.on_ground": np.ones(1, bool),
        "player.in_water": np.zeros(1, bool), "player.life": np.full(1, 20.0),
        "player.xp": np.zeros(1), "player.eating": np.zeros(1, int),
        "mobs.kind": np.array([[MOBS.index("cow")]]), "mobs.life": np.full((1, 1), 10.0),
        "inventory.item": np.zeros((1, 36), int), "inventory.quantity": np.zeros((1, 36), int),
        "inventory.damage": np.zeros((1, 36), int),
    }  # fmt: skip
    fields["inventory.item"][0, 0] = NAME_ID["iron_sword"]
    before, after = Before(fields), Before({key: value.copy() for key, value in fields.items()})
    after["player.position"][0] = (0.3, 0.4, 0.0)
    after["player.on_ground"][0] = False
    after["mobs.kind"][0, 0], after["player.xp"][0], after["inventory.damage"][0, 0] = 0, 3.0, 1
    after["mobs.life"][0, 0] = -1.0
    counted = Stats()
    counted.count(before, after, Turn(frozenset()), np.array(base.NOOP), np.zeros(2))
    stat = counted.tree["stat"]
    assert (stat["jump"], stat["mob_kills"], stat["kill_entity"]["cow"]) == (1, 1, 1)
    assert stat["use_item"]["minecraft"]["iron_sword"] == 1
    assert stat["play_one_minute"] == stat["time_since_death"] == 1
    # Experience of ore in the tick in which a mob despawns is of no kill.
    after["mobs.life"][0, 0] = 10.0
    counted.count(before, after, Turn(frozenset()), np.array(base.NOOP), np.zeros(2))
    assert (stat["mob_kills"], stat["kill_entity"]["cow"]) == (1, 1)
    after["player.life"][0] = 0.0
    counted.count(before, after, Turn(frozenset()), np.array(base.NOOP), np.array([20.0, 1]))
    assert (stat["deaths"], stat["time_since_death"], stat["damage_taken"]) == (1, 0, 200)
