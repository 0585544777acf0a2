"""RL-GPT in JAX: worlds, macros, PPO over both, agents, two loops."""

__version__ = "0.1.0"
