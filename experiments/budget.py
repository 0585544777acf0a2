"""The budget of a run: its limits, who will be asked, and a clock in the run folder."""

from pathlib import Path

from experiments.configs.base import Config
from experiments.configs.llm import CRITICS
from rlgpt_jax.agents.llm.budget import Budget, Clock, Quote


def make_budget(config: Config, folder: Path) -> Budget:
    """The clock goes on where the last start of the run left it."""
    llm = config.llm

    def quote(agent: str) -> Quote:
        model = llm.critic_model if agent in CRITICS else ""
        return Quote(llm.provider, model or llm.model, llm.max_output_tokens)

    return Budget(config.budget, quote, folder, Clock(folder / "clock.json"))
