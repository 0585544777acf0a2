import json
from dataclasses import replace

import pytest

from rlgpt_jax.agents import fast, one
from rlgpt_jax.agents.one import Answer
from rlgpt_jax.agents.prompt_state import Attempt, Fate, Plan, Refusal, SubAction
from tests.agents.states import FATES, LATER, MEMORY, PROMPTS
from tests.agents.states import STATE as ANY

STATE = ANY.replace(setting=replace(ANY.setting, structure="one"))
PARTS = (SubAction("hop", "macro", "Jump."), SubAction("find", "learn", "See."))
HOP = "```python\ndef hop(obs):\n    obs = yield jump()\n```"
TRIED = STATE.replace(
    plan=Plan(PARTS),
    number=1,
    fates=(Fate("hop", "macro", (Attempt("def hop(obs): ...", trial="It hopped."),), "x", "try0"),),
    interface="200 ticks.",
)


def answer(parts=PARTS, rl=None, code=HOP):
    value = (
        {}
        if parts is None
        else {
            "sub_actions": [
                {"name": s.name, "kind": s.kind, "instruction": s.instruction} for s in parts
            ]
        }
    )
    value |= {} if rl is None else {"rl": rl}
    return f"Because.\n```json\n{json.dumps(value)}\n```\n{code}"


def text(state):
    return one.render(state, PROMPTS)[0].text


def test_the_first_prompt_asks_for_plan_set_up_and_code():
    prompt = text(STATE)
    for words in (
        "## Task\nObtain milk",
        "- wave(): waves.",
        "## Planning heuristics",
        "## The RL interface",
        '"rl", an object',
        "`def NAME(obs)`",
        "This is the first plan.",
        "You also write one Python generator",
    ):
        assert words in prompt
    assert "CRITIC" not in prompt and "KEEP" not in prompt


def test_pure_code_has_no_set_up():
    prompt = text(STATE.replace(setting=replace(STATE.setting, mode="pure_code")))
    assert "The RL interface" not in prompt and '"rl"' not in prompt


def test_an_answer_has_plan_set_up_and_the_code_of_its_sub_actions():
    other = "\n```python\ndef other(obs):\n    yield\n```"
    told = one.parse(answer(rl={}, code=HOP + other), STATE)
    assert told.plan == Plan(PARTS, "Because.") and told.interface.note == ""
    assert list(told.sources) == ["hop"]
    assert told.sources["hop"] == "def hop(obs):\n    obs = yield jump()\n"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (answer(), 'needs "rl"'),
        (answer(parts=None, rl={}), 'needs "sub_actions"'),
        (answer((SubAction("hop", "fly", "x"),), {}), "unknown kind 'fly'"),
        ("KEEP", "no JSON object"),
        (answer(rl={"reward": 3}), "reward"),
    ],
)
def test_a_first_answer_that_lacks_something_is_refused(given, words):
    value = one.parse(given, STATE)
    assert isinstance(value, Refusal) and words in value.reason


def test_a_set_up_that_is_refused_twice_does_not_cost_plan_and_code():
    again = STATE.replace(refused=("x", "y"))
    told = one.parse(answer(rl={"reward": 3}), again)
    assert told.plan == Plan(PARTS, "Because.") and "could not be used" in told.interface.note


def test_a_later_prompt_shows_what_became_of_the_answer():
    prompt = text(TRIED)
    for words in (
        "This is try 2 of 2.",
        "1. hop (macro): Jump.",
        "What happened: It hopped.",
        "The training: 200 ticks.",
        "Answer only with what you change.",
    ):
        assert words in prompt
    refused = Attempt("", refusal="no block")
    older = replace(TRIED.fates[0], attempts=(refused, *TRIED.fates[0].attempts))
    assert "Earlier versions:\n- version 1: refused. no block" in text(
        TRIED.replace(fates=(older,))
    )
    assert "It was refused before it ran: no block" in text(
        TRIED.replace(fates=(replace(older, attempts=(refused,)),))
    )


def test_code_that_did_worse_is_shown_with_the_version_in_use_as_to_the_fast_agent():
    good = Attempt("def hop(obs):\n    obs = yield jump()\n", trial="It hopped.")
    bad = Attempt("def hop(obs): ...", trial="It fell.", worse="Against version 1.", number=1)
    shown = f"It fell.\nThe version in use:\n```python\n{good.source.rstrip()}\n```"
    hop = replace(TRIED.fates[0], attempts=(good, bad))
    assert shown in text(TRIED.replace(fates=(hop,)))
    told = ANY.replace(plan=TRIED.plan, sub_action=PARTS[0], attempts=(good, bad))
    assert shown in fast.render(told, PROMPTS)[0].text
    better = replace(TRIED.fates[0], attempts=(good, replace(bad, worse="")))
    assert "The version in use:" not in text(TRIED.replace(fates=(better,)))


def test_a_later_answer_leaves_what_it_does_not_name():
    assert one.parse("It works.\nKEEP", TRIED) == Answer()
    only_code = one.parse(HOP, TRIED)
    assert (only_code.plan, only_code.interface) == (None, None) and "hop" in only_code.sources
    only_rl = one.parse(answer(parts=None, rl={}, code=""), TRIED)
    assert only_rl.plan is None and only_rl.interface is not None and not only_rl.keeps
    kept = one.parse(answer((SubAction("hop", "macro", "keep"),), code=""), TRIED)
    assert kept.plan.sub_actions[0].instruction == "keep"


@pytest.mark.parametrize(
    "given", ["Well.", "```python\ndef other(obs):\n    yield\n```", "```json\n{}\n```"]
)
def test_a_later_answer_without_anything_to_use_is_refused(given):
    value = one.parse(given, TRIED)
    assert isinstance(value, Refusal) and "changes nothing" in value.reason


def test_later_iterations_see_the_code_in_use_and_bare_facts():
    memory = replace(MEMORY, critique=None)
    prompt = text(LATER.replace(setting=STATE.setting, memory=(memory,)))
    assert f"raise_view (code):\n```python\n{FATES[0].source.rstrip()}\n```" in prompt
    assert "Evaluation: It was slow." in prompt and "Critic:" not in prompt
