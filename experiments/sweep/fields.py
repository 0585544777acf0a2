"""`--sweep=FIELD=VALUES` as lists of values, and lists of values as settings of single runs."""

import itertools
import re
import zlib
from collections.abc import Sequence

from experiments.values import ConfigError

Assignments = tuple[tuple[str, str], ...]  # (field, text of its value)
RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
COMMA = re.compile(r",(?![^(\[]*[)\]])")  # not within brackets: (64,64),(128,128)
MAX_JOBS = 10_000
MAX_NAME = 120  # characters of a folder


def axis(text: str) -> tuple[str, tuple[str, ...]]:
    """`loop.mode=rl_gpt,pure_rl` or `seed=0..4` -> the field and its values, as text.

    Raises:
      ConfigError: no field, no value, a value twice, or too many.
    """
    field, _, values = text.partition("=")
    found: list[str] = []
    for part in COMMA.split(values):
        match = RANGE.fullmatch(part.strip())
        first, last = map(int, match.groups()) if match else (0, 0)
        if last - first >= MAX_JOBS:
            raise ConfigError(f"--sweep={text}: more than {MAX_JOBS:,} values.")
        found += map(str, range(first, last + 1)) if match else [part.strip()]
    if not field or not found or "" in found or len(set(found)) < len(found):
        raise ConfigError(
            f"--sweep={text}: needs a field and different values, for example seed=0..4 or "
            "loop.mode=rl_gpt,pure_rl."
        )
    return field.removeprefix("config."), tuple(found)


def points(texts: Sequence[str], together: bool) -> list[Assignments]:
    """The settings of all runs: every combination, or the i-th values of all fields `together`.

    Raises:
      ConfigError: nothing to sweep, a field twice, too many, or lists of other lengths to zip.
    """
    if not texts:
        raise ConfigError("--sweep=FIELD=VALUES is needed, for example --sweep=seed=0..4.")
    axes = dict(map(axis, texts))
    if len(axes) < len(texts):
        raise ConfigError("--sweep: a field is given twice. Give all its values once.")
    sizes = {field: len(values) for field, values in axes.items()}
    if together and len(set(sizes.values())) > 1:
        told = ", ".join(f"{field} {size}" for field, size in sizes.items())
        raise ConfigError(f"--zip needs as many values of every field; given are {told}.")
    rows = zip(*axes.values()) if together else itertools.product(*axes.values())
    found = [tuple(zip(axes, row)) for row in itertools.islice(rows, MAX_JOBS + 1)]
    if len(found) > MAX_JOBS:
        raise ConfigError(f"--sweep: more than {MAX_JOBS:,} runs. Sweep fewer values.")
    return found


def folder_name(point: Assignments) -> str:
    """`seed=0-loop.mode=pure_rl`; of what no folder can be called, a checksum tells it apart."""
    whole = "-".join(f"{field}={value}" for field, value in point)
    name = re.sub(r"[^\w.,=+-]", "_", whole)[:MAX_NAME]
    return name if name == whole else f"{name}-{zlib.crc32(whole.encode()):08x}"
