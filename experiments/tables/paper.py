"""Numbers of the paper, all of Minecraft through MineDojo: none can be set against ours.

Source: table 1 and figure 5 of arXiv:2402.19299 (one seed). The heads of the table's columns are
icons; which tasks the columns of `INFERRED` are follows from Plan4MC's settings and results.
"""

from experiments.configs.base import PAPER_TASKS

METHODS = ("mineagent", "mineagent_autocraft", "plan4mc", "rl_gpt")
# Success by task, in the order of `METHODS`; None where the paper has a dash.
_ROWS: tuple[tuple[float | None, ...], ...] = (
    (0.00, 0.00, 0.30, 0.65), (0.00, 0.03, 0.30, 0.65), (0.00, 0.00, 0.53, 0.67),
    (0.00, 0.00, 0.37, 0.67), (0.00, 0.00, 0.17, 0.64), (None, 0.46, 0.83, 0.85),
    (None, 0.50, 0.53, 0.56), (None, 0.33, 0.43, 0.46), (None, 0.35, 0.33, 0.38),
    (None, 0.00, 0.17, 0.32),
)  # fmt: skip
TABLE_1 = dict(zip(PAPER_TASKS, (dict(zip(METHODS, row)) for row in _ROWS), strict=True))
INFERRED = (
    "get_furnace_nearby_with_logs", "harvest_milk_with_crafting_table_and_iron_ingot",
    "harvest_wool_with_crafting_table_and_iron_ingot", "harvest_mutton_with_diamond_sword",
)  # fmt: skip
WORDS = (
    "Columns `paper` are of MineDojo, table 1 of arXiv:2402.19299, one seed, another world, model "
    "and budget: not to be set against the others. † the paper shows icons, and which task the row "
    "is was inferred."
)
FIGURE_5 = (
    "The paper's figure 5, harvest a log in MineDojo, another world, model and budget: 0 % with "
    "iteration 0, 58 % with iteration 3, MineAgent 10 %."
)
