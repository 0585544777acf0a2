"""Stops a run before it spends more than it may.

Looked at before every batch of questions: what the transcripts of the run folder say was
spent, in earlier starts too, plus a high estimate of what is about to be asked. Answers of a
replay cost nothing.
"""

import contextlib
import dataclasses
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.llm.base import Completion, OnAnswer, Provider, Request, Usage, untold
from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.agents.llm.prices import price

Event = TypeVar("Event")
# Fewer than in `tokens`: an estimate that must not be too low.
CHARACTERS_PER_TOKEN = 3.0
# Of an answer where nothing limits its length, as of one that a person writes.
UNLIMITED_OUTPUT_TOKENS = 8192
HEARTBEAT_SECONDS = 10.0
TRANSCRIPT = "transcript.jsonl"


@dataclasses.dataclass(frozen=True)
class BudgetConfig:
    """What a run may spend, over all its starts. None is no limit."""

    max_tokens: int | None = None  # of prompts and answers together
    max_usd: float | None = None  # at list prices
    max_calls: int | None = None  # questions that were answered
    max_minutes: float | None = None  # wall time of the run, training included

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None and not (0 < value < math.inf):
                raise ValueError(
                    f"budget.{field.name}={value} must be a positive number, or None for no limit."
                )

    @property
    def is_set(self) -> bool:
        return self != BudgetConfig()


@dataclasses.dataclass(frozen=True)
class Quote:
    """Who will answer, and how long an answer can get."""

    provider: str  # as in `Completion.provider`
    model: str
    max_output_tokens: int = UNLIMITED_OUTPUT_TOKENS


class BudgetExceeded(RuntimeError):
    """The next questions could pass a limit. Nothing was asked."""

    def __init__(self, words: str, field: str, enough: float):
        super().__init__(words)
        self.field = field  # of the configuration, to be raised
        self.enough = enough  # a value that lets these questions through


class Clock:
    """Wall time of a run over all its starts, kept in a file.

    A killed start loses what came after its last `save`: about `HEARTBEAT_SECONDS` while
    there are events.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.monotonic):
        self._path = path
        self._now = now
        self._began = self._saved = now()
        self._before = json.loads(path.read_text())["seconds"] if path.exists() else 0.0

    @property
    def seconds(self) -> float:
        return self._before + self._now() - self._began

    def save(self) -> None:
        self._saved = self._now()
        with contextlib.suppress(OSError):  # a full disk: what it costs is a few minutes' count
            write_atomically(self._path, json.dumps({"seconds": round(self.seconds, 1)}) + "\n")

    def beating(self, listener: Callable[[Event], None]) -> Callable[[Event], None]:
        """A listener to the events of a run that saves if that was not done for a while."""

        def listen(event: Event) -> None:
            if self._now() - self._saved >= HEARTBEAT_SECONDS:
                self.save()
            listener(event)

        return listen


@dataclasses.dataclass(frozen=True)
class Budget:
    """The limits of a run and what is needed to look after them."""

    limits: BudgetConfig
    quote: Callable[[str], Quote]  # of an agent
    folder: Path  # every transcript.jsonl in it counts: sub-tasks may have their own
    clock: Clock

    def paid(self) -> list[Mapping[str, Any]]:
        """Lines of all transcripts that were not replayed."""
        lines = [x for file in sorted(self.folder.rglob(TRANSCRIPT)) for x in read_lines(file)]
        return [line for line in lines if line["provider"] != "replay"]

    def dollars(self, line: Mapping[str, Any]) -> float:
        """What a line cost, at the list price of its agent's model where nobody said."""
        if line["price"] is not None:
            return line["price"]
        return known_price(self.quote(line["agent"]), tokens.of_line(line)[0])


class Budgeted:
    """A provider that is asked only while the budget lasts."""

    def __init__(self, provider: Provider, budget: Budget):
        self._provider = provider
        self._budget = budget

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer = untold
    ) -> list[Completion]:
        self._budget.clock.save()
        if self._budget.limits.is_set:
            self.check(requests)
        try:
            return self._provider.complete(requests, on_answer)
        finally:
            self._budget.clock.save()

    def check(self, requests: Sequence[Request]) -> None:
        """Raises BudgetExceeded if these questions could pass a limit."""
        limits, keys = self._budget.limits, [r.key for r in requests]
        _look_at_clock(limits.max_minutes, self._budget.clock.seconds / 60.0, keys)
        quotes = [(r, self._budget.quote(r.agent)) for r in requests]
        coming = [(q, largest(r, q)) for r, q in quotes if q.provider != "replay"]
        if not coming:
            return
        paid = self._budget.paid()
        _look("max_calls", limits.max_calls, len(paid), len(coming), keys)
        _look(
            "max_tokens", limits.max_tokens, sum(_size(tokens.of_line(x)[0]) for x in paid),
            sum(_size(usage) for _, usage in coming), keys,
        )  # fmt: skip
        if limits.max_usd is not None:
            spent = sum(map(self._budget.dollars, paid))
            _look(
                "max_usd", limits.max_usd, spent, sum(known_price(*pair) for pair in coming), keys
            )


def largest(request: Request, quote: Quote) -> Usage:
    """A high estimate of the tokens of a question that is not asked yet."""
    characters = sum(len(m.text) for m in request.messages)
    if request.schema is not None:
        characters += len(json.dumps(request.schema))
    pictures = sum(len(m.images) for m in request.messages)
    asked = math.ceil(characters / CHARACTERS_PER_TOKEN) + tokens.IMAGE_TOKENS * pictures
    return Usage(asked, quote.max_output_tokens)


def known_price(quote: Quote, usage: Usage) -> float:
    """US dollars of a call; an unknown price is an error, because a limit depends on it."""
    found = price(quote.provider, quote.model, usage)
    if found is None:
        raise ValueError(
            f"budget.max_usd needs the price of a model, and none is known of "
            f"{quote.model!r} (provider {quote.provider}). Limit budget.max_tokens or "
            "budget.max_calls instead."
        )
    return found


def _size(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _look_at_clock(limit: float | None, spent: float, keys: Sequence[str]) -> None:
    if limit is not None and spent >= limit:
        raise BudgetExceeded(
            f"budget.max_minutes={limit:g} is used up: the run has taken {spent:.1f} minutes over "
            f"all its starts. Not asked: {_named(keys)}. Raise budget.max_minutes.",
            "max_minutes",
            math.ceil(2 * spent),
        )


def _look(
    field: str, limit: float | None, spent: float, coming: float, keys: Sequence[str]
) -> None:
    if limit is None or spent + coming <= limit:
        return
    words = {"max_calls": "calls", "max_tokens": "tokens", "max_usd": "US dollars"}[field]
    form = ",.4f" if field == "max_usd" else ",.0f"
    unit = 0.01 if field == "max_usd" else 1
    enough = round(unit * math.ceil(2 * (spent + coming) / unit), 2)
    raise BudgetExceeded(
        f"budget.{field}={limit} could be passed: {words} so far {spent:{form}}, and "
        f"what comes next ({_named(keys)}) may take up to {coming:{form}} more. It was not asked. "
        f"Raise budget.{field}.", field, enough,
    )  # fmt: skip


def _named(keys: Sequence[str]) -> str:
    return ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
