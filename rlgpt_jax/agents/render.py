"""Sections that the prompts of several agents share: pure text from plain records."""

from collections.abc import Sequence

from rlgpt_jax.agents import history as memory
from rlgpt_jax.agents import policy_words
from rlgpt_jax.agents.history import fates as fates
from rlgpt_jax.agents.history import plan as plan
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import MAX_SUB_ACTIONS, Fate, PromptState
from rlgpt_jax.agents.prompts import Prompts
from rlgpt_jax.agents.setting import Setting

TICKS_PER_SECOND = 20
MAX_ANSWER = 6_000  # characters of a refused answer that are shown again
LIBRARY = (
    "- Besides the macros of the plan it is offered these, in every plan, from a library of "
    "macros that exist already. They need no sub-action, and no sub-action may have their names:"
)


def world(setting: Setting, prompts: Prompts) -> str:
    horizon, spec = setting.horizon, setting.spec
    seconds = horizon * spec.step_seconds if spec else horizon / TICKS_PER_SECOND
    values = dict(
        task=setting.task[:1].upper() + setting.task[1:], horizon=str(horizon),
        seconds=f"{seconds:g}", success=success(setting), start_items=setting.start_items,
        biome=setting.biome, notes=spec.notes.strip() if spec else "",
    )  # fmt: skip
    return prompts.fill_from("shared.world", values)


def success(setting: Setting) -> str:
    """When an episode is solved."""
    if setting.nearby:
        return f"a {setting.goal_item} that you have placed is within 5 blocks and in view"
    return f"the inventory holds {setting.goal_quantity} more {setting.goal_item} than at the start"


def policy(setting: Setting, prompts: Prompts) -> str:
    """What PPO sees and does; there is none in mode pure_code."""
    if setting.mode == "pure_code":
        return prompts.fill("shared.no_policy")
    text = prompts.fill(
        "shared.policy",
        ticks_per_iteration=f"{setting.ticks_per_iteration:,}",
        episodes=f"{setting.ticks_per_iteration // setting.horizon:,}",
        memory=policy_words.memory(setting.given),
        **policy_words.of_policy(setting),
    )
    if setting.offered:
        text += "\n" + LIBRARY
        text += "".join(f"\n  - {name}: {doc}" for name, doc in setting.offered)
    return text


def sensors(setting: Setting, prompts: Prompts) -> str:
    """What macros sense, and how long they may run."""
    more = policy_words.unread(setting.spec, setting.sensors) if setting.spec else ""
    words = prompts.fill_from(f"shared.sensors_{setting.sensors}", {"more": more})
    return f"{words.strip()}\n{macro_limits(setting, prompts)}"


def macro_limits(setting: Setting, prompts: Prompts) -> str:
    return prompts.fill("shared.macro_limits", macro_ticks=str(setting.macro_ticks))


def mode(setting: Setting, prompts: Prompts) -> str:
    """The kinds of sub-actions that a plan may have, and how many."""
    name = "reward_design" if setting.design == "reward" else setting.mode
    most, coded = str(MAX_SUB_ACTIONS), str(setting.max_coded)
    if name == "reward_design":
        limits = prompts.fill("shared.plan_limits_reward", max_sub_actions=most)
    else:
        limits = prompts.fill("shared.plan_limits", max_sub_actions=most, max_coded=coded)
    return f"{prompts.fill(f'shared.mode_{name}')}\n{limits}"


def decompose(state: PromptState, prompts: Prompts) -> str:
    """The paper's special prompt: to split further what code cannot do; "" if left out."""
    setting = state.setting
    if not setting.decompose or setting.design == "reward" or setting.mode == "pure_code":
        return ""  # also where there is nothing to choose: all is learned, or all is coded
    return prompts.fill("slow.decompose_again" if state.memory else "slow.decompose")


def code(values: Sequence[Fate]) -> str:
    """The code in use of sub-actions, in their order."""
    return "\n".join(
        f"{f.name}:\n```python\n{memory.clip(f.source.rstrip(), memory.MAX_CODE)}\n```"
        for f in values if f.source
    ) or "No code was accepted."  # fmt: skip


def history(state: PromptState) -> str:
    """Every finished iteration, the latest last, within the setting's bound."""
    return memory.history(state.memory, state.setting.memory_characters)


def question(name: str, state: PromptState, prompts: Prompts, /, **own: str) -> tuple[Message, ...]:
    """One user message; after a refused answer it also shows the reason.

    Args:
      name: of the section with the question.
      own: what fills it besides what the prompts of several agents tell.
    """
    setting = state.setting
    shared = dict(
        place=prompts.fill("shared.place"), world=world(setting, prompts),
        policy=policy(setting, prompts), sensors=sensors(setting, prompts),
        api=setting.api.strip(), mode=mode(setting, prompts), plan=plan(state.plan),
    )  # fmt: skip
    text = prompts.fill_from(name, shared, **own)
    answer, reason = state.refused
    if reason:
        answer = memory.clip(answer.strip(), MAX_ANSWER) or "(nothing)"
        text += "\n\n" + prompts.fill("shared.refused", answer=answer, reason=reason)
    return (Message("user", text + "\n", state.images),)
