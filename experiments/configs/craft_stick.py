"""Craft a stick on plains from nothing: find one of the few trees, mine wood, craft.

    python -m experiments.main --config=craft_stick

Plan4MC's task with its 3000 ticks. In worlds of the split train the nearest log is 30 blocks
away (median of 256 starts), within 60 blocks in 98 % of them, and in sight at once in 5 %, so
searching is the hard part. No planner: wood, planks and sticks are made without a station,
and one plan of six parts holds them.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """Settings for episodes of 3000 ticks, answers of its own."""
    return base.for_task("craft_stick", **base.LONG)
