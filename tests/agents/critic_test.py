import json

import pytest

from rlgpt_jax.agents import critic
from rlgpt_jax.agents.llm.base import Image
from rlgpt_jax.agents.prompt_state import Judgement, Refusal, Trial
from tests.agents.states import FATES, MEMORY, PLAN, PROMPTS, STATE

TRIALS = STATE.replace(
    plan=PLAN,
    trials=tuple(Trial(s, f"def {s.name}(obs):\n    yield\n", "It ended.") for s in PLAN.coded),
)
EVALUATED = STATE.replace(plan=PLAN, fates=FATES, report="5 of 9 won.", memory=(MEMORY,))


def block(value):
    return f"So.\n```json\n{json.dumps(value)}\n```"


def judge(*entries):
    records = [dict(zip(("name", "verdict", "change"), e, strict=True)) for e in entries]
    return critic.parse_trials(block({"macros": records}), TRIALS)


def test_the_trial_prompt_shows_code_and_facts_of_every_macro():
    text = critic.render_trials(TRIALS, PROMPTS)[0].text
    assert (
        "### hop (macro)\nInstruction: Jump twice.\n"
        "```python\ndef hop(obs):\n    yield\n```\nFacts: It ended."
    ) in text
    assert "one entry for each of: raise_view, hop." in text


def test_judgements_come_by_name_in_the_order_of_the_trials():
    judged = judge(("hop", "Revise", "Jump\nhigher."), ("raise_view", "ok", "ignored"))
    assert list(judged) == ["raise_view", "hop"]
    assert judged["hop"] == Judgement("revise", "Jump higher.")
    assert judged["raise_view"] == Judgement("ok", "")


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([("hop", "ok", "")], "exactly one entry for each of: raise_view, hop"),
        ([("hop", "ok", ""), ("hop", "ok", "")], "exactly one entry"),
        ([("hop", "fine", ""), ("raise_view", "ok", "")], "verdict 'fine'"),
        ([("hop", "revise", ""), ("raise_view", "ok", "")], 'needs "change"'),
    ],
)
def test_bad_judgements_are_refused(entries, words):
    value = judge(*entries)
    assert isinstance(value, Refusal) and words in value.reason


def test_without_a_usable_answer_macros_stay_as_they_are():
    assert {j.verdict for j in critic.fallback_trials(TRIALS).values()} == {"ok"}


def critique(**changes):
    value = {
        "failure": "Too slow.",
        "sub_actions": [
            {"name": "raise_view", "verdict": "drop", "reason": "Costs ticks."},
            {"name": "hop", "verdict": "keep", "reason": "Works."},
        ],
        "advice": "Shorten it.",
    }
    return critic.parse(block(value | changes), EVALUATED)


def test_the_critic_reads_plan_fates_numbers_and_history():
    text = critic.render(EVALUATED, PROMPTS)[0].text
    for words in (
        "## The evaluation\n5 of 9 won.",
        "- raise_view (code): earlier code kept.",
        "1. raise_view (code): Look up.",
        "### Iteration 1: 25 % of 200",
    ):
        assert words in text


def test_the_critic_sees_set_up_and_what_changed():
    told = EVALUATED.replace(comparison="25% before, 50% now.", interface="300 ticks.")
    text = critic.render(told, PROMPTS)[0].text
    assert "## Before and after\n25% before, 50% now." in text
    assert "## How the training was set up\n300 ticks." in text
    first = critic.render(EVALUATED, PROMPTS)[0].text
    assert "There is no iteration before this one." in first and "## Pictures" not in first


def test_pictures_go_with_the_message_and_are_told_of():
    shown = EVALUATED.replace(images=(Image("best", b"png"),), images_words="1. best: at the end")
    (message,) = critic.render(shown, PROMPTS)
    assert message.images == shown.images and "1. best: at the end" in message.text


def test_the_fast_agent_gets_words_for_what_is_to_be_revised():
    entries = [
        {"name": "raise_view", "verdict": "revise", "reason": "Slow.", "to_fast": "Two\nless."},
        {"name": "hop", "verdict": "revise", "reason": "Too low.", "to_fast": ""},
    ]
    told = critique(sub_actions=entries, rl=" More\nticks. ", solved=True, reasoning="Look.")
    assert [v.to_fast for v in told.sub_actions] == ["Two less.", "Too low."]
    assert (told.to_rl, told.solved, told.reasoning) == ("More ticks.", True, "Look.")
    assert "Two less." not in told.describe() and "nothing is left to gain" in told.describe()
    kept = [entry | {"verdict": "keep"} for entry in entries]
    assert [v.to_fast for v in critique(sub_actions=kept).sub_actions] == ["", ""]


def test_the_schemas_ask_for_every_field_of_the_prompts_and_name_the_sub_actions():
    schema = critic.schema(EVALUATED)
    assert list(schema["properties"]) == [
        "reasoning",
        "failure",
        "sub_actions",
        "advice",
        "rl",
        "solved",
    ]
    entry = schema["properties"]["sub_actions"]["items"]["properties"]
    assert entry["name"]["enum"] == ["raise_view", "hop"]
    trials = critic.trials_schema(TRIALS)["properties"]["macros"]["items"]
    assert trials["required"] == ["name", "verdict", "change"]
    learned = EVALUATED.replace(plan=type(PLAN)(PLAN.sub_actions[2:]))
    names = critic.schema(learned)["properties"]["sub_actions"]["items"]["properties"]["name"]
    assert names == {"type": "string"}


def test_a_critique_is_described_for_the_slow_agent():
    assert critique().describe() == (
        "Too slow.\n- raise_view: drop. Costs ticks.\n- hop: keep. Works.\nAdvice: Shorten it."
    )


def test_a_critique_without_coded_parts_has_an_empty_list():
    learned = EVALUATED.replace(plan=type(PLAN)(PLAN.sub_actions[2:]))
    value = {"failure": "a", "sub_actions": [], "advice": "b"}
    assert critic.parse(block(value), learned).sub_actions == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"advice": 3}, '"advice", a text'),
        ({"solved": "no"}, '"solved" must be true or false'),
        ({"sub_actions": None}, '"sub_actions", a list'),
        ({"sub_actions": []}, "raise_view, hop"),
        (
            {
                "sub_actions": [
                    {"name": n, "verdict": "x", "reason": "y"} for n in ("raise_view", "hop")
                ]
            },
            "keep, revise, drop",
        ),
    ],
)
def test_a_bad_critique_is_refused(changes, words):
    value = critique(**changes)
    assert isinstance(value, Refusal) and words in value.reason
