"""JSON schemas of answers in the forms that services need.

Every object of them names all its fields, all as required, and no others: what OpenAI's strict
mode takes (`parse.object_schema`).
"""

from collections.abc import Mapping
from typing import Any


def named(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as OpenAI's APIs take it."""
    return {"name": "answer", "schema": dict(schema), "strict": True}


def without_type_lists(schema: Any) -> Any:
    """The same schema with `{"type": ["array", "null"], ...}` written as `anyOf`, the only
    form of it that Anthropic's SDK takes."""
    if isinstance(schema, list | tuple):
        return [without_type_lists(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    parts = {name: without_type_lists(part) for name, part in schema.items()}
    if not isinstance(parts.get("type"), list):
        return parts
    kinds = parts.pop("type")
    about = {name: parts.pop(name) for name in ("title", "description") if name in parts}
    return {"anyOf": [_of_one_type(kind, parts) for kind in kinds], **about}


def _of_one_type(kind: str, parts: dict[str, Any]) -> dict[str, Any]:
    if kind == "null":
        return {"type": "null"}
    if "enum" in parts:
        parts = {**parts, "enum": [value for value in parts["enum"] if value is not None]}
    return {"type": kind, **parts}
