"""One agent for everything: it plans, codes and sets up the training in one answer.

The paper's Table 4 compares it with two agents and with two and a critic. In later tries
it sees what became of its answer and gives only what it changes.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents import rl_setup, slow
from rlgpt_jax.agents.history import MAX_REFUSAL, attempt_line, clip, trial
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.parse import Wrong
from rlgpt_jax.agents.prompt_state import KEEP, Fate, Plan, PromptState
from rlgpt_jax.agents.prompts import Prompts
from rlgpt_jax.agents.rl_read import interface_of
from rlgpt_jax.rl.interface import RLInterface


@dataclasses.dataclass(frozen=True)
class Answer:
    """One answer; None and missing code leave things as they are."""

    plan: Plan | None = None
    interface: RLInterface | None = None
    sources: Mapping[str, str] = dataclasses.field(default_factory=dict)  # by sub-action

    @property
    def keeps(self) -> bool:
        return self == Answer()


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for plan, code and set-up; for changes of them once there is a plan."""
    coded = state.setting.design != "reward"
    return sections.question(
        "one.prompt",
        state,
        prompts,
        **slow.shared(state, prompts),
        coding=prompts.fill("one.coding") if coded else "",
        rl=rl_setup.form(state, prompts) if _sets_up_rl(state) else "",
        code=_last_code(state) if state.memory and state.best is None else "",
        tried="" if _is_first(state) else _tried(state, prompts),
        answer=_form(state, prompts),
    )


@blocks.refusing
def parse(text: str, state: PromptState) -> Answer:
    """The answer, with code for sub-actions of its plan only."""
    plan, first = None, _is_first(state)
    if not first and blocks.says(text, KEEP) and "```" not in text:
        return Answer()
    has_json = first or blocks.fenced(text, ("json",)) or text.lstrip().startswith("{")
    value = blocks.json_object(text) if has_json else {}
    if first or "sub_actions" in value:
        written = {fate.name for fate in state.fates if fate.attempts}
        plan = slow.read(value, state, blocks.reasoning(text, value), written)
        state = state.replace(plan=plan)
    interface = _interface(value, state) if first or "rl" in value else None
    names = {s.name for s in state.plan.coded}
    found = blocks.python_sources(text)
    sources = {name: source for name, source in found.items() if name in names}
    if not (plan or interface or sources):
        coded = ", ".join(sorted(names)) or "(none)"
        raise Wrong(
            f"The answer changes nothing: it holds no JSON with sub_actions or rl and no code of "
            f"{coded}. Answer {KEEP.upper()} if that is meant."
        )
    return Answer(plan, interface, sources)


def _is_first(state: PromptState) -> bool:
    return not state.plan.sub_actions


def _sets_up_rl(state: PromptState) -> bool:
    return state.setting.mode == "rl_gpt"


def _interface(value: Mapping[str, Any], state: PromptState) -> RLInterface | None:
    """Field "rl". Refused twice, it is the run's own, so that plan and code still count."""
    if not _sets_up_rl(state):
        return None
    try:
        if "rl" not in value:
            raise Wrong('The object needs "rl", the set-up of the training.')
        return interface_of(value["rl"], state)
    except Wrong as wrong:
        if state.refused[1]:
            return rl_setup.fallback(str(wrong))
        raise


def _form(state: PromptState, prompts: Prompts) -> str:
    """What the answer should hold."""
    if not _is_first(state):
        return prompts.fill("one.answer_change")
    rl = " " + prompts.fill("one.answer_rl") if _sets_up_rl(state) else ""
    code = "\n" + prompts.fill("one.answer_code") if state.setting.design != "reward" else ""
    return prompts.fill("one.answer", rl=rl) + code


def _tried(state: PromptState, prompts: Prompts) -> str:
    """What became of the answer so far."""
    return prompts.fill(
        "one.tried",
        number=str(state.number + 1),
        num_tries=str(state.setting.num_tries),
        plan=sections.plan(state.plan),
        code="\n\n".join(map(_code, state.fates)) or "None is planned.",
        interface=state.interface or "There is none in this run.",
    )


def _last_code(state: PromptState) -> str:
    """The code in use in the last iteration, so that it can be kept or written anew."""
    fates = [fate for fate in state.memory[-1].fates if fate.source]
    return "\n\n".join(f"{fate.name} ({fate.kind}):\n{_block(fate.source)}" for fate in fates)


def _code(fate: Fate) -> str:
    """The last version in full with what came of it, earlier ones in a line each; of these in full
    the one in use where the last did worse."""
    head = f"### {fate.name} ({fate.kind})"
    if not fate.attempts:
        return f"{head}\nCode of an earlier iteration, kept:\n{_block(fate.source)}"
    *older, last = fate.attempts
    lines = ["Earlier versions:", *map(attempt_line, older)] if older else []
    if last.accepted:
        came = f"It ran in trial episodes. What happened: {trial(fate.attempts)}"
    else:
        came = f"It was refused before it ran: {clip(last.refusal, MAX_REFUSAL)}"
    return "\n".join(
        [
            head,
            *lines,
            _block(clip(last.source, blocks.LONGEST) or "# the answer held no code"),
            came,
        ]
    )


def _block(source: str) -> str:
    return f"```python\n{source.rstrip()}\n```"
