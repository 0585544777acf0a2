"""Mining times and harvest flags against the stored ticks."""

import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from tests.fidelity import mining


def test_everything_holds():
    rows = mining.rows()
    assert len(rows) == 4
    assert [row for row in rows if not row.holds] == []
    assert rows[0].measured.startswith("1848 of 1848")


def test_known_times():
    known = {("", "stone"): 150, ("wooden_pickaxe", "stone"): 23, ("shears", "leaves"): 0,
             ("", "bedrock"): mining.NEVER}  # fmt: skip
    item = np.array([NAME_ID[tool] for tool, _ in known], np.int32)
    byte = np.array([BLOCK_ID[block] for _, block in known], np.uint8)
    ticks = np.asarray(mining.ticks_by_sum(item, byte))
    assert (np.abs(ticks - np.array(list(known.values()))) <= 1).all()
