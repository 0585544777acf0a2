"""The shipped transcripts fit their schema and answer a whole run."""

import json
from pathlib import Path

import pytest

from experiments import flags, wiring
from experiments.values import ConfigError
from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import Message, Request
from rlgpt_jax.agents.llm.replay import PromptDiffers

FOLDER = Path(__file__).parents[2] / "experiments" / "transcripts"
PATHS = sorted(FOLDER.glob("*.jsonl"))
FIELDS = {
    "schema",
    "key",
    "agent",
    "messages",
    "prompt_sha256",
    "answer",
    "provider",
    "model",
    "seconds",
    "date",
}


@pytest.mark.parametrize("name", flags.config_names())
def test_a_configuration_has_its_transcript_or_says_that_it_has_none(name: str) -> None:
    config = flags.load_config(name)
    llm = config.llm
    replays = config.loop.asks and llm.provider == "replay"
    if not replays or FOLDER.parents[1] / llm.transcript in PATHS:
        assert flags.resolve(name, None, False, []).llm == llm
        return
    with pytest.raises(ConfigError, match="there are no recorded answers to replay"):
        flags.resolve(name, None, False, [])


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_every_line_has_the_fields_of_the_schema_and_says_who_answered(path: Path) -> None:
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        assert set(line) >= FIELDS and line["answer"].strip()
        assert line["model"] not in ("", "unknown") and line["date"].startswith("20")


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_keys_are_unique_and_prompts_have_the_hash_that_is_written(path: Path) -> None:
    exchanges = transcript.read(path)
    keys = [exchange.request.key for exchange in exchanges]
    assert len(set(keys)) == len(keys)
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    for line, exchange in zip(lines, exchanges, strict=True):
        assert line["prompt_sha256"] == exchange.request.prompt_sha256


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_transcript_covers_all_iterations_of_its_configuration(path: Path) -> None:
    if path.stem in flags.config_names():
        keys = {exchange.request.key for exchange in transcript.read(path)}
        loop = flags.resolve(path.stem, None, False, []).loop  # refuses one that is too short
        asked = {"one": ("one/try0",), "slow_fast": ("slow",)}.get(loop.agents, ("slow", "critic"))
        for i in range(0 if loop.planner or loop.stop_when_solved else loop.num_iterations):
            assert {f"iter{i}/{name}" for name in asked} <= keys


@pytest.mark.parametrize("replay", ["strict", "lenient"])
def test_llm_replay_decides_what_another_prompt_means(replay: str, tmp_path: Path) -> None:
    settings = flags.parse(
        ["--config=harvest_milk", f"--workdir={tmp_path}", f"--config.llm.replay={replay}"]
    )
    provider = wiring.make_provider(settings.config, settings)
    assert provider is not None
    recorded = transcript.read(FOLDER / "harvest_milk.jsonl")[0]
    assert provider.complete([recorded.request])[0].text == recorded.answer.text
    text = recorded.request.messages[0].text.replace("You write no code", "You write NO code")
    other = Request(recorded.request.key, "slow", (Message("user", text),))
    if replay == "lenient":
        assert provider.complete([other])[0].text == recorded.answer.text
    else:
        with pytest.raises(PromptDiffers, match=r"\n\+\.\.\..* You write NO code"):
            provider.complete([other])
