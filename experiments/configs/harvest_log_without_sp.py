"""Harvest one log by a slow agent that is not pushed to split further what code cannot do.

    python -m experiments.main --config=harvest_log_without_sp

The paper's ablation "without SP" (special prompt); compare with harvest_log.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_log with `loop.decompose=False`, and answers of its own."""
    return base.for_task(
        "harvest_log", transcript="harvest_log_without_sp", loop={"decompose": False}
    )
