"""Lanes take turns in the slots of the JAX interpreter, without a trace in the results."""

import random

import jax
import numpy as np
import pytest

from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.macros.vm.device import interpret_jax
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import machines, worlds
from tests.macros.interpreters_test import ANSWERS, answer_source
from tests.macros.programs import random_program

LANES, TICKS = 24, 10
pytestmark = pytest.mark.slow  # traces the interpreter anew; `interpreters_test.py` is quicker


def run(macro_set, inputs, limit):
    tick = jax.jit(lambda *arguments: interpret_jax.tick(*arguments))  # traced anew
    state, ticks = interpret_jax.init_state(LANES), []
    rows = (inputs.views, inputs.chosen, inputs.busy, inputs.done)
    for view, chosen, busy, done in zip(*rows, strict=True):
        state, out = tick(macro_set, state, view, chosen, busy, limit)
        state = interpret_jax.cut(state, done)
        ticks.append(jax.tree.map(np.asarray, out))
    return ticks, jax.tree.map(np.asarray, state)


def cases():
    """Answers of a language model, and random programs with traps and a low tick limit."""
    rng = random.Random(8)
    answers = [worlds.program(answer_source(path)) for path in ANSWERS]
    others = [worlds.program(random_program(rng)) for _ in range(MAX_MACROS)]
    for seed, (programs, limit) in enumerate(((answers, 200), (others, 3))):
        numbers = np.random.default_rng(seed)
        views = np.stack([worlds.random_view(numbers, LANES) for _ in range(TICKS)])
        yield link(programs), machines.Inputs(numbers, views, len(programs)), limit


@pytest.mark.parametrize("slots", [1, 5])  # as many as lanes: the test for a GPU
def test_the_number_of_slots_does_not_matter(monkeypatch, slots):
    monkeypatch.setattr(interpret_jax, "slots_for", lambda lanes: slots)
    for macro_set, inputs, limit in cases():
        host = machines.run_host(interpret_host, macro_set, inputs, limit)
        machines.assert_same(host, run(macro_set, inputs, limit))


def test_what_is_traced_for_a_gpu_gives_the_same_bits(monkeypatch):
    assert interpret_jax.slots_for(1024) == 128
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert interpret_jax.slots_for(1024) == 1024
    for macro_set, inputs, limit in cases():
        host = machines.run_host(interpret_host, macro_set, inputs, limit)
        machines.assert_same(host, run(macro_set, inputs, limit))
