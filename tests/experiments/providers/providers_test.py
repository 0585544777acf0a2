"""Settings of real models, and the commands that try them."""

import dataclasses
import json

import pytest

from experiments import flags
from experiments.configs.llm import LLMConfig
from experiments.providers import __main__ as command
from experiments.values import ConfigError
from rlgpt_jax.agents.llm.base import ProviderError
from tests.doubles.services import WIRES, conversation, every_fault
from tests.doubles.services.faults import FAULTS
from tests.doubles.services.server import Peer
from tests.doubles.services.wire import Answer

REAL = {"provider": "compatible", "model": "m", "base_url": "http://localhost:8000/v1"}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "MY_KEY")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"provider": "anthropic"}, "needs llm.model. There are, for example: claude-sonnet-5-5"),
        ({"provider": "openai"}, "gpt-6-sol"),
        ({"provider": "openai", "model": "unknown"}, "needs llm.model"),
        ({"provider": "compatible", "model": "m"}, r"needs llm.base_url.*localhost:11434/v1"),
        (REAL | {"base_url": "localhost:8000"}, "must start with http:// or https://"),
        (REAL | {"base_url": "http://"}, "name a host"),
        (REAL | {"base_url": "http://localhost:v1"}, "Port could not be cast"),
        (REAL | {"base_url": "http://me:secret@host/v1"}, "holds a name or password"),
        (REAL | {"api_key_env": "sk-123-456"}, "takes the name of an environment variable"),
        (REAL | {"temperature": 3.0}, r"must be in 0\.\.2"),
        (REAL | {"max_output_tokens": 0}, "max_output_tokens=0 must be at least 1"),
        (REAL | {"max_parallel": 0}, "max_parallel=0 must be at least 1"),
        (REAL | {"max_retries": -1}, "max_retries=-1 must be 0 or more"),
        (REAL | {"timeout_seconds": 0.0}, "must be above 0"),
        (REAL | {"timeout_seconds": 99.0, "deadline_seconds": 9.0}, "at most llm.deadline_seconds"),
        ({"provider": "anthropic", "model": "m", "temperature": 0.0}, "llm.temperature is for"),
        ({"provider": "openai", "model": "m", "seed": 1}, "llm.seed is for llm.provider=compat"),
        ({"provider": "openai", "model": "m", "folder": "x"}, "llm.folder is for"),
        ({"provider": "file", "base_url": "http://x"}, "llm.base_url is for .*; this is file"),
        ({"provider": "file", "critic_model": "m"}, "llm.critic_model is for"),
        ({"provider": "file", "stream": True}, "llm.stream is for"),
        ({"provider": "anthropic", "model": "m", "max_output_tokens": 64000}, "llm.stream=true"),
    ],
)
def test_settings_that_cannot_work_are_one_error(fields, words):
    with pytest.raises(ValueError, match=words) as error:
        LLMConfig(**fields)
    assert "\n" not in str(error.value) and "secret" not in str(error.value)
    assert "sk-123" not in str(error.value)


def test_long_answers_of_anthropic_can_be_streamed(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    config = LLMConfig("anthropic", model="m", max_output_tokens=64000, stream=True)
    assert config.endpoint().max_output_tokens == 64000


def test_the_key_comes_from_the_environment_and_is_not_shown(monkeypatch):
    config = LLMConfig("openai", model="m")
    with pytest.raises(ProviderError, match=r"variable OPENAI_API_KEY, which is not set. Try: exp"):
        config.endpoint()
    monkeypatch.setenv("OPENAI_API_KEY", "the-key")
    monkeypatch.setenv("MY_KEY", "my-key")
    assert config.endpoint().key == "the-key" and "the-key" not in repr(config.endpoint())
    assert LLMConfig("openai", model="m", api_key_env="MY_KEY").endpoint().key == "my-key"
    assert LLMConfig(**REAL).endpoint().key == ""  # a local server: OpenAI's key is not its own


def test_json_schemas_are_for_services_that_are_known_to_enforce_them(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert LLMConfig("openai", model="m").endpoint().json_schema
    assert not LLMConfig("openai", model="m", json_schema=False).endpoint().json_schema
    assert not LLMConfig(**REAL).endpoint().json_schema
    assert LLMConfig(**REAL, json_schema=True).endpoint().json_schema


def test_the_critic_may_have_a_model_of_its_own():
    endpoint = LLMConfig(**REAL, critic_model="small").endpoint()
    models = {agent: endpoint.model_of(agent) for agent in ("slow", "fast", "one", "planner")}
    assert set(models.values()) == {"m"}
    assert endpoint.model_of("critic") == endpoint.model_of("trial_critic") == "small"


MAIN = ("--config=harvest_milk", "--config.llm.provider=anthropic", "--config.llm.model=m")


def test_a_run_without_its_key_is_refused_before_a_folder_is_made(monkeypatch, tmp_path):
    argv = [*MAIN, f"--workdir={tmp_path / 'run'}"]
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY, which is not set"):
        flags.parse(argv)
    assert not (tmp_path / "run").exists()
    flags.parse([*argv, "--config.loop.mode=pure_rl"])  # asks nobody
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    assert "secret" not in repr(flags.parse(argv))


def test_a_stopped_run_may_go_on_with_another_model(monkeypatch, tmp_path):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")

    settings = flags.parse([*MAIN, f"--workdir={tmp_path}"])
    saved = {"name": settings.name, "config": dataclasses.asdict(settings.config)}
    (tmp_path / "config.json").write_text(json.dumps(saved))
    resume = ["--resume", f"--workdir={tmp_path}"]
    changed = flags.parse([*resume, "--config.llm.model=n", "--config.llm.max_parallel=1"])
    assert (changed.config.llm.model, changed.config.llm.max_parallel) == ("n", 1)
    assert flags.parse(resume).config == settings.config
    with pytest.raises(ConfigError, match="llm.provider: anthropic -> openai"):
        flags.parse([*resume, "--config.llm.provider=openai"])


def respond(seen):
    if "legs" in seen.prompt:
        return Answer('{"animal": "cow", "legs": 4}')
    return Answer("7." if "3 + 4" in seen.prompt else "Red.")


@pytest.mark.parametrize("provider", WIRES)
def test_check_says_what_works_and_what_it_took(provider, monkeypatch, capsys):
    with Peer(WIRES[provider], respond) as peer:
        monkeypatch.setenv("MY_KEY", peer.key)
        code = command.main([
            "check", f"--config.llm.provider={provider}", "--config.llm.model=model-a",
            f"--config.llm.base_url={peer.url}", "--config.llm.api_key_env=MY_KEY",
            "--config.llm.critic_model=model-b",
        ])  # fmt: skip
    told = capsys.readouterr().out
    assert code == 0, told
    assert [seen.body["model"] for seen in peer.seen] == ["model-a"] * 3 + ["model-b"] * 3
    for name in ("text", "schema", "picture"):
        assert told.count(f"  {name:<8} works") == 2
    assert "100 + 10 tokens, price not known" in told and peer.key not in told


def test_check_tells_wrong_answers_and_failures_apart(monkeypatch, capsys):
    with Peer(WIRES["compatible"], lambda seen: Answer("Blue cows.")) as peer:
        monkeypatch.setenv("MY_KEY", "other")
        flags_ = [
            "check", "--config.llm.provider=compatible", "--config.llm.model=model-a",
            f"--config.llm.base_url={peer.url}",
        ]  # fmt: skip
        assert command.main([*flags_, "--config.llm.api_key_env=MY_KEY"]) == 1
        assert capsys.readouterr().out.count("fails: no answer to check/") == 3
        peer.key = ""
        assert command.main(flags_) == 1
        assert capsys.readouterr().out.count("WRONG: 'Blue cows.'") == 3


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["chek"], "Did you mean check"), (["check"], "--config.llm.provider is needed"),
        (["check", "--model=x"], "is no flag"),
        (["check", "--config.llm.provider=openai", "--config.llm.model=x"], "OPENAI_API_KEY"),
    ],
)  # fmt: skip
def test_a_command_that_cannot_be_used_is_one_line(argv, words, capsys):
    assert command.main(argv) == 2
    told = capsys.readouterr().err
    assert words in told and told.count("\n") == 1


def test_the_table_counts_what_survived_and_marks_what_did_not(tmp_path, monkeypatch, capsys):
    rows = [row for row in FAULTS if row.name in ("503", "404")]
    monkeypatch.setattr(every_fault, "FAULTS", rows)
    assert every_fault.main([f"--out={tmp_path}"]) == 0
    text = (tmp_path / "faults.md").read_text()
    assert "| 503 | survived, 6 |" in text and "| 404 | stopped, resumed, 6 |" in text
    end = "6 faults survived out of 12 injected; 6 of the other 6 stopped with one line"
    assert end in text and "lost: 0. Asked twice: 0." in capsys.readouterr().out.splitlines()[-1]
    assert len(json.loads((tmp_path / "faults.json").read_text())) == 12

    run = conversation.run

    def forgetful(*arguments):
        import dataclasses

        return dataclasses.replace(run(*arguments), lost=1)

    monkeypatch.setattr(conversation, "run", forgetful)
    assert every_fault.main([f"--out={tmp_path}"]) == 1
    assert "survived, 6 (WRONG)" in (tmp_path / "faults.md").read_text()
