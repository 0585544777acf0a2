"""Independent questions asked at the same time, each with its own tries and deadline.

`Parallel` is the provider; what it calls knows one wire format (`anthropic_messages`,
`openai_responses`, `openai_chat`), asks once and never waits by itself.
"""

import collections
import dataclasses
import queue
import random
import threading
import time
from collections.abc import Callable, Sequence

import tenacity

from rlgpt_jax.agents.llm.base import Completion, OnAnswer, ProviderError, Request, untold


@dataclasses.dataclass(frozen=True)
class Limits:
    """How many calls, how long, how often."""

    max_parallel: int = 8
    timeout_seconds: float = 600.0  # of one call, from question to last byte
    deadline_seconds: float = 1800.0  # of all tries of one request, with the waits between
    max_retries: int = 6
    first_wait: float = 0.5  # seconds before the first retry; doubles with each
    longest_wait: float = 30.0


class CallFailed(Exception):
    """One call brought no answer.

    Attributes:
      again: another try may succeed.
      after: seconds that the server asks to wait before it, or None.
      for_all: every other request would fail in the same way.
    """

    def __init__(self, words: str, again: bool, after: float | None = None, for_all: bool = False):
        super().__init__(words)
        self.again = again
        self.after = after
        self.for_all = for_all


# Asks once, within so many seconds. Raises CallFailed.
Call = Callable[[Request, float], Completion]
# What came of a request by its number; None from a thread that has ended.
Outcomes = queue.SimpleQueue[tuple[int, Completion | Exception] | None]


class Parallel:
    """A provider that asks all requests of a batch at once, at most `max_parallel`.

    Answers are handed on in the calling thread as they arrive. When a request fails for
    good, those that are under way are waited for and handed on, then one error is raised.
    """

    def __init__(self, call: Call, limits: Limits):
        self._call = call
        self._limits = limits

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer = untold
    ) -> list[Completion]:
        waiting, stop = collections.deque(enumerate(requests)), threading.Event()
        outcomes: Outcomes = queue.SimpleQueue()
        num = min(self._limits.max_parallel, len(requests))
        for _ in range(num):  # daemons: a program that stops leaves them
            args = (waiting, outcomes, stop)
            threading.Thread(target=self._work, args=args, daemon=True).start()
        answers: dict[int, Completion] = {}
        failures: dict[int, Exception] = {}
        broken: Exception | None = None  # raised by the one who was handed an answer
        try:
            for _ in range(num):  # each thread says when it has ended
                for index, outcome in iter(outcomes.get, None):
                    if isinstance(outcome, Exception):
                        failures[index] = outcome
                        continue
                    answers[index] = outcome
                    try:
                        on_answer(requests[index], outcome)
                    except Exception as error:  # told when those under way are handed on too
                        broken = broken or error
                        waiting.clear()
        except KeyboardInterrupt:
            while not outcomes.empty():  # paid for, so not to be lost
                arrived = outcomes.get()
                if arrived and isinstance(arrived[1], Completion):
                    on_answer(requests[arrived[0]], arrived[1])
            raise
        finally:
            stop.set()
        if broken is not None:
            raise broken
        if failures:
            raise _told(failures, requests)
        return [answers[i] for i in range(len(requests))]

    def _work(
        self, waiting: collections.deque[tuple[int, Request]], outcomes: Outcomes,
        stop: threading.Event,
    ) -> None:  # fmt: skip
        """One thread: asks what waits until nothing does."""
        while not stop.is_set():
            try:
                index, request = waiting.popleft()
            except IndexError:
                break
            try:
                outcomes.put((index, patiently(self._call, request, self._limits, stop)))
            except Exception as error:  # told by the calling thread
                if not isinstance(error, CallFailed) or error.for_all:
                    waiting.clear()  # no use in asking what was not asked yet
                outcomes.put((index, error))
        outcomes.put(None)


def _told(failures: dict[int, Exception], requests: Sequence[Request]) -> Exception:
    """The one error for all; a fault of the program comes before those of the provider."""
    faults = [e for e in failures.values() if not isinstance(e, CallFailed)]
    if faults:
        return faults[0]
    index, others = min(failures), len(failures) - 1
    more = f" and {others} more" if others else ""
    return ProviderError(f"no answer to {requests[index].key}{more}: {failures[index]}")


class _Stopped(Exception):
    """The batch was given up while a request waited for its next try."""


def patiently(call: Call, request: Request, limits: Limits, stop: threading.Event) -> Completion:
    """Asks until there is an answer, within the limits.

    Raises:
      CallFailed: with the last failure and the reason why there is no further try.
    """
    start = time.monotonic()

    def once() -> Completion:
        left = limits.deadline_seconds - (time.monotonic() - start)
        return call(request, max(0.001, min(limits.timeout_seconds, left)))

    def pause(seconds: float) -> None:
        if stop.wait(seconds):
            raise _Stopped

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(lambda e: isinstance(e, CallFailed) and e.again),
        wait=lambda state: _wait(_failure(state), state.attempt_number, limits),
        stop=tenacity.stop_any(
            tenacity.stop_after_attempt(limits.max_retries + 1),
            tenacity.stop_before_delay(limits.deadline_seconds),
        ),
        sleep=pause,
        retry_error_callback=lambda state: _give_up(state, limits),
    )
    completion, tries = retrying(once), retrying.statistics["attempt_number"]
    seconds = time.monotonic() - start
    return dataclasses.replace(completion, seconds=seconds, retries=tries - 1)


def _failure(state: tenacity.RetryCallState) -> CallFailed:
    assert state.outcome is not None
    error = state.outcome.exception()
    assert isinstance(error, CallFailed)
    return error


def _wait(failure: CallFailed, attempt: int, limits: Limits) -> float:
    """Seconds before the next try: the server's wish, else doubling, a little at random so
    that requests of one batch do not come back together."""
    if failure.after:
        return failure.after
    longest = min(limits.longest_wait, limits.first_wait * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.75, 1.0)


def _give_up(state: tenacity.RetryCallState, limits: Limits) -> Completion:
    failure, tries = _failure(state), state.attempt_number
    asked = f"{tries} {'try' if tries == 1 else 'tries'}"
    if tries > limits.max_retries:
        why = f"{asked} (llm.max_retries={limits.max_retries})."
    elif failure.after:
        why = (
            f"The server asks to wait {failure.after:g} s, which is past "
            f"llm.deadline_seconds={limits.deadline_seconds:g}. Go on later, or raise it."
        )
    else:
        why = f"{asked} until llm.deadline_seconds={limits.deadline_seconds:g} was over."
    raise CallFailed(f"{failure} {why}", again=False, for_all=True)
