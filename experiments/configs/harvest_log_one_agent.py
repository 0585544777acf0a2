"""Harvest one log by a single agent that plans, codes and reads the facts itself.

    python -m experiments.main --config=harvest_log_one_agent

First row of the paper's comparison of structures; the others are harvest_log_slow_fast and
harvest_log.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_log with `loop.agents="one"`, and answers of its own."""
    return base.for_task("harvest_log", transcript="harvest_log_one_agent", loop={"agents": "one"})
