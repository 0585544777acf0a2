"""The slow agent: splits the task and decides what is coded and what is learned."""

import keyword
import re

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import (
    KEEP,
    KINDS,
    MAX_CODED,
    MAX_SUB_ACTIONS,
    Plan,
    PromptState,
    Refusal,
    SubAction,
)
from rlgpt_jax.agents.prompts import Prompts

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for a plan, with all that happened in earlier iterations."""
    setting = state.setting
    if state.memory:
        feedback = prompts.fill(
            "slow_again",
            iteration=str(state.iteration + 1),
            num_iterations=str(setting.num_iterations),
            history=sections.history(state.memory),
        )
    else:
        feedback = prompts.fill("slow_first")
    text = prompts.fill(
        "slow",
        world=sections.world(setting, prompts),
        policy=sections.policy(setting, prompts),
        sensors=sections.sensors(setting, prompts),
        mode=sections.mode(setting, prompts),
        api=setting.api.strip(),
        num_tries=str(setting.num_tries),
        macro_ticks=str(setting.macro_ticks),
        feedback=feedback,
    )
    return sections.messages(text, state, prompts)


def parse(text: str, state: PromptState) -> Plan | Refusal:
    """The plan in an answer, if it keeps the rules that the prompt states."""
    value = blocks.json_object(text)
    if isinstance(value, Refusal):
        return value
    records = value.get("sub_actions")
    if not isinstance(records, list) or not records:
        return Refusal('The object needs "sub_actions", a list that is not empty.')
    sub_actions = []
    for number, record in enumerate(records, start=1):
        wrong = blocks.texts(record, ("name", "kind", "instruction"), f"Sub-action {number}")
        if wrong:
            return wrong
        sub_actions.append(
            SubAction(record["name"].strip(), record["kind"].strip(), _flat(record["instruction"]))
        )
    reason = next((r for r in (_check(s, state) for s in sub_actions) if r), "") or (
        _check_all(sub_actions, state)
    )
    return Refusal(reason) if reason else Plan(tuple(sub_actions), blocks.before_block(text))


def fallback(state: PromptState, reason: str) -> Plan:
    """The plan when no answer could be used: the last one kept, else all is learned."""
    note = f"The slow agent's answers could not be used: {reason}"
    if not state.memory:
        return Plan((SubAction("whole_task", "learn", state.setting.task),), note=note)
    last = state.memory[-1]
    in_use = {fate.name for fate in last.fates if fate.source}
    return Plan(
        tuple(
            SubAction(s.name, s.kind, KEEP if s.name in in_use else s.instruction)
            for s in last.plan.sub_actions
        ),
        note=note,
    )


def _check(sub_action: SubAction, state: PromptState) -> str:
    """Why this one sub-action cannot be used; "" if it can."""
    name, kind = sub_action.name, sub_action.kind
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        return f"{name!r} is not a snake_case name of at most 40 characters."
    if name in state.setting.reserved:
        return f"{name!r} is already the name of a primitive or a function; choose another."
    if kind not in KINDS:
        return f"{name}: unknown kind {kind!r}; choose from {', '.join(KINDS)}."
    if state.setting.mode == "pure_code" and kind != "code":
        return f'{name} has kind {kind!r}, but in this run every sub-action must be "code".'
    keeps = sub_action.coded and sub_action.instruction == KEEP
    if keeps and not state.latest_source(name):
        return f'{name}: "{KEEP}" needs a sub-action of that name with accepted code before.'
    return ""


def _check_all(sub_actions: list[SubAction], state: PromptState) -> str:
    """Why these sub-actions are not a plan together; "" if they are."""
    names = [s.name for s in sub_actions]
    kinds = [s.kind for s in sub_actions]
    coded = sum(s.coded for s in sub_actions)
    if len(names) > MAX_SUB_ACTIONS:
        return f"{len(names)} sub-actions; at most {MAX_SUB_ACTIONS} are allowed."
    if coded > MAX_CODED:
        return f'{coded} coded sub-actions ("code" and "macro"); at most {MAX_CODED} are allowed.'
    if len(set(names)) < len(names):
        twice = sorted({n for n in names if names.count(n) > 1})
        return f"The name {twice[0]!r} is used more than once; all names must differ."
    if "learn" in kinds and "code" in kinds[kinds.index("learn") :]:
        return (
            'A "code" sub-action stands after a "learn" one. Code runs at the start of the '
            'episode, before the policy: put all "code" entries before the first "learn", or '
            'make it a "macro" that the policy may start later.'
        )
    return ""


def _flat(text: str) -> str:
    """One line, so that a plan stays a list when it is shown; "keep" in any spelling."""
    line = " ".join(text.split())
    return KEEP if line.lower().rstrip(".") == KEEP else line
