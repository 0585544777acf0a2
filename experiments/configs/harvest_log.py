"""Harvest one log with empty hands in a forest.

    python -m experiments.main --config=harvest_log

Three outer iterations with the recorded transcript. How long that takes: docs/benchmarks.md;
success in the embedded world: docs/results.md. Quick check: add --smoke.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """Defaults of the embedded world, one transcript, seed 0."""
    return base.for_task("harvest_log")
