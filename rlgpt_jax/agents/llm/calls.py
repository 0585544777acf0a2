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
from collections.abc import Callable, Iterator, Sequence

import tenacity

from rlgpt_jax.agents.llm.base import Completion, OnAnswer, ProviderError, Request


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


class Parallel:
    """A provider that asks all requests of a batch at once, at most `max_parallel`.

    Answers are handed on in the calling thread as they arrive. When a request fails for
    good, those that are under way are waited for and handed on, then one error is raised.
    """

    def __init__(self, call: Call, limits: Limits):
        self._call = call
        self._limits = limits

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer | None = None
    ) -> list[Completion]:
        batch = _Batch(self._call, self._limits, requests)
        try:
            for request, completion in batch.answers():
                if on_answer is not None:
                    batch.guard(on_answer, request, completion)
        except KeyboardInterrupt:
            for request, completion in batch.arrived():  # paid for, so not to be lost
                if on_answer is not None:
                    on_answer(request, completion)
            raise
        finally:
            batch.stop.set()
        return batch.result()


class _Batch:
    """The calls of one `complete`, in daemon threads: a program that stops leaves them."""

    def __init__(self, call: Call, limits: Limits, requests: Sequence[Request]):
        self._requests = requests
        self._waiting = collections.deque(enumerate(requests))
        self._outcomes: queue.SimpleQueue[tuple[int, Completion | Exception]]
        self._outcomes = queue.SimpleQueue()
        self._answers: dict[int, Completion] = {}
        self._failures: dict[int, Exception] = {}
        self._broken: Exception | None = None  # raised by the one who was handed an answer
        self._num_asked = len(requests)
        self.stop = threading.Event()
        hopeless = threading.Event()

        def work() -> None:
            while not self.stop.is_set() and not hopeless.is_set():
                try:
                    index, request = self._waiting.popleft()
                except IndexError:
                    return
                try:
                    outcome: Completion | Exception = patiently(call, request, limits, self.stop)
                except Exception as error:  # told by the calling thread
                    outcome = error
                    if _ends_all(error):
                        hopeless.set()
                self._outcomes.put((index, outcome))

        for _ in range(min(limits.max_parallel, len(requests))):
            threading.Thread(target=work, daemon=True).start()

    def answers(self) -> Iterator[tuple[Request, Completion]]:
        """Yields (request, completion) until every call has ended."""
        while len(self._answers) + len(self._failures) < self._num_asked:
            yield from self._take(*self._outcomes.get())

    def arrived(self) -> Iterator[tuple[Request, Completion]]:
        """Yields what is already here, without waiting."""
        while not self._outcomes.empty():
            yield from self._take(*self._outcomes.get())

    def guard(self, on_answer: OnAnswer, request: Request, completion: Completion) -> None:
        """Hands an answer on; an error is kept until those under way are handed on too."""
        try:
            on_answer(request, completion)
        except Exception as error:
            self._broken = self._broken or error
            self._ask_no_more()

    def result(self) -> list[Completion]:
        if self._broken is not None:
            raise self._broken
        if not self._failures:
            return [self._answers[i] for i in range(len(self._requests))]
        faults = [e for e in self._failures.values() if not isinstance(e, CallFailed)]
        if faults:
            raise faults[0]
        index = min(self._failures)
        others = len(self._failures) - 1
        raise ProviderError(
            f"no answer to {self._requests[index].key}"
            f"{f' and {others} more' if others else ''}: {self._failures[index]}"
        )

    def _take(
        self, index: int, outcome: Completion | Exception
    ) -> Iterator[tuple[Request, Completion]]:
        if isinstance(outcome, Completion):
            self._answers[index] = outcome
            yield self._requests[index], outcome
            return
        self._failures[index] = outcome
        if _ends_all(outcome):
            self._ask_no_more()

    def _ask_no_more(self) -> None:
        while self._waiting:
            try:
                self._waiting.popleft()
            except IndexError:  # a thread was quicker
                return
            self._num_asked -= 1


def _ends_all(error: Exception) -> bool:
    """Whether there is no use in asking what was not asked yet."""
    return not isinstance(error, CallFailed) or error.for_all


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
    completion = retrying(once)
    return dataclasses.replace(
        completion,
        seconds=time.monotonic() - start,
        retries=retrying.statistics["attempt_number"] - 1,
    )


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
