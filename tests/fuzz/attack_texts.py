"""Texts that try to make a macro do more than act, by class of attack.

Each entry is a name and a whole source. Most try to reach Python's objects, files or
memory; some to make the compiler slow, some to keep the game waiting. What becomes of
them is in `attacks.py`.
"""


def body(*lines: str) -> str:
    """Returns a macro that acts once before and once after these lines."""
    inner = "".join(f"    {line}\n" for text in lines for line in text.split("\n"))
    return f"def macro(obs):\n    obs = yield forward()\n{inner}    obs = yield jump()\n"


def before(text: str) -> str:
    """Returns a macro with lines of the module above it."""
    return f"{text}\ndef macro(obs):\n    obs = yield forward()\n"


PAYLOAD = "__import__('os').system('echo owned')"
SUBCLASSES = "().__class__.__bases__[0].__subclasses__()"

ATTACKS: dict[str, dict[str, str]] = {
    "attributes": {
        "class of obs": body("x = obs.__class__.__mro__[-1].__subclasses__()"),
        "class of a tuple": body(f"x = {SUBCLASSES}"),
        "class of a name": body("x = 'log'.__class__.__base__"),
        "globals of a helper": before("def f(o):\n    return 1\nx = f.__globals__['os']"),
        "code of a helper": before("def f(o):\n    return 1\nf.__code__ = None"),
        "frame of a generator": body("x = (i for i in (1, 2)).gi_frame.f_back.f_globals"),
        "frame of a helper": before(
            "def g(obs):\n    yield noop()\nx = g(1).gi_frame.f_back.f_builtins"),
        "throw into a generator": before("def g(obs):\n    yield noop()\ng(1).throw(ValueError)"),
        "close and send": body("macro(obs).send(None)"),
        "math module": body("x = math.__loader__.load_module('os')"),
        "math spec": body("x = math.__spec__.loader"),
        "method of a number": body("x = (1).__add__(2).real"),
        "attribute by a name in brackets": body("x = obs['__class__']"),
        "getattr": body("x = getattr(obs, '__cl' + 'ass__')"),
        "setattr": body("setattr(obs, 'x', 1)"),
        "vars": body("x = vars(obs)", "y = dir(obs)", "z = type(obs)"),
        "assign to a field": body("obs.x = 5"),
        "assign to a function": before("def f(o):\n    return 1\nf.x = 1"),
        "bound method as a value": body("m = obs.count", "x = m.__self__"),
        "append as a value": body("a = [1].append", "a(2)"),
    },
    "builtins": {
        "eval": body(f"x = eval({PAYLOAD!r})"),
        "exec": body(f"exec({PAYLOAD!r})"),
        "compile": body(f"exec(compile({PAYLOAD!r}, 'x', 'exec'))"),
        "__import__": body(PAYLOAD),
        "__builtins__": body("x = __builtins__['eval']"),
        "builtins attribute": body("x = __builtins__.open('/etc/passwd')"),
        "open": body("x = open('/etc/passwd').read()"),
        "input": body("x = input()"),
        "breakpoint": body("breakpoint()"),
        "exit": body("exit(3)", "quit()"),
        "globals": body("globals()['turn'] = eval", "locals()['obs'] = 3"),
        "help and memoryview": body("help()", "x = memoryview(b'a')", "y = bytearray(10 ** 9)"),
        "print to a file": body("print('x', file=open('/tmp/owned', 'w'))"),
        "overwritten action": before("turn = eval\nforward = exec"),
        "overwritten range": before(
            "def range(n):\n    return eval\nfor_ = 1").replace(
                "    obs =", "    for i in range(3):\n        i('1')\n    obs ="),
        "builtin in a list": body("x = [eval, exec][0]('1')"),
        "eval as key": body("x = min(['1', '2'], key=eval)"),
        "eval mapped": body("x = list(map(eval, ['1']))"),
        "eval as a default": before("def f(a=eval):\n    return a('1')"),
        "routine of ours": body("x = _keep(obs)"),
        "view of ours": body("x = _cut([1], 500)", "y = _as_list(5)"),
        "debug name": body("x = __debug__", "y = __file__", "z = __name__"),
    },
    "imports": {
        "import os": before("import os"),
        "import as math": before("import os as math").replace(
            "    obs =", "    math.system('id')\n    obs ="),
        "from import": before("from os import system as forward"),
        "star import": before("from os import *"),
        "relative": before("from . import x\nfrom .. import y"),
        "star of math": before("from math import *\nx = sqrt(4)"),
        "future": before("from __future__ import annotations, barry_as_FLUFL"),
        "import in a function": body("import subprocess, sys", "sys.exit()"),
        "dotted": before("import os.path, math.os"),
        "importlib": before("import importlib\nimportlib.import_module('os')"),
        "module of the package": before("from rlgpt_jax.macros import language"),
        "numpy load": before("import numpy as np\nx = np.load('/tmp/x', allow_pickle=True)"),
        "random with a seed file": before("import random\nrandom.seed(open('/etc/passwd'))"),
        "attribute of random": before("import random\nx = random._os.system('id')"),
        "attribute of math import": before("import math\nx = math.sys.modules"),
    },
    "text": {
        "format of obs": body("x = '{0.__class__}'.format(obs)"),
        "format with an index": body("x = '{0[__class__]}'.format(obs)"),
        "format_map": body("x = '{a.__init__.__globals__}'.format_map({'a': obs})"),
        "f-string attribute": body("x = f'{obs.__class__}'"),
        "f-string call": body(f"x = f'{{{PAYLOAD!s}}}'".replace("'os'", '"os"').replace(
            "'echo owned'", '"id"')),
        "f-string conversion": body("x = f'{obs!r:>{10 ** 9}}'"),
        "percent": body("x = '%(a)1000000000s' % {'a': 1}"),
        "width": body("x = f'{1:1000000000}'"),
        "f-string nested": body("x = f\"{f'{obs.__class__}'}\""),
        "join and encode": body("x = ''.join(['a', 'b']).encode().decode('unicode_escape')"),
        "bytes": body("x = b'abc'.decode()"),
        "name that is text": body("obs = yield craft('__class__')"),
        "equip a path": body("obs = yield equip('../../etc/passwd')"),
        "place by an odd name": body("obs = yield place('\\x00\\n\\u202e')"),
    },
    "definitions": {
        "decorator": "@eval\ndef macro(obs):\n    yield noop()\n",
        "decorator call": "@exec(1)\ndef macro(obs):\n    yield noop()\n",
        "decorator lambda": "@(lambda f: f)\ndef macro(obs):\n    yield noop()\n",
        "default call": f"def macro(obs, x={PAYLOAD}):\n    yield noop()\n",
        "default yield": "def macro(obs, x=(yield)):\n    yield noop()\n",
        "default list shared": before("def f(a=[]):\n    a.append(1)\n    return a"),
        "keyword default": f"def macro(obs, *, x={PAYLOAD}):\n    yield noop()\n",
        "annotation call": f"def macro(obs: {PAYLOAD}) -> eval('1'):\n    yield noop()\n",
        "variable annotation": body(f"x: {PAYLOAD} = 3", "y: eval('1')"),
        "type parameters": "def macro[T: (exec('1'))](obs):\n    yield noop()\n",
        "type statement": before("type X = exec('1')"),
        "class body": before(f"class A:\n    x = {PAYLOAD}"),
        "metaclass": before("class M(type):\n    def __getattr__(c, n):\n        return eval\n"
                            "class A(metaclass=M):\n    pass"),
        "class with macro inside": "class A:\n    def macro(obs):\n        yield noop()\n",
        "lambda default": body("f = lambda x=eval: x('1')", "f()"),
        "lambda that acts": body("f = lambda: (yield jump())", "f()"),
        "starred parameters": "def macro(obs, *a, **k):\n    yield noop()\n",
        "positional only": "def macro(obs, /):\n    yield noop()\n",
        "macro is a lambda": "macro = lambda obs: (yield noop())\n",
        "two macros of one name": before("def macro(obs):\n    yield jump()"),
        "named as an action": before("def forward(obs):\n    return 5"),
        "named as a dunder": before("def __getattr__(obs):\n    return 5\ndef __build_class__(o):"
                                    "\n    return 1"),
    },
    "odd yields": {
        "in a comprehension": body("x = [(yield jump()) for i in range(3)]"),
        "in a generator": body("x = sum((yield jump()) for i in range(3))"),
        "in a class body": body("class A:\n    x = yield jump()"),
        "in an f-string": body("x = f'{(yield jump())}'"),
        "in a slice": body("x = (1, 2, 3)[(yield jump()):]"),
        "in an annotation": body("x: (yield jump()) = 3"),
        "at the top": "obs = yield noop()\ndef macro(obs):\n    yield noop()\n",
        "of a generator": body("yield macro"),
        "of a tuple": body("obs = yield (forward(), jump())"),
        "of numbers": body("obs = yield 5", "obs = yield obs.x"),
        "of nothing": body("obs = yield", "yield", "yield None"),
        "in an argument": body("obs = yield turn(yaw=(yield jump()).x)"),
        "in a condition": body("while (yield jump()).x < 1e9:\n    pass"),
        "from a list": body("yield from [forward(), jump()]"),
        "from obs": body("yield from obs", "yield from obs.rays"),
        "as a star": body("x = [*(yield jump())]"),
        "await": body("await obs", "x = await forward()"),
    },
    "control": {
        "finally swallows the end": body("while True:\n    try:\n        obs = yield forward()\n"
                                         "    finally:\n        continue"),
        "except all": body("try:\n    x = 1 / 0\nexcept BaseException as e:\n"
                           "    x = e.__traceback__.tb_frame"),
        "with": body("with open('/etc/passwd') as f:\n    x = f.read()"),
        "async def": "async def macro(obs):\n    yield noop()\n",
        "async for": "async def macro(obs):\n    async for x in obs:\n        yield noop()\n",
        "match class": body("match obs:\n    case object(__class__=c):\n        c.mro()"),
        "match mapping": body("match obs:\n    case {'__class__': c, **rest}:\n        pass"),
        "match call in guard": body(f"match obs.x:\n    case y if {PAYLOAD}:\n        pass"),
        "del": body("del obs", "del forward"),
        "raise": body("raise SystemExit", "raise KeyboardInterrupt from None"),
        "assert": body(f"assert {PAYLOAD}"),
        "exec star": body("exec(*['1'], **{})"),
        "global builtins": body("global __builtins__", "__builtins__ = {}"),
        "nonlocal obs": "def macro(obs):\n    def f():\n        nonlocal obs\n        obs = 1\n"
        "        return 0\n    x = f()\n    yield turn(obs)\n",
        "unpack into fields": body("obs.x, obs.y = 1, 2", "for obs.x in (1, 2):\n    pass"),
        "walrus in a comprehension": body("x = [obs := i for i in range(3)]", "y = obs.x"),
        "walrus of an action": body("x = [forward := eval]"),
    },
    "unicode": {
        "fullwidth": body("x = ｅval('1')", "ｅxec('1')"),
        "mathematical": body("x = 𝓮𝓿𝓪𝓵('1')", "𝔬𝔭𝔢𝔫('x')"),
        "fullwidth attribute": body("x = obs.＿＿class＿＿", "y = obs.﹍﹍class__"),
        "cyrillic": body("х = 1", "x = еval('1')"),
        "long s": body("x = ſum([1])", "y = obs.ＸＸ"),
        "ligature": body("x = ﬁlter(eval, [1])"),
        "bidi override": body("x = 1  # \u202e }⁦ if admin"),
        "bidi in a string": body("x = 'log\u202e\u2066'"),
        "zero width": body("ev\u200bal('1')", "x = obs\u200d.x"),
        "bom": "\ufeff" + body("x = 1"),
        "bom inside": body("x = 1\ufeff"),
        "null byte": body("x = 1\0 + eval('1')"),
        "form feed": "\f" + body("\fx = 1", "x = 2\f"),
        "vertical tab": body("x = 1\x0b + 2"),
        "carriage returns": body("x = 1\r    exec('1')\r"),
        "line separator": body("x = 1  # \u2028    exec('1')"),
        "next line": body("x = 1  # \x85    exec('1')"),
        "escape sequence": body("x = 1  # \x1b[2J"),
        "surrogate": body("x = '\ud800'"),
        "mixed tabs": "def macro(obs):\n\tif obs.x:\n        \texec('1')\n\tyield noop()\n",
        "cookie": "# -*- coding: utf-7 -*-\n# +AAo-exec('1')\n" + body("x = 1"),
        "cookie of rot13": "# coding: rot13\n" + body("x = 1"),
        "named escapes": body("x = '\\N{LATIN SMALL LETTER E}val'", "x('1')"),
        "line continuation": body("x = ev\\\nal('1')", "y = \\\n\\\n1"),
    },
    "recursion": {
        "direct": "def macro(obs):\n    yield noop()\n    yield from macro(obs)\n",
        "mutual": "def a(n):\n    return b(n)\ndef b(n):\n    return a(n)\n" + body("x = a(1)"),
        "through a value": "def a(f):\n    return f(f)\n" + body("x = a(a)"),
        "through a list": "def a(f):\n    return f[0](f)\n" + body("x = a([a])"),
        "through an outer name": "def macro(obs):\n    f = 0\n    def g(n):\n        return f(n)\n"
        "    f = g\n    x = g(1)\n    yield noop()\n",
        "fixed point": body("y = (lambda f: f(f))(lambda f: f(f))"),
        "list in itself": body("a = [1]", "a[0] = a", "b = [a]", "x = a == b", "y = a in a"),
        "deep list": body("a = []", "for i in range(300):\n    a = [a]", "x = a == [a]"),
        "key that recurs": "def k(x):\n    return min([x], key=k)\n" + body("x = k(1)"),
        "dictionary in itself": body("d = {}", "d['a'] = d", "x = d == d", "y = {**d, **d}"),
        "chain of helpers": "def f0(x):\n    return x\n" + "".join(
            f"def f{i}(x):\n    return f{i - 1}(x)\n" for i in range(1, 40)) + body("x = f39(1)"),
        "helpers that double": "def f0(x):\n    return x\n" + "".join(
            f"def f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(x)\n" for i in range(1, 8)
        ) + body("while True:\n    x = f7(1)"),
    },
    "endless": {
        "no yield": body("while True:\n    pass"),
        "yields for ever": body("while True:\n    obs = yield forward()"),
        "huge range": body("for i in range(10 ** 30):\n    x = i"),
        "range of infinity": body("for i in range(int(1e38 * 1e38)):\n    pass"),
        "loops in loops": body("for a in range(9999):\n    for b in range(9999):\n"
                               "        for c in range(9999):\n            x = a * b * c"),
        "while with else": body("while 1:\n    continue\nelse:\n    x = 1"),
        "list that grows under its loop": body("a = [1]", "for x in a:\n    a.append(x)"),
        "comprehension": body("x = [i for i in range(10 ** 9)]"),
        "generator": body("x = sum(i for i in range(10 ** 9))"),
        "counter": body("import itertools", "for i in itertools.count():\n    pass"),
        "iter with a sentinel": body("for x in iter(forward, 1):\n    pass"),
        "membership": body("while 3 not in [1, 2] * 30:\n    pass"),
        "sort of much": body("a = [i % 7 for i in range(300)]", "while 1:\n    a = sorted(a)"),
        "helper that never yields": "def wait(obs):\n    while obs.x < 1e38:\n        pass\n"
        "    return 1\n" + body("x = wait(obs)"),
        "ends at once": "def macro(obs):\n    if False:\n        yield noop()\n",
    },
    "memory": {
        "list": body("a = []", "while True:\n    a.append(a)"),
        "list doubled": body("a = [1]", "while True:\n    a = a + a"),
        "list repeated": body("a = [0] * 10 ** 9", "b = [[0] * 1000] * 1000"),
        "tuple repeated": body("a = (0,) * 10 ** 9"),
        "tuple by a variable": body("n = obs.x + 1e6", "a = (0,) * n", "b = [0] * int(n)"),
        "tuples doubled": before("a = (1, 1)\n" + "\n".join(
            f"a{i} = a{i - 1 if i else ''} + a{i - 1 if i else ''}" for i in range(60))),
        "tuples nested": before("a = (1, 1)\n" + "\n".join(
            f"a{i} = (a{i - 1 if i else ''}, a{i - 1 if i else ''})" for i in range(60))),
        "text repeated": body("x = 'a' * 10 ** 9", "y = 'log' * 50"),
        "text doubled": body("x = 'a'", "while True:\n    x = x + x"),
        "power tower": body("x = 9 ** 9 ** 9 ** 9", "y = 2 ** 100000000", "z = 1 << 10 ** 9"),
        "dictionary": body("d = {}", "i = 0", "while True:\n    d[i] = d\n    i += 1"),
        "set": body("s = set()", "for i in range(10 ** 6):\n    s.add(i)"),
        "pairs for ever": body("p = (1, 2)", "while True:\n    p = (p, p)"),
        "comprehension in comprehension": body(
            "x = [[[i for i in range(99)] for j in range(99)] for k in range(99)]"),
        "generator in generator": body(
            "x = sum(sum(1 for i in range(999)) for j in range(999))"),
        "slices": body("a = [1] * 60", "while True:\n    a = a[:] + a[::-1]"),
        "unpacking": body("a = [1] * 60", "while True:\n    a = [*a, *a]"),
        "bytes of an int": body("x = int.from_bytes(b'a' * 99)", "y = (5).to_bytes(10 ** 9)"),
        "huge integer": body("x = " + "9" * 4_000, "y = 0x" + "f" * 4_000, "z = 1e400"),
        "long name": body("x" * 50_000 + " = 1"),
        "long text": body("x = '" + "a" * 50_000 + "'"),
        "zip of all": body("a = [1] * 60", "x = [p for p in zip(a, a, a, a, a, a, a, a)]"),
    },
    "size": {
        "brackets": body("x = " + "(" * 5_000 + ")" * 5_000),
        "minus signs": body("x = " + "-" * 60_000 + "1"),
        "sum": body("x = " + "1+" * 30_000 + "1"),
        "attributes": body("x = obs" + ".x" * 30_000),
        "blocks": "def macro(obs):\n" + "".join(" " * i + "if 1:\n" for i in range(1, 300)) + (
            " " * 300 + "yield noop()\n"),
        "functions in functions": "".join(" " * i + "def f(obs):\n" for i in range(90)) + (
            " " * 90 + "yield noop()\n"),
        "brackets after closed ones": "# " + ")" * 300 + "\n" + body(
            "x = " + "[" * 150 + "]" * 150),
        "lambdas in lambdas": body("f = " + "lambda: " * 90 + "1"),
        "conditions in conditions": body("x = " + "1 if obs.x else " * 90 + "1"),
        "while in while": "def macro(obs):\n" + "".join(
            "  " * i + "while obs.x > 1 and obs.y > 1:\n" for i in range(1, 23)
        ) + "  " * 23 + "obs = yield noop()\n",
        "any in any": body("x = " + "any(obs.x in (i, " * 10 + "1" + ") for i in range(9))" * 10),
        "not a program": "I cannot write this macro, sorry.",
        "empty": "",
        "only a comment": "# def macro(obs):\n",
        "no code but a fence": "```python\n" + body("x = 1") + "```\n",
    },
    "actions": {
        "turn by infinity": body("obs = yield turn(1e38 * 1e38, -1e38 * 1e38)",
                                 "obs = yield turn(inf, -inf)"),
        "turn by nan": body("n = inf - inf", "obs = yield turn(n, n)", "obs = yield turn(nan, 0)"),
        "turn by huge": body("obs = yield turn(3e38, -3e38)", "obs = yield turn(obs.x * 1e30)"),
        "turn by None": body("obs = yield turn(None, 'log')"),
        "craft an index": body("obs = yield craft(99999)", "obs = yield craft(-1)"),
        "craft a computed name": body("obs = yield craft(obs.held)", "obs = yield craft('air')"),
        "equip a computed name": body("for n in ('log', 'no such', '', 'air'):\n"
                                      "    obs = yield equip(n)\n    obs = yield place(n)\n"
                                      "    obs = yield destroy(n)"),
        "action with numbers": body("obs = yield forward() + 1", "obs = yield forward() * 99"),
        "action compared": body("x = forward() < jump()", "y = forward() == 1"),
        "action indexed": body("a = forward()", "a[0] = 7", "obs = yield a"),
        "raw action": body("obs = yield [9, 9, 9, 99, 99, 99, 999, 99]"),
        "action by an odd flag": body("obs = yield forward(jump=99, sprint=-1)",
                                      "obs = yield forward(jump=nan)"),
        "unknown action": body("obs = yield fly()", "obs = yield attack(99)"),
        "function of a value": body("f = forward", "obs = yield f(jump=True)", "obs = yield f(5)"),
        "block far away": body("x = obs.block(99, 99, 99)", "y = obs.block(nan, 0, 0)"),
        "ray far away": body("x = obs.rays[99999]", "y = obs.rays[-99999]", "z = obs.rays[nan]"),
        "count of a number": body("x = obs.count(5)", "y = obs.count(None)", "z = obs.count(obs)"),
        "old observation": body("o = obs", "obs = yield jump()", "x = o.count('log')"),
        "bits of a value": body("x = obs.rays + 1", "y = forward * 2", "z = -obs"),
        "number of a value": body("x = int(obs)", "y = float(forward)", "z = round('log')"),
    },
}  # fmt: skip
