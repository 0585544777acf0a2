"""Baselines of the paper's table, and RL-GPT by other agents: what turns a configuration into one.

Overrides are written as flags are: `--config.PATH=TEXT`. Where they depart from the released code,
and why: docs/baselines.md.
"""

Overrides = tuple[tuple[str, str], ...]

# MineAgent: PPO alone with self-imitation, as in train.py and ppo_selfimitate_clip.py of
# https://github.com/dvlab-research/RL-GPT. gamma, networks, lanes, ticks of an update and the cost
# of a step are the configuration's.
MINEAGENT: Overrides = (
    ("loop.mode", "pure_rl"),
    ("loop.planner", "false"),
    ("ppo.learning_rate", "1e-4"),
    ("ppo.adam_epsilon", "1e-8"),
    # As many gradient steps per tick as released (80 per 1000) in updates of 8192 ticks, on 128
    # rows each: 10 passes of 64. The released 80 passes cost several times as much.
    ("ppo.num_epochs", "10"),
    ("ppo.num_minibatches", "80"),  # 128 rows, since they come in blocks of 64
    ("ppo.entropy_cost", "0"),
    ("ppo.value_cost", "2"),  # of half the squared error
    ("ppo.max_grad_norm", "1e9"),
    ("ppo.target_kl", "0.5"),
    ("ppo.separate", "true"),
    ("ppo.target_lambda", "1"),
    ("ppo.time_limit_ends", "true"),
    ("ppo.imitation_every", "12"),  # 98,304 ticks in updates of 8192 (released: 100,000)
    # A tenth of the released 100 for success and 1 per block.
    ("reward.success", "10"),
    ("reward.distance", "0.1"),
)
# Basic skills and a search over them; no language model is asked.
PLAN4MC: Overrides = (("loop.planner", "true"), ("loop.mode", "pure_rl"))
# Beside what MineAgent changes: what can be crafted on the way to the goal is.
AUTOCRAFT: Overrides = (("autocraft", "true"),)
# RL-GPT by other agents. Each has a conversation of its own, the transcript NAME_VARIANT of the
# configuration NAME.
CONVERSATIONS: dict[str, Overrides] = {
    "one_agent": (("loop.agents", "one"),),
    "slow_fast": (("loop.agents", "slow_fast"),),
    "reward": (("loop.design", "reward"),),
    "action": (("loop.design", "action"),),
    "without_sp": (("loop.decompose", "false"),),
    "without_advice": (("prompts.advice", "false"),),
    "seeing": (("critic.vision", "strip"),),
    # Pictures take some three times the ticks of rays.
    "pixels": (("sight", "pixels"), ("loop.ticks_per_iteration", "614400")),
    "second": (),  # the same asked once more
    "third": (),
}
