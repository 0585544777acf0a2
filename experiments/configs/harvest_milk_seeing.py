"""Milk a cow, judged by a critic that sees pictures of the episodes.

    python -m experiments.main --config=harvest_milk_seeing

Shows what a critic finds that looks at key moments of a typical success and failure, against
harvest_milk, whose critic reads numbers alone. Everything else is the same. Needs a model that
takes pictures where answers are not recorded.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_milk with `critic.vision="strip"`, and answers of its own."""
    return base.for_task(
        "harvest_milk", transcript="harvest_milk_seeing", critic={"vision": "strip"}
    )
