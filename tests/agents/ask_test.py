import pytest

from rlgpt_jax.agents import fast, slow
from rlgpt_jax.agents.ask import Question, ask_all
from rlgpt_jax.agents.llm.base import MISSING, Completion, Usage
from rlgpt_jax.agents.prompt_state import Plan, Refusal
from tests.agents.states import PLAN, PROMPTS, STATE

GOOD = '{"sub_actions": [{"name": "a", "kind": "learn", "instruction": "x"}]}'


class Script:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []
        self.batches = []

    def complete(self, requests, on_answer=None):
        self.asked += requests
        self.batches.append(len(requests))
        answers = [self.answers.pop(0) for _ in requests]
        return [cut(a) if isinstance(a, str) else a for a in answers]


def plan(script):
    question = Question("iter0/slow", "slow", STATE, slow.render, slow.parse)
    return ask_all(script, PROMPTS, [question])[0]


def test_a_bad_answer_is_asked_again_with_the_reason():
    script = Script("no plan", GOOD)
    assert isinstance(plan(script), Plan)
    assert [r.key for r in script.asked] == ["iter0/slow", "iter0/slow/again"]
    assert "no JSON object" in script.asked[1].messages[0].text
    assert "no plan" not in script.asked[0].messages[0].text


def test_two_bad_answers_are_a_refusal():
    script = Script("no", "no", GOOD)
    assert isinstance(plan(script), Refusal) and len(script.asked) == 2


def test_where_there_is_no_answer_nobody_is_asked_again():
    script = Script(cut("", stop=MISSING), GOOD)
    value = plan(script)
    assert isinstance(value, Refusal) and "recorded" in value.reason and len(script.asked) == 1


def cut(text, **changes):
    return Completion(text, "m", "test", 0.0, **changes)


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (cut('{"sub', stop="max_tokens", usage=Usage(9, 4_096)), "was cut after 4,096 tokens"),
        (cut("", stop="max_tokens"), "Your answer was cut, at the limit"),
        (cut("no", stop="refusal"), "declined to answer"),
        (cut(" \n"), "Your answer was empty"),
    ],
)
def test_cut_declined_and_empty_answers_are_asked_again_with_a_reason_of_their_own(first, reason):
    script = Script(first, GOOD)
    assert isinstance(plan(script), Plan)
    assert reason in script.asked[1].messages[0].text


def test_an_answer_that_was_cut_behind_its_object_counts():
    assert isinstance(plan(Script(cut(GOOD + " And so", stop="max_tokens"))), Plan)


def test_code_that_was_cut_does_not_count_although_it_could_be_read():
    text = "```python\ndef hop(obs):\n    yield jump()"
    state = STATE.replace(sub_action=PLAN.sub_actions[1])
    asked = [Question("k", "fast", state, fast.render, fast.parse, num_answers=1)]
    (whole,) = ask_all(Script(text), PROMPTS, asked)
    assert whole.startswith("def hop")
    (value,) = ask_all(Script(cut(text, stop="max_tokens")), PROMPTS, asked)
    assert "was cut" in value.reason


def test_questions_are_asked_together_and_only_refused_ones_again():
    coded = STATE.replace(sub_action=PLAN.sub_actions[1])
    asked = [
        Question("slow", "slow", STATE, slow.render, slow.parse, {"type": "object"}),
        Question("fast", "fast", coded, fast.render, fast.parse, num_answers=1),
        Question("other", "slow", STATE, slow.render, slow.parse),
    ]
    script = Script("no", "no", GOOD, GOOD)
    refused: list[str] = []
    values = ask_all(script, PROMPTS, asked, lambda key, reason: refused.append(key))
    assert refused == ["slow", "fast"]
    assert [type(v) for v in values] == [Plan, Refusal, Plan]
    assert [r.key for r in script.asked] == ["slow", "fast", "other", "slow/again"]
    assert [r.schema for r in script.asked] == [{"type": "object"}, None, None, {"type": "object"}]
    assert script.batches == [3, 1]
