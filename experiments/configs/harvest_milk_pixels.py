"""Milk a cow, seen in pictures of 64 x 64 pixels: PPO alone, no language model.

    python -m experiments.main --config=harvest_milk_pixels

The policy sees the picture, the compass, its inventory and its life: no rays, no names of
blocks, no position. (The reward for coming nearer to the cow is measured with rays, in training
alone.) Success in the embedded world: docs/results.md.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_milk with a picture in the place of the rays."""
    return base.for_task(
        "harvest_milk",
        transcript="harvest_milk_pixels",  # nothing is recorded: agents would be told of pictures
        sight="pixels",
        loop={"mode": "pure_rl", "ticks_per_iteration": 614_400},
    )
