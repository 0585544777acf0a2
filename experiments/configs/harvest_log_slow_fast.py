"""Harvest one log by a slow and a fast agent without a critic: both read bare facts.

    python -m experiments.main --config=harvest_log_slow_fast

Second row of the paper's comparison of structures; the others are harvest_log_one_agent and
harvest_log.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_log with `loop.agents="slow_fast"`, and answers of its own."""
    return base.for_task(
        "harvest_log", transcript="harvest_log_slow_fast", loop={"agents": "slow_fast"}
    )
