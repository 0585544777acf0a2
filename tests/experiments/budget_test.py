"""Budgets on the command line: checked at the start, told in words, raised on resuming."""

import dataclasses
import json
from pathlib import Path

import pytest

from experiments import flags, run
from experiments.signals import Stop
from experiments.values import ConfigError
from experiments.wiring import make_budget
from rlgpt_jax.agents.llm.base import Completion, Message, Request, Usage
from rlgpt_jax.agents.llm.budget import BudgetExceeded
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.agents.llm.tokens import to_json
from rlgpt_jax.agents.llm.transcript import Transcript

REAL = ("--config=harvest_milk", "--config.llm.provider=anthropic",
        "--config.llm.model=claude-sonnet-5-5", "--config.llm.transcript=")  # fmt: skip


@pytest.fixture(autouse=True)
def a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "no real key")


def settings(workdir: Path, *changes: str) -> flags.Settings:
    return flags.parse([*REAL, f"--workdir={workdir}", *changes])


def started(workdir: Path, *changes: str) -> flags.Settings:
    """As if the run had been started: its configuration is in the folder."""
    found = settings(workdir, *changes)
    workdir.mkdir()
    saved = {"name": found.name, "config": dataclasses.asdict(found.config)}
    (workdir / "config.json").write_text(json.dumps(saved))
    return found


def test_a_limit_in_dollars_needs_a_known_price_before_anything_starts(tmp_path: Path) -> None:
    limit = "--config.budget.max_usd=5"
    assert settings(tmp_path / "a", limit).config.budget.max_usd == 5
    other = [word.replace("claude-sonnet-5-5", "my-model") for word in REAL]
    for words in (other, [*REAL, "--config.llm.critic_model=my-model"]):
        with pytest.raises(ConfigError, match="none is known of 'my-model'"):
            flags.parse([*words, f"--workdir={tmp_path / 'b'}", limit])
    with pytest.raises(ConfigError, match=r"unknown.*provider file.*budget.max_tokens"):
        flags.parse([REAL[0], "--config.llm.provider=file", limit])
    assert flags.parse([REAL[0], limit]).config.llm.provider == "replay"


def test_a_limit_that_is_none_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="budget.max_calls=0 must be a positive number"):
        flags.parse([REAL[0], "--config.budget.max_calls=0"])


def test_a_run_that_reached_its_limit_says_how_to_go_on_and_that_command_works(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    found = started(tmp_path / "run", "--config.budget.max_tokens=2000000")

    def stop(*_):
        raise BudgetExceeded("budget.max_tokens=2000000 could be passed.", "max_tokens", 5123456)

    monkeypatch.setattr(run, "go", stop)
    assert run.run(found, Stop("")) == 1
    words = capsys.readouterr().out
    assert "Stopped: budget.max_tokens=2000000 could be passed." in words
    command = words.partition("python -m experiments.main ")[2].split()
    assert command == [f"--workdir={tmp_path}/run", "--resume",
                       "--config.budget.max_tokens=5123456"]  # fmt: skip
    raised = flags.parse(command)
    assert raised.config.budget.max_tokens == 5123456
    assert raised.config == dataclasses.replace(found.config, budget=raised.config.budget)
    plain = flags.parse(command[:2])
    assert plain.config == found.config


def test_who_is_asked_is_quoted_by_agent(tmp_path: Path) -> None:
    config = settings(tmp_path, "--config.llm.critic_model=claude-haiku-5-5",
                      "--config.llm.max_output_tokens=1234").config  # fmt: skip
    budget = make_budget(config, tmp_path)
    models = [budget.quote(agent).model for agent in ("slow", "trial_critic", "critic")]
    assert models == ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-haiku-5-5"]
    assert budget.quote("fast").provider == "anthropic"
    assert budget.quote("fast").max_output_tokens == 1234


def test_the_tokens_of_a_run_are_in_its_result(tmp_path: Path, monkeypatch) -> None:
    folder = run.RunFolder(tmp_path)
    Transcript(folder.transcript).append(
        Request("iter0/slow", "slow", (Message("user", "?"),)),
        Completion("!", "m", "anthropic", 1.0, Usage(10, 2), 0.5),
    )

    config = flags.load_config("harvest_milk")
    result = run.signed(config, folder, {"success_rate": 0.5}, {})
    assert result["tokens"] == to_json(read_lines(folder.transcript))
    assert result["tokens"][0]["input_tokens"] == 10
    assert json.loads(folder.path("result.json").read_text()) == result
