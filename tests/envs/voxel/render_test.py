"""Pictures: what must be seen in them, and textures for what there is."""

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.blocks import BLOCK_ID, BLOCKS
from rlgpt_jax.envs.voxel.clearance import encode_clearance
from rlgpt_jax.envs.voxel.pictures.block_art import RECIPES
from rlgpt_jax.envs.voxel.pictures.icons import icon
from rlgpt_jax.envs.voxel.pictures.textures import FACES, TEXTURES
from rlgpt_jax.envs.voxel.placing import BYTE_OF_ITEM
from rlgpt_jax.envs.voxel.render import first_person, top_down
from tests.envs.voxel import worlds

NOON = 6000


def look(**fields):
    """A player on flat grass at noon, looking along +z."""
    return worlds.player(1, world_time=[NOON], **fields)


def middle(image: np.ndarray, half: int = 12) -> np.ndarray:
    """Mean colour around the middle, beside the crosshair."""
    y, x = image.shape[0] // 2, image.shape[1] // 2
    return image[y + 5 : y + half, x + 5 : x + half].reshape(-1, 3).mean(0)


def test_sky_is_above_and_grass_below():
    image = first_person(look(), 0, hud=False)
    assert image.shape == (160, 256, 3) and image.dtype == np.uint8
    above, below = image[5].mean(0), image[-5].mean(0)
    assert above.argmax() == 2 and below.argmax() == 1


def test_a_cow_changes_the_picture_where_it_stands():
    bare = first_person(look(), 0, hud=False).astype(int)
    cow = worlds.with_mob(look(), "cow", (8.5, worlds.GROUND, 12.0))
    image = first_person(cow, 0, hud=False).astype(int)
    changed = np.abs(image - bare).max(-1) > 12
    assert changed[70:120, 100:156].mean() > 0.3
    assert changed[:, :60].mean() < 0.05


@pytest.mark.parametrize("kind", ["pig", "zombie"])
def test_mobs_have_their_colour(kind):
    state = worlds.with_mob(look(pitch=[20.0]), kind, (8.5, worlds.GROUND, 10.6))
    state = state.replace(mob_yaw=state.mob_yaw.at[:, 0].set(180.0))
    colour = middle(first_person(state, 0, hud=False))
    if kind == "pig":
        assert colour.argmax() == 0 and colour.min() > 90  # pink
    else:
        assert colour.argmin() == 0 and colour.max() < 150  # green, teal and violet rags


def test_water_is_blue_and_night_is_dark():
    pond = [(x, worlds.GROUND - 1, z) for x in range(32) for z in range(9, 30)]
    wet = worlds.with_block(look(pitch=[30.0]), "water", *pond)
    assert middle(first_person(wet, 0, hud=False)).argmax() == 2
    day, night = (
        first_person(worlds.player(1, world_time=[t]), 0).mean() for t in (NOON, 18000)
    )
    assert night < 0.6 * day


def test_cracks_show_on_the_block_being_mined():
    wall = [(x, y, 11) for x in range(5, 12) for y in range(8, 12)]
    state = worlds.with_block(look(), "stone", *wall)
    whole = first_person(state, 0, hud=False).astype(int)
    cracked = state.replace(
        mining_block=state.mining_block.at[0].set(np.array([8, 9, 11])),
        mining_progress=state.mining_progress.at[0].set(0.8),
    )
    changed = (np.abs(first_person(cracked, 0, hud=False) - whole) > 20).any(-1)
    assert 0.005 < changed.mean() < 0.2


def test_hud_shows_counts_and_the_held_item():
    empty = look()
    full = worlds.holding(empty, ("log", 12))
    one, other = (first_person(state, 0).astype(int) for state in (empty, full))
    changed = (one != other).any(-1)
    assert changed[137:157, 38:58].mean() > 0.3  # slot 0 of the hotbar
    assert changed[100:, 190:].mean() > 0.1  # the hand
    assert not changed[:90, :180].any()


def test_numpy_and_jax_states_give_equal_pictures():
    state = worlds.with_mob(look(), "sheep", (9.5, worlds.GROUND, 12.0))
    host = jax.tree.map(np.asarray, state)
    np.testing.assert_array_equal(first_person(state, 0), first_person(host, 0))
    np.testing.assert_array_equal(top_down(state, 0), top_down(host, 0))


def test_the_map_has_north_up_and_shows_trees_and_mobs():
    """A tree north-east of the agent (-z, +x) is in the upper right quarter."""
    blocks = worlds.flat()
    blocks[12:15, 2:5, 10] = BLOCK_ID["leaves"]
    state = worlds.player(1, world_time=[NOON])
    bare = top_down(state, 0, size=128, radius=8.0).astype(int)
    tree = state.replace(blocks=encode_clearance(blocks)[None])
    changed = (np.abs(top_down(tree, 0, size=128, radius=8.0) - bare) > 12).any(-1)
    assert changed[:64, 64:].mean() > 0.05 and changed[64:, :64].mean() < 0.02
    cow = worlds.with_mob(state, "cow", (4.5, worlds.GROUND, 12.5))  # south-west
    changed = (np.abs(top_down(cow, 0, size=128, radius=8.0) - bare) > 12).any(-1)
    assert changed[64:, :64].mean() > 0.03 and not changed[:64, 64:].any()


def test_the_arrow_turns_with_the_agent():
    south, east = (top_down(worlds.player(1, yaw=[yaw]), 0).astype(int) for yaw in (0.0, -90.0))

    def white(image):
        y, x = np.nonzero((image == 255).all(-1))
        return y.mean() - 128, x.mean() - 128
    # The tail is wider than the tip, so the mean lies behind: north of the middle for
    # an agent that looks south, west of it for one that looks east.
    assert white(south)[0] < -0.5 and abs(white(south)[1]) < 1.0
    assert white(east)[1] < -0.5 and abs(white(east)[0]) < 1.0


def test_every_block_that_is_generated_or_placed_has_a_texture_of_its_own():
    generated = {
        "stone", "dirt", "grass", "bedrock", "water", "sand", "gravel", "log", "leaves",
        "tallgrass", "yellow_flower", "red_flower", "coal_ore", "iron_ore", "gold_ore",
        "redstone_ore", "diamond_ore", "lapis_ore",
    }  # fmt: skip
    placed = {BLOCKS[byte] for byte in BYTE_OF_ITEM if byte}
    missing = (generated | placed) - set(RECIPES)
    assert not missing
    assert (TEXTURES[FACES[1 : len(BLOCKS)]][..., 3] > 0).any((2, 3)).all()


def test_icons_are_drawn_for_all_items_of_the_tasks():
    for name in ("bucket", "milk_bucket", "shears", "wool", "log", "planks", "stick"):
        picture = icon(NAME_ID[name])
        assert picture.shape == (16, 16, 4) and (picture[..., 3] > 0).mean() > 0.08
    assert not icon(0)[..., 3].any()


def test_a_lane_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="lane 3 of a state with 1"):
        first_person(look(), 3)
