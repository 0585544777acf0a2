"""Craft a wooden pickaxe from nothing in a forest, 3000 ticks: a planner splits the task.

    python -m experiments.main --config=craft_wooden_pickaxe

The planner is asked first, then the agents of each sub-task (docs/modes.md).
"""

from experiments.configs import base


def get_config() -> base.Config:
    """Planner on, rays for macros; 200,000 ticks of training per sub-task and iteration."""
    return base.for_task("craft_wooden_pickaxe", loop={"planner": True}, sight="rays")
