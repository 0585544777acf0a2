"""Milk a cow with the released PPO script's settings: PPO alone, one lane, no language model.

    python -m experiments.main --config=harvest_milk_released

What still differs from that script, the CLIP reward first of all: docs/baselines.md.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """harvest_milk with the numbers of https://github.com/dvlab-research/RL-GPT (train.py)."""
    return base.for_task(
        "harvest_milk",
        transcript="harvest_milk_released",  # nothing is recorded: nobody is asked
        ppo={
            "num_envs": 1,
            "unroll_length": 1000,
            "num_epochs": 80,
            "num_minibatches": 1,
            "learning_rate": 1e-4,
            "adam_epsilon": 1e-8,
            "entropy_cost": 0.0,
            "value_cost": 2.0,  # of half the squared error
            "max_grad_norm": 1e9,
            "target_kl": 0.5,
            "separate": True,
            "target_lambda": 1.0,
            "time_limit_ends": True,
            "imitation_every": 100,
            "imitation_rows": 100_000,  # 500 whole episodes
        },
        network={
            "feature_width": 128,
            "fusion_width": 512,
            "head_width": 256,
            "head_depth": 3,
            "target_memory": False,
        },
        reward={"success": 100.0, "step_cost": 1.0, "distance": 0.0},
        # The script's 1,000 updates would be 1,000,000 ticks.
        loop={"mode": "pure_rl", "ticks_per_iteration": 100_000, "eval_episodes": 100},
    )
