"""Harvest one log with empty hands in a forest.

    python -m experiments.main --config=harvest_log

Three outer iterations with the recorded transcript, about 5 minutes on two CPU cores. In the
embedded world 97.0, 82.5 and 95.0 % of 200 held-out episodes succeeded with seeds 0, 1
and 2 (intervals: docs/benchmarks.md). Quick check: add --smoke.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """Defaults of the embedded world, one transcript, seed 0."""
    return base.for_task("harvest_log")
