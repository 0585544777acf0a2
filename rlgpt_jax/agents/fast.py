"""The fast agent: writes one sub-action as a macro, and repairs it."""

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.history import (
    MAX_CODE,
    MAX_REFUSAL,
    MAX_TRIAL,
    attempt_line,
    clip,
    short,
    trial,
)
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import KEEP, Before, PromptState, Refusal
from rlgpt_jax.agents.prompts import Prompts


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for the code of `state.sub_action`, with its earlier attempts."""
    setting, sub_action = state.setting, state.sub_action
    kind = f"{setting.mode}_{sub_action.kind}" if setting.mode != "rl_gpt" else sub_action.kind
    return sections.question(
        "fast.prompt",
        state,
        prompts,
        coding=prompts.fill("fast.coding"),
        example=prompts.fill("fast.example"),
        others=_others(state, prompts),
        name=sub_action.name,
        kind=sub_action.kind,
        kind_words=prompts.fill(f"fast.kind_{kind}"),
        instruction=sub_action.instruction,
        feedback=_feedback(state, prompts),
    )


def parse(text: str, state: PromptState) -> str | Refusal:
    """The source in an answer, or `KEEP` where the agent was offered to keep its code.

    Whether the source is a macro is for the macro language to say.
    """
    source = blocks.python_source(text)
    if isinstance(source, Refusal) and may_keep(state) and blocks.says(text, KEEP):
        return KEEP
    return source


def may_keep(state: PromptState) -> bool:
    """Whether the agent itself decides if its code is good enough: where nobody judges it."""
    tried = bool(state.attempts) and state.attempts[-1].accepted
    return tried and state.setting.structure == "slow_fast"


def _others(state: PromptState, prompts: Prompts) -> str:
    """The accepted code of other parts; "" if there is none."""
    kinds = {s.name: s.kind for s in state.plan.sub_actions}
    code = "\n".join(
        f"{name} ({kinds[name]}):\n```python\n{clip(source.rstrip(), MAX_CODE)}\n```"
        for name, source in state.others
    )
    return prompts.fill("fast.others", code=code) if code else ""


def _feedback(state: PromptState, prompts: Prompts) -> str:
    """The last version in full, earlier ones in a line each."""
    before = state.before(state.sub_action.name)
    if not state.attempts:
        if not before:
            return prompts.fill("fast.first")
        told = {"source": before.source.rstrip(), "facts": _said(before)}
        return prompts.fill("fast.again", iteration=str(before.iteration + 1), **told)
    *older, last = state.attempts
    lines = [attempt_line(attempt) for attempt in older]
    if before:
        lines.insert(0, f"- of iteration {before.iteration + 1}: {short(_said(before), 300)}")
    earlier = "Earlier versions:\n" + "\n".join(lines) + "\n\n" if lines else ""
    if not last.accepted:
        source = clip(last.source.rstrip(), blocks.LONGEST) or "# the answer held no code"
        refusal = clip(last.refusal, MAX_REFUSAL)
        return prompts.fill("fast.refused", earlier=earlier, source=source, refusal=refusal)
    told = {"earlier": earlier, "source": last.source.rstrip(), "trial": trial(state.attempts)}
    if may_keep(state):
        return prompts.fill("fast.facts", **told)
    return prompts.fill("fast.revise", **told, change=last.change)


def _said(before: Before) -> str:
    """What is known of earlier code."""
    parts = []
    if before.facts:
        parts.append(f"Its last trial: {clip(before.facts, MAX_TRIAL)}")
    if before.evaluation:
        parts.append(f"In the evaluation after training: {before.evaluation}")
    if before.to_fast:
        parts.append(f"After that evaluation the critic wants this changed: {before.to_fast}")
    if before.left:
        parts.append(before.left)
    return "\n".join(parts) or "It was not tried alone."
