"""From the body of an answer with status 200 to a completion.

Such an answer was paid for, and nothing in it is taken for granted. Its text is kept whatever the
fields beside it are; a whole body without a text that can be found is kept as it came, and ends
as `UNREADABLE` (`sdk.SdkCall`). Only what is not there to its end, or is an error in words, is
asked again.
"""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from rlgpt_jax.agents.llm.base import Usage
from rlgpt_jax.agents.llm.endpoint import Endpoint

LARGEST_COUNT = 2**53  # of tokens that is believed
LONGEST_NAME = 200  # characters of a model's name, and of a request's number
SHORTEST_KEY = 8  # characters; anything shorter may be a word of an answer


class NotAnAnswer(Exception):
    """What came is not in the format of an answer, or it is not there to its end."""


class Unreadable(Exception):
    """A whole answer in which no text can be found."""


@dataclasses.dataclass(frozen=True)
class Found:
    """What a wire format finds in a body: fields as they came, but for the text."""

    text: str
    stop: str
    model: Any = None
    usage: Usage | None = None


def events(words: str) -> Iterator[Any]:
    """The data of server-sent events."""
    for block in words.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].strip() for line in block.split("\n") if line.startswith("data:")]
        data = "\n".join(lines)
        if data and data != "[DONE]":
            yield json.loads(data)


def at(data: Any, *path: str | int) -> Any:
    """What lies at a path in plain data; None where there is nothing."""
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def items(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


def text_of(content: Any) -> str:
    """A text, or the texts of a list of parts.

    Raises:
      Unreadable: it is neither.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise Unreadable(f"its text is a {type(content).__name__}")
    return "".join(
        text_of(at(part, "text") if isinstance(part, dict) else part) for part in content
    )


def usage_of(
    asked: Any, answered: Any, cached: Any = 0, written: Any = 0, reasoning: Any = 0
) -> Usage | None:
    """Tokens as counted; None where nobody counted what was asked or answered."""
    if not (_is_count(asked) and _is_count(answered)):
        return None
    return Usage(asked, answered, *(n if _is_count(n) else 0 for n in (cached, written, reasoning)))


def openai_usage(usage: Any, asked: str, answered: str) -> Usage | None:
    """The same of the field `usage` of OpenAI's APIs, which have other names for both."""
    read, written = at(usage, f"{asked}_details"), at(usage, f"{answered}_details")
    return usage_of(
        at(usage, asked), at(usage, answered), at(read, "cached_tokens"),
        at(read, "cache_write_tokens"), at(written, "reasoning_tokens"),
    )  # fmt: skip


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < LARGEST_COUNT


def stop_of(reason: Any, stops: dict[str, str]) -> str:
    return stops.get(reason, "other") if isinstance(reason, str) else "other"


def name(found: Any, other: str) -> str:
    """A name that a service gave, or the other one if it is none."""
    is_name = isinstance(found, str) and 0 < len(found) <= LONGEST_NAME and found.isprintable()
    return found if is_name else other


def hidden(words: Any, endpoint: Endpoint) -> Any:
    """A service may repeat the key that it was given; it is not for transcripts."""
    if isinstance(words, str) and len(endpoint.key) >= SHORTEST_KEY:
        return words.replace(endpoint.key, "[key]")
    return words
