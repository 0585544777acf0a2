"""Pictures: what must be seen in them, and textures for what there is."""

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID
from rlgpt_jax.envs.voxel.render.art.icons import icon
from rlgpt_jax.envs.voxel.render.art.textures import BOX, BOX_FIRST, FACES, INDEX, TEXTURES
from rlgpt_jax.envs.voxel.render.for_people import first_person, top_down
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BLOCK_STATES, BYTE_OF
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.bodies.shapes import boxes_of
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, NUM_ITEMS, variants_of
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
    state = state.replace(mobs=state.mobs.replace(yaw=state.mobs.yaw.at[:, 0].set(180.0)))
    colour = middle(first_person(state, 0, hud=False))
    if kind == "pig":
        assert colour.argmax() == 0 and colour.min() > 90  # pink
    else:
        assert colour.argmin() == 0 and colour.max() < 150  # green, teal and violet rags


def test_water_is_blue_and_night_is_dark():
    pond = [(x, worlds.GROUND - 1, z) for x in range(32) for z in range(9, 30)]
    wet = worlds.with_block(look(pitch=[30.0]), "water", *pond)
    assert middle(first_person(wet, 0, hud=False)).argmax() == 2
    day, night = (first_person(worlds.player(1, world_time=[t]), 0).mean() for t in (NOON, 18000))
    assert night < 0.6 * day


def test_cracks_show_on_the_block_being_mined():
    wall = [(x, y, 11) for x in range(5, 12) for y in range(8, 12)]
    state = worlds.with_block(look(), "stone", *wall)
    whole = first_person(state, 0, hud=False).astype(int)
    cracked = worlds.with_player(
        state,
        mining_block=state.player.mining_block.at[0].set(np.array([8, 9, 11])),
        mining_progress=state.player.mining_progress.at[0].set(0.8),
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


def test_every_block_state_has_textures_of_its_own():
    missing = [state for state, faces in zip(BLOCK_STATES, FACES, strict=False) if not faces.all()]
    assert missing == [BLOCK_STATES[0]] and set(FACES.ravel()) == set(INDEX.values())
    assert TEXTURES.dtype == np.uint8 and TEXTURES.shape[1:] == (16, 16, 4)
    assert (TEXTURES[FACES[1 : len(BLOCK_STATES)]][..., 3] > 0).any((2, 3)).all()


@pytest.mark.parametrize(
    "name",
    ["stone", "dirt", "sand", "planks", "sapling", "log", "leaves", "tallgrass", "red_flower",
     "wool", "stone_slab", "wheat", "torch"],
)  # fmt: skip
def test_kinds_of_one_block_look_different(name):
    faces = [FACES[byte] for (block, meta), byte in BYTE_OF.items()
             if block == name and not (name == "torch" and meta < 4)
             and not ("slab" in name and meta >= 8)]  # fmt: skip
    pictures = [TEXTURES[face].tobytes() for face in faces]
    assert len(faces) > 1 and len(set(pictures)) == len(pictures)


@pytest.mark.parametrize("name", ["stone_slab", "wooden_door", "trapdoor", "oak_stairs"])
def test_boxes_agree_with_those_of_collision(name):
    for (block, meta), byte in BYTE_OF.items():
        if block == name:
            own = BOX[BOX_FIRST[byte] : BOX_FIRST[byte + 1]]
            other = np.array(boxes_of(name, meta))
            np.testing.assert_allclose(own[:, :3].min(0), other[:, :3].min(0))
            np.testing.assert_allclose(own[:, 3:].max(0), other[:, 3:].max(0))
            volume = (np.prod(b[:, 3:] - b[:, :3], 1).sum() for b in (own, other))
            assert next(volume) == pytest.approx(next(volume))


def silhouette(image: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """int[W]: the highest row of each column where a picture differs, H if none does."""
    changed = (np.abs(image.astype(int) - bare) > 12).any(-1)
    return np.where(changed.any(0), changed.argmax(0), image.shape[0])


def test_stairs_show_two_heights():
    bare = first_person(look(), 0, hud=False)
    state = worlds.with_block(look(), "stone", (8, worlds.GROUND, 12))
    blocks = np.array(state.blocks)
    blocks[0, 8, 12, worlds.GROUND] = BYTE_OF["stone_stairs", 0]  # they rise to +x, the left
    image = first_person(state.replace(blocks=blocks), 0, hud=False)
    cube = silhouette(first_person(state, 0, hud=False), bare)
    stairs = silhouette(image, bare)
    left, right = stairs[118], stairs[138]
    assert abs(int(left) - int(cube[118])) <= 2 and right > left + 6


def test_the_surface_of_water_sinks_with_its_level():
    rows, state = [], look(pitch=[20.0])
    below = 44  # row under the horizon, where the next copies of the pond are
    bare = first_person(state, 0, hud=False)[below:]
    for meta in (8, 0, 3, 7):
        blocks = np.array(worlds.with_block(state, "stone").blocks)
        blocks[0, 6:11, 11:14, worlds.GROUND] = BYTE_OF["flowing_water", meta]
        image = first_person(state.replace(blocks=blocks), 0, hud=False)
        rows.append(silhouette(image[below:], bare)[128])
    assert rows[0] < rows[1] < rows[2] < rows[3]


def in_a_cave(**fields):
    """A player in a sealed room of stone below a flat world, looking along +z."""
    blocks = worlds.flat()
    blocks[:, :, 1:20] = BLOCK_ID["stone"]
    blocks[6:11, 7:15, 4:8] = 0
    state = look(position=[[8.5, 4.0, 8.5]], **fields)
    return state.replace(blocks=encode_clearance(blocks)[None])


def test_a_cave_is_dark_until_a_torch_stands_in_it():
    cave = in_a_cave()
    dark = first_person(cave, 0, hud=False)
    outside = first_person(look(), 0, hud=False)
    assert 2 < dark.mean() < 0.12 * outside.mean()
    blocks = np.array(cave.blocks)
    blocks[0, 8, 12, 4] = BYTE_OF["torch", 5]
    lit = first_person(cave.replace(blocks=blocks), 0, hud=False)
    assert lit.mean() > 4 * dark.mean()
    blocks[0, 8, 12, 4] = worlds.AIR
    again = first_person(cave.replace(blocks=blocks), 0, hud=False)
    np.testing.assert_array_equal(again, dark)


def test_a_shaft_lets_the_day_into_a_cave_but_not_the_night():
    shaft = in_a_cave()
    blocks = np.array(shaft.blocks)
    blocks[0, 8, 11, 8:20] = worlds.AIR
    dark = first_person(in_a_cave(), 0, hud=False).mean()
    day, night = (
        first_person(shaft.replace(blocks=blocks, world_time=np.array([t])), 0, hud=False).mean()
        for t in (NOON, 18000)
    )
    assert day > 2 * night > 2 * dark


def test_slabs_do_not_darken_the_ground_around_them():
    state = look(pitch=[10.0])
    bare = first_person(state, 0, hud=False).astype(int)
    # A whole block first: its light must not be kept for the slab.
    first_person(worlds.with_block(state, "stone", (8, worlds.GROUND, 12)), 0)
    slab = worlds.with_block(state, "stone_slab", (8, worlds.GROUND, 12))
    image = first_person(slab, 0, hud=False).astype(int)
    changed = (np.abs(image - bare) > 3).any(-1)
    changed = changed[68:]  # under the horizon, where the next copies are
    assert changed[:, 100:156].any() and not changed[:, :70].any()


def test_pictures_repeat_bit_for_bit():
    state = worlds.with_mob(in_a_cave(), "zombie", (8.5, 4.0, 11.5))
    one, other = (first_person(state, 0) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_sheep_show_the_colour_of_their_wool_and_burning_mobs_their_flames():
    sheep = worlds.with_mob(look(pitch=[25.0]), "sheep", (8.5, worlds.GROUND, 10.4))
    white, brown, black = (
        middle(
            first_person(
                sheep.replace(mobs=sheep.mobs.replace(variant=np.full((1, 3), dye))), 0, hud=False
            )
        )
        for dye in (0, 12, 15)
    )
    assert white.min() > 130 > 1.6 * black.max() and brown.argmax() == 0
    fire = first_person(
        sheep.replace(mobs=sheep.mobs.replace(fire=np.full((1, 3), 40))), 0, hud=False
    )
    red = (fire[..., 0].astype(int) - fire[..., 2]) > 120
    assert red.mean() > 0.02


def test_signs_for_air_armour_and_fire_appear_when_they_matter():
    bare = look()
    boots = np.array([[ITEM_ID["iron_boots", 0], 0, 0, 0, 0]])
    for state, rows, columns in (
        (bare.replace(armor=bare.armor.replace(item=boots)), (118, 128), (38, 118)),
        (worlds.with_player(bare, oxygen=np.array([150.0])), (118, 128), (138, 218)),
        (worlds.with_player(bare, fire=np.array([20])), (120, 160), (0, 256)),
    ):
        one, other = (first_person(s, 0).astype(int) for s in (bare, state))
        changed = (one != other).any(-1)
        assert changed[slice(*rows), slice(*columns)].mean() > 0.02
        assert not changed[:90].any()


def test_every_item_has_a_picture_and_variants_differ():
    pictures = [icon(item) for item in range(NUM_ITEMS)]
    assert all(p.shape == (16, 16, 4) and p.dtype == np.uint8 for p in pictures)
    assert all((p[..., 3] > 0).mean() > 0.02 for p in pictures[1:])
    for name in ("planks", "wool", "dye", "log", "red_flower", "coal", "stone"):
        kinds = [icon(item).tobytes() for item in variants_of(name)]
        assert len(kinds) > 1 and len(set(kinds)) == len(kinds)
    assert not icon(0)[..., 3].any()


def test_items_that_can_be_crafted_are_told_apart():
    by_picture: dict[bytes, list[str]] = {}
    for name in CRAFT_NAMES:
        by_picture.setdefault(icon(NAME_ID[name]).tobytes(), []).append(name)
    alike = [names for names in by_picture.values() if len(names) > 1]
    assert alike == [["carrot_on_a_stick", "fishing_rod"], ["comparator", "repeater"]]


def test_a_lane_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="lane 3 of a state with 1"):
        first_person(look(), 3)
