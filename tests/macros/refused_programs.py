"""Programs outside the language, whose refusals are kept in `refusals.txt`.

    python -m tests.macros.refused_programs   # writes the file again, to be read in a diff

Each is a mistake that models make, or something that the language will not have.
"""

from pathlib import Path

from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal

GOLDEN = Path(__file__).parent / "refusals.txt"
PAPER = ("rays at level paper", "a ray's entity at level paper", "nearest at level paper")


def macro(*lines: str) -> str:
    inner = "".join(f"    {line}\n" for text in lines for line in text.split("\n"))
    return f"def macro(obs):\n{inner}    obs = yield forward()\n"


WALK = "def walk(obs, n):\n    for i in range(n):\n        obs = yield forward()\n    return obs\n"
HALF = "def half(x):\n    return x / 2\n"

PROGRAMS: dict[str, str] = {
    # What Python has and the language does not.
    "class": "class Miner:\n    count = 0\n\n" + macro("pass"),
    "with": macro("with open('log') as f:\n    pass"),
    "except with a name": macro("try:\n    x = 1 / obs.x\nexcept ZeroDivisionError as error:\n"
                                "    print(error.args)\n    x = error"),
    "import of a package": "import numpy as np\n" + macro("x = np.zeros(3)"),
    "import of the game": "from minedojo import make\n" + macro("pass"),
    "import in a function": macro("import os", "os.remove('x')"),
    "async": "async def macro(obs):\n    yield forward()\n",
    "await": macro("obs = await forward()"),
    "decorator": "@staticmethod\n" + macro("pass"),
    "eval": macro("x = eval('obs.x')"),
    "open": macro("x = open('notes.txt')"),
    "dunder": macro("x = obs.__dict__"),
    "bytes": macro("x = b'log'"),
    "complex number": macro("x = 3j"),
    "ellipsis": macro("..." , "x = ..."),
    "matrix product": macro("x = obs.x @ obs.y"),
    "invented builtin": macro("x = clamp(obs.x, 0, 1)"),
    # Names.
    "undefined name": macro("if distance < 3:\n    return"),
    "misspelt name": macro("distance = 3", "x = distanse + 1"),
    "self": macro("self.count = 0"),
    "misspelt action": macro("obs = yield foward()"),
    "action of another game": macro("obs = yield move_forward(5)"),
    "misspelt field": macro("x = obs.helth"),
    "field of another game": macro("x = obs.inventory"),
    "field of a ray": macro("x = obs.nearest('log').position"),
    "misspelt method": macro("x = obs.cuont('log')"),
    "method without a call": macro("if obs.near:\n    return"),
    "field with brackets": macro("x = obs['life']"),
    "action as a method": macro("obs = yield obs.forward()"),
    # Names of the game.
    "craft of what cannot be": macro("obs = yield craft('wooden_pikaxe')"),
    "craft of a later version": macro("obs = yield craft('oak_planks')"),
    "craft of a number": macro("obs = yield craft(3)"),
    "count without a name": macro("x = obs.count()"),
    "count of a number": macro("x = obs.count(17)"),
    "near something else": macro("if obs.near('bed'):\n    return"),
    "block far away": macro("x = obs.block(0, -3, 0)"),
    "block by one number": macro("x = obs.block(0)"),
    # Calls.
    "too many arguments": macro("obs = yield turn(15, 0, 0)"),
    "unknown keyword": macro("obs = yield turn(left=15)"),
    "keyword of another action": macro("obs = yield attack(ticks=60)"),
    "argument missing": HALF + macro("x = half()"),
    "too many for a helper": HALF + macro("x = half(1, 2)"),
    "unknown keyword of a helper": HALF + macro("x = half(y=1)"),
    "number of times": macro("obs = yield forward(10)"),
    "lambda with two values as a key": macro("x = min(obs.rays, key=lambda a, b: a)"),
    # Generators.
    "action without yield": macro("forward()"),
    "turn without yield": macro("turn(yaw=15)"),
    "helper called without yield from": WALK + macro("walk(obs, 3)"),
    "helper assigned without yield from": WALK + macro("obs = walk(obs, 3)"),
    "yield of a helper": WALK + macro("obs = yield walk(obs, 3)"),
    "yield from an action": macro("obs = yield from forward()"),
    "yield of a number": macro("obs = yield 5"),
    "yield of a row": macro("obs = yield (forward(), jump())"),
    "yield of a name": macro("obs = yield 'forward'"),
    "yield in a comprehension": macro("x = [(yield jump()) for i in range(3)]"),
    "yield at the top": "obs = yield forward()\n" + macro("pass"),
    "never yields": "def macro(obs):\n    return obs.x\n",
    # The macro itself.
    "no function": "x = 5\n",
    "no observation": "def macro():\n    yield forward()\n",
    "two required": "def macro(obs, target):\n    yield forward()\n",
    "lines outside": "for i in range(3):\n    x = i\n" + macro("pass"),
    "prose": "Here is the macro:\n\n" + macro("pass"),
    "cut off": "def macro(obs):\n    obs = yield turn(yaw=15\n",
    "indentation": "def macro(obs):\n    if obs.x > 3:\n    return\n    yield forward()\n",
    "one equal sign": macro("if obs.x = 3:\n    return"),
    "curly quotes": macro("x = obs.count(“log”)"),
    # Assignments.
    "assign to a field": macro("obs.yaw = 90"),
    "assign to a call": macro("obs.count('log') = 3"),
    "values for names": macro("x, z = obs.x, obs.y, obs.z"),
    "break outside": macro("break"),
    "iterate over a number": macro("for i in 10:\n    pass"),
    "nonlocal of nothing": macro("def f():\n    nonlocal count\n    count = 1\n    return 0"),
    # Sizes.
    "nested too deeply": "def macro(obs):\n" + "".join(
        "  " * i + "if obs.x > 1:\n" for i in range(1, 30)) + "  " * 30 + "yield forward()\n",
    "a long sum": macro("x = " + " + ".join(["obs.x"] * 150)),
    "a long line": macro("x = (" + ", ".join(f"obs.y + {i}" for i in range(60)) + ", obs.helth)"),
    "a long name": macro("x = " + "very_" * 40 + "long_name"),
    "wide letters before": macro("x, y = '日本語の文字', obs.helth"),
    "tabs": "def macro(obs):\n\tx = (obs.x,\tobs.helth)\n\tyield forward()\n",
    # Sensors.
    "rays at level paper": macro("for r in obs.rays:\n    pass"),
    "nearest at level paper": macro("r = obs.nearest('log')"),
    "a ray's entity at level paper": macro("if obs.sees('cow'):\n    return"),
}  # fmt: skip


def refusal(name: str) -> Refusal:
    result = parse_macro(PROGRAMS[name], None, "paper" if name in PAPER else "full")
    assert isinstance(result, Refusal), f"{name} is accepted; choose another program"
    return result


def written() -> str:
    """Returns the golden text: every program's last part, and its refusal."""
    parts = []
    for name in PROGRAMS:
        lines = PROGRAMS[name].rstrip("\n").replace("\t", "->").split("\n")[:6]
        shown = "\n".join("    " + line[:92] for line in lines)
        parts.append(f"== {name}\n{shown}\n\n{refusal(name).describe()}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    GOLDEN.write_text(written(), encoding="utf-8")
