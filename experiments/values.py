"""Text from the command line as a typed value, and words for a name that is not valid.

Nothing here imports jax: a typing error costs no waiting.
"""

import ast
import contextlib
import difflib
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from experiments.shown import short

TRUE, FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


class ConfigError(ValueError):
    """A setting that cannot be used; the message is for the person who typed it."""

    def __init__(self, words: str):
        super().__init__(short(words))


@contextlib.contextmanager
def refusing(*kinds: type[Exception], first: str = "") -> Iterator[None]:
    """Tells errors of these kinds as settings that cannot be used, with words before them."""
    try:
        yield
    except kinds as error:
        raise ConfigError(f"{first}{error}") from error


def parse_value(text: str, kind: Any, flag: str) -> Any:
    """Reads `text` as a value of type `kind`.

    `kind` is bool, int, float, str, a Literal, a tuple of these, or any of them `| None`.
    """
    options = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        if type(None) in options and text.lower() in ("none", ""):
            return None
        return _first_that_fits(text, [o for o in options if o is not type(None)], flag)
    if origin is typing.Literal:
        return _parse_choice(text, options, flag)
    if origin is tuple or kind is tuple:
        return _parse_tuple(text, options or (str, ...), flag)
    if kind is bool:
        return _parse_bool(text, flag)
    if kind in (int, float):
        return _parse_number(text, kind, flag)
    if kind is str:
        return text
    raise ConfigError(f"{flag}: fields of type {kind} cannot be set by a flag.")


def _first_that_fits(text: str, kinds: list[Any], flag: str) -> Any:
    for kind in kinds[:-1]:
        try:
            return parse_value(text, kind, flag)
        except ConfigError:
            continue
    return parse_value(text, kinds[-1], flag)


def _parse_choice(text: str, choices: Sequence[Any], flag: str) -> Any:
    for choice in choices:
        if text == str(choice):
            return choice
    valid = [str(choice) for choice in choices]
    near = f"{suggest(text, valid)} " if nearest(text, valid) else ""
    raise ConfigError(f"{flag}={text}: {near}Choose from: {', '.join(valid)}.")


def _parse_bool(text: str, flag: str) -> bool:
    if text.lower() in TRUE + FALSE:
        return text.lower() in TRUE
    raise ConfigError(f"{flag}={text}: needs true or false.")


def _parse_number(text: str, kind: type, flag: str) -> int | float:
    try:
        number = float(text.replace("_", ""))
        if kind is float and number == number:
            return number
        if number == int(number):
            return int(text.replace("_", "")) if text.lstrip("+-").isdigit() else int(number)
    except (ValueError, OverflowError):
        pass
    needed = "a whole number" if kind is int else "a number"
    example = "200000 or 2e5" if kind is int else "3e-4"
    raise ConfigError(f"{flag}={text}: needs {needed}, for example {example}.")


def _parse_tuple(text: str, options: tuple[Any, ...], flag: str) -> tuple[Any, ...]:
    items = _split_tuple(text)
    if len(options) == 2 and options[1] is Ellipsis:
        kinds = [options[0]] * len(items)
    elif len(options) == len(items):
        kinds = list(options)
    elif len(items) == 1 and len(options) == items[0].count(":") + 1:
        kinds, items = list(options), items[0].split(":")  # log:3
    else:
        raise ConfigError(
            f"{flag}={text}: needs {len(options)} values with commas between them, "
            f"{len(items)} were given."
        )
    return tuple(parse_value(item, kind, flag) for item, kind in zip(items, kinds, strict=True))


def _split_tuple(text: str) -> list[str]:
    """`"1,2"`, `"(1, 2)"` and `"[1, 2]"` -> `["1", "2"]`; `""` and `"()"` -> `[]`."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        inner = text.strip().strip("()[]")
        return [item.strip().strip("'\"") for item in inner.split(",") if item.strip()]
    return [str(item) for item in (value if isinstance(value, tuple | list) else (value,))]


def nearest(name: str, valid: Iterable[str]) -> list[str]:
    """At most three valid names, those that hold `name` as a part first."""
    valid = list(valid)
    longer = [other for other in valid if len(name) > 2 and name in other]
    near = difflib.get_close_matches(name, valid, n=3, cutoff=0.5)
    return list(dict.fromkeys([*near[:1], *longer, *near]))[:3]


def suggest(name: str, valid: Iterable[str]) -> str:
    """One sentence with the valid names nearest to `name`, or all if none is near."""
    if near := nearest(name, valid):
        return f"Did you mean {' or '.join(near)}?"
    return f"Choose from: {', '.join(valid)}."
