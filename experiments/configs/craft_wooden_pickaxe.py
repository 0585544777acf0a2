"""Craft a wooden pickaxe from nothing in a forest, 3000 ticks: a planner splits the task.

    python -m experiments.main --config=craft_wooden_pickaxe --config.llm.provider=file

Answers come from whoever fills the run's requests folder (docs/agents.md); a recorded
transcript is taken with --config.llm.provider=replay --config.llm.transcript=FILE. The planner
is asked first, then the agents of each sub-task.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """Planner on, rays for macros; 200,000 ticks of training per sub-task and iteration."""
    return base.for_task("craft_wooden_pickaxe", loop={"planner": True}, macros={"sensors": "full"})
