from dataclasses import replace

import pytest

from rlgpt_jax.agents import history as memory
from rlgpt_jax.agents.prompt_state import (
    MAX_SUB_ACTIONS,
    Attempt,
    Critique,
    Fate,
    Memory,
    Plan,
    SubAction,
    Verdict,
)
from rlgpt_jax.macros.limits import MAX_MACROS

LIMIT = 12_000


def iteration(number: int, size: int = 1) -> Memory:
    """An iteration whose texts grow with `size`."""
    kinds = ("code", *["macro"] * (MAX_MACROS - 1), "learn", "learn")
    names = [f"part_{number}_{i}" for i in range(len(kinds))]
    assert len(kinds) == MAX_SUB_ACTIONS
    instruction = f"Instruction {number}. " + "Walk on. " * 40 * size
    plan = Plan(tuple(SubAction(n, k, instruction) for n, k in zip(names, kinds, strict=True)))
    attempt = Attempt("def f(obs): ...\n", trial=f"Facts {number}. " + "It ran. " * 90 * size)
    fates = tuple(
        Fate(n, k, (attempt,), attempt.source, "try0")
        for n, k in zip(names[:MAX_MACROS], kinds[:MAX_MACROS], strict=True)
    )
    critique = Critique(
        f"Failure {number}. " + "It was slow. " * 20 * size,
        tuple(Verdict(n, "keep", "Good. " * 10 * size) for n in names[:MAX_MACROS]),
        f"Advice {number}. " + "Be quick. " * 30 * size,
    )
    success = f"{number % 100}% of 200 episodes succeeded (95 % interval 1% to 99%)"
    report = f"Report {number}. " + "Most used: forward. " * 50 * size
    return Memory(plan, fates, success, report, critique, f"Set-up {number}. " + "Ticks. " * 50)


def history(num: int, limit: int = LIMIT, size: int = 1) -> str:
    return memory.history([iteration(i, size) for i in range(1, num + 1)], limit)


def test_the_last_iteration_is_told_in_full():
    told = history(1, 100_000)
    last = iteration(1)
    assert told.startswith("### Iteration 1: 1% of 200") and "shortened" not in told
    for words in (
        memory.plan(last.plan),
        memory.fates(last.fates),
        last.report,
        last.interface,
        last.critique.describe(),
    ):
        assert words in told


def test_an_older_one_is_a_summary_that_says_what_is_left_out():
    told = history(2, 100_000)
    older = told.split("### Iteration 2")[0]
    assert "(Iteration 1 is shortened: instructions, training set-up and evaluation left" in older
    assert "Plan: part_1_0 (code), part_1_1 (macro)" in older
    assert "- part_1_0 (code): code accepted, 1 version(s)." in older
    assert "Failed: Failure 1." in older and "Advice: Advice 1." in older
    for words in ("Instruction 1", "Report 1", "Facts 1", "Set-up 1"):
        assert words not in told
    for words in ("Instruction 2", "Report 2", "Facts 2", "Set-up 2", "Failure 2", "Advice 2"):
        assert words in told


def test_with_less_room_the_oldest_lose_more_and_that_is_said():
    room = len(history(4, 100_000)) - 1
    told = history(4, room)
    assert len(told) <= room
    assert "(Iterations 1-3 are shortened:" in told
    assert "Of iteration 1 also left out: the facts of the code and the critic's advice." in told
    assert "Advice 1" not in told and "Advice 2" in told and "Failed: Failure 1." in told


@pytest.mark.parametrize("size", [1, 5, 40])
@pytest.mark.parametrize("num", [1, 2, 7, 30])
def test_every_iteration_keeps_its_number_success_plan_and_failure(num, size):
    told = history(num, LIMIT, size)
    assert len(told) <= LIMIT
    for i in range(1, num + 1):
        assert f"Iteration {i}: {i}% of 200" in told
        assert f"part_{i}_0 (code)" in told
        assert f"Failure {i}." in told


@pytest.mark.parametrize("num", [1, 3, 30, 100])
def test_the_smallest_bound_that_is_allowed_is_kept(num):
    limit = memory.least_characters(num)
    told = history(num, limit, 40)
    assert len(told) <= limit
    assert all(f"Iteration {i}: {i % 100}% of" in told for i in range(1, num + 1))


def test_without_a_critic_there_are_no_words_of_one():
    bare = [replace(iteration(i), critique=None) for i in range(1, 31)]
    told = memory.history(bare, LIMIT)
    assert "Critic" not in told and "Failed" not in told and "Advice" not in told
    assert "part_1_0 (code)" in told and len(told) <= LIMIT


def test_no_memory_is_said():
    assert memory.history([], LIMIT) == "None: this is the first."


def test_what_is_clipped_has_its_beginning_its_end_and_the_number_of_the_rest():
    text = "a" * 500 + "b" * 500
    told = memory.clip(text, 200)
    assert len(told) <= 200 and told.startswith("aaa") and told.endswith("bbb")
    head, _, rest = told.partition(" [...")
    missing, _, tail = rest.partition(" characters left out...] ")
    assert len(head) + int(missing) + len(tail) == 1_000
    assert memory.clip(text, 1_000) == text


def test_an_earlier_attempt_is_one_line():
    refused = Attempt("x", refusal="Line 1:\nno " + "x" * 300)
    judged = Attempt("x", trial="It ran.\nWell.", change="Go on.", number=1)
    assert memory.attempt_line(refused).startswith("- version 1: refused. Line 1: no xx")
    assert memory.attempt_line(judged) == "- version 2: ran. It ran. Well.; the critic: Go on."
    assert "\n" not in memory.attempt_line(refused) and len(memory.attempt_line(refused)) < 230
