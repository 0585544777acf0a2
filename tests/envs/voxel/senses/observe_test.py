"""Observations: shapes and types of the contract, and what the cells around show."""

import jax
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.light import FULL
from rlgpt_jax.envs.voxel.senses.observe import observe
from tests.envs.voxel import worlds

# Field -> (shape without N, dtype), as written in `base.Observation`.
CONTRACT = {
    "position": ((3,), "float32"), "yaw": ((), "float32"), "pitch": ((), "float32"),
    "on_ground": ((), "bool"), "in_water": ((), "bool"), "life": ((), "float32"),
    "food": ((), "float32"), "oxygen": ((), "float32"), "time_of_day": ((), "float32"),
    "biome": ((), "int32"), "voxels": ((3, 3, 3), "int32"),
    "ray_block": ((120,), "int32"), "ray_block_distance": ((120,), "float32"),
    "ray_entity": ((120,), "int32"), "ray_entity_distance": ((120,), "float32"),
    "slot_name": ((36,), "int32"), "slot_variant": ((36,), "int32"),
    "slot_quantity": ((36,), "int32"), "saturation": ((), "float32"), "armor": ((), "float32"),
    "xp": ((), "float32"), "light_level": ((), "int32"), "sky_light": ((), "int32"),
    "can_see_sky": ((), "bool"), "damage": ((), "float32"), "damage_kind": ((), "int32"),
    "slot_durability": ((36,), "float32"), "equipment": ((6,), "int32"),
    "near_table": ((), "bool"), "near_furnace": ((), "bool"),
    "mask_function": ((8,), "bool"), "mask_equip": ((36,), "bool"),
    "mask_place": ((36,), "bool"), "mask_destroy": ((36,), "bool"),
    "mask_craft": ((244,), "bool"),
}  # fmt: skip
_see = jax.jit(observe, static_argnums=2)


def see(state, rays):
    return _see(state, np.full((1, *state.blocks.shape[1:]), 16 * FULL, np.uint8), rays)


def test_observation_has_the_contract_s_shapes_and_types():
    assert {*CONTRACT, "rgb"} == set(base.Observation._fields)
    for rays in (True, False):
        obs = see(worlds.player(3), rays)
        for name, (shape, dtype) in CONTRACT.items():
            value = getattr(obs, name)
            assert (value.shape, str(value.dtype)) == ((3, *shape), dtype), name


def test_voxels_are_ordered_x_y_z_around_the_feet():
    state = worlds.with_block(worlds.player(1), "planks", (9, 8, 8), (8, 9, 7))
    voxels = np.asarray(see(state, False).voxels)[0]
    grass, planks, air = (NAME_ID[name] for name in ("grass", "planks", "air"))
    assert (voxels[:, 0, :] == grass).all()  # the layer below the feet
    assert voxels[2, 1, 1] == planks and voxels[1, 2, 0] == planks
    assert (voxels == planks).sum() == 2 and (voxels == air).sum() == 16


def test_feet_a_rounding_error_low_still_stand_on_the_block():
    high = worlds.player(1, position=np.array([[8.5, worlds.GROUND, 8.5]]))
    low = worlds.player(1, position=np.array([[8.5, worlds.GROUND - 1e-6, 8.5]]))
    np.testing.assert_array_equal(see(high, False).voxels, see(low, False).voxels)


def test_equipment_is_the_hand_and_the_armour():
    state = worlds.holding(worlds.player(1), ("shears", 1))
    state = state.replace(
        armor=state.armor.replace(item=state.armor.item.at[:, 3].set(NAME_ID["iron_helmet"]))
    )
    equipment = np.asarray(see(state, False).equipment)[0]
    np.testing.assert_array_equal(
        equipment, (NAME_ID["shears"], 0, 0, 0, NAME_ID["iron_helmet"], 0)
    )


def test_without_rays_all_else_is_the_same():
    state = worlds.player(2)
    full, bare = see(state, True)._asdict(), see(state, False)._asdict()
    for name in CONTRACT:
        if name.startswith("ray_"):
            assert not np.asarray(bare[name]).any() and np.asarray(full[name]).any()
        else:
            np.testing.assert_array_equal(full[name], bare[name])
