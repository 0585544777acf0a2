"""Small prompt states that the tests of the agents share."""

from rlgpt_jax.agents import prompts
from rlgpt_jax.agents.prompt_state import (
    Critique,
    Fate,
    Memory,
    Plan,
    PromptState,
    SubAction,
    Verdict,
)
from rlgpt_jax.agents.setting import Setting

PROMPTS = prompts.load()
SETTING = Setting(
    task="obtain milk from a cow",
    goal_item="milk_bucket",
    goal_quantity=1,
    start_items="1 bucket",
    biome="plains",
    horizon=200,
    api="- wave(): waves.",
    reserved=("forward",),
)
PLAN = Plan(
    (
        SubAction("raise_view", "code", "Look up."),
        SubAction("hop", "macro", "Jump twice."),
        SubAction("find", "learn", "Find it."),
    )
)
FATES = (
    Fate("raise_view", "code", source="def raise_view(obs):\n    yield\n", used="kept"),
    Fate("hop", "macro"),
)
CRITIQUE = Critique(
    "It fell.", (Verdict("raise_view", "revise", "It helps.", "Look higher."),), "Try less.",
    to_rl="Train longer.",
)  # fmt: skip
MEMORY = Memory(PLAN, FATES, "25 % of 200", "It was slow.", CRITIQUE, "200 ticks.")
STATE = PromptState(SETTING)
LATER = PromptState(SETTING, iteration=1, memory=(MEMORY,))
