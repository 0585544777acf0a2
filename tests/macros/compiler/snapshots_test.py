"""Observations that are kept answer what they answered in their tick."""

import pytest

from rlgpt_jax.macros.vm import bytecode
from tests.macros import worlds
from tests.macros.compiler import python_meaning

PROGRAMS = {
    "questions": """
def macro(obs):
    for _ in range(5):
        prev = obs
        obs = yield forward()
        if obs.count("log") > prev.count("log") or prev.block(0, -1, 0) == "stone":
            obs = yield turn(yaw=15 * prev.count("log"), pitch=15 * (prev.held == obs.held))
        if prev.near("crafting_table") and not obs.near("crafting_table"):
            obs = yield jump()
        d = prev.nearest("cow").distance - obs.nearest("cow").distance
        obs = yield turn(yaw=15 * (d > 0), pitch=15 * prev.sees("sheep"))
""",
    "helpers and branches": """
def changed(old, new):
    return sum(old.block(dx, 0, dz) != new.block(dx, 0, dz) for dx in (-1, 0, 1) for dz in (0, 1))

def step(obs, n):
    before = obs
    for _ in range(n):
        obs = yield forward()
    return obs, before

def macro(obs):
    start = obs
    best = obs
    for k in range(4):
        obs, before = yield from step(obs, k)
        obs = yield turn(yaw=15 * changed(before, obs), pitch=15 * changed(start, obs) - 45)
        if obs.count("stick") > best.count("stick"):
            best = obs
        old = start if k % 2 else best
        obs = yield turn(yaw=15 * old.count("stick"), pitch=15 * (old.block(1, 0, 0) == "log"))
""",
    "in rows": """
def macro(obs):
    history = []
    last = {"obs": obs}
    for _ in range(4):
        history.append(obs)
        obs = yield back()
        old = history[-1]
        obs = yield turn(yaw=15 * (obs.count("planks") - old.count("planks")))
        obs = yield turn(yaw=15 * (last["obs"].count("log") - obs.count("log")))
        last["obs"] = obs
    pair = (obs, 3)
    obs = yield jump()
    obs = yield turn(yaw=15 * pair[0].count("log"), pitch=15 * sum(
        o.block(0, 1, 0) == "air" for o in history))
""",
    "nonlocal": """
def macro(obs):
    prev = None
    def step(action):
        nonlocal obs, prev
        prev = obs
        obs = yield action
        return obs.count("log") - prev.count("log") if prev is not None else 0
    for k in range(4):
        gain = yield from step(forward())
        yield from step(turn(yaw=15 * gain, pitch=15 * (prev.held == "log")))
    d = prev.x - obs.x
    yield from step(turn(yaw=15 * (d > 0)))
""",
    "no tick between": """
def maybe(obs, n):
    for _ in range(n):
        obs = yield forward()
    return obs

def macro(obs):
    for k in range(3):
        prev = obs
        obs = yield from maybe(obs, k % 2)
        same = [r.block for r in prev.rays if r.distance < 3] if k % 2 == 0 else []
        obs = yield turn(yaw=15 * (len(same) % 12), pitch=15 * prev.count("log"))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_acts_as_it_does_in_python(name):
    python_meaning.check(PROGRAMS[name])


def test_what_is_not_asked_later_costs_nothing():
    source = """
def macro(obs):
    for _ in range(9):
        x = obs.x
        obs = yield forward()
        if obs.count("log") > 3 and obs.block(0, 0, 0) == "stone" and obs.x > x:
            return
"""
    program = worlds.program(source)
    assert not {bytecode.JTAG, bytecode.JFIXED, bytecode.ALLOC} & set(program.code[:, 0].tolist())


def test_the_rays_of_an_old_observation_are_a_trap_with_words():
    source = """
def macro(obs):
    prev = obs
    obs = yield forward()
    if prev.x < obs.x + 999:
        obs = yield turn(yaw=len(prev.rays))
"""
    trap = python_meaning.trap_of(source)
    assert trap.startswith("line 6: an old observation or ray was read")


def test_compiling_again_says_nothing_twice():
    source = """
def macro(obs):
    prev = obs
    obs = yield forward()
    if prev.count("log") > obs.count("log"):
        raise ValueError
"""
    assert worlds.program(source).notices == ("line 6: raise ends the macro",)


def test_a_computed_name_asked_of_an_old_observation_is_a_trap_with_words():
    source = """
def macro(obs):
    prev = obs
    obs = yield forward()
    for name in ("log", "stone"):
        if prev.count(name) > 3:
            obs = yield jump()
"""
    assert python_meaning.trap_of(source).startswith("line 6: an old observation")
