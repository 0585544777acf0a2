import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rlgpt_jax.agents.llm.base import Completion, Message, ProviderError, Request
from rlgpt_jax.agents.llm.calls import CallFailed, Limits, Parallel, patiently

QUICK = Limits(first_wait=0.001, longest_wait=0.002, deadline_seconds=5.0, timeout_seconds=5.0)
PATIENCE = 20.0  # seconds until a test that hangs fails


def requests(*keys):
    return [Request(key, "fast", (Message("user", key),)) for key in keys]


def answer(request, seconds=0.0):
    return Completion(f"answer to {request.key}", "m", "test", 0.0)


class Scripted:
    """Fails as often as it is told to, then answers."""

    def __init__(self, **failures):
        self.failures = {key: list(errors) for key, errors in failures.items()}
        self.asked = []
        self.limits = []

    def __call__(self, request, seconds):
        self.asked.append(request.key)
        self.limits.append(seconds)
        if self.failures.get(request.key):
            raise self.failures[request.key].pop(0)
        return answer(request)


def again(after=None):
    return CallFailed("503 busy.", again=True, after=after)


def test_all_requests_of_a_batch_are_under_way_at_the_same_time():
    together = threading.Barrier(5)

    def call(request, seconds):
        together.wait(PATIENCE)
        return answer(request)

    answers = Parallel(call, QUICK).complete(requests(*"abcde"))
    assert [a.text for a in answers] == [f"answer to {key}" for key in "abcde"]


def test_no_more_than_max_parallel_at_once():
    lock, now, most = threading.Lock(), [0], [0]

    def call(request, seconds):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return answer(request)

    Parallel(call, Limits(max_parallel=2)).complete(requests(*"abcdef"))
    assert most == [2]


def test_each_answer_is_handed_on_in_the_calling_thread_before_the_slowest_is_there():
    told, slow_may_end = [], threading.Event()

    def call(request, seconds):
        if request.key == "slow":
            assert slow_may_end.wait(PATIENCE)
        return answer(request)

    def on_answer(request, completion):
        told.append((request.key, completion.text, threading.current_thread()))
        if request.key == "quick":
            slow_may_end.set()

    Parallel(call, QUICK).complete(requests("slow", "quick"), on_answer)
    me = threading.current_thread()
    assert told == [("quick", "answer to quick", me), ("slow", "answer to slow", me)]


def test_the_others_are_handed_on_when_one_fails_for_good():
    failed, told = threading.Event(), []

    def call(request, seconds):
        if request.key == "b":
            failed.set()
            raise CallFailed("400 no.", again=False)
        assert failed.wait(PATIENCE)
        return answer(request)

    with pytest.raises(ProviderError, match=r"^no answer to b: 400 no\.$"):
        Parallel(call, QUICK).complete(requests(*"abcd"), lambda r, c: told.append(r.key))
    assert sorted(told) == ["a", "c", "d"]


def test_a_failure_that_all_would_meet_stops_those_that_did_not_begin():
    call = Scripted(a=[CallFailed("401 no.", again=False, for_all=True)])
    with pytest.raises(ProviderError, match="no answer to a: 401"):
        Parallel(call, Limits(max_parallel=1)).complete(requests(*"abcdefgh"))
    assert call.asked == ["a"]


def test_two_failures_are_one_line():
    call = Scripted(**{key: [CallFailed("400 no.", again=False)] for key in "ac"})
    with pytest.raises(ProviderError, match=r"^no answer to a and 1 more: 400 no\.$"):
        Parallel(call, QUICK).complete(requests(*"abc"))
    assert sorted(call.asked) == ["a", "b", "c"]


def test_a_fault_of_the_program_is_not_told_as_one_of_the_provider():
    call = Scripted(a=[KeyError("program")])
    with pytest.raises(KeyError, match="program"):
        Parallel(call, QUICK).complete(requests("a", "b"))


def test_when_an_answer_cannot_be_stored_the_others_are_still_handed_on():
    told, begun = [], threading.Barrier(3)

    def call(request, seconds):
        begun.wait(PATIENCE)
        return answer(request)

    def on_answer(request, completion):
        told.append(request.key)
        if len(told) == 1:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        Parallel(call, QUICK).complete(requests(*"abc"), on_answer)
    assert sorted(told) == ["a", "b", "c"]


def test_the_keyboard_stops_at_once_and_keeps_what_is_there():
    told, hangs, quick_ones = [], threading.Event(), threading.Barrier(2)

    def call(request, seconds):
        if request.key == "hangs":
            hangs.wait(PATIENCE)
        else:
            quick_ones.wait(PATIENCE)
        return answer(request)

    def on_answer(request, completion):
        told.append(request.key)
        if len(told) == 1:
            while provider_has_one_more.is_alive():
                time.sleep(0.001)
            raise KeyboardInterrupt

    batch = requests("a", "b", "hangs")
    provider_has_one_more = threading.Timer(0.2, lambda: None)
    provider_has_one_more.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Parallel(call, QUICK).complete(batch, on_answer)
    assert sorted(told) == ["a", "b"] and time.monotonic() - start < PATIENCE / 2
    hangs.set()


def test_nothing_is_asked_again_after_a_stop():
    stop, asked = threading.Event(), []

    def call(request, seconds):
        asked.append(request.key)
        stop.set()
        raise again(after=1000.0)

    limits = Limits(deadline_seconds=5000.0)
    with pytest.raises(Exception):  # noqa: B017
        patiently(call, requests("a")[0], limits, stop)
    assert asked == ["a"]


def patient(call, limits):
    return patiently(call, requests("a")[0], limits, threading.Event())


def test_a_failure_that_passes_is_tried_again_and_counted():
    completion = patient(Scripted(a=[again(), again()]), QUICK)
    assert (completion.text, completion.retries) == ("answer to a", 2)
    assert completion.seconds > 0


def test_the_wish_of_the_server_is_waited_for():
    start = time.monotonic()
    completion = patient(Scripted(a=[again(after=0.15)]), QUICK)
    assert completion.retries == 1 and time.monotonic() - start >= 0.15
    assert completion.seconds >= 0.15  # from question to answer, with the waits


def test_a_wish_past_the_deadline_stops_at_once():
    call = Scripted(a=[again(after=60.0)])
    with pytest.raises(CallFailed, match=r"503 busy. The server asks to wait 60 s, which is past"):
        patient(call, QUICK)
    assert call.asked == ["a"]


def test_the_deadline_is_over_all_tries():
    call = Scripted(a=[again()] * 1000)
    limits = Limits(
        max_retries=10**6, first_wait=0.02, longest_wait=0.02, deadline_seconds=0.3,
        timeout_seconds=0.2,
    )  # fmt: skip
    with pytest.raises(CallFailed, match="tries until llm.deadline_seconds=0.3 was over"):
        patient(call, limits)
    assert 2 <= len(call.asked) < 20
    assert call.limits[0] == 0.2 and call.limits[-1] < 0.2  # the last try ends in time


def test_retries_are_limited():
    call = Scripted(a=[again()] * 9)
    limits = Limits(max_retries=2, first_wait=0.001)
    with pytest.raises(CallFailed, match=r"503 busy. 3 tries \(llm.max_retries=2\)"):
        patient(call, limits)
    assert len(call.asked) == 3


def test_what_cannot_be_cured_is_not_tried_again():
    call = Scripted(a=[CallFailed("404 no such model.", again=False)])
    with pytest.raises(CallFailed, match=r"^404 no such model\.$"):
        patient(call, QUICK)
    assert call.asked == ["a"]


def test_the_keyboard_ends_the_program_while_every_call_hangs():
    """A pool that is waited for at the end of the program would hold it."""
    script = """
import signal
import time
from rlgpt_jax.agents.llm.base import Message, Request
from rlgpt_jax.agents.llm.calls import Limits, Parallel

# A program that was started in the background ignores the keyboard otherwise.
signal.signal(signal.SIGINT, signal.default_int_handler)

def call(request, seconds):
    print("asked", flush=True)
    time.sleep(60)

Parallel(call, Limits()).complete([Request("a", "slow", (Message("user", "x"),))])
"""
    root = Path(__file__).parents[3]
    program = subprocess.Popen(
        [sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={"PYTHONPATH": str(root)},
    )  # fmt: skip
    assert program.stdout.readline() == "asked\n"
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=PATIENCE)
    assert "KeyboardInterrupt" in errors and program.returncode != 0
