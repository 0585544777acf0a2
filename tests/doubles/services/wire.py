"""What a peer knows of a wire format, and the checks that the formats share."""

import base64
import binascii
import dataclasses
import json
from collections.abc import Iterator, Mapping, Set
from typing import Any, Protocol

PNG = b"\x89PNG\r\n\x1a\n"
# What the services refuse in a schema that they enforce.
UNSUPPORTED = {"minLength", "maxLength", "minimum", "maximum", "multipleOf", "uniqueItems"}


class Refused(Exception):
    """A request that the real service would answer with a status of 400 or above."""

    def __init__(self, status: int, words: str):
        super().__init__(words)
        self.status = status


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the peer's model says."""

    text: str
    stop: str = "end"  # end, max_tokens, refusal
    input_tokens: int = 100
    output_tokens: int = 10
    cached_tokens: int = 0
    reasoning_tokens: int = 0


class Wire(Protocol):
    """One format."""

    path: str
    base: str  # what a client's base URL ends with
    request_id: str  # name of the header

    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Raises Refused for what the real service refuses."""
        ...

    def prompt(self, body: Mapping[str, Any]) -> str:
        """All texts of a request, in order."""
        ...

    def whole(self, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
        """The answer as one JSON object."""
        ...

    def events(self, body: Mapping[str, Any], answer: Answer) -> Iterator[bytes]:
        """The answer as server-sent events; the last one ends it."""
        ...

    def error(self, status: int, words: str) -> dict[str, Any]:
        """The body of an error."""
        ...

    def error_event(self, status: int, words: str) -> bytes:
        """An error in the middle of a stream."""
        ...


def event(data: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def pieces(text: str) -> list[str]:
    """A text as a few deltas; at least one, also if it is empty."""
    size = max(1, len(text) // 4)
    return [text[i : i + size] for i in range(0, len(text), size)] or [""]


def needs(condition: bool, words: str, status: int = 400) -> None:
    if not condition:
        raise Refused(status, words)


def known_fields(record: Any, known: Set[str], where: str) -> None:
    needs(isinstance(record, dict), f"{where}: must be an object")
    for name in record:
        needs(name in known, f"{where}{name}: Extra inputs are not permitted")


def check_count(body: Mapping[str, Any], name: str, smallest: int = 1) -> None:
    value = body.get(name)
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= smallest
    needs(whole, f"{name}: must be a whole number, {smallest} or more")


def check_text(value: Any, where: str) -> None:
    needs(isinstance(value, str) and bool(value.strip()), f"{where}: text must not be empty")


def check_png(data: Any, where: str) -> None:
    try:
        picture = base64.b64decode(data, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise Refused(400, f"{where}: is not base64") from error
    needs(picture.startswith(PNG), f"{where}: is not the PNG file that its type says")


def check_data_url(url: Any, where: str) -> None:
    head = "data:image/png;base64,"
    needs(isinstance(url, str) and url.startswith(head), f"{where}: must start with {head}")
    check_png(url.removeprefix(head), where)


def check_schema(schema: Any, where: str, all_required: bool) -> None:
    """The subset of JSON Schema that is enforced: closed objects, no bounds."""
    if isinstance(schema, list):
        for part in schema:
            check_schema(part, where, all_required)
    if not isinstance(schema, dict):
        return
    wrong = sorted(UNSUPPORTED & set(schema)) if "type" in schema else []
    needs(not wrong, f"{where}: {', '.join(wrong)} is not supported")
    needs(schema.get("enum") != [], f"{where}: 'enum' must not be empty")
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, list) and "object" in kind):
        closed = schema.get("additionalProperties") is False
        needs(closed, f"{where}: 'additionalProperties' must be false in every object")
        if all_required:
            same = set(schema.get("properties", {})) == set(schema.get("required", ()))
            needs(same, f"{where}: 'required' must hold every key of 'properties'")
    for part in schema.values():
        check_schema(part, where, all_required)


def check_named_schema(form: Any, where: str) -> None:
    """OpenAI's {name, schema, strict}."""
    known_fields(form, {"type", "name", "schema", "strict", "description"}, f"{where}.")
    name = form.get("name", "")
    plain = isinstance(name, str) and 0 < len(name) <= 64
    needs(plain and name.replace("_", "").replace("-", "").isalnum(), f"{where}.name: is not valid")
    needs(isinstance(form.get("schema"), dict), f"{where}.schema: must be an object")
    if form.get("strict"):
        needs(form["schema"].get("type") == "object", f"{where}.schema: must be of type object")
        check_schema(form["schema"], f"{where}.schema", all_required=True)
