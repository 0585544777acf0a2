"""Get beef from one of three cows on plains with a diamond sword.

    python -m experiments.main --config=harvest_beef_with_diamond_sword

Plan4MC's task with its 3000 ticks. In worlds of the split train the nearest cow is 15 blocks
away (median of 256 starts), within 30 blocks in 98 % of them, and in sight at once in 11 %.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """Settings for episodes of 3000 ticks, answers of its own."""
    return base.for_task("harvest_beef_with_diamond_sword", **base.LONG)
