"""harvest_beef_with_diamond_sword with macros that see the rays too, so that code can do it all.

    python -m experiments.main --config=harvest_beef_with_diamond_sword_rays

Conversations of their own, of RL-GPT and of code alone, as for harvest_milk_rays.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_beef_with_diamond_sword at sight rays."""
    name = "harvest_beef_with_diamond_sword"
    return base.for_task(name, f"{name}_rays", sight="rays", **base.LONG)
