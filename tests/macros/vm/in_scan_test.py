"""Macros called from within a jitted scan do what they do in a Python loop."""

import random

import jax
import numpy as np
import pytest

from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.vm import in_scan
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, MacroSet, MacroState, link, reads_rays
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import worlds
from tests.macros.vm import machines
from tests.macros.vm.programs import random_program

LANES = 16
WALK = "def macro(obs):\n    for i in range(4):\n        obs = yield turn(yaw=15 * i)\n"
SEE = "def macro(obs):\n    while obs.rays[60].distance < 99:\n        obs = yield jump()\n"
TRACES: list[int] = []


@jax.jit
def scan(macro_set: MacroSet, state: MacroState, inputs: tuple, limit: int) -> tuple:
    TRACES.append(1)

    def tick(running, row):
        view, chosen, busy, done = row
        before = running.slot
        running, action, decided = in_scan.tick(running, view, chosen, busy)
        return in_scan.cut(running, done), (action, decided, before, running.slot)

    running, outs = jax.lax.scan(tick, in_scan.begin(macro_set, state, limit), inputs)
    return in_scan.finish(running, state), outs


def check(macro_set: MacroSet, seed: int, limit: int) -> None:
    rng = np.random.default_rng(seed)
    views = np.stack([worlds.random_view(rng, LANES) for _ in range(machines.TICKS)])
    inputs = machines.Inputs(rng, views, MAX_MACROS)
    outs, state = machines.run_host(interpret_host, macro_set, inputs, limit)
    rows = (inputs.views, inputs.chosen, inputs.busy, inputs.done)
    after, (action, decided, before, running) = scan(
        macro_set, interpret_host.init_state(LANES), rows, limit
    )
    np.testing.assert_array_equal(action, np.stack([out.action for out in outs]))
    np.testing.assert_array_equal(decided, np.stack([out.decided for out in outs]))
    # What a macro acted in goes on in the next tick, but where an episode ended.
    np.testing.assert_array_equal(before[1:], np.where(inputs.done, 0, running)[:-1])
    running = np.asarray(state.slot) > 0
    for ours, theirs in zip(after, state, strict=True):
        np.testing.assert_array_equal(np.asarray(ours)[running], theirs[running])
    assert not in_scan._held, "what was held is given back"


def test_a_scan_gives_the_bits_of_a_loop_and_other_macros_compile_nothing():
    rng = random.Random(3)
    for seed, limit in ((0, 200), (1, 3)):
        check(link([worlds.program(random_program(rng)) for _ in range(MAX_MACROS)]), seed, limit)
    for source, reads in ((WALK, False), (SEE, True)):
        macro_set = link([worlds.program(source)] * MAX_MACROS)
        assert reads_rays(macro_set) == reads
        check(macro_set, 2, 200)
    assert len(TRACES) == 1


def test_rays_are_sent_to_macros_alone_that_read_them(monkeypatch: pytest.MonkeyPatch):
    sent = []
    tick = interpret_host.tick
    monkeypatch.setattr(
        interpret_host, "tick", lambda *given: sent.append(given[2].shape[1]) or tick(*given)
    )
    check(link([worlds.program(WALK)]), 0, 200)
    assert set(sent[machines.TICKS :]) == {sensors.RAY_BLOCKS}
    check(link([worlds.program(SEE)]), 0, 200)
    assert sent[-1] == sensors.VIEW_SIZE


def test_too_few_threads_are_one_clear_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NPROC", "8")
    in_scan.check_threads(7)
    with pytest.raises(ValueError, match="needs 9 threads of XLA, and there are 8. Set NPROC=9"):
        in_scan.check_threads(8)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    in_scan.check_threads(8)
