"""The macro API in words: one table of actions, sensors and functions, shown in prompts.

A test parses every example here, so that what a model is told is what the language has.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rlgpt_jax.envs.spec import Action, WorldSpec
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.macros.sensors import SENSOR_LEVELS
from rlgpt_jax.macros.skills.skills import Described
from rlgpt_jax.macros.vm.bytecode import MAX_DEPTH, MAX_STEPS
from rlgpt_jax.macros.vocabulary import example, signature


class Entry(NamedTuple):
    """One line of the documentation."""

    signature: str
    meaning: str
    examples: tuple[str, ...]  # expressions that the language accepts
    level: str = "paper"  # sensor level from which it exists


ACTIONS = (
    Entry(
        "noop(), forward(), back(), left(), right(), jump(), sneak(), sprint()",
        "move for one tick; sprint runs forward. forward(jump=True) moves and jumps, also "
        "back, left, right; forward(sprint=True) runs.",
        ("noop()", "forward()", "back(jump=True)", "left(jump=True)", "right()", "jump()",
         "sneak()", "sprint()", "forward(jump=obs.in_water)", "forward(sprint=True)"),
    ),
    Entry(
        "turn(yaw=0, pitch=0)",
        "camera change in degrees, rounded to multiples of 15, at most 180. +yaw is right, "
        "+pitch is down.",
        ("turn(yaw=15)", "turn(30, -15)", "turn(pitch=-obs.pitch)"),
    ),
    Entry(
        "attack()",
        "hit, or keep mining, what is under the crosshair.",
        ("attack()",),
    ),
    Entry(
        "use()",
        "use the item in hand on what is under the crosshair (milk a cow with a bucket, "
        "shear a sheep, place a block).",
        ("use()",),
    ),
    Entry(
        'craft("item"), equip("item"), place("item"), destroy("item"), drop()',
        "take 3 ticks. craft (also smelt) needs the ingredients and, for 3x3 recipes, a "
        "crafting table near and in view, for smelting a furnace. equip and place do nothing "
        "if the item is not in the inventory. drop throws away what is in hand.",
        ('craft("planks")', 'equip("bucket")', 'place("crafting_table")', 'destroy("dirt")',
         "drop()"),
    ),
)  # fmt: skip

FIELDS = (
    Entry(
        "obs.x, obs.y, obs.z",
        "position of the feet in blocks: x east, y up, z south.",
        ("obs.x", "obs.y", "obs.z"),
    ),
    Entry(
        "obs.yaw, obs.pitch",
        "view direction in degrees. yaw: 0 = +z, 90 = -x, 180 = -z, -90 = +x; pitch: +90 "
        "looks down.",
        ("obs.yaw", "obs.pitch"),
    ),
    Entry("obs.life, obs.food", "0 to 20.", ("obs.life", "obs.food")),
    Entry("obs.oxygen", "0 to 300 ticks of air.", ("obs.oxygen",)),
    Entry("obs.time", "time of day, 0 to 24000; 6000 is noon.", ("obs.time",)),
    Entry("obs.on_ground, obs.in_water", "booleans.", ("obs.on_ground", "obs.in_water")),
    Entry("obs.held", 'name of the item in hand, "" if none.', ("obs.held",)),
    Entry(
        'obs.count("item")',
        "how many are in the inventory; 0 for names the game does not have.",
        ('obs.count("log")',),
    ),
    Entry(
        'obs.near("crafting_table"), obs.near("furnace")',
        "booleans: within reach and in view.",
        ('obs.near("crafting_table")', 'obs.near("furnace")'),
    ),
    Entry(
        "obs.block(dx, dy, dz)",
        "name of the block at that offset from the feet, each of -1, 0, 1, in world axes.",
        ("obs.block(0, -1, 0)",),
    ),
    Entry(
        "obs.rays",
        "list of 120 rays (12 yaw angles from -50 to 60, 10 pitch angles from -24 to 30, in "
        'steps of 10 and 6). Each ray has .block (name, "air" if none), .entity (name or '
        '"none"), .distance (blocks, to the first of the two), .yaw and .pitch (degrees from '
        "the view direction, + right and + down: the ray points to obs.yaw + .yaw and obs.pitch + "
        ".pitch, at most 89 degrees up or down).",
        ("obs.rays[5].block", "obs.rays[0].entity", "obs.rays[-1].distance", "obs.rays[1].yaw",
         "obs.rays[2].pitch"),
        "full",
    ),
    Entry(
        'obs.sees("name")',
        "is a block or mob of that name on any ray.",
        ('obs.sees("cow")',),
        "full",
    ),
    Entry(
        'obs.nearest("name")',
        "the ray with the smallest distance to it; its .distance is 999 if there is none.",
        ('obs.nearest("log").distance',),
        "full",
    ),
)  # fmt: skip

FUNCTIONS = Entry(
    "abs min max sum any all len round int float bool range enumerate zip reversed sorted map "
    "filter next list tuple set dict; random randint choice uniform shuffle (as random.random "
    "...); sqrt sin cos tan asin acos atan atan2 hypot floor ceil radians degrees sign "
    "copysign pi inf (also as math.sqrt ...)",
    "functions and constants.",
    ("abs(-1)", "min(1, 2)", "max((1, 2))", "sum([1, 2])", "any([1])", "all([1])", "len((1, 2))",
     "round(1.5)", "int(1.5)", "float(1)", "bool(1)", "next((i for i in range(3)), 0)",
     "list((1, 2))", "tuple([1])", "sorted((2, 1))",
     "[n for n in map(abs, (1, 2))]", "[n for n in filter(bool, (1, 0))]", "set([1, 2])",
     "dict(log=1)", "random.random()", "random.randint(1, 3)", "random.choice((1, 2))",
     "random.uniform(0, 1)", "random.shuffle([1, 2])", "sqrt(4)", "sin(1)", "cos(1)", "tan(1)",
     "asin(1)", "acos(1)", "atan(1)", "atan2(1, 2)", "hypot(3, 4)", "floor(1.5)", "ceil(1.5)",
     "radians(90)",
     "degrees(pi)", "sign(-2)", "copysign(1, -1)", "pi", "inf", "math.sqrt(4)", "math.pi"),
)  # fmt: skip

HOW = """\
- A macro is `def NAME(obs): ...`. Each `yield` hands one primitive action to the {world}, which \
advances one {step}, and evaluates to the new observation: \
`obs = yield {action}`.
- You may define helper functions in the same block. Helpers that yield are called with \
`obs = yield from helper(obs, ...)`; they return the newest observation, or a pair with it.
- An observation holds for one {step_word}. Of an older one (prev = obs) the numbers {old}."""
MINECRAFT_HOW = HOW.format(
    world="game",
    step="tick (20 ticks = 1 second)",
    action="forward()",
    step_word="tick",
    old="and the answers to fixed questions can still be read, "
    'prev.x or prev.count("log"), but not prev.rays',
)
BOUNDED_EXAMPLE = "def NAME(obs, depth: (0.0, 0.2) = 0.1, speed: (0.1, 1.0) = 0.5)"
BOUNDED = f"""
- A macro may have up to {MAX_ARGUMENTS} bounded parameters behind obs, numbers with a lower and an
upper bound: `{BOUNDED_EXAMPLE}: ...`. Without a default it is the middle. Whoever starts the macro
chooses their values, so that a policy can learn them; code that calls it gives them as in Python.
""".replace("\n", " ").strip()  # in a world with a spec

NAMES = (
    'Names: compared with == and in; "log" in r.block, .startswith("...") and f"{kind}_pickaxe" '
    "over fixed words also work"
)
NAMES_OF_SPEC = (
    'Names: compared with == and in; "in" in mode, .startswith("...") and f"{side}_arm" over fixed '
    "words also work"
)
# What is accepted and what is not, with an example of each for the tests.
ACCEPTED = {
    "Functions: def (nested too, with defaults, *args, **kwargs, recursion), lambda": (
        "f = lambda n: n + 1\nobs = yield turn(yaw=15 * f(1))",
        "def twice(obs, n=2, *rest, **named):\n    for _ in range(n):\n        obs = yield jump()\n"
        "    return obs\nobs = yield from twice(obs)",
        "def down(n):\n    return 0 if n < 1 else down(n - 1)\nn = down(3)",
    ),
    "Statements: if, while, for, match, break, continue, return, assert, raise (the last two end "
    "the macro)": (
        "match obs.held:\n    case 'bucket' | 'shears':\n        obs = yield use()\n"
        "    case _:\n        obs = yield noop()",
        "assert obs.life > 5",
        'if obs.life < 5:\n    raise ValueError("hurt")',
    ),
    "Expressions: unpacking, :=, + - * / // % ** & | ^ ~ << >>, chained comparisons, and/or/not, "
    "in, is, x if c else y": (
        "a, *rest = [1, 2, 3]",
        "while (n := obs.y) > 80:\n    obs = yield back()",
        "x = (7 // 2) ** 2 % 5 | 3 & ~1 ^ 2 << 1 >> 1",
        "x = 1 if 0 < obs.x < 5 and obs.y not in (1, 2) else 2",
    ),
    "Modules: math, random": (
        "import math\nx = math.sqrt(2)",
        "import random\nif random.random() < 0.5:\n    obs = yield left()",
        "import random\nobs = yield turn(yaw=random.choice((-30, 30)))",
    ),
    "Values: numbers (32 bit floats), True/False, None, names in quotes, tuples; lists, "
    "dictionaries and sets with their usual methods, comprehensions and slices; functions and "
    "actions": (
        'need = {"log": 2, "dirt": 1}\nleft = {k: n - obs.count(k) for k, n in need.items()}\n'
        'left["log"] = left.get("log", 0) + 1',
        "seen = {(1, 2)}\nseen.add((round(obs.x), round(obs.z)))",
        "xs = [1, 2, 3, 4]\nxs.append(5)\nys = sorted(xs[1:], key=lambda x: -x)[::2]\nxs[:] = ys",
        'for act, arg in ((turn, 15), (craft, "planks")):\n    obs = yield act(arg)',
        "step = forward\nobs = yield step(jump=True)",
    ),
    NAMES: (
        'below = obs.block(0, -1, 0)\nok = "log" in below or below.startswith("lea")',
        'for kind in ("wooden", "stone"):\n    if obs.count(f"{kind}_pickaxe") > 0:\n'
        '        obs = yield equip(f"{kind}_pickaxe")',
    ),
}
REFUSED = {
    "class": "class A:\n    pass",
    "with": "with obs:\n    pass",
    "try around what can fail": "try:\n    x = 1 / obs.x\nexcept ZeroDivisionError:\n    x = 0",
    "decorators": "@twice\ndef f():\n    return 1",
    "other imports": "import numpy",
    "assignment to slices other than xs[:]": "xs = [1, 2]\nxs[1:] = [3]",
    "text made of numbers (a tuple is a key)": 'k = f"{obs.x},{obs.z}"',
    "next() on a stored generator": "def g():\n    yield noop()\nx = next(g())",
}
LIMITS = "\n".join(
    [
        f"- Not accepted: {'; '.join(REFUSED)}. print does nothing.",
        f"- Limits: calls {MAX_DEPTH} deep, {MAX_STEPS} elementary steps between two yields, "
        "memory for some 400 numbers in all tuples, lists, sets and dictionaries together.",
        "- Division by zero, a bad index, a missing key or a wrong kind of value ends the macro "
        "and is reported.",
    ]
)


CALLING = """\
- Call them in your macro: `obs = yield from NAME(obs, ...)`. Each gives the newest observation. \
Do not define them again."""


class Documented(NamedTuple):
    """What prompts tell of one world beside the language that all have."""

    how: str
    actions_take: str
    actions: Sequence[Entry]
    fields: Sequence[Entry]
    names: str  # the line of `ACCEPTED` on names


MINECRAFT = Documented(MINECRAFT_HOW, "tick unless said otherwise", ACTIONS, FIELDS, NAMES)


def documented(spec: WorldSpec) -> Documented:
    """What prompts tell of a world with a spec; hidden actions are left out."""
    how = HOW.format(
        world="world",
        step=f"step ({spec.step_seconds:g} s)",
        action=example(spec),
        step_word="step",
        old="can still be read, prev.NAME",
    )
    actions = [
        Entry(signature(action), meaning(action), (example(spec, action),))
        for action in spec.actions
        if not action.hidden
    ]
    fields = [
        Entry(f"obs.{f.name}", full_stop(f.meaning), (f"obs.{f.name}",), f.level)
        for f in spec.fields
    ]
    return Documented(f"{how}\n{BOUNDED}", "step", actions, fields, NAMES_OF_SPEC)


def meaning(action: Action) -> str:
    """What an action does, with the bounds of its arguments."""
    bounds = ", ".join(f"{a.name} to {a.low:g} .. {a.high:g}" for a in action.arguments)
    return full_stop(action.meaning) + (f" Clamped: {bounds}." if bounds else "")


def full_stop(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def prompt_text(
    sensors: str = "paper", functions: Sequence[Described] = (), spec: WorldSpec | None = None
) -> str:
    """Returns the documentation of the language for prompts, at a sensor level.

    Args:
      functions: trusted skills and macros of a library that may be called.
      spec: of the world; None is Minecraft.
    """
    if sensors not in SENSOR_LEVELS:
        raise ValueError(f"sensors={sensors!r} is unknown; use one of {SENSOR_LEVELS}")
    levels = SENSOR_LEVELS[: SENSOR_LEVELS.index(sensors) + 1]
    world = MINECRAFT if spec is None else documented(spec)
    fields = [entry for entry in world.fields if entry.level in levels]
    return "\n".join(
        [
            "How macros run",
            world.how,
            "",
            f"Primitive actions (each takes one {world.actions_take})",
            *(f"- {entry.signature}: {entry.meaning}" for entry in world.actions),
            "",
            "Observation fields",
            *(f"- {entry.signature}: {entry.meaning}" for entry in fields),
            "",
            "Python",
            f"- Rely only on what is documented here. Functions: {FUNCTIONS.signature}.",
            *(f"- {world.names if part is NAMES else part}." for part in ACCEPTED),
            LIMITS,
            *(["", "Functions that exist already", CALLING] if functions else []),
            *(f"- {function.signature}: {function.doc}" for function in functions),
        ]
    )
