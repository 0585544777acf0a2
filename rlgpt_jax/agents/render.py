"""Sections that the prompts of several agents share: pure text from plain records."""

from collections.abc import Sequence

from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import Fate, Memory, Plan, PromptState, Setting
from rlgpt_jax.agents.prompts import Prompts

TICKS_PER_SECOND = 20
LIBRARY = (
    "- Besides the macros of the plan it is offered these, in every plan, from a library of "
    "macros that exist already. They need no sub-action, and no sub-action may have their names:"
)


def world(setting: Setting, prompts: Prompts) -> str:
    return prompts.fill(
        "world",
        task=setting.task[:1].upper() + setting.task[1:],
        success=success(setting),
        start_items=setting.start_items,
        biome=setting.biome,
        horizon=str(setting.horizon),
        seconds=f"{setting.horizon / TICKS_PER_SECOND:g}",
    )


def success(setting: Setting) -> str:
    """When an episode is solved."""
    if setting.nearby:
        return f"a {setting.goal_item} that you have placed is within 5 blocks and in view"
    return (
        f"the inventory holds {setting.goal_quantity} more {setting.goal_item} "
        "than at the start"
    )


def policy(setting: Setting, prompts: Prompts) -> str:
    """What PPO sees and does; there is none in mode pure_code."""
    if setting.mode == "pure_code":
        return prompts.fill("policy_none")
    text = prompts.fill(
        "policy",
        ticks_per_iteration=f"{setting.ticks_per_iteration:,}",
        episodes=f"{setting.ticks_per_iteration // setting.horizon:,}",
    )
    if setting.offered:
        text += "\n" + LIBRARY
        text += "".join(f"\n  - {name}: {doc}" for name, doc in setting.offered)
    return text


def sensors(setting: Setting, prompts: Prompts) -> str:
    return prompts.fill(f"sensors_{setting.sensors}")


def mode(setting: Setting, prompts: Prompts) -> str:
    return prompts.fill(f"mode_{setting.mode}")


def plan(value: Plan) -> str:
    return "\n".join(
        f"{number}. {s.name} ({s.kind}): {s.instruction}"
        for number, s in enumerate(value.sub_actions, start=1)
    )


def fates(values: Sequence[Fate]) -> str:
    return "\n".join(f"- {fate.describe()}" for fate in values) or "- none was planned"


def history(memory: Sequence[Memory]) -> str:
    """Every finished iteration, the latest last."""
    return "\n\n".join(_iteration(i, m) for i, m in enumerate(memory)) or "None: this is the first."


def _iteration(number: int, memory: Memory) -> str:
    note = f"\n({memory.plan.note})" if memory.plan.note else ""
    return (
        f"### Iteration {number + 1}: {memory.success}\n"
        f"Plan:\n{plan(memory.plan)}{note}\n"
        f"Coded sub-actions:\n{fates(memory.fates)}\n"
        f"Evaluation: {memory.report}\n"
        f"Critic: {memory.critique}"
    )


def messages(text: str, state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """One user message; after a refused answer it also shows the reason."""
    answer, reason = state.refused
    if reason:
        text += "\n\n" + prompts.fill("answer_refused", answer=answer.strip(), reason=reason)
    return (Message("user", text + "\n"),)

