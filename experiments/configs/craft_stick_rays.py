"""craft_stick with macros that see the rays too, so that code can do the whole task.

    python -m experiments.main --config=craft_stick_rays

Conversations of their own, of RL-GPT and of code alone, as for harvest_milk_rays.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """craft_stick at sight rays."""
    return base.for_task("craft_stick", "craft_stick_rays", sight="rays", **base.LONG)
