"""The command that prints an assembled prompt."""

import shutil

import pytest

from experiments import flags
from experiments.prompt import __main__ as command
from experiments.prompt.assemble import FACTS
from experiments.run import make_tools
from rlgpt_jax import files
from rlgpt_jax.agents import prompts
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.agents.parse import json_object
from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.loop import long_task, two_loop
from rlgpt_jax.loop.library.offer import NOTHING
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.loop.trials import Trials


class Stop(Exception):
    """A run has asked enough."""


class Until:
    """The recorded answers up to those of an agent."""

    def __init__(self, path, agent):
        self.replay, self.agent, self.prompts = Replay(path), agent, []

    def complete(self, requests, on_answer=None):
        self.prompts = [r.messages[0].text for r in requests if r.agent == self.agent]
        if self.prompts:
            raise Stop
        return self.replay.complete(requests, on_answer)


def asked_by_a_run(name, agent, folder, **changes):
    config = flags.resolve(name, None, False, list(changes.items()))
    provider = Until(files.CHECKOUT / config.llm.transcript, agent)
    tools = make_tools(config, RunFolder(folder), provider, NOTHING)
    with pytest.raises(Stop):
        if agent == "planner":
            long_task.make_plan(config.loop, tools)
        state = PromptState(two_loop.make_setting(config.loop, tools))
        two_loop.design(Trials(config.loop, tools, state))
    return provider.prompts[0]


def shown(capsys, *argv):
    assert command.main(["show", *argv]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("agent", "name", "changes"),
    [
        ("slow", "harvest_milk", {}),
        ("slow", "harvest_wool_rays", {"loop.design": "action", "prompts.advice": "false"}),
        ("fast", "craft_stick", {}),
        ("one", "harvest_log_one_agent", {}),
        ("planner", "craft_wooden_pickaxe", {}),
    ],
)
def test_the_first_prompts_are_those_of_a_run(agent, name, changes, tmp_path, capsys):
    given = [f"--config.{field}={value}" for field, value in changes.items()]
    text = shown(capsys, agent, f"--config={name}", *given)
    assert text == asked_by_a_run(name, agent, tmp_path, **changes)
    assert FACTS not in text


def test_later_ones_tell_what_was_recorded_and_mark_what_a_run_measures(capsys):
    recorded = read_lines(files.CHECKOUT / "experiments/transcripts/harvest_milk.jsonl")
    critique = next(line["answer"] for line in recorded if line["key"] == "iter0/critic")
    for agent in ("slow", "fast", "rl_setup", "trial_critic", "critic"):
        text = shown(capsys, agent, "--config=harvest_milk", "--iteration=1")
        assert "look_further_right" in text, agent
        assert (FACTS in text) is (agent != "fast"), agent  # a new part, of which nothing is known
    told = shown(capsys, "slow", "--config=harvest_milk", "--iteration=1")
    assert "This is iteration 2 of 3." in told
    assert f"Advice: {json_object(critique)['advice']}\n" in told
    assert f"### Iteration 1: {FACTS}" in told and f"Evaluation: {FACTS}" in told


def test_a_sub_task_of_a_long_task_is_asked_about_by_its_own_words(capsys):
    text = shown(capsys, "slow", "--config=craft_wooden_pickaxe")
    assert "log than at the start" in text


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["slwo", "--config=harvest_milk"], "no such agent. Did you mean slow?"),
        (["one", "--config=harvest_milk"], "asks slow, fast, rl_setup, trial_critic, critic."),
        (["slow", "--config=harvest_milk", "--config.loop.mode=pure_rl"], "asks no agent"),
        (["slow", "--config=harvest_mlk"], "no such configuration"),
        (["slow", "--config=harvest_milk", "--iteration=3"], "iterations 0 to 2"),
        (["slow", "--config=template", "--iteration=1"], "iter0/slow: There is no transcript"),
        (["slow", "--config=harvest_milk", "--config.world=minedojo"], "no interpreter at"),
    ],
)
def test_what_cannot_be_shown_is_one_error(argv, words, capsys):
    assert command.main(["show", *argv]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and words in error and error.count("\n") == 1


def test_a_slip_in_a_prompt_file_is_told_by_file_and_section(tmp_path, capsys, monkeypatch):
    folder = shutil.copytree(prompts.FOLDER, tmp_path / "prompts")
    path = folder / "slow.txt"
    path.write_text(path.read_text().replace("[keep]\n", "[keep]\n{task} "))
    monkeypatch.setattr(prompts.load, "__defaults__", (folder, True, False))
    assert command.main(["show", "slow", "--config=harvest_milk"]) == 2
    assert "slow.txt [keep] has {task}, which nobody fills" in capsys.readouterr().err
