"""The pass over a function's instructions: fewer of them, the same actions and lines."""

import random

import numpy as np
import pytest

from rlgpt_jax.macros.compiler.passes import peephole
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, Program, link
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import machines, worlds
from tests.macros.programs import random_program

LANES, TICKS = 32, 20


def both(source: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Program, Program]:
    """Compiles a source without and with the pass."""
    with monkeypatch.context() as patch:
        patch.setattr(peephole, "improve", lambda f: None)
        plain = worlds.program(source)
    return plain, worlds.program(source)


def operations(program: Program) -> list[str]:
    return [bc.OPERATIONS[op] for op in program.code[:, 0]]


def comparable(*traces: machines.Trace) -> np.ndarray:
    """Returns bool[T, N]: no limit has ended a macro there so far; the pass may move those."""
    codes = np.stack([[out.trap_code for out in trace[0]] for trace in traces])
    limited = np.isin(codes, (bc.TRAP_STEPS, bc.TRAP_MEMORY)).any(axis=0)
    return ~np.logical_or.accumulate(limited, axis=0)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_do_the_same_with_and_without(seed, monkeypatch):
    rng = random.Random(seed)
    plain, short = zip(
        *[both(random_program(rng), monkeypatch) for _ in range(MAX_MACROS)], strict=True
    )
    assert sum(len(p.code) for p in short) < sum(len(p.code) for p in plain)
    views = np.stack([worlds.random_view(np.random.default_rng(seed + t), LANES)
                      for t in range(TICKS)])  # fmt: skip
    one, other = (
        machines.run_host(
            interpret_host, link(programs),
            machines.Inputs(np.random.default_rng(seed), views, MAX_MACROS),
        )
        for programs in (plain, short)
    )  # fmt: skip
    lanes = comparable(one, other)
    assert lanes.mean() > 0.4
    for t, (a, b) in enumerate(zip(one[0], other[0], strict=True)):
        for name, x, y in zip(a._fields, a, b, strict=True):
            np.testing.assert_array_equal(x[lanes[t]], y[lanes[t]], err_msg=f"tick {t}: {name}")


CASES = {
    # A result goes where it is wanted.
    "a, b = obs.x, obs.y\n    yield turn(a, b)": ("move", 1),
    # A test and the jump on it.
    "low = obs.x < 3\n    yield forward() if low else back()": ("lt", 0),
    # What was asked before in this tick is not asked again.
    'r = obs.nearest("log")\n    if obs.nearest("log").distance < 3:\n        yield back()\n'
    "    yield turn(r.yaw)": ("nearest", 1),
    "yield turn(obs.yaw - 90, obs.yaw + 90)": ("field", 1),
    "b = 2\n    if obs.yaw > 0:\n        b = 1\n    yield turn(obs.yaw, b)": ("field", 1),
    # What is rounded is not rounded again; a block is a name.
    "yield turn(15 * int(round(obs.yaw / 15)))": ("trunc", 0),
    'if "log" in obs.block(0, 0, 0):\n        yield attack()': ("jtag", 0),
}


@pytest.mark.parametrize("body", CASES)
def test_needless_instructions_go(body, monkeypatch):
    plain, short = both(f"def macro(obs):\n    {body}\n", monkeypatch)
    operation, count = CASES[body]
    assert operations(short).count(operation) == count < operations(plain).count(operation)
    assert len(short.lines) == len(short.code) < len(plain.code)


def test_after_a_tick_the_view_is_read_again(monkeypatch):
    source = """
def macro(obs):
    r = obs.nearest("log")
    obs = yield turn(obs.yaw)
    obs = yield turn(obs.yaw)
    while obs.nearest("log").distance > 3:
        obs = yield turn(obs.yaw)
    yield turn(r.yaw)
"""
    plain, short = both(source, monkeypatch)
    for name in ("field", "nearest"):
        assert operations(short).count(name) == operations(plain).count(name)


def test_a_rounded_number_may_be_too_large_for_a_range(monkeypatch):
    source = "def macro(obs):\n    for k in range(int(1e20 * obs.life)):\n        yield jump()\n"
    for program in both(source, monkeypatch):
        assert {"trunc", "whole"} <= set(operations(program))


def test_traps_keep_their_line(monkeypatch):
    source = """
def macro(obs):
    a = obs.x
    if a < 1e9 and not a > 1e9:
        b = a
        c = 1 / (b - a)
    obs = yield forward()
"""
    view = worlds.random_view(np.random.default_rng(0), 2)
    for program in both(source, monkeypatch):
        state = interpret_host.init_state(2)
        ones, never = np.ones(2, np.int32), np.zeros(2, bool)
        _, out = interpret_host.tick(link([program]), state, view, ones, never)
        assert (out.trap_code[0], out.trap_line[0]) == (bc.TRAP_DIVIDE, 6)


def test_unreachable_code_goes_and_jumps_go_where_they_end(monkeypatch):
    source = """
def macro(obs):
    while True:
        if obs.x > 0:
            if obs.y > 0:
                obs = yield forward()
            else:
                obs = yield back()
        else:
            obs = yield left()
    obs = yield right()
"""
    plain, short = both(source, monkeypatch)
    assert operations(short).count("yield") == 3 == operations(plain).count("yield") - 1
    goals = [row[1] for row in short.code.tolist() if row[0] == bc.JUMP]
    assert all(short.code[goal, 0] != bc.JUMP for goal in goals)
