"""The slow agent: splits the task and decides what is coded and what is learned."""

from collections.abc import Collection, Mapping
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.parse import Wrong
from rlgpt_jax.agents.prompt_state import KEEP, KINDS, MAX_SUB_ACTIONS, Plan, PromptState, SubAction
from rlgpt_jax.agents.prompts import Prompts


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for a plan, with all that happened in earlier iterations."""
    return sections.question("slow.prompt", state, prompts, **shared(state, prompts))


def shared(state: PromptState, prompts: Prompts) -> dict[str, str]:
    """The sections of a planning prompt that do not depend on who else takes part."""
    setting = state.setting
    coded = setting.design != "reward"
    is_one = setting.structure == "one"
    who, flow = ("one", "flow") if is_one else ("slow", f"flow_{setting.structure}")
    other = "_pure_code" if setting.mode == "pure_code" else "" if coded else "_reward"
    tries = {"num_tries": str(setting.num_tries)}
    documents = {"sensors": sections.sensors(setting, prompts), "api": setting.api.strip()}
    return {
        "flow": prompts.fill(f"{who}.{flow}", **tries)
        if coded
        else prompts.fill(f"{who}.flow_reward"),
        "documents": prompts.fill("shared.documents", **documents) if coded else "",
        "heuristics": prompts.fill(f"slow.heuristics{other}"),
        "decompose": sections.decompose(state, prompts),
        "example_task": prompts.fill("slow.example_task"),
        "example": prompts.fill(f"slow.example{other}"),
        **_feedback(state, prompts),
    }


def _feedback(state: PromptState, prompts: Prompts) -> dict[str, str]:
    """What happened in earlier iterations."""
    if not state.memory:
        return {"first": prompts.fill("slow.first"), "again": "", "program": ""}
    again = prompts.fill(
        "slow.again",
        iteration=str(state.iteration + 1),
        num_iterations=str(state.setting.num_iterations),
        history=sections.history(state),
        keep=prompts.fill("slow.keep") if state.setting.design != "reward" else "",
    ).strip()
    program = "" if state.best is None else prompts.fill(
        "slow.program", iteration=str(state.best + 1),
        code=sections.code(state.memory[state.best].fates),
    )  # fmt: skip
    return {"first": "", "again": again, "program": program}


def schema(state: PromptState) -> dict[str, Any]:
    """JSON schema of the answer."""
    kinds = [kind for kind in KINDS if not _refused_kind(kind, state)]
    return blocks.object_schema(
        reasoning=blocks.TEXT,
        sub_actions=blocks.list_schema(
            blocks.object_schema(
                name=blocks.TEXT, kind=blocks.choice_schema(kinds), instruction=blocks.TEXT
            )
        ),
    )


@blocks.refusing
def parse(text: str, state: PromptState) -> Plan:
    """The plan in an answer, if it keeps the rules that the prompt states."""
    value = blocks.json_object(text)
    return read(value, state, blocks.reasoning(text, value))


def read(
    value: Mapping[str, Any], state: PromptState, reasoning: str, written: Collection[str] = ()
) -> Plan:
    """The plan in a JSON object.

    Args:
      written: names of sub-actions whose code was written before in this iteration; they may
        be kept too.

    Raises:
      Wrong: it breaks a rule that the prompt states.
    """
    records = value.get("sub_actions")
    if not isinstance(records, list) or not records:
        raise Wrong('The object needs "sub_actions", a list that is not empty.')
    sub_actions = []
    for number, record in enumerate(records, start=1):
        blocks.check_texts(record, ("name", "kind", "instruction"), f"Sub-action {number}")
        sub_actions.append(
            SubAction(record["name"].strip(), record["kind"].strip(), _flat(record["instruction"]))
        )
    for sub_action in sub_actions:
        _check(sub_action, state, written)
    _check_all(sub_actions, state)
    return Plan(tuple(sub_actions), reasoning)


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


def _refused_kind(kind: str, state: PromptState) -> str:
    """Why a plan of this run may not have that kind; "" if it may."""
    if state.setting.mode == "pure_code" and kind != "code":
        return 'in this run every sub-action must be "code"'
    if state.setting.design == "reward" and kind != "learn":
        return 'in this run nothing is coded: every sub-action must be "learn"'
    return ""


def _check(sub_action: SubAction, state: PromptState, written: Collection[str]) -> None:
    """Raises Wrong if this one sub-action cannot be used."""
    name, kind = sub_action.name, sub_action.kind
    if not blocks.is_name(name):
        raise Wrong(f"{name!r} is not a snake_case name of at most 40 characters.")
    if name in state.setting.reserved:
        raise Wrong(f"{name!r} is already the name of something else; choose another.")
    if kind not in KINDS:
        raise Wrong(f"{name}: unknown kind {kind!r}; choose from {', '.join(KINDS)}.")
    if refused := _refused_kind(kind, state):
        raise Wrong(f"{name} has kind {kind!r}, but {refused}.")
    keeps = sub_action.coded and sub_action.instruction == KEEP
    if keeps and not state.latest_source(name) and name not in written:
        raise Wrong(f'{name}: "{KEEP}" needs a sub-action of that name with accepted code before.')


def _check_all(sub_actions: list[SubAction], state: PromptState) -> None:
    """Raises Wrong if these sub-actions are not a plan together."""
    names = [s.name for s in sub_actions]
    kinds = [s.kind for s in sub_actions]
    coded = sum(s.coded for s in sub_actions)
    if len(names) > MAX_SUB_ACTIONS:
        raise Wrong(f"{len(names)} sub-actions; at most {MAX_SUB_ACTIONS} are allowed.")
    most = state.setting.max_coded
    if coded > most:
        raise Wrong(
            f'{coded} coded sub-actions ("code", "lead", "macro"); at most {most} are allowed.'
        )
    if len(set(names)) < len(names):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise Wrong(f"The name {twice[0]!r} is used more than once; all names must differ.")
    if "learn" in kinds and "code" in kinds[kinds.index("learn") :]:
        raise Wrong(
            'A "code" sub-action stands after a "learn" one. Code runs at the start of the '
            'episode, before the policy: put all "code" entries before the first "learn", or '
            'make it a "macro" that the policy may start later.'
        )


def _flat(text: str) -> str:
    """One line, so that a plan stays a list when it is shown; "keep" in any spelling."""
    line = " ".join(text.split())
    return KEEP if line.lower().rstrip(".") == KEEP else line
