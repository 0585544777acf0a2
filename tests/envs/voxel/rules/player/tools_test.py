"""Mining speed, harvest and durability rules against the stored facts of 1.11."""

import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.names import NAME_ID, load
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.player import tools

FACTS = load("mining_ticks")
BLOCKS_KNOWN = [b for b in FACTS["blocks"] if b in BLOCK_ID]


@pytest.mark.parametrize("tool", FACTS["tools"])
def test_every_block_takes_the_ticks_of_the_table(tool):
    """Summed in float32 like the client does: within one tick, harvest exact."""
    held = jnp.full(len(BLOCKS_KNOWN), NAME_ID.get(tool, 0), jnp.int32)
    byte = jnp.array([BLOCK_ID[b] for b in BLOCKS_KNOWN], jnp.uint8)
    progress = np.asarray(tools.progress_per_tick(held, byte))
    harvests = tools.HARVESTS[tools.TOOL_OF_ITEM[np.asarray(held)], np.asarray(byte)]
    wrong = []
    for block, part, harvest in zip(BLOCKS_KNOWN, progress, harvests):
        ticks, _, harvested = FACTS["blocks"][block][tool]
        got = 0 if part >= 1 else int(np.ceil(1 / part)) if part > 0 else -1
        if abs(got - ticks) > 1 or bool(harvested) != harvest:
            wrong.append((block, got, ticks, bool(harvest), harvested))
    assert not wrong


def test_water_and_air_each_slow_mining_five_times():
    args = jnp.array([NAME_ID["iron_axe"]]), jnp.array([BLOCK_ID["log"]], jnp.uint8)
    dry = tools.progress_per_tick(*args, jnp.array([0]))
    both = tools.progress_per_tick(*args, jnp.array([2]))
    np.testing.assert_allclose(both * 25, dry, rtol=1e-6)


def test_bedrock_never_breaks():
    byte = jnp.array([BLOCK_ID["bedrock"]], jnp.uint8)
    assert tools.progress_per_tick(jnp.array([NAME_ID["diamond_pickaxe"]]), byte)[0] == 0


def test_durabilities_and_stacks_are_those_of_the_items():
    assert tools.DURABILITY[NAME_ID["shears"]] == 238
    assert tools.DURABILITY[NAME_ID["stone_pickaxe"]] == 131
    assert tools.STACK[NAME_ID["bucket"]] == 16
    assert tools.STACK[NAME_ID["milk_bucket"]] == 1
