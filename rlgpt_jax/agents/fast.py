"""The fast agent: writes one sub-action as a macro, and repairs it."""

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import Attempt, PromptState, Refusal
from rlgpt_jax.agents.prompts import Prompts


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for the code of `state.sub_action`, with its last attempt."""
    setting, sub_action = state.setting, state.sub_action
    kind = f"{setting.mode}_{sub_action.kind}" if setting.mode != "rl_gpt" else sub_action.kind
    text = prompts.fill(
        "fast",
        world=sections.world(setting, prompts),
        sensors=sections.sensors(setting, prompts),
        api=setting.api.strip(),
        plan=sections.plan(state.plan),
        name=sub_action.name,
        kind=sub_action.kind,
        kind_words=prompts.fill(f"kind_{kind}"),
        instruction=sub_action.instruction,
        macro_ticks=str(setting.macro_ticks),
        feedback=_feedback(state.attempts, prompts),
    )
    return sections.messages(text, state, prompts)


def parse(text: str) -> str | Refusal:
    """The source in an answer; whether it is a macro is for the macro language to say."""
    return blocks.python_source(text)


def _feedback(attempts: tuple[Attempt, ...], prompts: Prompts) -> str:
    if not attempts:
        return prompts.fill("fast_first")
    last = attempts[-1]
    if not last.accepted:
        source = last.source.rstrip() or "# the answer held no code"
        return prompts.fill("fast_refused", source=source, refusal=last.refusal)
    return prompts.fill(
        "fast_revise", source=last.source.rstrip(), trial=last.trial, change=last.change
    )
