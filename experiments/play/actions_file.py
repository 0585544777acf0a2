"""Files of actions: arrays, JSON lines, plain numbers, or words (see `keys.FILES`)."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from experiments.values import ConfigError, suggest
from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES

FUNCTIONS = ("none", "use", "drop", "attack", "craft", "equip", "place", "destroy")
MOVES: dict[str, tuple[int, int]] = {  # word -> (column, value)
    "forward": (base.MOVE, 1), "back": (base.MOVE, 2),
    "left": (base.STRAFE, 1), "right": (base.STRAFE, 2),
    "jump": (base.JUMP, 1), "sneak": (base.JUMP, 2), "sprint": (base.JUMP, 3),
    "use": (base.FUNCTION, base.FN_USE), "drop": (base.FUNCTION, base.FN_DROP),
    "attack": (base.FUNCTION, base.FN_ATTACK),
}  # fmt: skip
COLUMN_NAMES = ("move", "strafe", "jump", "pitch", "yaw", "fn", "arg", "slot")
KEYS = (*COLUMN_NAMES, "repeat")
MAX_REPEAT = 100_000


@dataclasses.dataclass(frozen=True)
class Row:
    """One action and where it stands."""

    action: np.ndarray  # int32[8]
    place: str  # "line 12" or "row 12", for people


def read_actions(path: Path) -> list[Row]:
    """Reads a file of actions, repeats written out.

    Raises:
      ConfigError: there is no such file, no action in it, or a bad line, which is named.
    """
    if not path.is_file():
        raise ConfigError(f"--actions={path}: there is no such file.")
    rows = _read_array(path) if path.suffix == ".npy" else _read_lines(path)
    if not rows:
        raise ConfigError(f"--actions={path}: it holds no action.")
    return rows


def in_words(action: np.ndarray) -> str:
    """An action as a line of words that gives it back, "noop" for none."""
    named = {where: word for word, where in MOVES.items()}
    words = []
    for column, value in enumerate(int(v) for v in action):
        if value == base.NOOP[column]:
            continue
        word = named.get((column, value))
        if word is None and column == base.FUNCTION:
            word = f"fn={FUNCTIONS[value]}"
        elif word is None and column == base.CRAFT_ARG:
            word = f"arg={CRAFT_NAMES[value]}"
        words.append(word or f"{COLUMN_NAMES[column]}={value}")
    return " ".join(words) or "noop"


def _read_array(path: Path) -> list[Row]:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ConfigError(f"--actions={path}: no NumPy file of numbers ({error}).") from error
    is_whole = isinstance(array, np.ndarray) and np.issubdtype(array.dtype, np.integer)
    if not is_whole or array.ndim != 2 or array.shape[1] != len(base.NOOP):
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else "an archive"
        raise ConfigError(f"--actions={path}: it must hold integers [T, 8], found {found}.")
    return [
        Row(_checked(row.tolist(), f"{path}, row {index}"), f"row {index}")
        for index, row in enumerate(array)
    ]


def _read_lines(path: Path) -> list[Row]:
    rows = []
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"--actions={path}: it is neither text nor .npy.") from error
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if words:
            action, repeat = _parse(words, f"{path}, line {number}")
            rows += [Row(action, f"line {number}")] * repeat
    return rows


def _parse(line: str, place: str) -> tuple[np.ndarray, int]:
    """(int32[8], how many times) of one line."""
    if line.startswith("["):
        try:
            values = json.loads(line)
        except json.JSONDecodeError as error:
            raise ConfigError(f"{place}: no JSON list ({error.msg}): {line}") from error
        return _checked(values, place), 1
    words = line.replace(",", " ").split()
    if _is_number(words[0]):
        if not all(map(_is_number, words)):
            raise ConfigError(f"{place}: numbers and words do not mix in a line: {line}")
        return _checked([int(word) for word in words], place), 1
    return _from_words(words, place)


def _from_words(words: list[str], place: str) -> tuple[np.ndarray, int]:
    action, repeat = list(base.NOOP), 1
    for word in words:
        key, equals, text = word.partition("=")
        if equals and key == "repeat":
            repeat = _number(text, MAX_REPEAT, "repeat", place, low=1)
        elif equals and key in COLUMN_NAMES:
            column = COLUMN_NAMES.index(key)
            action[column] = _value(column, text, place)
        elif word in MOVES:
            column, value = MOVES[word]
            action[column] = value
        elif word != "noop":
            known = [*MOVES, "noop", *(f"{name}=" for name in KEYS)]
            raise ConfigError(f"{place}: {word!r} is no word for an action. "
                              f"{suggest(key if equals else word, known)} All: {' '.join(known)}"
                              )  # fmt: skip
    return _checked(action, place), repeat


def _value(column: int, text: str, place: str) -> int:
    names = {base.FUNCTION: FUNCTIONS, base.CRAFT_ARG: CRAFT_NAMES}.get(column)
    if names and text in names:
        return names.index(text)
    key = COLUMN_NAMES[column]
    if names and not _is_number(text):
        raise ConfigError(f"{place}: {key}={text}: no such name. {suggest(text, list(names))}")
    return _number(text, base.ACTION_SIZES[column] - 1, key, place)


def _number(text: str, high: int, key: str, place: str, low: int = 0) -> int:
    if not _is_number(text) or not low <= int(text) <= high:
        raise ConfigError(f"{place}: {key}={text}: it must be {low} to {high}.")
    return int(text)


def _checked(values: Any, place: str) -> np.ndarray:
    """int32[8] of 8 numbers within their ranges."""
    is_row = isinstance(values, list) and len(values) == len(base.NOOP)
    if not is_row or not all(type(value) is int for value in values):
        raise ConfigError(f"{place}: an action is 8 integers, got {values}.")
    for column, value in enumerate(values):
        high = base.ACTION_SIZES[column] - 1
        if not 0 <= value <= high:
            raise ConfigError(
                f"{place}: entry {column + 1} ({COLUMN_NAMES[column]}) must be 0 to {high}, "
                f"got {value}."
            )
    return np.array(values, np.int32)


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdecimal()
