"""The shipped transcripts fit their schema and answer a whole run."""

import json
from pathlib import Path

import pytest

from experiments import flags
from rlgpt_jax.agents.llm import transcript

FOLDER = Path(__file__).parents[2] / "experiments" / "transcripts"
PATHS = sorted(FOLDER.glob("*.jsonl"))
FIELDS = {"schema", "key", "agent", "messages", "prompt_sha256", "answer", "provider", "model",
          "seconds", "date"}


def test_every_configuration_has_its_transcript() -> None:
    assert {path.stem for path in PATHS} >= set(flags.config_names())


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
        for i in range(flags.resolve(path.stem, None, False, []).loop.num_iterations):
            assert {f"iter{i}/slow", f"iter{i}/critic"} <= keys
