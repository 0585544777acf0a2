"""harvest_wool with macros that see the rays too, so that code can do the whole task.

    python -m experiments.main --config=harvest_wool_rays

Conversations of their own, recorded with these sensors: of RL-GPT, and of code alone, which
`--config.loop.mode=pure_code --config.loop.pure_code_plan=own` replays. Success in the embedded
world: docs/results.md.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_wool at sight rays."""
    return base.for_task("harvest_wool", "harvest_wool_rays", sight="rays")
