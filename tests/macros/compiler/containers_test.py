"""Lists, tuples, dictionaries and sets mean the same in the macro language as in Python."""

import numpy as np
import pytest

from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import TRAP_INDEX, TRAP_KIND, TRAP_MEMORY, TRAP_OLD, TRAP_STEPS
from tests.macros import worlds
from tests.macros.compiler.container_programs import BODIES, HELPERS

LANES, TICKS = 3, 50


def source_of(name: str) -> str:
    return HELPERS + "\ndef macro(obs):" + BODIES[name] + "\n    obs = yield attack()\n"


@pytest.mark.parametrize("name", BODIES)
def test_a_program_with_containers_acts_as_it_does_in_python(name):
    acted = worlds.compared_with_python(source_of(name), len(name), LANES, TICKS)
    assert all(len(of_lane) > 4 for of_lane in acted)


# --- mistakes and limits ------------------------------------------------------------
TRAPS = {
    "missing key": ("d = {'a': obs.x}\n    y = d['b']", TRAP_INDEX),
    "missing key of a constant": ("d = {'log': 1, 'dirt': 2}\n    y = d[obs.held]", TRAP_INDEX),
    "popping a missing key": ("d = {}\n    d.pop(1)", TRAP_INDEX),
    "deleting a missing key": ("d = {1: obs}\n    del d[2]", TRAP_INDEX),
    "removing what is not there": ("xs = [1, obs.x]\n    xs.remove('log')", TRAP_INDEX),
    "removing from a set": ("s = {1}\n    s.remove(2)", TRAP_INDEX),
    "popping an empty list": ("xs = []\n    xs.pop()", TRAP_INDEX),
    "popping behind the end": ("xs = [1, 2]\n    xs.pop(2)", TRAP_INDEX),
    "index of what is not there": ("xs = [1]\n    y = xs.index(2)", TRAP_INDEX),
    "too few values for a star": ("a, b, *c = [1]", TRAP_INDEX),
    "popping from a tuple": ("xs = (1, obs.x)\n    xs.pop()", TRAP_KIND),
    "popping from a constant": ("xs = (1, 2, 3)\n    xs.pop()", TRAP_KIND),
    "clearing a constant": ("xs = (1, 2, 3)\n    xs.clear()", TRAP_KIND),
    "sorting in place of a tuple": ("xs = (2, 1, obs.x)\n    xs.sort()", TRAP_KIND),
    "items of a list": ("xs = [1]\n    y = [k for k, v in xs.items()]", TRAP_KIND),
    "a key of a number": ("x = obs.x\n    x.setdefault(1, 2)", TRAP_KIND),
    "adding to a list as a set": ("xs = [1]\n    xs.add(2)", TRAP_KIND),
    "sorting names and numbers": ("xs = sorted([1, None])", TRAP_KIND),
    "a list without end": ("xs = []\n    while True:\n        xs.append(1)", TRAP_MEMORY),
    "a set without end": ("s = set()\n    for k in range(900):\n        s.add((k, k))",
                          TRAP_MEMORY),
    "a dictionary without end": ("d = {}\n    for k in range(900):\n        d[k] = [k]",
                                 TRAP_MEMORY),
    "growing while iterating": ("d = {1: 1}\n    for k in d:\n        d[k + 1] = [1]",
                                TRAP_MEMORY),
    "a list that eats itself": ("xs = [1]\n    for x in xs:\n        xs.append(x)", TRAP_MEMORY),
    "searching without end": ("d = {k: 0 for k in range(50)}\n    while 1:\n        d[49] += 1",
                              TRAP_STEPS),
    "rays of an old tick": ("for r in obs.rays:\n        obs = yield noop()", TRAP_OLD),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_a_mistake_with_a_container_ends_the_macro_with_its_line(name):
    line, trap = TRAPS[name]
    source = f"def macro(obs):\n    {line}\n    obs = yield turn(yaw=15)\n"
    views = [worlds.random_view(np.random.default_rng(1), 1) for _ in range(3)]
    _, out = worlds.run_alone(source, views)
    assert out.ended[0] == bytecode.TRAPPED
    assert out.trap_code[0] == trap, bytecode.trap_message(out.trap_code[0], out.trap_line[0])
    assert out.trap_line[0] >= 2


EVERY_TICK = """
def macro(obs):
    total = 0
    old = []
    for t in range(199):
        d = {"x": obs.x, "cells": [t, t + 1], (t, 1): (t, t)}
        d["more"] = d["cells"] + [3]
        seen = {b for b in (obs.block(0, -1, 0), obs.block(0, 0, 0))}
        row = sorted([(t % 3, t), (1, 2), (0, 5)], key=lambda p: (-p[0], p[1]))
        old.append(row[0])
        if len(old) > 5:
            old.pop(0)
        queue = [r for r in obs.rays if r.block == "log"][:4]
        total += len(d) + len(seen) + len(queue) + old[-1][0]
        obs = yield turn(yaw=15 * (total % 12))
"""


def test_containers_made_anew_in_every_tick_never_run_out():
    rng = np.random.default_rng(5)
    views = [worlds.random_view(rng, 1) for _ in range(200)]
    actions, out = worlds.run_alone(EVERY_TICK, views)
    assert out.ended[0] == bytecode.RETURNED
    assert [a.tolist() for a in actions] == worlds.python_actions(EVERY_TICK, views, 0)


def test_a_list_that_shrinks_and_grows_keeps_its_room():
    source = """
def macro(obs):
    other = [7] * 3
    xs = [1, 2]
    for t in range(40):
        for k in range(t % 13):
            xs.append(k)
        for k in range(t % 7):
            if xs:
                xs.pop(0 if k % 2 else -1)
        if t % 11 == 0:
            xs.clear()
        other.append(t)
        obs = yield turn(yaw=15 * (sum(xs) % 12), pitch=15 * (sum(other) % 12))
"""
    assert all(worlds.compared_with_python(source, 6, lanes=1, ticks=60))


def test_a_program_without_dictionaries_has_no_code_for_them():
    body = "    xs = [obs.x, 2]\n    for x in xs:\n        obs = yield turn(yaw=x + xs[0])\n"
    plain = worlds.program("def macro(obs):\n" + body)
    assert bytecode.JTAG not in plain.code[:, 0]
    assert np.count_nonzero(plain.code[:, 0] == bytecode.CALL) == 1  # of the macro itself
    mixed = worlds.program("def macro(obs):\n    xs = {0: 1}\n    xs[1] = 2\n" + body)
    assert bytecode.JTAG in mixed.code[:, 0]


def test_what_never_changes_takes_no_memory():
    source = """
COSTS = {"stone": 3, "log": 1, "dirt": 2}
SOLID = ["stone", "dirt", "grass"]

def macro(obs):
    near = {"log", "log2", "leaves"}
    ways = [(0, 1), (1, 0)]
    for x, z in ways:
        b = obs.block(x, 0, z)
        if b in SOLID or b in near or b in COSTS:
            obs = yield turn(yaw=15 * COSTS.get(b, 0))
"""
    program = worlds.program(source, name="macro")
    assert bytecode.ALLOC not in program.code[program.lines > 0, 0]


REFUSED = {
    "xs = [1, 2]\n    xs[0:1] = [3]": "slices cannot be assigned",
    "d = {obs.x: 2}\n    ks = d.keys()": "can only be walked through",
    "xs = [1]\n    y = xs.pop(1, 2, 3)": "pop was given 3 arguments",
    "ys = sorted([1], lambda x: x)": "sorted takes one sequence",
    "from collections import deque\n    a = deque(maxlen=3)": "no free parameter maxlen",
    "from collections import Counter\n    a = Counter([1])": "Counter is not part",
    "ys = [*obs.rays, 1]": "* in front of a value",
    "y = map(lambda a, b: a, [1], [2])": "map takes a function and a sequence",
    "a, *b, *c = [1]": "two names with *",
    "y = {k: 1 for k in 5}": "cannot be iterated over",
    "ys = zip([1], [2])": "zip is not part of the language",
    "xs = [1]\n    del xs[::2]": "del of this is not part",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_the_language_leaves_out_is_named(line):
    source = f"def macro(obs):\n    {line}\n    obs = yield noop()\n"
    result = parse_macro(source, sensors="full")
    if line.startswith("a, *b, *c"):  # Python itself does not take this
        assert isinstance(result, Refusal) and result.line == 2
        return
    assert isinstance(result, Refusal), line
    assert REFUSED[line] in result.reason
    assert result.instead
