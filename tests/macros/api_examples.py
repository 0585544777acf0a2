"""Examples of what the prompt tells of the language; tests compile them."""

from rlgpt_jax.macros.api import FUNCTIONS

# What `api.py` documents -> expressions that the language accepts.
EXPRESSIONS = {
    "noop(), forward(), back(), left(), right(), jump(), sneak(), sprint()": (
        "noop()",
        "forward()",
        "back(jump=True)",
        "left(jump=True)",
        "right()",
        "jump()",
        "sneak()",
        "sprint()",
        "forward(jump=obs.in_water)",
        "forward(sprint=True)",
    ),
    "turn(yaw=0, pitch=0)": ("turn(yaw=15)", "turn(30, -15)", "turn(pitch=-obs.pitch)"),
    "attack()": ("attack()",),
    "use()": ("use()",),
    'craft("item"), equip("item"), place("item"), destroy("item"), drop()': (
        'craft("planks")',
        'equip("bucket")',
        'place("crafting_table")',
        'destroy("dirt")',
        "drop()",
    ),
    "obs.x, obs.y, obs.z": ("obs.x", "obs.y", "obs.z"),
    "obs.yaw, obs.pitch": ("obs.yaw", "obs.pitch"),
    "obs.life, obs.food": ("obs.life", "obs.food"),
    "obs.oxygen": ("obs.oxygen",),
    "obs.time": ("obs.time",),
    "obs.on_ground, obs.in_water": ("obs.on_ground", "obs.in_water"),
    "obs.held": ("obs.held",),
    'obs.count("item")': ('obs.count("log")',),
    'obs.near("crafting_table"), obs.near("furnace")': (
        'obs.near("crafting_table")',
        'obs.near("furnace")',
    ),
    "obs.block(dx, dy, dz)": ("obs.block(0, -1, 0)",),
    "obs.rays": (
        "obs.rays[5].block",
        "obs.rays[0].entity",
        "obs.rays[-1].distance",
        "obs.rays[1].yaw",
        "obs.rays[2].pitch",
    ),
    'obs.sees("name")': ('obs.sees("cow")',),
    'obs.nearest("name")': ('obs.nearest("log").distance',),
    FUNCTIONS: (
        "abs(-1)",
        "min(1, 2)",
        "max((1, 2))",
        "sum([1, 2])",
        "any([1])",
        "all([1])",
        "len((1, 2))",
        "round(1.5)",
        "int(1.5)",
        "float(1)",
        "bool(1)",
        "next((i for i in range(3)), 0)",
        "list((1, 2))",
        "tuple([1])",
        "sorted((2, 1))",
        "[n for n in map(abs, (1, 2))]",
        "[n for n in filter(bool, (1, 0))]",
        "set([1, 2])",
        "dict(log=1)",
        "random.random()",
        "random.randint(1, 3)",
        "random.choice((1, 2))",
        "random.uniform(0, 1)",
        "random.shuffle([1, 2])",
        "sqrt(4)",
        "sin(1)",
        "cos(1)",
        "tan(1)",
        "asin(1)",
        "acos(1)",
        "atan(1)",
        "atan2(1, 2)",
        "hypot(3, 4)",
        "floor(1.5)",
        "ceil(1.5)",
        "radians(90)",
        "degrees(pi)",
        "sign(-2)",
        "copysign(1, -1)",
        "pi",
        "inf",
        "math.sqrt(4)",
        "math.pi",
    ),
}
# First word of a line of `api.ACCEPTED` -> lines of macros.
ACCEPTED = {
    "Functions": (
        "f = lambda n: n + 1\nobs = yield turn(yaw=15 * f(1))",
        (
            "def twice(obs, n=2, *rest, **named):\n    for _ in range(n):\n"
            "        obs = yield jump()\n    return obs\nobs = yield from twice(obs)"
        ),
        "def down(n):\n    return 0 if n < 1 else down(n - 1)\nn = down(3)",
    ),
    "Statements": (
        (
            "match obs.held:\n    case 'bucket' | 'shears':\n"
            "        obs = yield use()\n    case _:\n        obs = yield noop()"
        ),
        "assert obs.life > 5",
        'if obs.life < 5:\n    raise ValueError("hurt")',
    ),
    "Expressions": (
        "a, *rest = [1, 2, 3]",
        "while (n := obs.y) > 80:\n    obs = yield back()",
        "x = (7 // 2) ** 2 % 5 | 3 & ~1 ^ 2 << 1 >> 1",
        "x = 1 if 0 < obs.x < 5 and obs.y not in (1, 2) else 2",
    ),
    "Modules": (
        "import math\nx = math.sqrt(2)",
        "import random\nif random.random() < 0.5:\n    obs = yield left()",
        "import random\nobs = yield turn(yaw=random.choice((-30, 30)))",
    ),
    "Values": (
        (
            'need = {"log": 2, "dirt": 1}\n'
            "left = {k: n - obs.count(k) for k, n in need.items()}\n"
            'left["log"] = left.get("log", 0) + 1'
        ),
        "seen = {(1, 2)}\nseen.add((round(obs.x), round(obs.z)))",
        ("xs = [1, 2, 3, 4]\nxs.append(5)\nys = sorted(xs[1:], key=lambda x: -x)[::2]\nxs[:] = ys"),
        'for act, arg in ((turn, 15), (craft, "planks")):\n    obs = yield act(arg)',
        "step = forward\nobs = yield step(jump=True)",
    ),
    "Names": (
        'below = obs.block(0, -1, 0)\nok = "log" in below or below.startswith("lea")',
        (
            'for kind in ("wooden", "stone"):\n'
            '    if obs.count(f"{kind}_pickaxe") > 0:\n'
            '        obs = yield equip(f"{kind}_pickaxe")'
        ),
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
