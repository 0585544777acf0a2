"""The view that macros read: layout, and the same bits from NumPy and JAX."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS, Observation
from rlgpt_jax.envs.names import NAME_ID, NUM_NAMES
from rlgpt_jax.macros import sensors

LANES = 3


def observation(rng: np.random.Generator) -> Observation:
    """Returns a NumPy observation with random numbers of the right kinds."""

    def real(*shape: int) -> np.ndarray:
        return rng.normal(size=(LANES, *shape)).astype(np.float32) * 40

    def whole(*shape: int) -> np.ndarray:
        return rng.integers(0, NUM_NAMES, (LANES, *shape)).astype(np.int32)

    def flag(*shape: int) -> np.ndarray:
        return rng.integers(0, 2, (LANES, *shape)).astype(bool)

    return Observation(
        position=real(3), yaw=real(), pitch=real(), on_ground=flag(), in_water=flag(),
        life=real(), food=real(), saturation=real(), oxygen=real(), armor=real(), xp=real(),
        light_level=whole(), sky_light=whole(), can_see_sky=flag(), damage=real(),
        damage_kind=whole(), slot_variant=whole(36), time_of_day=real(), biome=whole(),
        voxels=whole(3, 3, 3), ray_block=whole(NUM_RAYS), ray_block_distance=real(NUM_RAYS),
        ray_entity=whole(NUM_RAYS), ray_entity_distance=real(NUM_RAYS), slot_name=whole(36),
        slot_quantity=whole(36), slot_durability=real(36), equipment=whole(6),
        near_table=flag(), near_furnace=flag(), mask_function=flag(8), mask_equip=flag(36),
        mask_place=flag(36), mask_destroy=flag(36), mask_craft=flag(244),
    )  # fmt: skip


def test_numpy_and_jax_give_the_same_bits():
    obs = observation(np.random.default_rng(0))
    on_host = sensors.pack_view(obs)
    on_device = sensors.pack_view(jax.tree.map(jnp.asarray, obs))
    assert isinstance(on_host, np.ndarray) and isinstance(on_device, jax.Array)
    assert on_host.shape == (LANES, sensors.VIEW_SIZE) and on_host.dtype == np.float32
    np.testing.assert_array_equal(on_host.view(np.int32), np.asarray(on_device).view(np.int32))


def test_everything_is_where_the_layout_says():
    obs = observation(np.random.default_rng(1))
    view = sensors.pack_view(obs)

    def part(start: int, length: int) -> np.ndarray:
        return view[:, start : start + length]

    fields = {"x": obs.position[:, 0], "z": obs.position[:, 2], "yaw": obs.yaw,
              "time": obs.time_of_day, "oxygen": obs.oxygen, "on_ground": obs.on_ground,
              "held": obs.equipment[:, 0], "near_furnace": obs.near_furnace}  # fmt: skip
    for name, expected in fields.items():
        np.testing.assert_array_equal(view[:, sensors.SCALARS.index(name)], expected)
    np.testing.assert_array_equal(part(sensors.VOXELS, 27), obs.voxels.reshape(LANES, 27))
    np.testing.assert_array_equal(part(sensors.SLOT_QUANTITIES, 36), obs.slot_quantity)
    np.testing.assert_array_equal(part(sensors.RAY_ENTITIES, NUM_RAYS), obs.ray_entity)
    nearer = np.minimum(obs.ray_block_distance, obs.ray_entity_distance)
    np.testing.assert_array_equal(part(sensors.RAY_DISTANCES, NUM_RAYS), nearer)


def test_names_are_exact_in_the_view():
    assert max(NAME_ID.values()) < 2**24
