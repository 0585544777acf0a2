"""From a model's free text to the block that was asked for."""

import functools
import json
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from rlgpt_jax.agents.prompt_state import PromptState, Refusal

Value = TypeVar("Value")

# An opening fence with an optional language, the text, and a closing fence or the end. Nothing is
# tried in two ways (`*+`): a line of a million spaces would take hours.
_BLOCK = re.compile(r"^[ \t]*+```[ \t]*+([\w+-]*+)[^\n]*+\n(.*?)(?:^[ \t]*+```|\Z)", re.M | re.S)
_PYTHON = ("python", "py", "python3")
TEXT = {"type": "string"}
LONGEST = 40_000  # characters of an object, whose texts go into other prompts, and of reasons
_DEF = r"^def (\w+)\("
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Wrong(ValueError):
    """An answer that cannot be used; the text is for the model that gave it."""


def refusing(
    read: Callable[[str, PromptState], Value],
) -> Callable[[str, PromptState], Value | Refusal]:
    """The same reader of an answer, which returns a Refusal where it raised `Wrong`."""

    @functools.wraps(read)
    def parse(text: str, state: PromptState) -> Value | Refusal:
        try:
            return read(text, state)
        except Wrong as wrong:
            return Refusal(str(wrong))

    return parse


def fenced(text: str, languages: tuple[str, ...]) -> str:
    """Text of the first fenced block in one of `languages`, else of the first block
    without a language; "" if there is none."""
    blocks = [(m[1].lower(), m[2].strip("\n")) for m in _BLOCK.finditer(_unix(text))]
    for wanted in (languages, ("",)):
        for language, body in blocks:
            if language in wanted and body.strip():
                return body
    return ""


def reasoning(text: str, value: dict[str, Any]) -> str:
    """The model's reasons: field "reasoning" of its object, else what stands before it."""
    given = value.get("reasoning")
    words = given.strip() if isinstance(given, str) else ""
    return words or _unix(text).partition("```" if "```" in text else "{")[0].strip()[:LONGEST]


def has_open_block(text: str) -> bool:
    """Whether a block was begun and not ended, as in an answer that was cut."""
    return len(re.findall(r"^[ \t]*```", _unix(text), re.M)) % 2 == 1


def python_source(text: str) -> str | Refusal:
    """The macro's code in an answer of the fast agent."""
    source = fenced(text, _PYTHON)
    if not source and re.match(r"\s*def \w+\(", text):
        source = _unix(text).strip("\n")  # bare code without a fence
    if not source:
        return Refusal("The answer held no ```python block. Put the whole macro in one.")
    return source + "\n"


def python_sources(text: str) -> dict[str, str]:
    """Code by the name of every function defined at the top level of a python block, for
    an answer with several macros; of two blocks that define a name the later one counts."""
    bodies = [m[2] for m in _BLOCK.finditer(_unix(text)) if m[1].lower() in _PYTHON]
    return {
        name: body.strip("\n") + "\n" for body in bodies for name in re.findall(_DEF, body, re.M)
    }


def says(text: str, word: str) -> bool:
    """Whether an answer is that one word, or has it alone in a line, in any spelling."""
    lines = (re.sub(r"[^a-z]", "", line.lower()) for line in _unix(text).split("\n"))
    return word.lower() in lines


def is_name(name: str) -> bool:
    """Whether it is snake_case, at most 40 characters and no keyword: names of parts and macros."""
    return bool(_NAME.fullmatch(name)) and not keyword.iskeyword(name)


def json_object(text: str) -> dict[str, Any]:
    """The JSON object in an answer, in a fence or bare; text after the object is ignored.

    Raises:
      Wrong: there is none that can be read.
    """
    body = fenced(text, ("json",)) or _unix(text)
    # Braces inside a sentence before the object are not its start.
    line_start = re.search(r"^[ \t]*\{", body, re.M)
    start = line_start.end() - 1 if line_start else body.find("{")
    if start < 0:
        raise Wrong("The answer held no JSON object. Give one, in a ```json block.")
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(body, start)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        line = body.split("\n")[error.lineno - 1].strip()[:200]
        raise Wrong(
            f"The JSON could not be read: {error.msg} in line {error.lineno}: {line!r}."
        ) from error
    except UnicodeEncodeError as error:
        raise Wrong(
            "The JSON has half a surrogate pair (\\ud800 to \\udfff), which is no character. Leave "
            "it out."
        ) from error
    except (RecursionError, ValueError) as error:  # brackets in brackets, a number of 5000 digits
        raise Wrong(
            "The JSON is nested or long beyond reason. Use the form that was asked for."
        ) from error
    if end - start > LONGEST:
        raise Wrong(f"The JSON has {end - start:,} characters; write at most {LONGEST:,}.")
    return value


def check_texts(record: Any, fields: tuple[str, ...], where: str) -> None:
    """Raises Wrong unless `record` is an object whose `fields` are texts that are not empty."""
    if not isinstance(record, dict):
        raise Wrong(f"{where} must be an object with {', '.join(fields)}; got {record!r}.")
    for field in fields:
        if not isinstance(record.get(field), str) or not record[field].strip():
            raise Wrong(
                f'{where} needs "{field}", a text that is not empty; got {record.get(field)!r}.'
            )


def object_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON schema of an object that has exactly these fields, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_schema(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def choice_schema(values: Sequence[str]) -> dict[str, Any]:
    """One of some texts; any text if there are none to choose from."""
    return {"type": "string", "enum": list(values)} if values else dict(TEXT)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
