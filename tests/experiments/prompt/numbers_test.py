"""In the prompts of every shipped configuration each limit has one value: that of the run."""

import dataclasses
import json
import re

import pytest

from experiments import flags
from experiments.run import make_tools
from rlgpt_jax.agents import critic, fast, one, planner, rl_setup, slow
from rlgpt_jax.agents.planner import SubTask, TaskPlan
from rlgpt_jax.agents.prompt_state import (
    Critique,
    Fate,
    Memory,
    Plan,
    PromptState,
    Refusal,
    SubAction,
    Trial,
)
from rlgpt_jax.agents.prompts import FOLDER, PLACEHOLDERS
from rlgpt_jax.loop import long_task, two_loop
from rlgpt_jax.loop.library.offer import NOTHING
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.macros.limits import MAX_MACROS
from rlgpt_jax.rl.interface import TURNS

NAMES = flags.config_names()
# Every way in which a text may tell a limit; the value is the group.
TOLD = {
    "macro": (r"cut after ([\d,]+) ticks", r"at the latest after ([\d,]+) ticks",
              r"[Kk]eep it under ([\d,]+) ticks", r"at ([\d,]+) it is cut",
              r"activation of a macro is at most ([\d,]+) ticks"),
    "horizon": (r"An episode lasts at most ([\d,]+) ticks", r"whole task has ([\d,]+) ticks",
                r"this sub-task, at most ([\d,]+);", r"Over ([\d,]+) ticks it adds up",
                r"the goal is .*, at most ([\d,]+) ticks, start with"),
    "coded": (r"at most (\w+) of them coded",),
    "parts": (r"1 to (\w+) sub-actions",),
    "turn": (r"each by (\d+) degrees", r"turn(?:s by| left| right) (\d+)",
             r"less than (\d+) degrees", r"turn_right; as the run has it (\d+)"),
}  # fmt: skip
PARTS = Plan((SubAction("dig", "code", "Dig."), SubAction("hop", "macro", "Hop."),
              SubAction("rest", "learn", "Rest.")))  # fmt: skip
FATES = tuple(
    Fate(s.name, s.kind, source=f"def {s.name}(obs): ...", used="kept") for s in PARTS.coded
)
CRITIQUE = Critique("It fell.", (), "Try less.", "Train longer.")
MEMORY = Memory(PARTS, FATES, "1 %", "It ran.", CRITIQUE, "As the run has it.")
AGENTS = {
    "slow": slow.render, "fast": fast.render, "trial critic": critic.render_trials,
    "critic": critic.render, "rl set-up": rl_setup.render, "planner": planner.render,
    "one": one.render,
}  # fmt: skip


def runs(name, folder, advice=True, **macros):
    """Loop settings and tools of a configuration, of a long one also those of its sub-tasks."""
    config = flags.load_config(name)
    config = dataclasses.replace(
        config, macros=dataclasses.replace(config.macros, **macros),
        prompts=dataclasses.replace(config.prompts, advice=advice),
    )  # fmt: skip
    tools = make_tools(config, RunFolder(folder), None, NOTHING)
    yield config.loop, tools
    if config.loop.planner:
        parts = tuple(
            SubTask(name, "planks", 4, (("log", 1),), "Make planks.", 77, solve)
            for name, solve in (("learned", "loop"), ("coded", "code"))
        )
        for number, part in enumerate(parts):
            task = long_task.sub_task_of(tools.task, TaskPlan(parts), number)
            own = dataclasses.replace(tools, task=task)
            yield long_task.config_of(config.loop, part), own


def prompts_of(loop, tools):
    """The text of every question, by agent, in the first and in a later iteration."""
    setting = two_loop.make_setting(loop, tools)
    trials = tuple(Trial(s, "def f(obs): ...", "It ran.") for s in PARTS.coded)
    for memory in ((), (MEMORY,)):
        state = PromptState(
            setting, len(memory), memory, fates=FATES, trials=trials, report="It ran.",
            sub_action=PARTS.coded[0],
        )  # fmt: skip
        for agent, render in AGENTS.items():
            is_first = agent in ("slow", "planner", "one")
            given = state if is_first else state.replace(plan=PARTS)
            yield agent, render(given, tools.prompts)[0].text


def told(about: str, text: str) -> set[str]:
    return {value for pattern in TOLD[about] for value in re.findall(pattern, text)}


@pytest.mark.parametrize("limit", [None, 397])
@pytest.mark.parametrize("name", NAMES)
def test_every_limit_has_one_value_in_all_prompts(name, limit, tmp_path):
    given = {} if limit is None else {"tick_limit": limit}
    for loop, tools in runs(name, tmp_path, **given):
        values = {"macro": tools.tick_limit, "horizon": tools.task.horizon, "coded": MAX_MACROS,
                  "parts": MAX_MACROS + 2, "turn": 30}  # fmt: skip
        found = {about: set() for about in TOLD}
        for agent, text in prompts_of(loop, tools):
            for about in TOLD:
                numbers = told(about, text)
                assert numbers <= {str(values[about])}, (agent, about, numbers)
                found[about] |= numbers
            assert "macro" not in agent or told("macro", text)
        untold = {about for about, numbers in found.items() if not numbers}
        turnless = loop.agents_mode == "pure_code" or tools.task.spec is not None
        assert untold <= ({"turn"} if turnless else set()), found


@pytest.mark.parametrize("agent", ["slow", "fast", "trial critic", "critic", "one", "planner"])
def test_who_plans_codes_or_judges_is_told_the_limit_of_macros(agent, tmp_path):
    loop, tools = next(runs("craft_stick", tmp_path))
    for name, text in prompts_of(loop, tools):
        if name == agent:
            assert told("macro", text) == {"400"}


@pytest.mark.parametrize("agent", ["slow", "critic", "trial critic", "one"])
def test_the_rules_of_a_plan_are_told_to_those_who_judge_it_too(agent, tmp_path):
    loop, tools = next(runs("harvest_milk", tmp_path))
    text = dict(prompts_of(loop, tools))[agent]
    assert f"1 to {MAX_MACROS + 2} sub-actions, at most {MAX_MACROS} of them coded" in text
    assert 'All "code" entries must stand before the first "learn" entry.' in text
    assert "the policy reads no words" in text and "It has NO rays" in text


def test_the_critic_is_told_what_the_set_up_can_do_in_the_words_of_those_who_answer(tmp_path):
    loop, tools = next(runs("harvest_milk", tmp_path))
    prompts = dict(prompts_of(loop, tools))
    state = PromptState(two_loop.make_setting(loop, tools), plan=PARTS)
    limits = rl_setup.limits(state, tools.prompts)
    assert limits in prompts["critic"] and limits in prompts["rl set-up"]
    for words in ('"nothing" is always there and cannot be left out', "not the learning rate",
                  '"network" (last, best or fresh)', '"turn" (15 or 30)'):  # fmt: skip
        assert words in limits
    code = dataclasses.replace(loop, mode="pure_code", pure_code_plan="own")
    assert "not the learning rate" not in dict(prompts_of(code, tools))["critic"]


@pytest.mark.parametrize("extra", [0, 1])
def test_as_many_parts_as_told_are_taken(extra, tmp_path):
    loop, tools = next(runs("harvest_milk", tmp_path))
    state = PromptState(two_loop.make_setting(loop, tools))
    parts = [{"name": f"a{i}", "kind": "macro", "instruction": "x"}
             for i in range(MAX_MACROS + extra)]  # fmt: skip
    got = slow.parse(json.dumps({"sub_actions": parts}), state)
    assert isinstance(got, Refusal) == bool(extra)


def test_without_advice_rules_and_facts_are_left(tmp_path):
    loop, tools = next(runs("craft_wooden_pickaxe", tmp_path))
    _, plain = next(runs("craft_wooden_pickaxe", tmp_path, advice=False))
    hints = ("depends on what they do not tell", "a log takes 60 ticks", "1.4 high",
             "Few, clearly different ones", "easy to learn", "One network learns one thing well",
             "Finding dark places depends on what", "standing nearer makes",
             "long unbroken sequences with code", 'turn it from "code" into "macro"')  # fmt: skip
    with_advice, without = (list(prompts_of(loop, t)) for t in (tools, plain))
    for hint in hints:
        assert any(hint in text for _, text in with_advice), hint
        assert not any(hint in text for _, text in without), hint
    for (agent, full), (_, lean) in zip(with_advice, without, strict=True):
        assert "{advice" not in lean, agent
        assert ("\n\n\n" not in lean and len(lean) < len(full)) or full == lean, agent
        for fact in ("Success: ", "Mining needs attack held on one block", "blocks within 4.5"):
            assert (fact in lean) == (fact in full)


def test_every_piece_of_advice_is_in_one_prompt():
    files = [path for path in FOLDER.glob("*.txt") if path.stem != "spec"]  # stands for others
    texts = "".join(path.read_text() for path in files)
    for name in PLACEHOLDERS:
        if name.startswith("advice."):
            assert texts.count(f"{{{name.replace('.', '_')}}}") == 1, name


def test_other_turns_are_told_only_to_runs_that_may_choose_them(tmp_path):
    loop, tools = next(runs("harvest_milk", tmp_path))
    may, may_not = "or by 15 where the set-up of its training says so", "each by 30 degrees)"
    assert TURNS == (15, 30)
    assert may in dict(prompts_of(loop, tools))["slow"]
    reward = dataclasses.replace(loop, design="reward")
    assert may_not in dict(prompts_of(reward, tools))["slow"]
