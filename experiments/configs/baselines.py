"""Baselines of the paper's table as flags: what they change of a configuration NAME_paper.

Each is (path, text) pairs, as `--config.<path>=<text>` and in the form of `study.cells.VARIANTS`.
What is as in the papers, and what is not: docs/baselines.md.
"""

# Basic skills and a search over them; no language model is asked.
PLAN4MC: tuple[tuple[str, str], ...] = (("loop.planner", "true"), ("loop.mode", "pure_rl"))
# Beside what MineAgent changes: what can be crafted on the way to the goal is.
AUTOCRAFT: tuple[tuple[str, str], ...] = (("autocraft", "true"),)
