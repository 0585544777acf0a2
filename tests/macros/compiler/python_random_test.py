"""Random programs act as Python runs them."""

import random

import numpy as np
import pytest

from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, TRAP_STEPS, TRAPPED
from rlgpt_jax.macros.vm.host import interpret_host
from tests.fuzz.mixed_programs import mixed_program
from tests.macros import worlds
from tests.macros.compiler.whole_number_programs import whole_number_program

TICKS = 60


def assert_as_in_python(sources: list[str], seed: int) -> tuple[int, int]:
    """Runs one program per lane.

    Returns how many actions were compared, and how many programs the limit of instructions
    between two ticks ended early.
    """
    rng = np.random.default_rng(seed)
    lanes = len(sources)
    views = [worlds.random_view(rng, lanes) for _ in range(TICKS)]
    macro_set = bytecode.link([worlds.program(source, name="macro") for source in sources])
    state = interpret_host.init_state(lanes)
    actions: list[list[list[int]]] = [[] for _ in range(lanes)]
    ended, stopped = np.zeros(lanes, bool), set[int]()
    for t, view in enumerate(views):
        chosen = np.arange(1, lanes + 1, dtype=np.int32) * (t == 0)
        state, out = interpret_host.tick(
            macro_set, state, view, chosen.astype(np.int32), np.zeros(lanes, bool)
        )
        for lane in np.flatnonzero(out.ended == TRAPPED):
            words = bytecode.trap_message(int(out.trap_code[lane]), int(out.trap_line[lane]))
            # The one way in which the language may do less: long work between two ticks.
            assert out.trap_code[lane] == TRAP_STEPS, f"{words}\n{sources[lane]}"
            stopped.add(int(lane))
        ended |= out.ended > 0
        for lane in np.flatnonzero(out.from_macro & ~ended):
            actions[lane].append(out.action[lane].tolist())
    for lane, source in enumerate(sources):
        expected = worlds.python_actions(source, views, lane)
        if lane in stopped:
            expected = expected[: len(actions[lane])]
        assert actions[lane] == expected, source
    return sum(map(len, actions)), len(stopped)


def assert_many(number: int, seed: int, write=whole_number_program, least: int = 10) -> None:
    rng = random.Random(seed)
    compared, stopped = 0, 0
    for first in range(0, number, MAX_MACROS):
        sources = [write(rng) for _ in range(MAX_MACROS)]
        actions, early = assert_as_in_python(sources, seed + first)
        compared, stopped = compared + actions, stopped + early
    assert compared > least * number and stopped <= number / 50


def test_random_programs_act_as_in_python():
    assert_many(24, seed=0)


def test_programs_over_mixed_containers_act_as_in_python():
    assert_many(24, seed=0, write=mixed_program, least=1)


@pytest.mark.slow
def test_many_random_programs_act_as_in_python():
    assert_many(2000, seed=1)


@pytest.mark.parametrize("line", [
    "a |= 7", "a &= 6", "a ^= b['p']", "a -= b['q'][0]", "a += b['p']", "a = (a | b['p']) - 1",
    "b['p'] |= a", "b['q'][0] ^= a",
])  # fmt: skip
def test_a_name_that_was_a_container_may_be_a_number(line):
    body = "a = [1, 2]\nb = {'p': 3, 'q': [4, 5], 's': {1}, 'd': {2: 3}}\nfor a in (9, 12):\n"
    shown = "obs = yield turn(yaw=15 * ((a + b['p'] + b['q'][0]) % 12))"
    lines = [*body.splitlines(), f"    {line}", f"    {shown}", "a = b['s']", "a |= {1, 5}",
             "a ^= {5, 6}", "a = {**b['d']}", "a |= [(8, 9)]", "a |= {7: 1}",
             "obs = yield turn(yaw=15 * len(a), pitch=15 * len(b['s']))"]  # fmt: skip
    source = "def macro(obs):\n" + "".join(f"    {x}\n" for x in lines)
    assert assert_as_in_python([source], seed=0) == (3, 0)
