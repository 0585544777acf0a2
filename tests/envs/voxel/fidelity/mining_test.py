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


def test_bedrock_never_breaks():
    """The table has no such row."""
    hand, bedrock = np.array([NAME_ID[""]]), np.array([BLOCK_ID["bedrock"]], np.uint8)
    assert mining.ticks_by_sum(hand, bedrock).tolist() == [mining.NEVER]
