"""Asks the configured model three tiny questions and says what works.

    python -m experiments.providers check --config.llm.provider=anthropic \\
        --config.llm.model=claude-sonnet-5-5

Text, an answer held to a JSON schema, and a picture. Costs a fraction of a cent. All fields
of `--config.llm` can be set as for `experiments.main`; the key comes from the environment.
"""

import dataclasses
import io
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import PIL.Image

from experiments.config_tree import leaf_values
from experiments.configs.llm import LLMConfig
from experiments.flags import split_overrides
from experiments.overrides import override
from experiments.values import ConfigError
from rlgpt_jax.agents.llm.base import Completion, Image, Message, ProviderError, Request
from rlgpt_jax.agents.llm.calls import Parallel
from rlgpt_jax.agents.llm.connect import connect

# The smallest schema that cannot be met by chance.
SCHEMA = {
    "type": "object",
    "properties": {"animal": {"type": "string"}, "legs": {"type": "integer"}},
    "required": ["animal", "legs"],
    "additionalProperties": False,
}
RED = (200, 30, 30)


@dataclasses.dataclass(frozen=True)
class Checked:
    """What can be set: the same paths as in a run's configuration."""

    llm: LLMConfig


class Question(NamedTuple):
    """One thing to try."""

    name: str
    words: str
    schema: dict[str, Any] | None = None
    picture: bytes | None = None


def run(argv: list[str]) -> int:
    """Returns 0 if everything that was asked for works, 1 if not."""
    config = parse(argv)
    endpoint = config.endpoint()
    provider = connect(endpoint, config.limits)
    agents = {endpoint.model: "slow"} | dict.fromkeys(endpoint.models.values(), "critic")
    works = True
    for model, agent in agents.items():
        print(f"{config.provider} {model}")
        results = [check(provider, question, agent) for question in QUESTIONS]
        works = works and all(results)
    if not endpoint.json_schema:
        print("llm.json_schema is off: the second answer was free text.")
    return 0 if works else 1


def parse(argv: Sequence[str]) -> LLMConfig:
    """The settings. Raises ConfigError."""
    assignments, rest = split_overrides(argv)
    if rest:
        known = ", ".join(f"--config.{path}" for path in leaf_values(EMPTY))
        raise ConfigError(f"{rest[0]!r} is no flag of this command. Flags: {known}.")
    config = override(EMPTY, assignments).llm
    if not config.is_real:
        raise ConfigError(
            "--config.llm.provider is needed: anthropic, openai or compatible. The others ask "
            "no model."
        )
    return config


def check(provider: Parallel, asked: Question, agent: str) -> bool:
    """Asks one question and prints a line. Returns whether the answer is right."""
    name, images = asked.name, (Image("picture", asked.picture),) if asked.picture else ()
    message = Message("user", asked.words, images)
    request = Request(f"check/{name}", agent, (message,), asked.schema)
    try:
        answer = provider.complete([request])[0]
    except ProviderError as error:
        print(f"  {name:<8} fails: {error}")
        return False
    right = is_right(name, answer.text)
    print(f"  {name:<8} {'works' if right else 'WRONG'}: {described(answer)}")
    return right


def is_right(name: str, text: str) -> bool:
    if name == "text":
        return "7" in text or "seven" in text.lower()
    if name == "picture":
        return "red" in text.lower()
    try:
        value = json.loads(text.strip().removeprefix("```json").removesuffix("```"))
    except ValueError:
        return False
    return isinstance(value, dict) and set(value) == {"animal", "legs"}


def described(answer: Completion) -> str:
    """The answer in short, and what it took."""
    text = " ".join(answer.text.split())
    parts = [f"{text[:60]!r}", f"{answer.seconds:.1f} s"]
    if answer.stop != "end":
        parts.append(f"stopped: {answer.stop}")
    if answer.usage:
        parts.append(f"{answer.usage.input_tokens} + {answer.usage.output_tokens} tokens")
    else:
        parts.append("tokens not counted")
    parts.append("price not known" if answer.price is None else f"${answer.price:.6f}")
    if answer.retries:
        parts.append(f"{answer.retries} retries")
    return ", ".join(parts)


def png(colour: tuple[int, int, int]) -> bytes:
    """A small picture of one colour."""
    file = io.BytesIO()
    PIL.Image.new("RGB", (64, 64), colour).save(file, "PNG")
    return file.getvalue()


EMPTY = Checked(LLMConfig(transcript="none"))
QUESTIONS = (
    Question("text", "What is 3 + 4? Answer with the number alone."),
    Question(
        "schema",
        'How many legs has a cow? Answer with one JSON object {"animal": text, "legs": number} '
        "and nothing else.",
        SCHEMA,
    ),
    Question("picture", "Which colour is this picture? One word.", picture=png(RED)),
)
