"""From the body of an answer with status 200 to a completion.

Such an answer was paid for, and nothing in it is taken for granted. Its text is kept whatever the
fields beside it are; a whole body without a text that can be found is kept as it came, and ends
as `UNREADABLE`. Only what is not there to its end, or is an error in words, is asked again.
"""

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any

from rlgpt_jax.agents.llm.base import UNREADABLE, Completion, Usage
from rlgpt_jax.agents.llm.calls import CallFailed
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


# A wire format. Takes the value of a body; of a stream its events and whether its end came.
# Raises NotAnAnswer, Unreadable or CallFailed.
Reader = Callable[[Any], Found]
StreamReader = Callable[[list[Any], bool], Found]


def completion(
    raw: Any, endpoint: Endpoint, model: str, read: Reader, read_stream: StreamReader, end: bytes
) -> Completion:
    """Reads a response to its end and judges it.

    Args:
      raw: of an SDK's `with_raw_response`.
      model: that was asked.
      end: bytes that only a whole stream holds.
    """
    with contextlib.closing(raw.http_response) as response:
        body = response.read()
    streamed = "event-stream" in response.headers.get("content-type", "")
    ended = not streamed or end in body
    words = body.decode("utf-8-sig", "replace")
    try:
        found = read_stream(list(_events(words)), ended) if streamed else read(json.loads(words))
    except json.JSONDecodeError as error:
        raise NotAnAnswer(f"it is no JSON: {error}") from error
    except (Unreadable, RecursionError, ValueError) as error:  # a number of 5000 digits, say
        if not ended:
            raise NotAnAnswer("the stream ended before the answer did") from error
        found = Found(words, UNREADABLE)
    names = (response.headers.get(n) for n in ("request-id", "x-request-id"))
    return Completion(
        hidden(found.text, endpoint), name(hidden(found.model, endpoint), model), endpoint.provider,
        0.0, found.usage, stop=found.stop, request_id=name(next(filter(None, names), ""), ""),
    )  # fmt: skip


def _events(words: str) -> Iterator[Any]:
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
    return "".join(text_of(at(part, "text") if isinstance(part, dict) else part)
                   for part in content)  # fmt: skip


def usage_of(
    asked: Any, answered: Any, cached: Any = 0, written: Any = 0, reasoning: Any = 0
) -> Usage | None:
    """Tokens as counted; None where nobody counted what was asked or answered."""
    if not (_is_count(asked) and _is_count(answered)):
        return None
    return Usage(asked, answered, *(n if _is_count(n) else 0 for n in (cached, written, reasoning)))


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


def check_error(data: Any, of_error: Callable[[Any, str], CallFailed]) -> None:
    """Raises the failure that a body, or an event of a stream, tells of in place of an answer."""
    if error := at(data, "error"):
        raise of_error(error, str(error))
