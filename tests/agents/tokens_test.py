"""Tokens are the provider's count or one estimate; prices come from the bundled table."""

import socket

import pytest

from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.llm.base import Usage
from rlgpt_jax.agents.llm.prices import price


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*args):
        raise AssertionError("a price was looked for in the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def line(key, agent, usage=None, cost=None, asked=360, answered=36, pictures=0, provider="file"):
    images = [{"name": f"p{i}", "sha256": "0"} for i in range(pictures)]
    return {
        "key": key, "agent": agent, "answer": "a" * answered, "provider": provider,
        "messages": [{"role": "user", "text": "q" * asked, "images": images}],
        "usage": usage, "price": cost,
    }  # fmt: skip


def counted(input_tokens, output_tokens):
    return {"input_tokens": input_tokens, "output_tokens": output_tokens}


def test_prices_are_those_of_the_list_with_cheaper_cached_tokens():
    usage = Usage(1_000_000, 1_000_000)
    small = price("anthropic", "claude-sonnet-5-5", Usage(1000, 500))
    assert small == pytest.approx(1000 * 2e-6 + 500 * 10e-6)
    cached = price("anthropic", "claude-sonnet-5-5", Usage(1000, 500, cached_tokens=900))
    assert cached is not None and 500 * 10e-6 < cached < small
    assert price("openai", "gpt-6-luna", usage) != price("openai", "gpt-6-sol", usage)
    assert price("", "gpt-6-sol", usage) == price("openai", "gpt-6-sol", usage)


def test_prices_have_steps_by_the_length_of_the_prompt():
    per_token = [
        price("openai", "gpt-6-sol", Usage(n, 0)) / n  # type: ignore[operator]
        for n in (1000, 200_000, 300_000)
    ]
    assert per_token[0] == pytest.approx(per_token[1]) and per_token[2] > 1.5 * per_token[1]


@pytest.mark.parametrize(
    ("provider", "model"),
    [("file", "claude-sonnet-5-5"), ("compatible", "gpt-6-sol"), ("anthropic", "gpt-6-sol"),
     ("anthropic", "claude-of-tomorrow"), ("", "my-own-model"), ("replay", "gpt-6-sol")],
)  # fmt: skip
def test_a_model_without_a_list_price_has_none(provider, model):
    assert price(provider, model, Usage(1000, 500)) is None


def test_counts_that_do_not_add_up_still_have_a_price():
    odd = Usage(100, 10, cached_tokens=500, cache_write_tokens=500)
    assert price("anthropic", "claude-sonnet-5-5", odd) > 0  # type: ignore[operator]


def test_what_nobody_counted_is_estimated_from_characters_and_pictures():
    assert tokens.of_line(line("k", "slow", pictures=1)) == (Usage(1600, 10), True)
    assert tokens.of_line(line("k", "slow", counted(7, 3))) == (Usage(7, 3), False)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("planner", ("", None)), ("iter0/slow", ("", 0)), ("iter12/fast/iterate/try1", ("", 12)),
        ("pure_code/iter1/critic/again", ("", 1)), ("task/get_logs/iter2/slow", ("get_logs", 2)),
        ("iter3", ("", 3)), ("task/chop/planner", ("chop", None)),
    ],
)  # fmt: skip
def test_a_key_tells_task_and_iteration(key, found):
    assert tokens.place(key) == found


LINES = [
    line("planner", "planner", counted(50, 5), 0.5),
    line("task/b/iter0/slow", "slow", counted(100, 10), 1.0),
    line("task/b/iter0/fast/x/try0", "fast", counted(200, 20), 0.25),
    line("task/b/iter0/fast/y/try0", "fast", counted(300, 30), 0.25),
    line("task/b/iter1/slow", "slow", counted(110, 11), 1.0),
    line("task/a/iter0/trial_critic/try0", "trial_critic", None, None),
    line("task/a/iter0/critic", "critic", counted(400, 40), 2.0),
    line("task/a/iter0/odd", "helper", counted(1, 1), 0.0),
]


def test_cells_sum_calls_tokens_and_price_in_the_order_of_the_table():
    found = tokens.cells(LINES)
    assert [(c.task, c.iteration, c.agent) for c in found] == [
        ("", None, "planner"), ("b", 0, "slow"), ("b", 0, "fast"), ("b", 1, "slow"),
        ("a", 0, "critic"), ("a", 0, "helper"),
    ]  # fmt: skip
    fast = found[2]
    assert (fast.calls, fast.input_tokens, fast.output_tokens) == (2, 500, 50)
    assert fast.price == 0.5 and not fast.estimated
    critic = found[4]  # of trials and of the iteration; one of them nobody counted
    assert (critic.calls, critic.input_tokens, critic.output_tokens) == (2, 500, 50)
    assert critic.price is None and critic.estimated
    summed = tokens.total(found[:4])
    assert (summed.calls, summed.input_tokens, summed.price) == (5, 760, 3.0)
    assert tokens.agents(found) == ["planner", "slow", "fast", "critic", "helper"]
    assert [row.name for row in tokens.rows(found)] == [
        "before", "b, iteration 0", "b, iteration 1", "a, iteration 0",
    ]  # fmt: skip


def test_the_record_for_result_json_says_what_is_estimated():
    records = tokens.to_json(LINES)
    assert records[2] == {
        "task": "b", "iteration": 0, "agent": "fast", "calls": 2, "input_tokens": 500,
        "output_tokens": 50, "price": 0.5, "estimated": False,
    }  # fmt: skip
    assert [r["estimated"] for r in records] == [False, False, False, False, True, False]


def test_a_replayed_answer_costs_nothing_also_in_an_old_line():
    (cell,) = tokens.cells([line("iter0/slow", "slow", provider="replay")])
    assert cell.price == 0.0 and cell.estimated
