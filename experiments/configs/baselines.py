"""Baselines of the paper's first table, each as overrides of a configuration."""

# The paper's MineAgent: PPO alone.
MINEAGENT: tuple[tuple[str, str], ...] = (("loop.planner", "false"), ("loop.mode", "pure_rl"))
