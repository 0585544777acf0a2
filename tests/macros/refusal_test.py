"""What is outside the language comes back as a refusal with line, reason and advice."""

import time

import pytest

from rlgpt_jax.macros import bytecode
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal

ONE = "def macro(obs):\n    obs = yield forward()\n    "

# Text -> (line, part of the reason, part of the advice)
OUTSIDE = {
    "import os\ndef macro(obs):\n    yield noop()": (1, "import", "math"),
    "from random import random\ndef macro(obs):\n    yield noop()": (1, "import", "math"),
    ONE + "__import__('os').system('id')": (3, "no method system", "obs has"),
    ONE + "obs.__class__.__bases__": (3, "no field __", "obs has"),
    ONE + "x = obs.healt": (3, "no field healt", "held"),
    ONE + "x = obs.count": (3, "count is a function", "obs.count("),
    ONE + "__import__('os')": (3, "__import__", "imported"),
    ONE + "x = eval('1')": (3, "eval", "macros get only obs"),
    ONE + "x = {1: 2}": (3, "dictionaries", "tuple of pairs"),
    ONE + "x = (1, 2)[0:1]": (3, "slices", "range"),
    ONE + "try:\n        x = 1\n    except Exception:\n        x = 2": (3, "try", "test first"),
    ONE + "x = f'{obs.x}'": (3, "f-strings", "=="),
    ONE + "f = lambda r: r": (3, "lambda", "def"),
    ONE + "x = 'a' + 'b'": (3, "cannot be put together", "=="),
    ONE + "obs = yield craft('wooden_pikaxe')": (3, "cannot be crafted", "wooden_pickaxe"),
    ONE + "obs = yield craft(3)": (3, "name in quotes", "log"),
    ONE + "obs = yield forwards()": (3, "forwards is not known", "forward"),
    ONE + "obs = yield forward(3, 4, 5)": (3, "3 arguments", "forward(jump"),
    ONE + "obs = yield turn(left=15)": (3, "no free parameter left", "turn(yaw, pitch)"),
    ONE + "forward()": (3, "alone does nothing", "obs = yield forward"),
    ONE + "obs = yield from forward()": (3, "not a generator", "obs = yield forward"),
    ONE + "obs = yield 3": (3, "yield needs an action", "forward()"),
    ONE + "x = obs.block(0, -2, 0)": (3, "one block around", "-1, 0 or 1"),
    ONE + "x = obs.near('bed')": (3, "knows no", "crafting_table"),
    ONE + "x = yy + 1": (3, "yy is not known", "assign it first"),
    ONE + "obs.x = 3": (3, "cannot be assigned", "variable"),
    ONE + "x, y = 1, 2, 3": (3, "3 values for 2 names", "one value"),
    ONE + "class A: pass": (3, "classes", "tuples"),
    ONE + "break": (3, "outside of a loop", "return"),
    ONE + "x = sorted([1])": (3, "sorted", "min(items"),
    "def macro(obs):\n    x = 1": (1, "never yields", "obs = yield"),
    "def macro():\n    yield noop()": (1, "must take one argument", "def macro(obs)"),
    "def go(obs):\n    obs = yield from go(obs)\n\ndef macro(obs):\n    yield from go(obs)": (
        1, "calls itself", "loop"),
    "def h(obs):\n    yield noop()\n\ndef macro(obs):\n    h(obs)\n    yield noop()": (
        5, "h is a generator", "yield from h"),
    "def h(obs):\n    yield noop()\n\ndef macro(obs):\n    obs = yield h(obs)": (
        5, "h is a generator", "yield from h"),
    "def h(obs):\n    return 1\n\ndef macro(obs):\n    yield noop()\n    yield from h(obs)": (
        6, "never yields", "without yield from"),
    "def macro(obs):\n    yield noop()\n  x = 1": (3, "not valid Python", "complete Python"),
    "": (0, "no function", "def NAME(obs)"),
    "while True:\n    pass\ndef macro(obs):\n    yield noop()": (1, "outside of functions", "move"),
}  # fmt: skip


@pytest.mark.parametrize("source", OUTSIDE, ids=lambda s: s.split("\n")[-1].strip()[:40])
def test_what_is_outside_is_refused_with_line_reason_and_advice(source):
    line, reason, advice = OUTSIDE[source]
    refusal = parse_macro(source, None if source.startswith("def go") else "macro" if (
        "def macro" in source) else None, "full")
    assert isinstance(refusal, Refusal)
    assert (refusal.line, True, True) == (
        line, reason in refusal.reason, advice in refusal.instead
    ), refusal
    assert refusal.reason in refusal.describe() and refusal.instead in refusal.describe()
    if line:
        assert refusal.source_line == source.split("\n")[line - 1]


DEEP = 5_000
HOSTILE = {
    "brackets": ONE + "x = " + "(" * DEEP + ")" * DEEP,
    "minus signs": ONE + "x = " + "-" * 60_000 + "1",
    "not": ONE + "x = " + "not " * 10_000 + "1",
    "sum": ONE + "x = " + "1+" * 30_000 + "1",
    "attributes": ONE + "x = obs" + ".x" * 30_000,
    "calls": ONE + "x = obs" + "()" * 30_000,
    "comparisons": ONE + "x = " + "1<" * 20_000 + "1",
    "conditions": ONE + "x = " + "1 if 1 else " * 5_000 + "1",
    "elif": ONE + "if obs.x:\n        pass\n" + "    elif obs.y:\n        pass\n" * 2_500,
    "blocks": "def macro(obs):\n"
    + "".join(" " * i + "if obs.x:\n" for i in range(1, 300))
    + " " * 300 + "yield noop()",
    "functions": "".join(" " * i + "def f(obs):\n" for i in range(90)) + " " * 90 + "yield noop()",
    "huge int": ONE + "x = " + "9" * 60_000,
    "large int": ONE + "x = " + "9" * 4_000,
    "power": ONE + "x = 9 ** 9 ** 9 ** 9\n    x = 2 ** 100000000",
    "repeat": ONE + "x = [0] * 1000000000",
    "repeat tuple": ONE + "x = (0,) * 1000000000",
    "null byte": ONE + "x = 1\0",
    "surrogate": ONE + "x = '\ud800'",
    "bidi": ONE + "\u202e x = 1",
    "unicode name": ONE + "ｅxec = 1\n    ﹍x = ｅval('1')",
    "long string": ONE + "x = '" + "a" * 60_000 + "'",
    "many names": ONE + "\n    ".join(f"x{i} = {i}" for i in range(3_000)),
    "many constants": ONE + "x = (" + ",".join(map(str, range(9_000))) + ")",
    "many functions": "\n".join(f"def f{i}(obs):\n yield noop()" for i in range(1_000))
    + "\ndef macro(obs):\n" + "\n".join(f" yield from f{i}(obs)" for i in range(1_000)),
    "call chain": "def f0(obs):\n    yield noop()\n"
    + "".join(f"def f{i}(obs):\n    yield from f{i - 1}(obs)\n" for i in range(1, 20)),
    "instructions": ONE + "\n    ".join(["obs = yield turn(obs.x, obs.y)"] * 2_000)
    + "\n    x = " + "+".join(["obs.x"] * 60) + ("\n    y = x*x*x*x*x" * 2_500),
    "too large": ONE + "# " + "x" * 70_000,
    "carriage returns": "\r" * 60_000,
    "form feeds": "\f" * 60_000 + ONE + "pass",
    "backslashes": ONE + "\\\n" * 30_000,
    "nested comprehensions": ONE + "x = " + "[" * 40 + "1" + " for i in range(9)]" * 40,
    "generators": ONE + "x = sum(" * 20 + "[1]" + ")" * 20,
    "bytes": ONE + "x = b'abc'",
    "ellipsis": ONE + "x = ...",
    "complex": ONE + "x = 3j",
    "type comment": ONE + "x = 1 # type: ignore[" + "[" * 300,
    "star": ONE + "obs = yield forward(*obs.rays, **obs)",
    "walrus": ONE + "if (n := 3) > 2:\n        pass",
    "global obs": "def macro(obs):\n    global obs\n    yield noop()",
    "match": ONE + "match obs:\n        case 1:\n            pass",
    "async": "async def macro(obs):\n    yield noop()",
    "decorator": "@staticmethod\ndef macro(obs):\n    yield noop()",
    "defaults": "def f(a=f):\n    return a\n" + ONE + "x = f()",
    "assigned builtin": ONE + "range = 3\n    for i in range(3):\n        pass",
    "yield in list": ONE + "x = [(yield noop()) for i in range(3)]",
    "yield in lambda": ONE + "x = min([1], key=lambda r: (yield noop()))",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_or_harmless_and_never_slow(name):
    begin = time.process_time()
    result = parse_macro(HOSTILE[name], None, "full")
    assert time.process_time() - begin < 10, "took too long"
    if isinstance(result, bytecode.Program):
        assert len(result.code) <= bytecode.MAX_CODE
        assert name in MAY_PASS, f"{name} was accepted"
    else:
        assert result.reason and len(result.describe()) < 1_500


# Harmless when accepted: a bounded number of instructions, or traps when it runs.
MAY_PASS = {"power", "generators", "assigned builtin", "type comment", "unicode name", "form feeds",
            "many functions", "defaults"}  # fmt: skip


@pytest.mark.parametrize("field", ["obs.rays", 'obs.sees("cow")', 'obs.nearest("cow").distance'])
def test_rays_exist_only_at_level_full(field):
    source = f"def macro(obs):\n    if {field}:\n        obs = yield forward()\n"
    refusal = parse_macro(source, None, "paper")
    assert isinstance(refusal, Refusal) and refusal.line == 2 and "no rays" in refusal.reason
    assert isinstance(parse_macro(source, None, "full"), bytecode.Program)


def test_an_unknown_name_is_accepted_with_a_notice():
    program = parse_macro('def macro(obs):\n    if obs.count("oak_log"):\n        yield noop()\n')
    assert isinstance(program, bytecode.Program)
    assert len(program.notices) == 1 and 'line 2: nothing is called "oak_log"' in program.notices[0]


def test_the_named_function_is_the_macro_and_else_the_last_that_takes_obs():
    source = "".join(f"def {name}(obs):\n    yield noop()\n" for name in "ab")
    source += "def c(n):\n    return n\n"
    assert parse_macro(source, "a").name == "a"
    assert parse_macro(source).name == "b"
    missing = parse_macro(source, "d")
    assert isinstance(missing, Refusal) and "no function d" in missing.reason


def test_an_unknown_sensor_level_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="paper"):
        parse_macro("", None, "all")
