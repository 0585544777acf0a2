"""What blocks leave, by state and tool; `fidelity.drops` compares rates and numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_STATES, BYTE_OF
from rlgpt_jax.envs.voxel.rules.items import drops
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEMS, item_id
from tests.envs.voxel import worlds

N = 4000
of_blocks, experience = jax.jit(drops.of_blocks), jax.jit(drops.experience)


def broken(block: str, meta: int = 0, tool: str = "", by_itself: bool = False):
    """{entry: int32[N] pieces} of N breaks."""
    state = worlds.player().replace(
        seed=jnp.arange(N, dtype=jnp.uint32), tick=jnp.zeros(N, jnp.int32)
    )
    held = jnp.full(N, NAME_ID[tool], jnp.int32)
    byte = jnp.full(N, BYTE_OF[block, meta], jnp.uint8)
    item, quantity = map(np.asarray, of_blocks(state, held, byte, jnp.full(N, by_itself)))
    found: dict[str, np.ndarray] = {}
    for k in range(drops.KINDS):
        for i in np.unique(item[:, k][quantity[:, k] > 0]):
            name, variant = ITEMS[i]
            found[f"{name}:{variant}"] = np.where(item[:, k] == i, quantity[:, k], 0)
    return found


@pytest.mark.parametrize(
    ("block", "meta", "tool", "item", "quantity"),
    [
        ("stone", 0, "wooden_pickaxe", "cobblestone:0", 1),
        ("stone", 5, "wooden_pickaxe", "stone:5", 1),
        ("log", 2, "", "log:2", 1), ("log2", 1, "", "log2:1", 1), ("planks", 3, "", "planks:3", 1),
        ("dirt", 1, "", "dirt:1", 1), ("dirt", 2, "", "dirt:0", 1), ("grass", 0, "", "dirt:0", 1),
        ("sand", 1, "", "sand:1", 1), ("wool", 12, "", "wool:12", 1),
        ("red_flower", 4, "", "red_flower:4", 1), ("sapling", 2, "", "sapling:2", 1),
        ("leaves", 1, "shears", "leaves:1", 1), ("tallgrass", 2, "shears", "tallgrass:2", 1),
        ("vine", 4, "shears", "vine:0", 1), ("deadbush", 0, "shears", "deadbush:0", 1),
        ("web", 0, "shears", "web:0", 1), ("web", 0, "iron_sword", "string:0", 1),
        ("snow_layer", 2, "stone_shovel", "snowball:0", 4),
        ("snow", 0, "stone_shovel", "snowball:0", 4), ("clay", 0, "", "clay_ball:0", 4),
        ("bookshelf", 0, "", "book:0", 3), ("stone_slab", 11, "iron_pickaxe", "stone_slab:3", 1),
        ("wooden_slab", 4, "", "wooden_slab:4", 1),
        ("double_stone_slab", 0, "iron_pickaxe", "stone_slab:0", 2),
        ("bed", 1, "", "bed:0", 1), ("wooden_door", 2, "", "wooden_door:0", 1),
        ("standing_sign", 0, "", "sign:0", 1), ("redstone_wire", 0, "", "redstone:0", 1),
        ("farmland", 0, "", "dirt:0", 1), ("grass_path", 0, "", "dirt:0", 1),
        ("reeds", 0, "", "reeds:0", 1), ("trapdoor", 6, "", "trapdoor:0", 1),
        ("wheat", 0, "", "wheat_seeds:0", 1), ("carpet", 0, "", "carpet:0", 1),
        ("lit_furnace", 0, "stone_pickaxe", "furnace:0", 1), ("torch", 3, "", "torch:0", 1),
        ("ladder", 4, "", "ladder:0", 1), ("oak_stairs", 6, "", "oak_stairs:0", 1),
    ],
)  # fmt: skip
def test_sure_drops(block, meta, tool, item, quantity):
    found = broken(block, meta, tool)
    assert list(found) == [item] and (found[item] == quantity).all()


@pytest.mark.parametrize(
    ("block", "meta", "tool"),
    [("stone", 0, ""), ("coal_ore", 0, ""), ("iron_ore", 0, "wooden_pickaxe"), ("glass", 0, ""),
     ("ice", 0, "iron_pickaxe"), ("packed_ice", 0, ""), ("vine", 1, ""), ("cake", 0, ""),
     ("fire", 0, ""), ("mob_spawner", 0, "iron_pickaxe"), ("snow_layer", 0, ""), ("bed", 9, ""),
     ("wooden_door", 8, ""), ("iron_door", 8, "iron_pickaxe"), ("glass_pane", 0, "")],
)  # fmt: skip
def test_nothing_is_left(block, meta, tool):
    assert broken(block, meta, tool) == {}


def test_only_oak_and_dark_oak_have_apples_and_an_apple_may_come_with_a_sapling():
    for block, meta in (("leaves", 1), ("leaves", 2), ("leaves", 3), ("leaves2", 0)):
        assert "apple:0" not in broken(block, meta)
    # Rows of different draws: independent, so both can fall.
    sapling, apple = drops.rows_of("leaves", 0)
    assert sapling.draw != apple.draw


def test_gravel_is_one_thing_or_the_other():
    found = broken("gravel")
    assert (found["gravel:0"] + found["flint:0"] == 1).all()


def test_what_loses_its_support_needs_no_tool_and_meets_no_shears():
    assert list(broken("iron_door", 0, by_itself=True)) == ["iron_door:0"]
    assert broken("vine", 1, "shears", by_itself=True) == {}


@pytest.mark.parametrize(
    ("block", "tool", "low", "high"),
    [("coal_ore", "wooden_pickaxe", 0, 2), ("lapis_ore", "stone_pickaxe", 2, 5),
     ("diamond_ore", "stone_pickaxe", 0, 0), ("iron_ore", "stone_pickaxe", 0, 0)],
)  # fmt: skip
def test_ores_give_experience_to_the_right_tool(block, tool, low, high):
    state = worlds.player().replace(
        seed=jnp.arange(N, dtype=jnp.uint32), tick=jnp.zeros(N, jnp.int32)
    )
    points = experience(
        state, jnp.full(N, NAME_ID[tool], jnp.int32), jnp.full(N, BYTE_OF[block, 0], jnp.uint8)
    )
    assert set(np.unique(points)) == set(range(low, high + 1))


def test_mining_a_diamond_adds_the_experience():
    state = worlds.with_block(worlds.player(), "diamond_ore", (8, 9, 10))
    state = worlds.holding(state, ("diamond_pickaxe", 1))
    state = worlds.run(state, 13, FUNCTION=base.FN_ATTACK)
    assert (state.items.id == NAME_ID["diamond"]).any(1).all()
    assert ((state.player.xp >= 3) & (state.player.xp <= 7)).all()


def test_every_state_is_an_item_for_shears_and_every_drop_is_an_item():
    assert (drops.ITEM_OF_BLOCK[: len(BLOCK_STATES)] > 0).all()
    for block, meta in BLOCK_STATES:
        assert all(item_id(row.item) > 0 for row in drops.rows_of(block, meta))
