"""How large a page may get: long texts are cut, and the page says how much is left out."""

import dataclasses
from collections.abc import Iterator, ValuesView
from typing import Any, TypeVar

from experiments.report.load import Run

T = TypeVar("T")
PAGE_BYTES = 6_000_000
# Characters of one text; the next one is taken while a page is too large.
TEXTS = (60_000, 20_000, 4_000, 800, 160)
# Fields that are counted or compared, and cut where they are shown.
UNSEEN = ("recorded", "metrics", "media")
WHOLE = ("transcript", *UNSEEN)


def shorten(words: str, limit: int) -> str:
    """The beginning of a long text, and how much is missing."""
    if len(words) <= limit:
        return words
    return (
        f"{words[:limit]}\n… cut: {len(words) - limit:,} of {len(words):,} characters are left "
        "out here; the run folder has them all."
    )


def choices(run: Run) -> list[int]:
    """Values of `TEXTS` that are worth a try: texts grow to about three times their size."""
    fit = [limit for limit in TEXTS if sum(_sizes(run, limit)) <= PAGE_BYTES / 3]
    return fit or [TEXTS[-1]]


def of_run(run: Run, limit: int) -> Run:
    """The same run with no text above `limit` characters."""
    kept = {name: getattr(run, name) for name in WHOLE}
    return dataclasses.replace(_cut(run, limit), **kept, text_limit=limit)


def _sizes(value: Any, limit: int) -> Iterator[int]:
    """Characters of all texts that a page may show."""
    if isinstance(value, str):
        yield min(len(value), limit)
    elif isinstance(value, dict):
        value = value.values()
    elif dataclasses.is_dataclass(value):
        value = [getattr(value, f.name) for f in dataclasses.fields(value) if f.name not in UNSEEN]
    if isinstance(value, list | tuple | ValuesView):
        for x in value:
            yield from _sizes(x, limit)


def _cut(value: T, limit: int) -> T:
    """Plain data and records, all the way down; names in mappings stay."""
    found: Any = value
    if isinstance(value, str):
        found = shorten(value, limit)
    elif isinstance(value, dict):
        found = {name: _cut(x, limit) for name, x in value.items()}
    elif isinstance(value, list | tuple):
        found = type(value)(_cut(x, limit) for x in value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [f.name for f in dataclasses.fields(value) if f.name not in WHOLE]
        changes = {name: _cut(getattr(value, name), limit) for name in fields}
        found = dataclasses.replace(value, **changes)
    return found
