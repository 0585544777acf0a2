"""A budget stops a run before a limit is passed, over all starts."""

import dataclasses
import json

import pytest

from rlgpt_jax.agents.llm.base import Completion, Image, Message, Request, Usage
from rlgpt_jax.agents.llm.budget import (
    Budget,
    BudgetConfig,
    Budgeted,
    BudgetExceeded,
    Clock,
    Quote,
    largest,
)
from rlgpt_jax.agents.llm.prices import price
from rlgpt_jax.agents.llm.transcript import Recorded, Transcript

MODEL = "claude-sonnet-5-5"


def request(key, characters=300, pictures=0):
    images = tuple(Image(f"p{i}", b"1") for i in range(pictures))
    return Request(key, "slow", (Message("user", "q" * characters, images),))


class Model:
    """Uses 90 + 60 tokens a call and costs a dollar."""

    def __init__(self, provider="anthropic"):
        self.asked = []
        self.provider = provider

    def complete(self, requests, on_answer=None):
        answers = []
        for r in requests:
            self.asked.append(r.key)
            usage, cost = (Usage(90, 60), 1.0) if self.provider == "anthropic" else (None, None)
            answers.append(Completion("Yes.", MODEL, self.provider, 1.0, usage, cost))
            on_answer(r, answers[-1])
        return answers


class Run:
    """A run folder, a hand-moved watch, and a new asker for every start."""

    def __init__(self, folder, provider="anthropic", max_output_tokens=100, model=MODEL):
        self.folder, self.model = folder, Model(provider)
        self.time = 0.0
        self.quote = Quote(provider, model, max_output_tokens)

    def start(self, **limits):
        self.time += 1e6  # what passes between two starts does not count
        clock = Clock(self.folder / "clock.json", lambda: self.time)
        budget = Budget(BudgetConfig(**limits), lambda agent: self.quote, self.folder, clock)
        transcript = Transcript(self.folder / "transcript.jsonl")
        return Recorded(Budgeted(self.model, budget), transcript)


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def test_the_coming_batch_is_estimated_high():
    asked = dataclasses.replace(request("k", 300, pictures=2), schema={"type": "object"})
    assert largest(asked, Quote("anthropic", MODEL, 100)) == Usage(106 + 2 * 1500, 100)


# A question of 300 characters may take 100 + 100 tokens, an answered one took 150.
@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_calls": 2}, r"max_calls=2 could be passed: calls so far 2, and.*up to 1 more"),
        ({"max_tokens": 499}, r"max_tokens=499 .*: tokens so far 300, and.*up to 200 more"),
        ({"max_usd": 2.001}, r"max_usd=2.001 .*: US dollars so far 2.0000, and.*up to 0.0012 more"),
    ],
)
def test_the_third_question_is_not_asked_now_nor_after_a_restart(run, limits, words):
    asker = run.start(**limits)
    asker.complete([request("a"), request("b")])
    for again in (asker, run.start(**limits)):
        with pytest.raises(BudgetExceeded, match=words) as error:
            again.complete([request("a"), request("c")])
        assert "(c)" in str(error.value)
        (field,) = limits
        assert error.value.field == field and f"Raise budget.{field}." in str(error.value)
    assert run.model.asked == ["a", "b"]
    raised = run.start(**{field: error.value.enough})
    assert len(raised.complete([request("a"), request("c")])) == 2
    assert run.model.asked == ["a", "b", "c"]


def test_a_limit_that_just_fits_lets_the_question_through(run):
    exact = 2.0 + price("anthropic", MODEL, Usage(100, 100))
    asker = run.start(max_calls=3, max_tokens=500, max_usd=exact + 1e-9)
    asker.complete([request("a"), request("b")])
    asker.complete([request("c")])
    assert run.model.asked == ["a", "b", "c"]


def test_a_batch_that_does_not_fit_is_not_begun(run):
    with pytest.raises(BudgetExceeded, match=r"\(a, b, c and 2 more\) may take up to 5 more"):
        run.start(max_calls=4).complete([request(k) for k in "abcde"])
    assert run.model.asked == []


def test_minutes_count_over_all_starts_and_only_while_the_program_runs(run):
    asker = run.start(max_minutes=10)
    asker.complete([request("a")])
    run.time += 6 * 60
    asker.complete([request("b")])
    asker = run.start(max_minutes=10)
    run.time += 3.9 * 60
    asker.complete([request("c")])
    run.time += 0.2 * 60
    with pytest.raises(BudgetExceeded, match="has taken 10.1 minutes over all its starts") as error:
        asker.complete([request("d")])
    assert run.model.asked == ["a", "b", "c"]
    with pytest.raises(BudgetExceeded, match="max_minutes=10 is used up"):
        run.start(max_minutes=10).complete([request("d")])
    run.start(max_minutes=error.value.enough).complete([request("d")])
    assert run.model.asked[-1] == "d"


def test_the_clock_is_kept_while_there_are_events(tmp_path):
    time, heard = [0.0], []
    clock = Clock(tmp_path / "clock.json", lambda: time[0])
    listen = clock.beating(heard.append)
    for _ in range(100):
        time[0] += 1.0
        listen("update")
    assert len(heard) == 100
    assert 90.0 <= json.loads((tmp_path / "clock.json").read_text())["seconds"] <= 100.0
    assert Clock(tmp_path / "clock.json", lambda: 5.0).seconds >= 90.0


def test_recorded_and_replayed_answers_never_touch_the_budget(tmp_path):
    run = Run(tmp_path, "replay")
    asker = run.start(max_calls=1, max_tokens=1, max_usd=0.01)
    asker.complete([request(k) for k in "abc"])
    assert run.model.asked == ["a", "b", "c"]
    run.start(max_minutes=1e-6).complete([request("a")])  # in the transcript already
    run.quote, run.model = Quote("anthropic", MODEL, 100), Model()
    run.start(max_calls=1).complete([request("d")])  # three replayed answers were no calls
    assert run.model.asked == ["d"]


def test_uncounted_tokens_of_a_folder_are_estimated(tmp_path):
    run = Run(tmp_path, "file", 1000)
    asker = run.start(max_tokens=1190)
    asker.complete([request("a", 360)])  # took 100 + 1
    with pytest.raises(BudgetExceeded, match="tokens so far 101, and.*up to 1,100 more"):
        asker.complete([request("b", 300)])


def test_transcripts_of_sub_tasks_count_too(tmp_path):
    Transcript(tmp_path / "tasks/logs/transcript.jsonl").append(
        request("task/logs/iter0/slow"), Completion("Yes.", MODEL, "anthropic", 1.0, Usage(9, 9))
    )
    with pytest.raises(BudgetExceeded, match="calls so far 1,"):
        Run(tmp_path).start(max_calls=1).complete([request("a")])


def test_dollars_of_a_model_without_a_price_are_an_error(tmp_path):
    run = Run(tmp_path, "compatible", model="my-model")
    with pytest.raises(ValueError, match="none is known of 'my-model'.*budget.max_tokens"):
        run.start(max_usd=5.0).complete([request("a")])
    assert run.model.asked == []


@pytest.mark.parametrize(
    "limits",
    [
        {"max_tokens": 0},
        {"max_usd": -1.0},
        {"max_calls": -3},
        {"max_minutes": float("nan")},
        {"max_usd": float("inf")},
    ],
)
def test_a_limit_that_is_none_is_refused(limits):
    with pytest.raises(ValueError, match="must be a positive number, or None"):
        BudgetConfig(**limits)
