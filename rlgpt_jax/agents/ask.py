"""Asks one question until its answer can be used, at most twice."""

from collections.abc import Callable
from typing import TypeVar

from rlgpt_jax.agents.llm.base import Message, Provider, Request
from rlgpt_jax.agents.prompt_state import PromptState, Refusal
from rlgpt_jax.agents.prompts import Prompts

Value = TypeVar("Value")
NUM_ANSWERS = 2


def ask(
    provider: Provider,
    key: str,
    agent: str,
    state: PromptState,
    prompts: Prompts,
    render: Callable[[PromptState, Prompts], tuple[Message, ...]],
    parse: Callable[[str, PromptState], Value | Refusal],
) -> Value | Refusal:
    """Renders, asks and parses; a refused answer is shown to the model with its reason.

    The request keys are `key`, then `key + "/again"`.

    Returns:
      What `parse` made of the first usable answer, or the last Refusal.
    """
    for number in range(NUM_ANSWERS):
        request = Request(key + "/again" * number, agent, render(state, prompts))
        text = provider.complete([request])[0].text
        value = parse(text, state)
        if not isinstance(value, Refusal):
            return value
        state = state.replace(refused=(text, value.reason))
    return value
