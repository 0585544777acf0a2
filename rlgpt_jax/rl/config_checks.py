"""Checks of single settings; every message names the field by its path and says what is needed."""

import math

MOST = 2**20  # lanes, ticks, units of a layer
LARGEST = 1e6  # reward, cost: sums over episodes stay in float32


def need(ok: bool, path: str, given: object, needed: str) -> None:
    if not ok:
        raise ValueError(f"{path} is {given!r}; it must be {needed}.")


def check(config: object, path: str, ok: bool, needed: str) -> None:
    """Of the field that `path` ends with."""
    need(ok, path, getattr(config, path.rpartition(".")[2]), needed)


def check_ints(config: object, prefix: str, least: dict[str, int]) -> None:
    for field, low in least.items():
        value = getattr(config, field)
        is_int = isinstance(value, int) and not isinstance(value, bool)
        needed = f"an integer of at least {low} and at most {MOST:,}"
        need(is_int and low <= value <= MOST, f"{prefix}.{field}", value, needed)


def check_floats(config: object, prefix: str, ranges: dict[str, tuple[float, float]]) -> None:
    for field, (low, high) in ranges.items():
        value = getattr(config, field)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        ok = is_number and math.isfinite(value) and low <= value <= high
        top = "" if math.isinf(high) else f" and at most {high:g}"
        need(ok, f"{prefix}.{field}", value, f"a finite number of at least {low:g}{top}")


def check_pairs(path: str, entries: tuple, words: str) -> None:
    for i, entry in enumerate(entries):
        is_pair = isinstance(entry, tuple | list) and len(entry) == 2
        need(is_pair, f"{path}[{i}]", entry, f"a pair ({words}")
        is_number = isinstance(entry[1], int | float) and abs(entry[1]) <= LARGEST
        needed = f"a name and a number of at most {LARGEST:,.0f}"
        need(is_number, f"{path}[{i}]", entry[1], needed)
