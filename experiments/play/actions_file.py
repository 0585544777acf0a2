"""Files of actions: an array, or lines of words (see `keys.FILES`)."""

import zipfile
from pathlib import Path

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
VALUE_NAMES = {base.FUNCTION: FUNCTIONS, base.CRAFT_ARG: CRAFT_NAMES}
MAX_REPEAT = 100_000


def read_actions(path: Path) -> np.ndarray:
    """int32[T, 8]: the actions of a file, repeats written out.

    Raises:
      ConfigError: there is no such file, no action in it, or a bad line, which is named.
    """
    if not path.is_file():
        raise ConfigError(f"--actions={path}: there is no such file.")
    actions = _read_array(path) if path.suffix == ".npy" else _read_lines(path)
    if not len(actions):
        raise ConfigError(f"--actions={path}: it holds no action.")
    return actions


def in_words(action: np.ndarray) -> str:
    """An action as a line of words that gives it back, "noop" for none."""
    single = {where: word for word, where in MOVES.items()}
    words = []
    for column, value in enumerate(int(v) for v in action):
        if value != base.NOOP[column]:
            said = VALUE_NAMES[column][value] if column in VALUE_NAMES else value
            words.append(single.get((column, value)) or f"{COLUMN_NAMES[column]}={said}")
    return " ".join(words) or "noop"


def _read_array(path: Path) -> np.ndarray:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise ConfigError(f"--actions={path}: no NumPy file of numbers ({error}).") from error
    is_whole = isinstance(array, np.ndarray) and np.issubdtype(array.dtype, np.integer)
    if not is_whole or array.ndim != 2 or array.shape[1] != len(base.NOOP):
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else "an archive"
        raise ConfigError(f"--actions={path}: it must hold integers [T, 8], found {found}.")
    wrong = np.argwhere((array < 0) | (array >= np.array(base.ACTION_SIZES)))
    if len(wrong):
        row, column = wrong[0]
        raise ConfigError(
            f"{path}, row {row}: entry {column + 1} ({COLUMN_NAMES[column]}) must be 0 to "
            f"{base.ACTION_SIZES[column] - 1}, got {array[row, column]}."
        )
    return array.astype(np.int32)


def _read_lines(path: Path) -> np.ndarray:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"--actions={path}: it is neither text nor .npy.") from error
    rows: list[list[int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if words := line.partition("#")[0].split():
            action, repeat = _from_words(words, f"{path}, line {number}")
            rows += [action] * repeat
    return np.array(rows, np.int32)


def _from_words(words: list[str], place: str) -> tuple[list[int], int]:
    """(the eight numbers, how many times) of one line."""
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
            known = [*MOVES, "noop", *(f"{name}=" for name in (*COLUMN_NAMES, "repeat"))]
            near = suggest(key if equals else word, known)
            raise ConfigError(
                f"{place}: {word!r} is no word for an action. {near} All: {' '.join(known)}"
            )
    return action, repeat


def _value(column: int, text: str, place: str) -> int:
    names = VALUE_NAMES.get(column)
    if names and text in names:
        return names.index(text)
    key = COLUMN_NAMES[column]
    if names and not text.isdecimal():
        raise ConfigError(f"{place}: {key}={text}: no such name. {suggest(text, list(names))}")
    return _number(text, base.ACTION_SIZES[column] - 1, key, place)


def _number(text: str, high: int, key: str, place: str, low: int = 0) -> int:
    if not text.isdecimal() or not low <= int(text) <= high:
        raise ConfigError(f"{place}: {key}={text}: it must be {low} to {high}.")
    return int(text)
