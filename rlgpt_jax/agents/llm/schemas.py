"""Which JSON schemas a service can hold a model to, and the form that it needs."""

from collections.abc import Iterator, Mapping
from typing import Any


def is_closed(schema: Any) -> bool:
    """Whether every object names all its properties: no service enforces an open one."""
    return all(part.get("additionalProperties") is False for part in _objects(schema))


def is_strict(schema: Any) -> bool:
    """Whether it is closed and every property is required, as OpenAI's strict mode needs."""
    return is_closed(schema) and all(
        set(part.get("properties", ())) == set(part.get("required", ()))
        for part in _objects(schema)
    )


def named(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as OpenAI's APIs take it."""
    return {"name": "answer", "schema": dict(schema), "strict": is_strict(schema)}


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


def _objects(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Every part of a schema that describes an object."""
    if isinstance(schema, Mapping):
        kind = schema.get("type")
        if kind == "object" or (isinstance(kind, list | tuple) and "object" in kind):
            yield schema
        schema = list(schema.values())
    if isinstance(schema, list | tuple):
        for part in schema:
            yield from _objects(part)
