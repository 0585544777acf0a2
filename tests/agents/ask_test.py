from rlgpt_jax.agents import slow
from rlgpt_jax.agents.ask import ask
from rlgpt_jax.agents.llm.base import Completion
from rlgpt_jax.agents.prompt_state import Plan, Refusal
from tests.agents.states import PROMPTS, STATE

GOOD = '{"sub_actions": [{"name": "a", "kind": "learn", "instruction": "x"}]}'


class Script:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def complete(self, requests, on_answer=None):
        self.asked += requests
        return [Completion(self.answers.pop(0), "m", "test", 0.0) for _ in requests]


def plan(script):
    return ask(script, "iter0/slow", "slow", STATE, PROMPTS, slow.render, slow.parse)


def test_a_bad_answer_is_asked_again_with_the_reason():
    script = Script("no plan", GOOD)
    assert isinstance(plan(script), Plan)
    assert [r.key for r in script.asked] == ["iter0/slow", "iter0/slow/again"]
    assert "no ```json block" in script.asked[1].messages[0].text
    assert "no plan" not in script.asked[0].messages[0].text


def test_two_bad_answers_are_a_refusal():
    script = Script("no", "no", GOOD)
    assert isinstance(plan(script), Refusal) and len(script.asked) == 2
