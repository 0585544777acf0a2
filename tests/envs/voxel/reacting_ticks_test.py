"""Players who dig, pour, place and open things: blocks react through whole ticks."""

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from tests.envs.voxel import worlds
from tests.envs.voxel.reacting import AIR, GROUND, levels, name_at, put

ABOVE = (8, GROUND, 10)


def looking(state, pitch):
    return worlds.with_player(state, pitch=jnp.full(worlds.LANES, pitch))


def use(state):
    """One press of the key."""
    return worlds.run(worlds.run(state), FUNCTION=base.FN_USE)


def lying(state, name: str) -> int:
    """Pieces of an item on the ground or carried, in lane 0."""
    ground = (state.items.id[0] == NAME_ID[name]) * state.items.quantity[0]
    return int(ground.sum()) + int(worlds.count(state, name)[0])


def test_digging_under_gravel_brings_it_down_on_the_next_ticks():
    state = put(worlds.player(), *(((8, y, 9), "gravel") for y in range(GROUND + 1, GROUND + 4)))
    state = put(state, ((8, GROUND, 9), "dirt"))
    state = worlds.run(looking(state, 60.0), 20, FUNCTION=base.FN_ATTACK)
    assert name_at(state, (8, GROUND, 9))[0] in ("gravel", "air")
    state = worlds.run(state, 12)
    names = [name_at(state, (8, y, 9))[0] for y in range(GROUND, GROUND + 4)]
    assert names == ["gravel"] * 3 + ["air"]
    assert lying(state, "gravel") == 0


def test_a_torch_falls_with_its_ground_and_is_picked_up():
    state = put(worlds.player(), ((8, GROUND, 9), "torch"), ((8, GROUND - 1, 9), "dirt"))
    state = state.replace(
        lights=state.lights.replace(
            block=state.lights.block.at[:, 0].set(jnp.array([8, GROUND, 9])),
            level=state.lights.level.at[:, 0].set(14),
        )
    )
    # The crosshair passes the torch's cell: what breaks is the torch, at once.
    state = worlds.run(looking(state, 60.0), 30, FUNCTION=base.FN_ATTACK)
    assert lying(state, "torch") == 1 and not state.lights.level[0].any()
    state = worlds.run(state, 20)
    assert worlds.count(state, "torch")[0] == 1


def test_a_bucket_pours_water_that_spreads_and_only_its_source_is_scooped():
    state = use(worlds.holding(looking(worlds.player(), 45.0), ("water_bucket", 1)))
    assert name_at(state, ABOVE) == ("water", 0)
    state = worlds.run(state, 30)
    assert len(levels(state, GROUND)) > 20 and state.player.in_water[0]
    # The flow is around the player; the crosshair goes through it to the source.
    assert state.inventory.item[0, 0] == NAME_ID["bucket"]
    aimed = worlds.with_player(
        state,
        position=jnp.tile(jnp.array([8.5, GROUND, 8.5]), (worlds.LANES, 1)),
        velocity=jnp.zeros_like(state.player.velocity),
    )
    state = worlds.run(aimed, FUNCTION=base.FN_USE)
    assert state.inventory.item[0, 0] == NAME_ID["water_bucket"]
    state = worlds.run(state, 120)
    assert levels(state, GROUND) == {}


def test_a_door_is_placed_opened_and_broken_as_one():
    state = use(worlds.holding(looking(worlds.player(), 45.0), ("wooden_door", 1)))
    upper = (8, GROUND + 1, 10)
    assert name_at(state, ABOVE) == ("wooden_door", 1) and name_at(state, upper)[1] == 8
    assert worlds.count(state, "wooden_door")[0] == 0
    opened = use(looking(state, 15.0))
    assert name_at(opened, ABOVE) == ("wooden_door", 5)
    assert name_at(use(opened), ABOVE) == ("wooden_door", 1)
    for pitch in (0.0, 30.0):  # the upper and the lower half
        broken = worlds.run(looking(state, pitch), 120, FUNCTION=base.FN_ATTACK)
        assert name_at(broken, ABOVE) == AIR and name_at(broken, upper) == AIR
        assert lying(broken, "wooden_door") == 1


def test_torches_that_are_placed_give_light_until_water_takes_them():
    state = use(worlds.holding(looking(worlds.player(), 45.0), ("torch", 1)))
    assert state.lights.level[0].tolist()[0] == 14
    assert state.lights.block[0, 0].tolist() == list(ABOVE)
    state = worlds.holding(looking(state, 60.0), ("water_bucket", 1))
    state = worlds.run(use(state), 30)
    assert name_at(state, ABOVE)[0] == "flowing_water"
    assert not state.lights.level[0].any() and lying(state, "torch") == 1


def test_the_body_feels_this_ticks_blocks():
    """A player whose ground is dug away by another rule falls in the same tick."""
    state = put(worlds.player(), ((8, GROUND - 1, 8), "sand"), ((8, GROUND - 2, 8), "air"))
    size = np.array(state.blocks.shape[1:])
    flat = (8 * size[1] + 8) * size[2] + GROUND - 1
    state = state.replace(
        updates=state.updates.replace(
            cell=state.updates.cell.at[:, 0].set(int(flat)), due=state.updates.due.at[:, 0].set(1)
        ),
        tick=state.tick + 1,
    )
    after = worlds.run(state, 1)
    assert name_at(after, (8, GROUND - 2, 8))[0] == "sand"
    assert float(after.player.position[0, 1]) < GROUND
