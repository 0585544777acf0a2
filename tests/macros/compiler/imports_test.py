"""Functions of a library: what they see, what they give back, how their faults are told."""

import numpy as np
import pytest

from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import Program
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import worlds

TURN_BY_X = "def macro(obs):\n    obs = yield from go(obs)\n    obs = yield turn(yaw=obs.x)\n"


def accepted(source: str, library: dict[str, str], sensors: str = "paper") -> Program:
    program = parse_macro(source, "macro", sensors, library)
    assert isinstance(program, Program), program.describe()
    return program


def refused(source: str, library: dict[str, str]) -> Refusal:
    refusal = parse_macro(source, "macro", "paper", library)
    assert isinstance(refusal, Refusal)
    return refusal


def played(program: Program, xs: list[float]) -> tuple[list[list[int]], str]:
    """Actions in ticks with these obs.x, until the macro ends; a mistake in words."""
    macros, state = bytecode.link([program]), interpret_host.init_state(1)
    view = worlds.random_view(np.random.default_rng(0), 1)
    actions: list[list[int]] = []
    for index, x in enumerate(xs):
        view[0, 0] = x
        chosen = np.array([index == 0], np.int32)
        state, out = interpret_host.tick(macros, state, view, chosen, np.zeros(1, bool))
        if out.ended[0]:
            return actions, bytecode.trap_message(int(out.trap_code[0]), int(out.trap_line[0]))
        actions.append(out.action[0].tolist())
    raise AssertionError("the macro did not end")


def yaws(program: Program, xs: list[float]) -> list[int]:
    """The camera's yaw column of every action."""
    actions, mistake = played(program, xs)
    assert not mistake
    return [action[4] for action in actions]


# What the library's function returns -> it gives the newest observation all the same.
ENDINGS = {
    "nothing": "def go(obs):\n    yield forward()\n",
    "early": "def go(obs):\n    yield forward()\n    if obs.x == obs.x:\n        return\n"
    "    yield jump()\n",
    "another value": "def go(obs):\n    yield forward()\n    return 3\n",
    "an old observation": "def go(obs):\n    yield forward()\n    return obs\n    x = 1\n",
    "what a helper gives": "def step(n):\n    yield forward()\n    return n\n\n"
    "def go(obs):\n    return (yield from step(2))\n",
    "the observation": "def go(obs):\n    obs = yield forward()\n    return obs\n",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_function_gives_the_newest_observation_whatever_it_returns(ending: str) -> None:
    program = accepted(TURN_BY_X, {"go": ENDINGS[ending]})
    assert yaws(program, [15, 45, 0]) == [12, 12 + 3]  # turned by the second tick's x


def test_names_of_the_library_and_of_the_author_do_not_meet() -> None:
    library = {
        "go": "STEPS = 2\ndef step(obs):\n    obs = yield turn(30)\n    return obs\n\n"
        "def go(obs):\n    for _ in range(STEPS):\n        obs = yield from step(obs)\n"
    }
    own = (
        "STEPS = 7\ndef step(obs):\n    obs = yield turn(-15)\n    return obs\n\n"
        "def range(n):\n    return (n, n, n)\n\n"
        "def macro(obs):\n    obs = yield from step(obs)\n    obs = yield from go(obs)\n"
    )
    assert yaws(accepted(own, library), [0] * 4) == [11, 14, 14]


def test_the_authors_own_function_of_the_same_name_counts() -> None:
    own = "def go(obs):\n    obs = yield turn(15)\n    return obs\n\n" + TURN_BY_X
    assert yaws(accepted(own, {"go": ENDINGS["nothing"]}), [0, 0, 0]) == [13, 12]


def test_a_function_of_the_library_may_be_called_like_one_of_random() -> None:
    own = "def macro(obs):\n    obs = yield from choice(obs)\n    yield turn(randint(15, 15))\n"
    library = {"choice": "def choice(obs):\n    obs = yield turn(30)\n    return obs\n"}
    assert yaws(accepted(own, library), [0, 0, 0]) == [14, 13]


def test_functions_of_the_library_call_each_other_and_take_arguments() -> None:
    library = {
        "turn_by": "def turn_by(obs, angle, times=2):\n    for _ in range(times):\n"
        "        obs = yield turn(angle)\n    return obs\n",
        "go": "def go(obs):\n    obs = yield from turn_by(obs, 15)\n"
        "    obs = yield from turn_by(obs, angle=30, times=1)\n",
    }
    assert yaws(accepted(TURN_BY_X, library), [0] * 5) == [13, 13, 14, 12]


def test_only_what_is_called_is_compiled() -> None:
    alone = accepted("def macro(obs):\n    yield noop()\n", {})
    library = {"go": ENDINGS["nothing"], "bad": "import os"}
    same = accepted("def macro(obs):\n    yield noop()\n", library)
    assert np.array_equal(alone.code, same.code)


def test_a_mistake_in_the_library_names_its_own_line() -> None:
    library = {"go": "def go(obs):\n    yield noop()\n    x = 1 / (obs.x - obs.x)\n"}
    _, mistake = played(accepted(TURN_BY_X, library), [0, 0, 0])
    assert mistake == "a function of the library, its line 3: division by zero"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def go(obs):\n    x = obs.rays\n    yield noop()\n", "in its line 2: "),
        ("def go(obs)\n    yield noop()\n", "in its line 1: not valid Python"),
        ("def went(obs):\n    yield noop()\n", "has no function go"),
        ("def go(obs):\n    return obs\n", "never yields"),
        ("n = 0\ndef go(obs):\n    global n\n    n += 1\n    yield noop()\n", "keeps variables"),
    ],
)
def test_what_cannot_be_called_is_refused_in_words(source: str, words: str) -> None:
    refusal = refused(TURN_BY_X, {"go": source})
    assert words in refusal.reason and refusal.line == 0 and refusal.source_line == ""


def test_a_function_of_the_library_is_no_value() -> None:
    own = "def macro(obs):\n    for f in (go, go):\n        obs = yield from f(obs)\n"
    refusal = refused(own, {"go": ENDINGS["nothing"]})
    assert refusal.line == 2 and "can only be called" in refusal.reason
