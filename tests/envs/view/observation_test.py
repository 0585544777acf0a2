"""The full observation of MineDojo: its keys, shapes, units, and that they are true."""

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID
from rlgpt_jax.envs.view import facts, surroundings
from rlgpt_jax.envs.view.observation import lane, with_names
from rlgpt_jax.envs.view.spec import SPEC, Field, with_image
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BLOCKS, TABLE
from tests.envs.contract_test import act, craft
from tests.envs.contract_worlds import LANES, WORLDS, Driver

SLOTS, RAYS, CUBE = (36,), (120,), (3, 3, 3)
ITEM_KEYS = ("name", "variant", "quantity", "cur_durability", "max_durability")
# As `minedojo.make` gives them, written down apart from the code.
MINEDOJO: dict[str, dict[str, tuple[int, ...]]] = {
    "inventory": dict.fromkeys(ITEM_KEYS, SLOTS),
    "equipment": dict.fromkeys(ITEM_KEYS, (6,)),
    "life_stats": {
        "life": (1,), "food": (1,), "saturation": (1,), "oxygen": (1,), "armor": (1,),
        "xp": (1,), "is_sleeping": (),
    },
    "location_stats": {
        "pos": (3,), "yaw": (1,), "pitch": (1,), "biome_id": (), "rainfall": (1,),
        "temperature": (1,), "can_see_sky": (), "is_raining": (), "light_level": (1,),
        "sky_light_level": (1,), "sun_brightness": (1,), "sea_level": (1,),
    },
    "voxels": dict.fromkeys(
        ("block_name", "block_meta", "is_collidable", "is_tool_not_required",
         "blocks_movement", "is_liquid", "is_solid", "can_burn", "blocks_light",
         "cos_look_vec_angle"), CUBE,
    ),
    "rays": dict.fromkeys(
        ("entity_name", "entity_distance", "block_name", "block_distance", "block_meta",
         "harvest_level", "is_tool_not_required", "blocks_movement", "is_liquid", "is_solid",
         "can_burn", "ray_pitch", "ray_yaw", "traced_block_x", "traced_block_y",
         "traced_block_z"), RAYS,
    ),
    "nearby_tools": {"table": (), "furnace": ()},
    "damage_source": {
        "damage_amount": (1,), "damage_distance": (1,), "damage_pitch": (1,),
        "damage_yaw": (1,), "hunger_damage": (1,), "is_explosion": (), "is_fire_damage": (),
        "is_magic_damage": (), "is_projectile": (), "is_unblockable": (),
    },
    "masks": {
        "action_type": (8,), "action_arg": (8, 1), "equip": SLOTS, "place": SLOTS,
        "destroy": SLOTS, "craft_smelt": (244,),
    },
    "delta_inv": {
        f"{key}_{what}_by_{cause}": (number,)
        for key, number in (("inc", 1), ("dec", 4))
        for what in ("name", "quantity") for cause in ("craft", "other")
    },
}  # fmt: skip


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest) -> Driver:
    return WORLDS[request.param]()


def first(world: Driver) -> dict:
    return lane(world.view(), 0)


def test_keys_shapes_and_types_are_minedojo_s(world):
    world.arrange(("iron_pickaxe", 1), ("log", 3))
    act(world, **craft("planks"))
    seen = world.view()
    assert {group: set(keys) for group, keys in seen.items()} == {
        group: set(keys) for group, keys in MINEDOJO.items()
    }
    for group, keys in MINEDOJO.items():
        for key, shape in keys.items():
            value, field = seen[group][key], SPEC[group][key]
            assert value.shape == (LANES, *shape), (group, key)
            assert value.dtype == field.dtype, (group, key)
            assert (value >= field.low).all() and (value <= field.high).all(), (group, key)


def test_one_lane_is_a_copy_without_the_first_axis(world):
    world.arrange()
    seen = world.view()
    one = lane(seen, 1)
    assert one["life_stats"]["life"].shape == (1,)
    assert isinstance(one["nearby_tools"]["table"], np.ndarray)  # of no axes, as MineDojo's
    one["location_stats"]["pos"][:] = 0
    assert seen["location_stats"]["pos"][1].any()


def test_the_image_comes_first_and_its_size_is_checked():
    field = with_image((160, 256))["rgb"]
    assert field == Field((3, 160, 256), np.uint8, 0, 255)
    assert "rgb" not in with_image(None)
    with pytest.raises(ValueError, match=r"\(height, width\)"):
        with_image((160, 0))


def test_stacks_tell_durability_and_minus_one_where_nothing_wears(world):
    world.arrange(("iron_pickaxe", 1), ("log", 3))
    items = first(world)["inventory"]
    names = [NAME_ID["iron_pickaxe"], NAME_ID["log"], NAME_ID["air"]]
    assert items["name"][:3].tolist() == names
    assert items["quantity"][:3].tolist() == [1, 3, 0]
    assert items["cur_durability"][:3].tolist() == [250, -1, -1]
    assert items["max_durability"][:3].tolist() == [250, -1, -1]


def test_worn_armour_is_equipment(world):
    world.arrange(("iron_boots", 1))
    act(world, ticks=3, FUNCTION=base.FN_EQUIP, SLOT_ARG=0)
    seen = first(world)
    assert seen["equipment"]["name"][:2].tolist() == [NAME_ID["air"], NAME_ID["iron_boots"]]
    assert seen["equipment"]["quantity"].tolist() == [0, 1, 0, 0, 0, 0]
    assert seen["equipment"]["max_durability"][1] == 195
    assert seen["life_stats"]["armor"] == 2


def test_names_are_spelled_as_the_client_does(world):
    world.arrange(("iron_pickaxe", 1))
    world.put("log", (0, 1, 2))
    act(world, **craft("planks"))
    seen = with_names(first(world))
    assert seen["inventory"]["name"][:2].tolist() == ["iron pickaxe", "air"]
    assert seen["voxels"]["block_name"][1, 0, 1] == "grass block"
    assert seen["rays"]["block_name"][base.CENTRE_RAY] == "wood"
    assert (seen["rays"]["entity_name"] == "null").all()
    assert seen["delta_inv"]["inc_name_by_other"].tolist() == ["air"]
    rgb = np.zeros((1, 3, 4, 4), np.uint8)  # as `gym.make` gives it beside the groups
    assert with_names({**first(world), "rgb": rgb})["rgb"] is rgb


def test_location_is_noon_on_plains(world):
    obs = world.arrange()
    place = first(world)["location_stats"]
    np.testing.assert_array_equal(place["pos"], obs.position[0])
    assert place["biome_id"] == 1 and place["sea_level"] == 63
    np.testing.assert_allclose(place["rainfall"], 0.4)
    np.testing.assert_allclose(place["temperature"], 0.8)
    assert place["can_see_sky"] and not place["is_raining"] and place["light_level"] == 15
    np.testing.assert_allclose([place["sun_brightness"], place["sky_light_level"]], 1.0)


def test_the_sun_is_gone_at_midnight_and_half_way_at_dusk():
    sun, sky = surroundings.sun(np.array([6000, 18_000, 12_600]))
    np.testing.assert_allclose(sun[:2], [1, 0])
    np.testing.assert_allclose(sky[:2], [1, 0.2], atol=1e-6)
    assert 0 < sun[2] < 1 and 0.2 < sky[2] < 1


def test_voxels_tell_the_facts_of_their_blocks(world):
    world.arrange()
    for name, offset in (("stone", (1, 0, 0)), ("log", (-1, 1, 0)), ("water", (0, 0, 1)),
                         ("tallgrass", (0, 0, -1))):  # fmt: skip
        world.put(name, offset)
    cells = first(world)["voxels"]
    flags = ("is_tool_not_required", "blocks_movement", "is_liquid", "is_solid", "can_burn",
             "blocks_light")  # fmt: skip
    told = {
        name: [bool(cells[flag][cell]) for flag in flags]
        for name, cell in (("stone", (2, 1, 1)), ("log", (0, 2, 1)), ("water", (1, 1, 2)),
                           ("tallgrass", (1, 1, 0)), ("air", (1, 1, 1)))
        if cells["block_name"][cell] == NAME_ID[name]
    }  # fmt: skip
    assert told == {
        "stone": [False, True, False, True, False, True],
        "log": [True, True, False, True, True, True],
        "water": [True, False, True, False, False, True],
        "tallgrass": [True, False, False, False, True, False],
        "air": [True, False, False, False, False, False],
    }


def test_the_angle_of_voxels_is_measured_from_the_view(world):
    world.arrange()
    act(world, PITCH=24)  # straight down
    cosine = first(world)["voxels"]["cos_look_vec_angle"]
    # From the eyes at (.5, 1.62, .5) to the low corner of the block below, at (0, -1, 0).
    np.testing.assert_allclose(cosine[1, 0, 1], 2.62 / np.sqrt(2.62**2 + 0.5), atol=1e-3)
    assert (cosine[:, 0] > cosine[:, 1]).all()


def test_rays_trace_their_blocks(world):
    feet = np.floor(world.arrange().position[0]).astype(int)
    world.put("iron_ore", (0, 1, 3))
    rays = first(world)["rays"]
    centre = base.CENTRE_RAY
    assert rays["block_name"][centre] == NAME_ID["iron_ore"]
    np.testing.assert_allclose(rays["block_distance"][centre], 2.5, atol=1e-3)
    assert rays["entity_distance"][centre] == rays["block_distance"][centre]
    found = [int(rays[f"traced_block_{axis}"][centre]) for axis in "xyz"]
    assert found == [feet[0], feet[1] + 1, feet[2] + 3]
    assert rays["harvest_level"][centre] == 1 and not rays["is_tool_not_required"][centre]
    assert rays["ray_pitch"][centre] == 0 and rays["ray_yaw"][centre] == 0
    ground = rays["block_name"] == NAME_ID["grass"]
    assert ground.any() and (rays["ray_pitch"][ground] < 0).all()  # below the horizon
    assert (rays["traced_block_y"][ground] == feet[1] - 1).all()
    # Yaw is + to the left, and left of +z is +x.
    assert (rays["traced_block_x"][ground & (rays["ray_yaw"] > 0.1)] >= feet[0]).all()
    air = rays["block_name"] == NAME_ID["air"]
    assert air.any() and (rays["block_distance"][air] == base.RAY_RANGE).all()


def test_masks_know_empty_hands_and_full_inventories(world):
    world.arrange()
    assert not first(world)["masks"]["action_type"][base.FN_DROP]
    world.arrange(("log", 2), ("dirt", 1))
    masks = first(world)["masks"]
    assert masks["action_type"].tolist() == [True] * 8
    assert masks["action_arg"][:, 0].tolist() == [False] * 4 + [True] * 4
    assert masks["craft_smelt"][CRAFT_NAMES.index("planks")]
    world.arrange(*[("log", 64)] * 36)
    assert not first(world)["masks"]["action_type"][base.FN_CRAFT]


def test_what_a_craft_changes_is_told_apart_from_the_rest(world):
    world.arrange(("log", 2))
    delta = first(world)["delta_inv"]
    assert not delta["inc_quantity_by_other"].any()
    act(world, **craft("planks"))
    delta = first(world)["delta_inv"]
    assert delta["inc_name_by_craft"].tolist() == [NAME_ID["planks"]]
    assert delta["inc_quantity_by_craft"].tolist() == [4]
    assert delta["dec_name_by_craft"].tolist() == [NAME_ID["log"], *[NAME_ID["air"]] * 3]
    assert delta["dec_quantity_by_craft"].tolist() == [1, 0, 0, 0]
    assert delta["inc_name_by_other"].tolist() == [NAME_ID["air"]]
    assert not delta["dec_quantity_by_other"].any()
    act(world, ticks=2)
    assert not first(world)["delta_inv"]["inc_quantity_by_craft"].any()
    act(world, FUNCTION=base.FN_DESTROY, SLOT_ARG=0)
    delta = first(world)["delta_inv"]
    assert delta["dec_quantity_by_other"].sum() == 1  # the log that was left
    assert not delta["dec_quantity_by_craft"].any()


def test_damage_is_told_as_what_it_is(world):
    """Suffocation goes past armour and costs no exhaustion."""
    world.arrange()
    for y in range(3):
        world.put("sand", (0, y, 0))  # buried
    lost = 0.0
    for _ in range(40):
        act(world)
        source = first(world)["damage_source"]
        if source["damage_amount"] > 0:
            lost += float(source["damage_amount"][0])
            assert source["is_unblockable"] and not source["is_fire_damage"]
            assert source["hunger_damage"] == 0 and source["damage_distance"] == 0
    assert lost > 0


def test_harvest_levels_follow_the_tools_that_blocks_need():
    level = {block: int(facts.HARVEST_LEVEL[BLOCK_ID[block]]) for block in set(BLOCKS)}
    for block, wanted in (("obsidian", 3), ("diamond_ore", 2), ("gold_ore", 2),
                          ("redstone_ore", 2), ("iron_ore", 1), ("lapis_ore", 1),
                          ("coal_ore", 0), ("stone", 0), ("dirt", 0), ("log", 0),
                          ("crafting_table", -1), ("furnace", -1), ("air", -1),
                          ("torch", -1), ("leaves", -1)):  # fmt: skip
        assert level[block] == wanted, block


def test_every_block_that_lets_bodies_through_has_a_thin_material():
    """A block that is added to the world must be put into one of the lists of `facts`."""
    for block in sorted(set(BLOCKS) - {"air", "web", "standing_sign"}):
        is_open = TABLE[block]["bb"] == "empty"
        if is_open:
            assert not facts.BLOCKS_MOVEMENT[BLOCK_ID[block]], block
