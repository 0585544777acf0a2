import json
from dataclasses import replace

import pytest

from rlgpt_jax.agents import slow
from rlgpt_jax.agents.prompt_state import KEEP, Plan, Refusal, SubAction
from tests.agents.states import LATER, PLAN, PROMPTS, STATE


def answer(*sub_actions, before="Because."):
    records = [dict(zip(("name", "kind", "instruction"), s, strict=True)) for s in sub_actions]
    return f"{before}\n```json\n{json.dumps({'sub_actions': records})}\n```\nGood luck."


def reason(*sub_actions, state=STATE):
    value = slow.parse(answer(*sub_actions), state)
    assert isinstance(value, Refusal), value
    return value.reason


def test_a_good_plan_keeps_order_and_reasoning():
    plan = slow.parse(answer(("a", "code", "Go\n  on."), ("b", "learn", "See.")), STATE)
    assert plan == Plan(
        (SubAction("a", "code", "Go on."), SubAction("b", "learn", "See.")), "Because."
    )
    assert [s.name for s in plan.coded] == ["a"]


@pytest.mark.parametrize(
    ("sub_actions", "words"),
    [
        ([("a", "think", "x")], "unknown kind 'think'; choose from code, lead, macro, learn"),
        ([("Find Cow", "code", "x")], "'Find Cow' is not a snake_case name"),
        ([("while", "code", "x")], "'while' is not"),
        ([("forward", "macro", "x")], "'forward' is already the name of something else"),
        ([("a", "code", " ")], '"instruction", a text that is not empty'),
        ([("a", "code", "x"), ("a", "learn", "x")], "The name 'a' is used more than once"),
        ([("a", "learn", "x"), ("b", "code", "x")], 'put all "code" entries before'),
        ([(f"a{i}", "macro", "x") for i in range(9)], "9 coded sub-actions"),
        ([(f"a{i}", "learn", "x") for i in range(11)], "at most 10"),
        ([("a", "macro", "Keep.")], "needs a sub-action of that name with accepted code"),
    ],
)
def test_a_bad_plan_is_refused_with_the_rule(sub_actions, words):
    assert words in reason(*sub_actions)


@pytest.mark.parametrize("text", ["{}", '{"sub_actions": []}', '{"sub_actions": ["a"]}'])
def test_an_object_of_another_form_is_refused(text):
    assert isinstance(slow.parse(text, STATE), Refusal)


def test_macro_after_learn_is_allowed():
    assert isinstance(slow.parse(answer(("a", "learn", "x"), ("b", "macro", "x")), STATE), Plan)


def test_keep_needs_code_that_was_accepted_before():
    plan = slow.parse(answer(("raise_view", "macro", '"keep"'.strip('"'))), LATER)
    assert plan.sub_actions[0].instruction == KEEP
    assert "hop" in reason(("hop", "macro", "KEEP."), state=LATER)


def test_pure_code_takes_nothing_but_code():
    state = STATE.replace(setting=replace(STATE.setting, mode="pure_code"))
    assert 'must be "code"' in reason(("a", "macro", "x"), state=state)
    text = slow.render(state, PROMPTS)[0].text
    assert "there is no learned policy" in text and "PPO for" not in text


def test_where_only_the_reward_is_designed_nothing_may_be_coded():
    state = STATE.replace(setting=replace(STATE.setting, design="reward"))
    assert 'every sub-action must be "learn"' in reason(("a", "macro", "x"), state=state)
    assert slow.schema(state)["properties"]["sub_actions"]["items"]["properties"]["kind"] == {
        "type": "string",
        "enum": ["learn"],
    }
    text = slow.render(state, PROMPTS)[0].text
    assert "In this run nothing is coded" in text and "- wave(): waves." not in text
    later = slow.render(state.replace(memory=LATER.memory, iteration=1), PROMPTS)[0].text
    assert '"keep" as its instruction' not in later


def test_the_section_on_splitting_is_another_one_after_the_first_plan():
    without = replace(STATE.setting, decompose=False)
    for state, name in ((STATE, "slow.decompose"), (LATER, "slow.decompose_again")):
        section = "## Splitting further\n" + PROMPTS.fill(name)
        text = slow.render(state, PROMPTS)[0].text
        assert section in text
        plain = slow.render(state.replace(setting=without), PROMPTS)[0].text
        assert plain == text.replace("\n\n" + section, "")


@pytest.mark.parametrize("structure", ["slow_fast", "slow_fast_critic"])
def test_the_prompt_tells_who_takes_part(structure):
    state = LATER.replace(
        setting=replace(STATE.setting, structure=structure),
        memory=(replace(LATER.memory[0], critique=None),),
    )
    text = slow.render(state, PROMPTS)[0].text
    assert ("a CRITIC reads" in text) == (structure == "slow_fast_critic")
    assert "Critic:" not in text and "Evaluation: It was slow." in text


def test_reasoning_is_taken_from_the_object_or_from_before_it():
    record = {"name": "a", "kind": "learn", "instruction": "x"}
    bare = json.dumps({"reasoning": " Since.\n", "sub_actions": [record]})
    for text in (bare, f"```json\n{bare}\n```"):
        assert slow.parse(text, STATE).reasoning == "Since."
    plain = json.dumps({"sub_actions": [record]})
    assert slow.parse(f"Because.\n{plain}", STATE).reasoning == "Because."
    assert list(slow.schema(STATE)["properties"]) == ["reasoning", "sub_actions"]


def test_the_first_prompt_holds_task_and_interface_and_no_history():
    text = slow.render(STATE, PROMPTS)[0].text
    for words in (
        "Obtain milk from a cow.",
        "1 more milk_bucket",
        "at most 200 ticks (10 seconds",
        "- wave(): waves.",
        "200,000 ticks per iteration, about 1,000 full episodes",
        'in this run: "paper"',
        "This is the first plan.",
    ):
        assert words in text
    assert "Iteration 1" not in text


def test_later_prompts_tell_what_became_of_every_coded_part():
    text = slow.render(LATER, PROMPTS)[0].text
    assert (
        "### Iteration 1: 25 % of 200\n"
        "Plan:\n"
        "1. raise_view (code): Look up.\n"
        "2. hop (macro): Jump twice.\n"
        "3. find (learn): Find it.\n"
        "Coded sub-actions:\n"
        "- raise_view (code): earlier code kept.\n"
        "- hop (macro): no code was accepted, left to PPO. Last: no code was written\n"
        "Training set-up: 200 ticks.\n"
        "Evaluation: It was slow.\n"
        "Critic: It fell.\n"
        "- raise_view: revise. It helps.\n"
        "Advice: Try less.\n"
        "\nThis is iteration 2 of 3."
    ) in text


def test_a_refused_answer_is_shown_with_its_reason():
    text = slow.render(STATE.replace(refused=("nonsense {a}", "no JSON")), PROMPTS)[0].text
    assert "You answered:\nnonsense {a}\n\nReason: no JSON" in text


def test_the_fallback_is_to_learn_all_or_to_keep_the_last_plan():
    assert [s.kind for s in slow.fallback(STATE, "x").sub_actions] == ["learn"]
    kept = slow.fallback(LATER, "x")
    assert [s.name for s in kept.sub_actions] == [s.name for s in PLAN.sub_actions]
    assert [s.instruction for s in kept.sub_actions] == [KEEP, "Jump twice.", "Find it."]
    assert kept.note.endswith("x")
