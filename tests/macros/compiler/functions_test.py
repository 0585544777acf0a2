"""Functions of every sort, states and tests mean what they mean in Python."""

import pytest

from rlgpt_jax.macros import language
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from tests.macros.compiler import python_meaning

# Whole programs; the macro is `macro`.
PROGRAMS = {
    "generator expressions": """
def at(obs, dx, dy, dz):
    return obs.block(dx, dy, dz)

def total(xs, start=0):
    n = start
    for x in xs:
        n += x
    return n

def spread(xs):
    return max(xs) - 20

def macro(obs):
    low, feet, head = (at(obs, 1, dy, 0) for dy in (-1, 0, 1))
    obs = yield turn(yaw=15 * (low == feet), pitch=15 * (head == "stone"))
    first, *rest = (dy * 2 for dy in range(4))
    [a, b] = (n + first for n in rest if n > 2)
    obs = yield turn(yaw=15 * (a - b), pitch=15 * len(rest))
    n = total([x for x in rest], start=1) + total(rest[:2])
    obs = yield turn(yaw=n, pitch=spread([x * x for x in rest]))
    near = min((r.distance for r in obs.rays if r.distance < 60), default=30)
    obs = yield turn(yaw=near)
    for x in (x for x in range(9) if x % 2):
        obs = yield turn(yaw=15 * x)
""",
    "lambda": """
base = lambda x, k=2: x * k

def macro(obs):
    scale = 3
    near = lambda x: abs(x - scale) < 2
    steps = [lambda: turn(yaw=15), lambda: turn(pitch=15), forward]
    for step in steps:
        obs = yield step()
    ops = {"plus": lambda a, b: a + b, "minus": lambda a, b=1: a - b}
    obs = yield turn(yaw=15 * ops["plus"](2, 3), pitch=15 * ops["minus"](4))
    for name in ("plus", "minus"):
        obs = yield turn(yaw=15 * ops[name](5, 2))
    scale = 5
    obs = yield turn(yaw=15 * near(6), pitch=15 * near(2))
    obs = yield turn(yaw=15 * (lambda a, b: a - b)(7, 3), pitch=15 * base(2, k=1))
    best = max((1, 4, 2), key=lambda v: -abs(v - scale))
    obs = yield turn(yaw=15 * best, pitch=15 * sorted((3, 1, 2), key=lambda v: -v)[0])
""",
    "defaults": """
LIMIT = 4

def count(x, most=LIMIT + 1, into=None):
    if into is None:
        into = [1]
    into[0] += 1
    return min(x, most) + into[0]

def macro(obs):
    start = obs.x
    def moved(o, since=None, scale=2):
        return (o.x - (start if since is None else since)) * scale
    obs = yield turn(yaw=15 * count(3), pitch=15 * count(9))
    obs = yield turn(yaw=moved(obs), pitch=moved(obs, 0, scale=1))
    obs = yield turn(yaw=15 * count(1, into=[7]))
""",
    "keywords": """
def plan(a, b=2, *, c=3, d):
    return a + 10 * b + 100 * c + 1000 * d

def macro(obs):
    for n in (plan(1, d=4), plan(1, 5, d=6, c=7), plan(b=1, a=2, d=3)):
        obs = yield turn(yaw=15 * (n % 10), pitch=15 * (n // 10 % 10))
        obs = yield turn(yaw=15 * (n // 100 % 10), pitch=15 * (n // 1000))
    f = plan
    n = f(1, d=2)
    obs = yield turn(yaw=15 * (n // 1000), pitch=15 * (n % 7))
""",
    "stars": """
def total(*numbers, start=0):
    for n in numbers:
        start += n
    return start

def named(**given):
    return given.get("a", 0) - given.get("b", 0)

def both(first, *rest, **options):
    return first + len(rest) + options.get("more", 0)

def words(*names, last="log"):
    return ("stone" in names) + 2 * (last in names) + 4 * any("ir" in n for n in names)

def place_of(dx, dy, dz=1):
    return dx + 2 * dy + 4 * dz

def macro(obs):
    obs = yield turn(yaw=15 * total(), pitch=15 * total(1, 2, 3))
    obs = yield turn(yaw=15 * named(a=5, b=2), pitch=15 * both(1, 5, 6, more=2))
    cell = (1, 0, 2)
    obs = yield turn(yaw=15 * place_of(cell[0], cell[2]))
    obs = yield turn(yaw=15 * words("air", "log"), pitch=15 * words("stone", obs.held))
    options = {"yaw": 45}
    if obs.on_ground:
        options["pitch"] = 15
    obs = yield turn(**options)
    obs = yield forward(**{"jump": obs.in_water})
    obs = yield turn(yaw=15 * max(cell), pitch=15 * total(1, 2, 4))
""",
    "plans": """
def macro(obs):
    plan = [(turn, {"yaw": 90}), (forward, {"jump": True}), (back, {}), (turn, {"pitch": -15}),
            (left, {})]
    for fn, kw in plan:
        obs = yield fn(**kw)
    steps = [(turn, 30), (craft, "planks"), (turn, 45)]
    while steps:
        fn, arg = steps.pop(0)
        obs = yield fn(arg)
    for item, act in (("log", equip), ("stone_pickaxe", equip), ("crafting_table", place)):
        obs = yield act(item)
    act = turn if obs.on_ground else forward
    obs = yield act()
    obs = yield forward(True)
    if act is turn and act != forward:
        obs = yield act(pitch=30)
    by_name = {"turn": turn, "jump": jump, "go": forward}
    for key in ("go", "jump", "turn"):
        obs = yield by_name[key]()
    do = max if obs.in_water else min
    obs = yield turn(yaw=15 * do(1, 2), pitch=15 * do((3, 4, 5)))
    obs = yield turn(yaw=15 * sum(map(abs, (-1, 2))), pitch=15 * max((-3, 2), key=abs))
""",
    "outer names of values": """
def until(obs, done, step, most=5):
    for _ in range(most):
        if done(obs):
            break
        obs = yield step()
    return obs

def first(obs):
    start = obs.x
    obs = yield from until(obs, lambda o: o.x > start + 10, forward)
    return obs

def second(obs):
    limit = 8
    z0 = obs.z
    def far(o):
        return abs(o.z - z0) > limit
    obs = yield from until(obs, far, step=lambda: turn(yaw=15 * (limit - 5)), most=limit)
    limit = 2
    obs = yield from until(obs, far, back)
    return obs

def macro(obs):
    obs = yield from first(obs)
    obs = yield from second(obs)
    count = 0

    def bump(by):
        nonlocal count
        count += by
        return count

    for f in (bump, lambda by: count - by):
        obs = yield turn(yaw=15 * f(2), pitch=15 * count)
    obs = yield from until(obs, lambda o: bump(1) > 5, jump)
""",
    "generators as values": """
def walk(obs, n=2):
    for _ in range(n):
        obs = yield forward()
    return obs

def spin(obs, n=1):
    for _ in range(n):
        obs = yield turn(yaw=90)
    return obs

def run(obs, part, n):
    obs = yield from part(obs, n)
    return obs

def macro(obs):
    for part in (walk, spin):
        obs = yield from part(obs)
    obs = yield from run(obs, spin, 2)
    later = spin if obs.on_ground else walk
    obs = yield from later(obs)
    parts = {"go": walk, "look": spin}
    obs = yield from parts["look"](obs, n=2)
    obs = yield turn(pitch=15 * round(obs.x) % 90)
""",
    "recursion": """
def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)

def even(n):
    return n == 0 or odd(n - 1)

def odd(n):
    return n != 0 and even(n - 1)

def shuttle(obs, n):
    if n == 0:
        return obs
    obs = yield turn(yaw=15 * n)
    obs = yield from shuttle(obs, n - 1)
    obs = yield turn(pitch=15 * n)
    return obs

def macro(obs):
    obs = yield turn(yaw=15 * fact(3), pitch=15 * even(4))
    obs = yield from shuttle(obs, 3)
    def depth(t):
        return 1 + max([depth(x) for x in t], default=0)
    obs = yield turn(yaw=15 * depth((((), ()), ())))
""",
    "global and nonlocal": """
total = 0

def note(n):
    global total, last
    total += n
    last = n

def macro(obs):
    state = "search"
    hits = 0
    def step():
        nonlocal state, hits
        def inner():
            nonlocal hits
            hits += 2
        inner()
        state = "found" if hits > 3 else state
    note(3)
    step()
    obs = yield turn(yaw=15 * total, pitch=15 * hits)
    step()
    note(1)
    obs = yield turn(yaw=15 * total, pitch=15 * (state == "found"))
    obs = yield turn(yaw=15 * last)
""",
    "states": """
def macro(obs):
    state = "search"
    n = 0
    while (n := n + 1) < 9:
        match state:
            case "search" | "scan" if n > 1:
                state = "turn"
                obs = yield turn(yaw=15)
            case "search":
                obs = yield noop()
            case "turn":
                state = "walk"
                obs = yield turn(pitch=15)
            case other:
                state = "search" if other == "walk" else "end"
                obs = yield forward()
    for item in (None, 7, "log", 3):
        match item:
            case None:
                obs = yield jump()
            case 3 | 7 as n if n > 5:
                obs = yield turn(yaw=15 * n)
            case "log":
                obs = yield left()
            case _:
                obs = yield right()
    match obs.count("log") % 3:
        case 0:
            obs = yield turn(yaw=30)
        case n:
            obs = yield turn(yaw=15 * n)
""",
    "walrus and conditions": """
def macro(obs):
    if (n := round(obs.life) % 5) > 2 and (m := n + 1):
        obs = yield turn(yaw=15 * n, pitch=15 * m)
    x = 3
    y = x + (x := 5) * x
    obs = yield turn(yaw=15 * (y - 25), pitch=15 * x)
    z = 1
    if z < (z := 2) and (z, (z := 5)) == (2, 5):
        obs = yield turn(yaw=15 * z)
    found = [k for k in range(4) if (last := k * 2) > 2]
    obs = yield turn(yaw=15 * len(found), pitch=15 * last)
    x = 2
    z = 1 if x > 3 else 2 if x > 1 else 3
    obs = yield turn(yaw=15 * z, pitch=15 * (obs.on_ground is True or not x is None))
    n = 0
    while n < 3:
        n += 1
        if n == 7:
            break
    else:
        n = 8
    obs = yield turn(yaw=15 * n)
    assert n == 8, "never"
    if 1 < n <= 8 != 9 and not (n in (1, 2)):
        obs = yield jump()
""",
    "bits": """
def macro(obs):
    for a, b in ((6, 3), (-6, 3), (5, -4), (-1, -8), (0, 9), (1000, 77)):
        obs = yield turn(yaw=15 * ((a & b) % 12), pitch=15 * ((a | b) % 12))
        obs = yield turn(yaw=15 * ((a ^ b) % 12), pitch=15 * (~a % 12))
    obs = yield turn(yaw=15 * (1 << 3), pitch=15 * (-9 >> 1))
    flags = 0
    flags |= 4
    flags ^= 6
    flags <<= 2
    obs = yield turn(yaw=15 * flags)
    both = (obs.x > 0) & (obs.z > 0)
    one = (obs.x > 0) ^ bool(obs.on_ground) | (obs.z > 3)
    obs = yield turn(yaw=15 * both, pitch=15 * bool(one))
""",
    "numbers": """
import math as m
from math import floor as down, sqrt as root, pi, hypot

def macro(obs):
    obs = yield turn(yaw=15 * (-7 // 3), pitch=15 * (-7 % 3))
    obs = yield turn(yaw=15 * pow(2, 3), pitch=15 * round(m.pow(4, 0.5)))
    obs = yield turn(yaw=round(1234.5, -2) / 10, pitch=10 * round(1.26, 1))
    obs = yield turn(yaw=15 * down(2.7), pitch=15 * m.trunc(-2.7))
    nothing = float("nan")
    obs = yield turn(yaw=15 * (nothing != nothing), pitch=root(2) * 45)
    obs = yield turn(yaw=15 * max(True, 0), pitch=15 * hypot(3, 4))
    obs = yield turn(yaw=15 * abs(-3) + m.fabs(-15), pitch=m.degrees(pi / 6))
""",
    "annotations": """
from __future__ import annotations
from typing import Optional, Callable

LIMIT: int = 3

def near(a: float | None, b: Optional[float] = None) -> bool:
    found: bool
    found = a is not None and b is None
    return found

def macro(obs: "Obs") -> None:
    step: Callable = forward
    for _ in range(LIMIT):
        obs = yield step()
    obs = yield turn(yaw=15 * near(3), pitch=15 * near(None))
""",
    "what cannot fail": """
def macro(obs):
    def held(o):
        try:
            return o.held
        except AttributeError:
            return ""
    try:
        n = obs.count("log")
    except Exception as error:
        n = 0
    try:
        obs = yield turn(yaw=15 * n)
    except (StopIteration, GeneratorExit):
        return
    finally:
        n += 1
    obs = yield turn(yaw=15 * n, pitch=15 * (held(obs) == "log"))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_acts_as_it_does_in_python(name):
    python_meaning.check(PROGRAMS[name])


# A program, and one that does the same in Python as it is run here.
SAME = {
    "giving up": (
        """
def check(obs):
    assert obs.life > 8, f"life is {obs.life}"
    if obs.food < 5:
        raise RuntimeError("hungry")
    return obs

def macro(obs):
    for _ in range(6):
        obs = yield forward()
        check(obs)
    raise StopIteration
""",
        """
def macro(obs):
    for _ in range(6):
        obs = yield forward()
        if obs.life <= 8 or obs.food < 5:
            return
""",
    )
}


@pytest.mark.parametrize("name", SAME)
def test_a_program_acts_as_another_one_does_in_python(name):
    python_meaning.check(*SAME[name])


ONE = "def macro(obs):\n    obs = yield forward()\n    "
# Text -> (line, part of the reason, part of the advice)
REFUSED = {
    ONE + "class A:\n        pass": (3, "classes", "dictionary"),
    ONE + "with obs:\n        pass": (3, "with is", "without it"),
    ONE + "try:\n        x = 1 / obs.x\n    except ZeroDivisionError:\n        x = 0": (
        3, "try/except", "n != 0"),
    ONE + "try:\n        x = [1][3]\n    except IndexError:\n        x = 0": (
        3, "try/except", "len(xs)"),
    ONE + "try:\n        raise StopIteration\n    except StopIteration:\n        pass": (
        3, "try/except", "test first"),
    "@cache\ndef f(x):\n    return x\n" + ONE + "f(1)": (1, "decorators", "plain def"),
    "import functools\n" + ONE + "pass": (1, "import of functools", "write a def"),
    ONE + "g = macro(obs)\n    x = next(g)": (3, "generator function", "yield from"),
    ONE + "for x in macro(obs):\n        pass": (3, "generator function", "yield from"),
    "def make(n):\n    def f(x):\n        return x + n\n    return f\n" + ONE + "f = make(1)": (
        4, "is gone then", "parameter"),
    ONE + "fs = [lambda: i for i in range(3)]": (3, "inside a comprehension reads i", "argument"),
    ONE + "f = lambda: (yield noop())": (3, "yield inside a lambda", "def"),
    "import time\n" + ONE + "time.sleep(1)": (1, "import of time", "tick"),
    "import numpy as np\n" + ONE + "x = np.pi": (1, "import of numpy", "math"),
    "from collections import namedtuple\n" + ONE + "P = namedtuple('P', 'x z')": (
        4, "namedtuple", "tuple"),
    ONE + "def f(x):\n        return 1\n    def f(x):\n        return 2": (
        5, "defined twice", "its own name"),
    ONE + "def f(x, xs=[1]):\n        return x": (3, "has to be a constant", "xs=None"),
    ONE + "yield from [jump()]": (3, "call of a helper", "yield from helper"),
    ONE + "x = obs.x ** 1.5": (3, "powers are whole", "sqrt"),
    ONE + "x = math.log(3)": (3, "log is not part", "table"),
    ONE + "x = random.gauss(0, 1)": (3, "random.gauss", "uniform"),
    ONE + "x = randnt(0, 1)": (3, "randnt is not known", "randint"),
    ONE + "pick = choice": (3, "random.choice cannot be a value", "helper"),
    ONE + "for i in range(inf):\n        pass": (3, "whole numbers", "while True"),
    ONE + "for i in range(1, math.nan):\n        pass": (3, "whole numbers", "while True"),
    ONE + "n = obs.inventory['log']": (3, "no field inventory", "obs.count("),
    ONE + "n = obs['inventory']": (3, "name in it", "obs.count("),
    ONE + "n = obs.inventory.log": (3, "no field inventory", "obs.count("),
    ONE + "n = obs.inventory['log'].count": (3, "no field inventory", "obs.count("),
    ONE + "x = isinstance(obs.x, int)": (3, "isinstance is not", "None"),
    ONE + "match obs:\n        case {'x': 1}:\n            pass": (4, "pattern", "if/elif"),
    ONE + "x = getattr(obs, obs.held)": (3, "getattr is not", "obs.x"),
    ONE + "x = 1j ** (obs.yaw / 90)": (3, "complex", "sin, cos and two variables"),
    ONE + "x = obs.x.real": (3, "complex", "sin, cos and two variables"),
    ONE + "g = (x for x in [1])\n    y = next(g) + next(g)": (3, "stands alone", "list"),
    ONE + "print((yield noop()))": (3, "print does nothing", "line of its own"),
    "def f(*a):\n    return 1\n" + ONE + "x = f(*[obs.x])": (5, "* in calls", "one by one"),
}  # fmt: skip


@pytest.mark.parametrize("source", REFUSED, ids=lambda s: s.split("\n")[-1].strip()[:40])
def test_what_is_outside_is_refused_with_line_reason_and_advice(source):
    line, reason, advice = REFUSED[source]
    refusal = parse_macro(source, "macro", "full")
    assert isinstance(refusal, Refusal)
    assert (refusal.line, True, True) == (
        line,
        reason in refusal.reason,
        advice in refusal.instead,
    ), refusal


def test_recursion_without_an_end_is_a_trap():
    source = "def f(n):\n    return f(n + 1)\ndef macro(obs):\n    yield turn(yaw=f(0))\n"
    assert python_meaning.trap_of(source) == "line 2: calls nested too deeply"


def test_a_call_of_a_value_that_fits_no_function_is_a_trap():
    source = "def f(a, b=1):\n    return a\ndef macro(obs):\n    g = f if obs.x < 999 else jump\n"
    assert "wrong number" in python_meaning.trap_of(source + "    yield turn(yaw=g(1, 2, 3))\n")


@pytest.mark.parametrize("imported", ["", "import random\n", "from random import *\n",
                                      "from random import choice\n"])  # fmt: skip
def test_functions_of_random_need_no_module(imported):
    body = "def macro(obs):\n    obs = yield turn(yaw=15 * {0}choice((1, 2)) + {0}uniform(0, 5))\n"
    body += "    if {0}random() < 0.5:\n        obs = yield turn(pitch=15 * {0}randint(1, 3))\n"
    sources = ("import random\n" + body.format("random."), imported + body.format(""))
    longest = max(map(len, sources))  # what is seen depends on the length
    named, bare = (python_meaning.host_actions(s.ljust(longest, "#")) for s in sources)
    assert bare == named


@pytest.mark.parametrize("own", [
    "def choice(xs):\n    return 3\n\ndef macro(obs):\n    obs = yield turn(yaw=15 * choice(9))\n",
    "def macro(obs):\n    random = lambda: 2\n    obs = yield turn(yaw=15 * random())\n",
    "uniform = 4\ndef macro(obs, randint=3):\n    yield turn(yaw=uniform, pitch=15 * randint)\n",
])  # fmt: skip
def test_what_the_author_calls_like_a_function_of_random_is_his(own):
    python_meaning.check(own)


def test_a_fault_of_the_compiler_is_a_refusal_that_says_so(monkeypatch):
    def broken(*args):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(language, "compile_program", broken)
    refusal = language.parse_macro("def macro(obs):\n    yield noop()\n")
    assert isinstance(refusal, Refusal)
    assert "fault of ours" in refusal.reason and "on purpose" in refusal.reason
    assert "in broken" in refusal.fault and "Traceback" not in refusal.describe()


def test_random_numbers_are_those_of_the_range():
    source = """
import random
from random import choice

def macro(obs):
    for _ in range(20):
        n = random.randint(-2, 3)
        x = random.random()
        y = random.uniform(10, 20)
        z = random.randint(0, 3)
        word = choice(["log", "stone"])
        items = [1, 2, 3]
        random.shuffle(items)
        good = -2 <= n <= 3 and n == int(n) and 0 <= x < 1 and 10 <= y <= 20 and z in (0, 1, 2, 3)
        good = good and word in ("log", "stone") and sum(items) == 6 and len(set(items)) == 3
        obs = yield turn(yaw=15 * (n + 2) if good else -90, pitch=15 * z)
"""
    actions = python_meaning.host_actions(source)
    yaws = {action[4] for lane in actions for action in lane}
    assert yaws == {12, 13, 14, 15, 16, 17}
    assert len({tuple(map(tuple, lane)) for lane in actions}) == len(actions)
