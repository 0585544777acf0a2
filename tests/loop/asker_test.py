"""Events, then transcript, then budget, then provider."""

import dataclasses
from typing import Any

import pytest

from rlgpt_jax.agents.llm.base import Completion, Message, Request
from rlgpt_jax.agents.llm.budget import Budget, BudgetConfig, BudgetExceeded, Clock, Quote
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.loop import events
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.loop.tools import Tools


class Model:
    def __init__(self):
        self.asked = []

    def complete(self, requests, on_answer=None):
        self.asked += [r.key for r in requests]
        return [Completion(f"to {r.key}", "m", "file", 0.5) for r in requests]


def request(key):
    return Request(key, "slow", (Message("user", "Well?"),))


@pytest.fixture
def tools(tmp_path):
    heard: list[Any] = []
    limits = BudgetConfig(max_calls=1)
    budget = Budget(
        limits, lambda agent: Quote("file", "m"), tmp_path, Clock(tmp_path / "clock.json")
    )
    made = Tools(
        task=Task("corridor", "walk", "milk_bucket"), make_env=lambda *_: None,
        provider=Model(), folder=RunFolder(tmp_path), rl=None,  # type: ignore[arg-type]
        budget=budget, on_event=heard.append,
    )  # fmt: skip
    return made, heard


def test_a_recorded_answer_is_an_event_but_never_comes_to_the_budget(tools):
    first, heard = tools
    first.asker.complete([request("a")])
    second = dataclasses.replace(first, provider=Model())
    assert second.asker.complete([request("a")])[0].text == "to a"
    assert second.provider.asked == []
    asked = [e.keys for e in heard if isinstance(e, events.Asked)]
    answered = [e.answer.text for e in heard if isinstance(e, events.Answered)]
    assert (asked, answered) == ([("a",), ("a",)], ["to a", "to a"])


def test_the_budget_stands_between_transcript_and_provider(tools):
    made, heard = tools
    made.asker.complete([request("a")])
    with pytest.raises(BudgetExceeded, match="calls so far 1,"):
        made.asker.complete([request("a"), request("b")])
    assert made.provider.asked == ["a"]
    assert heard[-1] == events.Asked(("a", "b"))


def test_without_a_budget_nothing_is_counted(tools):
    made = dataclasses.replace(tools[0], budget=None)
    for key in "abc":
        made.asker.complete([request(key)])
    assert made.provider.asked == ["a", "b", "c"]
