"""peg_insert_side with macros that read the hand alone; the policy sees where things are.

    python -m experiments.main --config=peg_insert_side_blind

Here code needs a policy that tells it where the peg, its head and the hole are.
Numbers: docs/control.md.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """peg_insert_side at sight blind_code, with a conversation of its own."""
    return base.for_control(
        "peg_insert_side",
        sight="blind_code",
        llm={"transcript": "experiments/transcripts/peg_insert_side_blind.jsonl"},
        ppo={"unroll_length": 512, "gamma": 0.997},  # a macro takes some 50 ticks
        loop={"ticks_per_iteration": 200_000},
    )
