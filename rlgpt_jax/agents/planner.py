"""The planner: splits a long task into sub-tasks that are solved one by one.

Each sub-task is a task of its own for the other agents; what it needs is what its training
episodes start with. The rules that the recipe tables set are checked where those tables are
known (`loop/long_task.py`).
"""

import dataclasses
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.parse import Wrong
from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.agents.prompts import Prompts

MAX_SUB_TASKS = 16
MAX_NEEDS = 9
MAX_QUANTITY = 128
MIN_TICKS = 20
LOOP, CODE = "loop", "code"  # by the two loops with learning, or by code alone
_ITEM = blocks.object_schema(item=blocks.TEXT, quantity={"type": "integer"})
_SUB_TASK = blocks.object_schema(
    name=blocks.TEXT,
    goal=_ITEM,
    needs=blocks.list_schema(_ITEM),
    words=blocks.TEXT,
    ticks={"type": "integer"},
    solve=blocks.choice_schema((LOOP, CODE)),
)
SCHEMA = blocks.object_schema(reasoning=blocks.TEXT, sub_tasks=blocks.list_schema(_SUB_TASK))


@dataclasses.dataclass(frozen=True)
class SubTask:
    """One part of a long task."""

    name: str  # snake_case; the name of its folder and of its skill
    item: str  # the goal: so many of it in the inventory
    quantity: int
    needs: tuple[tuple[str, int], ...]  # (item, pieces) it starts with, the hand's first
    words: str  # for the agents that solve it
    ticks: int  # time limit of a training episode
    solve: str  # `LOOP` or `CODE`


@dataclasses.dataclass(frozen=True)
class TaskPlan:
    """The planner's answer: sub-tasks in the order in which they are done."""

    sub_tasks: tuple[SubTask, ...]
    reasoning: str = ""
    note: str = ""  # why this plan is not the planner's own; "" if it is


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for a plan; `state.facts` are what is made of what."""
    setting = state.setting
    return sections.question(
        "planner.prompt",
        state,
        prompts,
        facts=state.facts,
        final=_final(state),
        horizon=str(setting.horizon),
        macro_limits=sections.macro_limits(setting, prompts),
        max_sub_tasks=str(MAX_SUB_TASKS),
    )


def _final(state: PromptState) -> str:
    """The goal that the last sub-task must have."""
    setting = state.setting
    goal = f'{{"item": "{setting.goal_item}", "quantity": {setting.goal_quantity}}}'
    if not setting.nearby:
        return goal
    return (
        f"{goal}, which in the last sub-task means: put down, within reach and in view (to carry "
        "one may be the goal of an earlier sub-task)"
    )


@blocks.refusing
def parse(text: str, state: PromptState) -> TaskPlan:
    """The sub-tasks in an answer, if they have the form that the prompt states."""
    value = blocks.json_object(text)
    records = value.get("sub_tasks")
    if not isinstance(records, list) or not records:
        raise Wrong('The object needs "sub_tasks", a list that is not empty.')
    if len(records) > MAX_SUB_TASKS:
        raise Wrong(f"{len(records)} sub-tasks; at most {MAX_SUB_TASKS} are allowed.")
    found: list[SubTask] = []
    for number, record in enumerate(records, start=1):
        sub_task = _sub_task(record, f"Sub-task {number}", state.setting.horizon)
        if sub_task.name in (other.name for other in found):
            raise Wrong(f"The name {sub_task.name!r} is used more than once; all must differ.")
        found.append(sub_task)
    return TaskPlan(tuple(found), blocks.reasoning(text, value))


def fallback(state: PromptState, reason: str) -> TaskPlan:
    """The plan when no answer could be used: the whole task at once."""
    setting = state.setting
    whole = SubTask(
        "whole_task", setting.goal_item, setting.goal_quantity, (), setting.task,
        setting.horizon, LOOP,
    )  # fmt: skip
    return TaskPlan((whole,), note=f"The planner's answers could not be used: {reason}")


def _sub_task(record: Any, where: str, horizon: int) -> SubTask:
    blocks.check_texts(record, ("name", "words", "solve"), where)
    name, solve, ticks = record["name"].strip(), record["solve"].strip(), record.get("ticks")
    if not blocks.is_name(name):
        raise Wrong(f"{name!r} is not a snake_case name of at most 40 characters.")
    if solve not in (LOOP, CODE):
        raise Wrong(f'{name}: unknown "solve" {solve!r}; choose {LOOP} or {CODE}.')
    if not _whole(ticks, MIN_TICKS, horizon):
        raise Wrong(
            f'{name}: "ticks" is {ticks!r}; write a whole number from {MIN_TICKS} to {horizon}.'
        )
    goal = _item(record.get("goal"), f'{name}: "goal"')
    needs = _needs(record.get("needs"), name)
    return SubTask(name, *goal, needs, " ".join(record["words"].split()), ticks, solve)


def _needs(records: Any, name: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(records, list) or len(records) > MAX_NEEDS:
        raise Wrong(
            f'{name}: "needs" must be a list of at most {MAX_NEEDS} objects {{"item", '
            f'"quantity"}}, empty if it starts with nothing; got {records!r}.'
        )
    found: dict[str, int] = {}
    for record in records:
        item, quantity = _item(record, f'{name}: an entry of "needs"')
        if item in found:
            raise Wrong(f"{name}: {item} is among its needs twice. Write the sum once.")
        found[item] = quantity
    return tuple(found.items())


def _item(record: Any, where: str) -> tuple[str, int]:
    is_object = isinstance(record, dict) and isinstance(record.get("item"), str)
    if not is_object or not _whole(record.get("quantity"), 1, MAX_QUANTITY):
        raise Wrong(
            f'{where} must be an object {{"item": name, "quantity": 1 to {MAX_QUANTITY}}}; got '
            f"{record!r}."
        )
    return record["item"].strip(), record["quantity"]


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
