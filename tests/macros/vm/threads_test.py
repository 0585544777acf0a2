"""Threads share the lanes of the host interpreter: the results are those of one."""

import numpy as np
import pytest

from rlgpt_jax.macros.vm.bytecode import link
from rlgpt_jax.macros.vm.host import interpret_host, kernels
from tests.macros import worlds
from tests.macros.vm import machines

LANES, TICKS = 3 * interpret_host.BLOCK + 5, 6  # the last block is not full
SOURCE = """
def macro(obs):
    pairs = []
    while True:
        for r in obs.rays:
            if r.distance < 9:
                pairs = [(r.yaw, r.distance)]
        obs = yield turn(yaw=sum(r.yaw for r in obs.rays if r.block == "log"))
"""


@pytest.mark.parametrize("threads", [2, 3, 9])
def test_threads_give_the_results_of_one(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    macros = link([worlds.program(SOURCE)])
    rng = np.random.default_rng(threads)
    views = np.stack([worlds.random_view(rng, LANES) for _ in range(TICKS)])

    def trace(count: int) -> machines.Trace:
        monkeypatch.setattr(kernels, "num_threads", lambda: count)
        monkeypatch.setattr(interpret_host, "MANY_INSTRUCTIONS", -1)
        return machines.run_host(
            interpret_host, macros, machines.Inputs(np.random.default_rng(1), views, 1)
        )

    one, other = trace(1), trace(threads)
    machines.assert_same(one, other)
    assert np.stack([out.from_macro for out in one[0]]).mean() > 0.5


def test_few_instructions_wake_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    macros = link([worlds.program("def macro(obs):\n    while True:\n        yield jump()\n")])

    def none(count: int) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr(interpret_host, "helpers", none)
    monkeypatch.setattr(interpret_host, "_last_tick", [0])
    view = worlds.random_view(np.random.default_rng(0), LANES)
    state, ones = interpret_host.init_state(LANES), np.ones(LANES, np.int32)
    for _ in range(3):
        state, out = interpret_host.tick(macros, state, view, ones, np.zeros(LANES, bool))
    assert out.from_macro.all()
