import dataclasses
import json

import pytest

from rlgpt_jax.agents import planner, prompts
from rlgpt_jax.agents.planner import SubTask
from rlgpt_jax.agents.prompt_state import PromptState, Refusal
from rlgpt_jax.agents.setting import Setting

SETTING = Setting(
    "obtain 1 wooden_pickaxe", "wooden_pickaxe", 1, "nothing", "forest", 3000, api="the api"
)
STATE = PromptState(SETTING, facts="- planks: 4 from 1 log, in hand")
LOGS = {
    "name": "logs", "goal": {"item": "log", "quantity": 3}, "needs": [], "words": "Get  3\nlogs.",
    "ticks": 800, "solve": "loop",
}  # fmt: skip
MAKE = {
    "name": "make", "goal": {"item": "wooden_pickaxe", "quantity": 1},
    "needs": [{"item": "log", "quantity": 3}], "words": "Make it.", "ticks": 100, "solve": "code",
}  # fmt: skip


def answer(*sub_tasks, **changes) -> str:
    return f"Thus.\n```json\n{json.dumps({'sub_tasks': list(sub_tasks)} | changes)}\n```"


def parse(*sub_tasks):
    return planner.parse(answer(*sub_tasks), STATE)


def test_an_answer_becomes_sub_tasks():
    plan = parse(LOGS, MAKE)
    assert plan.sub_tasks == (
        SubTask("logs", "log", 3, (), "Get 3 logs.", 800, "loop"),
        SubTask("make", "wooden_pickaxe", 1, (("log", 3),), "Make it.", 100, "code"),
    )
    assert plan.reasoning == "Thus."


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Logs!"}, "is not a snake_case name"),
        ({"name": "make"}, "'make' is used more than once"),
        ({"solve": "learn"}, "unknown \"solve\" 'learn'; choose loop or code"),
        ({"ticks": 4000}, "write a whole number from 20 to 3000"),
        ({"ticks": True}, "write a whole number"),
        ({"goal": "log"}, '"goal" must be an object'),
        ({"goal": {"item": "log", "quantity": 0}}, "1 to 128"),
        ({"needs": None}, '"needs" must be a list'),
        ({"needs": [{"item": "log"}]}, 'an entry of "needs" must be an object'),
        ({"needs": [{"item": "log", "quantity": 1}] * 2}, "log is among its needs twice"),
        ({"words": " "}, 'needs "words"'),
    ],
)
def test_a_wrong_field_is_refused_with_what_to_write(changes, words):
    refused = parse(LOGS | changes, MAKE)
    assert isinstance(refused, Refusal) and words in refused.reason


def test_a_plan_has_at_least_one_and_not_too_many_sub_tasks():
    assert "not empty" in planner.parse(answer(), STATE).reason
    many = [LOGS | {"name": f"logs_{i}"} for i in range(planner.MAX_SUB_TASKS + 1)]
    assert "at most 16 are allowed" in parse(*many).reason


def test_the_prompt_tells_facts_limits_and_the_goal():
    text = planner.render(STATE, prompts.load())[0].text
    assert STATE.facts in text and "at most 3000" in text
    assert '{"item": "wooden_pickaxe", "quantity": 1}' in text
    near = STATE.replace(setting=dataclasses.replace(SETTING, nearby=True, goal_item="furnace"))
    assert "put down, within reach and in view" in planner.render(near, prompts.load())[0].text


def test_the_example_of_the_prompt_has_the_form_that_is_asked_for():
    text = planner.render(STATE, prompts.load())[0].text
    plan = planner.parse(text[text.index("## Example") :], STATE)
    assert [s.solve for s in plan.sub_tasks] == ["loop", "code"]


def test_a_refused_answer_is_shown_with_its_reason():
    state = STATE.replace(refused=("so be it", "no such item"))
    text = planner.render(state, prompts.load())[0].text
    assert "so be it" in text and "no such item" in text


def test_the_fallback_is_the_whole_task():
    plan = planner.fallback(STATE, "it was empty")
    (whole,) = plan.sub_tasks
    assert (whole.item, whole.ticks, whole.solve) == ("wooden_pickaxe", 3000, "loop")
    assert "it was empty" in plan.note


def test_the_schema_asks_for_what_is_parsed():
    fields = planner.SCHEMA["properties"]["sub_tasks"]["items"]["properties"]
    assert set(fields) == set(LOGS)
