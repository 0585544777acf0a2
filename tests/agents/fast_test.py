from dataclasses import replace

from rlgpt_jax.agents import fast
from rlgpt_jax.agents.prompt_state import KEEP, Attempt, Fate, Refusal
from tests.agents.states import FATES, LATER, MEMORY, PLAN, PROMPTS, STATE

ASKED = STATE.replace(plan=PLAN, sub_action=PLAN.sub_actions[1])


def text(state):
    (message,) = fast.render(state, PROMPTS)
    assert message.role == "user"
    return message.text


def test_the_first_prompt_names_the_macro_its_kind_and_the_plan():
    prompt = text(ASKED)
    assert "Name: hop\nKind: macro. It becomes one more action of a learned policy" in prompt
    assert "`def hop(obs)` and its helpers" in prompt and "3. find (learn): Find it." in prompt
    assert "- wave(): waves." in prompt and "None: this is the first version." in prompt


def test_a_refusal_goes_back_with_code_and_reason():
    refused = Attempt("import os\n", refusal="line 1: no imports")
    prompt = text(ASKED.replace(attempts=(refused,)))
    assert "```python\nimport os\n```\nReason: line 1: no imports" in prompt


def test_a_trial_goes_back_with_facts_and_the_critics_words():
    tried = Attempt("def hop(obs): ...", trial="It fell.", verdict="revise", change="Jump.")
    prompt = text(ASKED.replace(attempts=(Attempt("x", refusal="old"), tried)))
    assert "What happened: It fell.\nThe critic wants this changed: Jump." in prompt
    assert "- version 1: refused. old" in prompt


def test_code_of_an_earlier_iteration_comes_back_with_what_is_known_of_it():
    state = LATER.replace(plan=PLAN, sub_action=PLAN.sub_actions[0])
    prompt = text(state)
    assert "In iteration 1 this code of the same name was in use" in prompt
    assert "def raise_view(obs):" in prompt
    assert "After that evaluation the critic wants this changed: Look higher." in prompt
    tried = replace(FATES[0], attempts=(Attempt(FATES[0].source, trial="It looked\nup."),))
    memory = replace(MEMORY, fates=(tried,), report="Macro raise_view: 3 ended.\nMacro raise: 9.")
    prompt = text(state.replace(memory=(memory,)))
    assert "Its last trial: It looked\nup." in prompt
    assert "In the evaluation after training: Macro raise_view: 3 ended." in prompt
    assert "Macro raise: 9" not in prompt
    refused = state.replace(attempts=(Attempt("x", refusal="line 1"),))
    assert "- of iteration 1: After that evaluation the critic" in text(refused)


def test_kept_code_has_the_facts_of_the_iteration_that_wrote_it():
    wrote = replace(FATES[0], used="try0", attempts=(Attempt(FATES[0].source, trial="Up."),))
    state = LATER.replace(memory=(replace(MEMORY, fates=(wrote,)), MEMORY))
    before = state.before("raise_view")
    assert (before.iteration, before.facts) == (1, "Up.")
    assert state.before("hop") is None


def test_without_a_critic_the_agent_may_keep_code_that_ran():
    alone = ASKED.replace(setting=replace(ASKED.setting, structure="slow_fast"))
    ran = alone.replace(attempts=(Attempt("def hop(obs): ...", trial="It hopped."),))
    refused = alone.replace(attempts=(Attempt("import os", refusal="no"),))
    prompt = text(ran)
    assert "What happened: It hopped." in prompt and "the single word KEEP" in prompt
    assert "KEEP" not in text(refused) and "critic" not in prompt
    for answer in ("KEEP", "keep.", "It is good.\n\n**KEEP**\n"):
        assert fast.parse(answer, ran) == KEEP
        assert isinstance(fast.parse(answer, refused), Refusal)
        assert isinstance(fast.parse(answer, ASKED.replace(attempts=ran.attempts)), Refusal)
    assert fast.parse("KEEP\n```python\ndef hop(obs):\n    yield\n```", ran).startswith("def hop")
    assert isinstance(fast.parse("I keep it.", ran), Refusal)


def test_long_facts_and_refusals_are_bounded_and_say_so():
    tried = Attempt("def hop(obs): ...", trial="a" * 9_000, verdict="revise", change="b")
    refused = Attempt("x", refusal="c" * 9_000)
    for attempt, limit in ((tried, 4_000), (refused, 2_000)):
        prompt = text(ASKED.replace(attempts=(attempt,)))
        assert len(prompt) - len(text(ASKED)) < limit and "characters left out...]" in prompt


def test_pure_code_tells_that_the_script_repeats():
    code = ASKED.replace(
        setting=replace(ASKED.setting, mode="pure_code"), sub_action=PLAN.sub_actions[0]
    )
    assert "start again from the first" in text(code)
    assert "then the policy takes over" in text(code.replace(setting=ASKED.setting))


def test_the_answer_without_code_is_a_refusal():
    assert isinstance(fast.parse("Sorry.", ASKED), Refusal)


def test_the_program_in_use_goes_before_later_code_that_did_no_better():
    first = replace(LATER.memory[0], report="Macro raise_view: first.")
    fates = (Fate("raise_view", "code", source="later"), Fate("hop", "macro", source="later hop"))
    second = replace(first, fates=fates, report="Macro raise_view: second.")
    state = LATER.replace(memory=(first, second), iteration=2, sub_action=PLAN.sub_actions[0])
    assert state.latest_source("raise_view") == "later"
    assert "Not in use" not in text(state)
    mended = state.replace(best=0)
    assert mended.latest_source("raise_view") == first.fates[0].source
    assert mended.latest_source("hop") == "later hop", "the program in use has none"
    assert (
        "did no better: the version of iteration 2. Macro raise_view: second. The critic: It helps."
    ) in text(mended)
    assert "Macro raise_view: first." in text(mended) and "Look higher." in text(mended)
