"""From a model's free text to the block that was asked for."""

import json
import re
from typing import Any

from rlgpt_jax.agents.prompt_state import Refusal

# An opening fence with an optional language, the text, and a closing fence or the end.
_BLOCK = re.compile(r"^[ \t]*```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.M | re.S)


def fenced(text: str, languages: tuple[str, ...]) -> str:
    """Text of the first fenced block in one of `languages`, else of the first block
    without a language; "" if there is none."""
    blocks = [(m[1].lower(), m[2].strip("\n")) for m in _BLOCK.finditer(_unix(text))]
    for wanted in (languages, ("",)):
        for language, body in blocks:
            if language in wanted and body.strip():
                return body
    return ""


def before_block(text: str) -> str:
    """What the model says before its first block."""
    return _unix(text).partition("```")[0].strip()


def python_source(text: str) -> str | Refusal:
    """The macro's code in an answer of the fast agent."""
    source = fenced(text, ("python", "py", "python3"))
    if not source and re.match(r"\s*def \w+\(", text):
        source = _unix(text).strip("\n")  # bare code without a fence
    if not source:
        return Refusal("The answer held no ```python block. Put the whole macro in one.")
    return source + "\n"


def json_object(text: str) -> dict[str, Any] | Refusal:
    """The JSON object in an answer; text after the object is ignored."""
    body = fenced(text, ("json",)) or _unix(text)
    start = body.find("{")
    if start < 0:
        return Refusal("The answer held no ```json block with an object.")
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(body, start)
    except json.JSONDecodeError as error:
        line = body.split("\n")[error.lineno - 1].strip()
        return Refusal(
            f"The JSON could not be read: {error.msg} in line {error.lineno}: {line!r}."
        )
    except RecursionError:
        return Refusal("The JSON is nested too deeply. Use the form that was asked for.")
    return value


def texts(record: Any, fields: tuple[str, ...], where: str) -> Refusal | None:
    """Checks that `record` is an object whose `fields` are texts that are not empty."""
    if not isinstance(record, dict):
        return Refusal(f"{where} must be an object with {', '.join(fields)}; got {record!r}.")
    for field in fields:
        if not isinstance(record.get(field), str) or not record[field].strip():
            return Refusal(
                f'{where} needs "{field}", a text that is not empty; got {record.get(field)!r}.'
            )
    return None


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
