"""Checks of single settings; every message names the field by its path and says what is needed."""

import dataclasses
import math
import types
import typing
from typing import Annotated, Any

LARGEST = 1e6  # reward: sums over episodes stay in float32


@dataclasses.dataclass(frozen=True)
class Within:
    """Numbers that a field may have, as part of its type."""

    low: float
    high: float = math.inf


def need(ok: bool, path: str, given: object, needed: str) -> None:
    if not ok:
        raise ValueError(f"{path} is {given!r}; it must be {needed}.")


def check(config: object, path: str, ok: bool, needed: str) -> None:
    """Of the field that `path` ends with."""
    need(ok, path, getattr(config, path.rpartition(".")[2]), needed)


def check_fields(config: Any, prefix: str = "") -> None:
    """What the types of a dataclass say of its switches, choices and numbers."""
    kinds = typing.get_type_hints(type(config), include_extras=True)
    for field in dataclasses.fields(config):
        _check(f"{prefix}{field.name}", getattr(config, field.name), kinds[field.name])


def _check(path: str, value: Any, kind: Any) -> None:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if types.NoneType in args:  # the other one, or nothing
        _check(path, value, args[0] if value is not None else None)
    elif kind is bool:
        need(isinstance(value, bool), path, value, "true or false")
    elif origin is typing.Literal:
        need(value in args, path, value, f"one of {', '.join(args)}")
    elif origin is Annotated:
        number, within = args
        what, form = ("an integer", ",") if number is int else ("a finite number", "g")
        top = "" if math.isinf(within.high) else f" and at most {within.high:{form}}"
        is_number = isinstance(value, number | int) and not isinstance(value, bool)
        ok = is_number and math.isfinite(value) and within.low <= value <= within.high
        need(ok, path, value, f"{what} of at least {within.low:{form}}{top}")


def check_pairs(path: str, entries: tuple, words: str) -> None:
    for i, entry in enumerate(entries):
        is_pair = isinstance(entry, tuple | list) and len(entry) == 2
        need(is_pair, f"{path}[{i}]", entry, f"a pair ({words}")
        is_number = isinstance(entry[1], int | float) and abs(entry[1]) <= LARGEST
        needed = f"a name and a number of at most {LARGEST:,.0f}"
        need(is_number, f"{path}[{i}]", entry[1], needed)
