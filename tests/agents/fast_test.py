from dataclasses import replace

from rlgpt_jax.agents import fast
from rlgpt_jax.agents.prompt_state import Attempt, Refusal
from tests.agents.states import PLAN, PROMPTS, STATE

ASKED = STATE.replace(plan=PLAN, sub_action=PLAN.sub_actions[1])


def text(state):
    (message,) = fast.render(state, PROMPTS)
    assert message.role == "user"
    return message.text


def test_the_first_prompt_names_the_macro_its_kind_and_the_plan():
    prompt = text(ASKED)
    assert "Name: hop\nKind: macro. It becomes one more action of a learned policy" in prompt
    assert "`def hop(obs)" in prompt and "3. find (learn): Find it." in prompt
    assert "- wave(): waves." in prompt and "None: this is the first version." in prompt


def test_a_refusal_goes_back_with_code_and_reason():
    refused = Attempt("import os\n", refusal="line 1: no imports")
    prompt = text(ASKED.replace(attempts=(refused,)))
    assert "```python\nimport os\n```\nReason: line 1: no imports" in prompt


def test_a_trial_goes_back_with_facts_and_the_critics_words():
    tried = Attempt("def hop(obs): ...", trial="It fell.", verdict="revise", change="Jump.")
    prompt = text(ASKED.replace(attempts=(Attempt("x", refusal="old"), tried)))
    assert "What happened: It fell.\nThe critic wants this changed: Jump." in prompt
    assert "old" not in prompt.split("## Last attempt")[1]


def test_pure_code_tells_that_the_script_repeats():
    code = ASKED.replace(
        setting=replace(ASKED.setting, mode="pure_code"), sub_action=PLAN.sub_actions[0]
    )
    assert "start again from the first" in text(code)
    assert "then the policy takes over" in text(code.replace(setting=ASKED.setting))


def test_the_answer_without_code_is_a_refusal():
    assert isinstance(fast.parse("Sorry."), Refusal)
