"""A configuration as a tree of frozen dataclasses: its paths, JSON form, differences, and what
every field is: its default and the comment beside it in the source."""

import ast
import dataclasses
import functools
import inspect
import io
import json
import shutil
import textwrap
import tokenize
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from experiments.values import ConfigError, suggest

T = TypeVar("T")
GAP = 34  # columns before the meaning


def from_dict(kind: type[T], data: dict[str, Any]) -> T:
    """The configuration that `dataclasses.asdict` gave the data of; lists become tuples.

    Raises:
      ConfigError: if the data has fields that this version of the code does not know.
    """
    hints = typing.get_type_hints(kind)
    unknown = sorted(set(data) - set(hints))
    if unknown:
        raise ConfigError(
            f"{kind.__name__} has no field {unknown[0]!r}: the run folder was written by "
            f"another version of the code. {suggest(unknown[0], sorted(hints))}"
        )
    values = {name: _from_json(hints[name], value) for name, value in data.items()}
    return kind(**values)


def _from_json(kind: Any, value: Any) -> Any:
    if typing.get_origin(kind) in (typing.Union, types.UnionType) and isinstance(value, dict):
        kind = next(k for k in typing.get_args(kind) if dataclasses.is_dataclass(k))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return from_dict(kind, value)
    if isinstance(value, list):
        return tuple(_from_json(None, item) for item in value)
    return value


def differences(old: Any, new: Any) -> list[str]:
    """`"path: old -> new"` for every single value in which two configurations differ."""
    before, after = leaf_values(old), leaf_values(new)
    return [
        f"{path}: {before.get(path)} -> {after.get(path)}"
        for path in dict.fromkeys([*before, *after])
        if before.get(path) != after.get(path)
    ]


def leaf_values(config: Any) -> dict[str, Any]:
    """All single values of a configuration by dotted path."""
    return leaves(dataclasses.asdict(config))


def leaves(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The same of a configuration as JSON, which may be of an earlier version."""
    values: dict[str, Any] = {}
    for name, value in tree.items():
        path = f"{prefix}{name}"
        values |= leaves(value, f"{path}.") if isinstance(value, dict) and value else {path: value}
    return values


def different(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Paths whose values are not the same in all `leaves`."""
    paths = dict.fromkeys(path for config in configs for path in config)
    return [p for p in paths if len({json.dumps(c.get(p), default=str) for c in configs}) > 1]


def help_text(config: Any) -> str:
    """Every `--config.<field>=VALUE` with what it is in `config`, and its meaning."""
    width = max(60, min(shutil.get_terminal_size((120, 24)).columns, 140))
    lines = []
    for path, value, meaning in rows(config):
        flag = f"  --config.{path}={_typed(value)}"
        told = textwrap.wrap(meaning, width - GAP)
        if len(flag) < GAP:
            flag = f"{flag:<{GAP}}{told.pop(0) if told else ''}"
        lines += [flag, *(" " * GAP + line for line in told)]
    return "\n".join(lines)


def rows(config: Any, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """(path, value, meaning) of every field of a configuration and of its groups."""
    kind: Any = type(config)
    told, kinds = comments(kind), typing.get_type_hints(kind)
    for field in dataclasses.fields(config):
        value, path = getattr(config, field.name), f"{prefix}{field.name}"
        if path == "task":
            yield path, value if isinstance(value, str) else value.name, told[field.name]
            value = config.task_record if config.is_minecraft else None
        if dataclasses.is_dataclass(value):
            yield from rows(value, f"{path}.")
        elif path != "task":
            yield path, value, f"{told[field.name]} {_choices(kinds[field.name])}".strip()


@functools.cache
def comments(kind: Any) -> dict[str, str]:
    """The comment beside or above each field of a dataclass, as one line."""
    source = textwrap.dedent(inspect.getsource(kind))
    at = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith("# fmt")
    }
    code = source.splitlines()
    found = {}
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        first = node.lineno
        while code[first - 2].strip().startswith("#"):
            first -= 1
        words = [at[line] for line in range(first, (node.end_lineno or first) + 1) if line in at]
        found[node.target.id] = " ".join(words)
    return found


def _choices(kind: Any) -> str:
    """The values that a field may have, where they are few."""
    is_choice = typing.get_origin(kind) is typing.Literal
    return f"({', '.join(map(str, typing.get_args(kind)))})" if is_choice else ""


def _typed(value: Any) -> str:
    """As it would be typed."""
    if isinstance(value, tuple):
        return ",".join(
            ":".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in value
        )
    return str(value).lower() if isinstance(value, bool) or value is None else f"{value}"
