"""A configuration as a tree of frozen dataclasses: its paths, JSON form, differences."""

import dataclasses
import types
import typing
from typing import Any, TypeVar

from experiments.values import ConfigError, suggest

T = TypeVar("T")


def leaf_paths(config: Any) -> list[str]:
    """The dotted paths of all single values of a configuration, in order."""
    return list(leaf_values(config))


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
    values: dict[str, Any] = {}
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            values |= {f"{field.name}.{path}": x for path, x in leaf_values(value).items()}
        else:
            values[field.name] = value
    return values
