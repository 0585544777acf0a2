"""Light of made worlds, of the hour, and of what the player changes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.voxel.rules.blocks import light
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID
from tests.envs.voxel import worlds

AIR = AIR_CODE + 1
SIZE = (16, 16, 16)


def relaxed(blocks):
    """The definition: every cell is the brightest that its neighbours let it be."""
    cost = np.maximum(light.OPACITY[blocks].astype(int), 1)
    sky = np.zeros(blocks.shape, int)
    level = np.full(blocks.shape[:2], 15)
    for y in range(blocks.shape[2] - 1, -1, -1):
        level = np.maximum(level - light.OPACITY[blocks[:, :, y]], 0)
        sky[:, :, y] = level
    found = []
    for own in (sky, light.EMISSION[blocks].astype(int)):
        while True:
            padded = np.pad(own, ((0, 0), (0, 0), (1, 1)))
            near = [np.roll(own, by, axis) for axis in (0, 1) for by in (1, -1)]
            near += [padded[:, :, :-2], padded[:, :, 2:]]
            new = np.maximum(own, np.max(near, axis=0) - cost)
            if (new == own).all():
                break
            own = new
        found.append(own)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_flood_reaches_the_fixed_point_of_its_rule(seed):
    rng = np.random.default_rng(seed)
    shares = {
        "stone": 0.4, "leaves": 0.06, "water": 0.06, "glass": 0.02, "torch": 0.005, "lava": 0.005,
    }  # fmt: skip
    bytes_ = [AIR, *(BLOCK_ID[name] for name in shares)]
    choice = rng.choice(bytes_, SIZE, p=[1 - sum(shares.values()), *shares.values()])
    blocks = choice.astype(np.uint8)
    blocks[:, :, 13:] = AIR
    got = light.flood(blocks)
    sky, block = relaxed(blocks)
    np.testing.assert_array_equal(got // 16, sky)
    np.testing.assert_array_equal(got % 16, block)
    assert (block > 0).any() and ((sky > 0) & (sky < 15)).any()


def test_a_torch_in_a_closed_cave_shines_14_and_one_less_per_block():
    blocks = np.full(SIZE, BLOCK_ID["stone"], np.uint8)
    blocks[2:14, 8, 8] = AIR
    blocks[4, 8, 8] = BLOCK_ID["torch"]
    got = light.flood(blocks)
    assert (got[4:14, 8, 8] == 14 - np.arange(10)).all()
    assert got[:, 7].max() == 0


def test_the_hours_darkness_is_that_of_the_game():
    """Full darkness lasts from tick 13670 to 22330; float rounding may move an edge by one."""
    dark = np.asarray(light.darkening(jnp.arange(24_000)))
    time = np.arange(24_000)
    turn = (time / 24_000 - 0.25) % 1
    turn += (0.5 - np.cos(turn * np.pi) / 2 - turn) / 3
    day = np.clip(np.cos(turn * 2 * np.pi) * 2 + 0.5, 0, 1)
    assert (dark != np.floor((1 - day) * 11)).sum() <= 22
    full = np.flatnonzero(dark == 11)
    assert abs(full[0] - 13_670) <= 1 and abs(full[-1] - 22_330) <= 1
    assert dark[6000] == 0 and dark[0] == 0 and dark[12_000] == 0 and dark[13_000] in range(5, 9)


def pool_light(level):
    return jnp.full((1, 32, 32, 24), level, jnp.uint8)


_AT = jax.jit(light.at)


def test_edits_open_columns_and_close_them():
    cell = jnp.tile(jnp.array([[8, 9, 8]]), (worlds.LANES, 1))
    state = worlds.player()
    sky, _, is_open = _AT(state, pool_light(0), cell)
    assert sky[0] == 15 and is_open.all()  # dug out
    roof = worlds.with_block(state, "stone", (8, 12, 8))
    sky, _, is_open = _AT(roof, pool_light(16 * 15), cell)
    assert sky[0] == light.SHADE and not is_open.any()  # built over
    sky, block, _ = _AT(roof, pool_light(16 * 3 + 7), cell)
    assert sky[0] == 3 and block[0] == 7
    glass = worlds.with_block(state, "glass", (8, 12, 8))
    assert _AT(glass, pool_light(16 * 15), cell)[2].all()


def test_placed_lights_shine_by_distance():
    state = worlds.player()
    state = state.replace(
        lights=state.lights.replace(
            block=state.lights.block.at[:, 1].set(jnp.array([8, 9, 12])),
            level=state.lights.level.at[:, 1].set(14),
        )
    )
    cell = jnp.tile(jnp.array([[8, 8, 8]]), (worlds.LANES, 1))
    assert _AT(state, pool_light(2), cell)[1][0] == 14 - 5
    assert _AT(state, pool_light(11), cell)[1][0] == 11
    # 4 of 15 are left of the sky by night: a torch is brighter.
    night = jnp.array([18_000, 18_000])
    assert light.total(jnp.array([15, 15]), jnp.array([9, 2]), night).tolist() == [9, 4]
