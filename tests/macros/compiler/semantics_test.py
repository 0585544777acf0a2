"""Our own programs mean the same in the macro language as in Python."""

import pytest

from rlgpt_jax.macros.vm import bytecode
from tests.macros import worlds

LANES, TICKS = 4, 24

# Bodies of `def macro(obs):`; `show(n)` below turns a number into an action.
BODIES = {
    "for else": """
    for i in range(5):
        if i == 7:
            break
    else:
        obs = yield jump()
    for i in range(5):
        if i == 3:
            break
    else:
        obs = yield back()
    obs = yield turn(yaw=15 * i)""",
    "while else": """
    n = 0
    while n < 3:
        n += 1
        if n == 2:
            continue
        obs = yield turn(yaw=15 * n)
    else:
        obs = yield jump()""",
    "range": """
    for i in range(6, -6, -3):
        obs = yield turn(yaw=15 * i)
    for i in range(int(obs.life) % 3, 4):
        obs = yield turn(pitch=15 * i)
    for i in reversed(range(1, 8, 3)):
        obs = yield turn(pitch=-15 * i)""",
    "division": """
    for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, 5)):
        obs = yield turn(yaw=15 * (a // b), pitch=15 * (a % b))
    obs = yield turn(yaw=15 * ((obs.yaw % 360) // 45))""",
    "round": """
    for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.6):
        obs = yield turn(yaw=15 * round(x), pitch=15 * int(x))
    obs = yield turn(yaw=15 * floor(-1.5), pitch=15 * ceil(-1.5))
    obs = yield turn(yaw=150 * round(0.25, 1))""",
    "power": """
    for x in (-2, -1, 0, 1, 2, 3):
        obs = yield turn(yaw=15 * x ** 2, pitch=15 * x ** 3)
    n = 3
    obs = yield turn(yaw=15 * 2 ** n, pitch=15 * 9 ** 0.5)
    obs = yield turn(yaw=15 * 2 ** -n * 16)""",
    "chained comparison": """
    for d in (1, 1.5, 3, 4, 5):
        obs = yield turn(yaw=15 * (1.5 <= d <= 4), pitch=15 * (1 < d != 3 < 6))""",
    "and or values": """
    for x in (0, 3):
        y = x or 5
        z = x and 7
        x = y and x or z
        obs = yield turn(yaw=15 * y, pitch=15 * z)
        obs = yield turn(yaw=15 * x)
    item = "" or obs.held
    if not item or item == "log":
        obs = yield jump()""",
    "conditional expressions": """
    x = 3
    x = x + 1 if x > 2 else x - 1
    y = (1, 2, 3)[0 if obs.on_ground else 2]
    obs = yield turn(yaw=15 * x, pitch=15 * y)
    obs = yield forward(jump=obs.in_water)
    obs = yield (left() if obs.on_ground else right())""",
    "tuples": """
    dirs = ((0, 0, 1), (90, -1, 0), (180, 0, -1), (270, 1, 0))
    for k in range(5):
        want, dx, dz = dirs[(k + 2) % 4]
        obs = yield turn(yaw=want % 180 + 15 * dx, pitch=15 * dz)
    a, (b, c) = 1, (2, 3)
    a, b = b, a
    obs = yield turn(yaw=15 * a, pitch=15 * (b + c + len(dirs) + dirs[-1][1]))""",
    "pairs": """
    best = None
    for k in range(30):
        pair = (k, obs.x)
        if best is None or pair[0] % 7 > best[0] % 7:
            best = pair
    obs = yield turn(yaw=15 * (best[0] % 7))
    if best == (6, best[1]) and best != (1, 2):
        obs = yield jump()
    if (1, 2) in ((0, 1), (1, 2)) and (2, 1) not in [(0, 1), (1, 2)]:
        obs = yield back()""",
    "lists": """
    cells = [0] * 4
    for i in range(10):
        cells[i % 4] += i
    cells[-1] -= 5
    cells.append(2)
    obs = yield turn(yaw=15 * cells[0], pitch=15 * cells[3])
    obs = yield turn(yaw=15 * len(cells), pitch=15 * max(cells))
    squares = [i * i for i in range(9) if i % 2]
    pairs = [(a, b) for a in range(3) for b in (1, 2) if a != b]
    obs = yield turn(yaw=15 * len(squares), pitch=15 * len(pairs))
    empty = [r for r in squares if r > 99]
    if not empty and squares:
        obs = yield turn(yaw=15 * squares[-1] % 180)
    grid = [[1, 2], [3, 4]]
    grid[1][0] += 4
    obs = yield turn(yaw=15 * grid[1][0], pitch=15 * grid[0][1])""",
    "many short-lived values": """
    seen = [0]
    for k in range(400):
        row = [k, k + 1, k + 2]
        pair = (row, k)
        seen[0] += pair[0][1] % 3
        if k % 100 == 50:
            obs = yield turn(yaw=15 * (seen[0] % 12))
    big = []
    other = []
    for k in range(60):
        big.append(k)
        other.append((k, -k))
    obs = yield turn(yaw=15 * (sum(big) % 12), pitch=15 * other[5][1])""",
    "loops over pairs": """
    for i, name in enumerate(("log", "stone", "planks"), 1):
        obs = yield turn(yaw=15 * i, pitch=15 * (obs.count(name) % 5))
    for a, b in zip((1, 2, 3), range(5, 0, -2)):
        obs = yield turn(yaw=15 * a, pitch=15 * b)
    for x in reversed((1, 2)):
        obs = yield turn(yaw=15 * x)
    for i, (a, b) in enumerate(zip([1, 2], [3, 4])):
        obs = yield turn(yaw=15 * (a + i), pitch=15 * b)""",
    "reductions": """
    xs = (3, -1, 4, 1, -5)
    obs = yield turn(yaw=15 * sum(xs), pitch=15 * min(xs))
    obs = yield turn(yaw=15 * max(x * x for x in xs) % 180, pitch=15 * sum(x > 0 for x in xs))
    obs = yield turn(yaw=15 * any(x > 3 for x in xs), pitch=15 * all(x > 3 for x in xs))
    obs = yield turn(yaw=15 * min(xs, key=lambda x: abs(x - 2)), pitch=15 * max(2, 5, 3))
    obs = yield turn(yaw=15 * max([], default=4), pitch=15 * sum([1, 2], 3))
    obs = yield turn(yaw=15 * next((x for x in xs if x > 3), 0))
    obs = yield turn(yaw=15 * next((x for x in xs if x > 9), 2))""",
    "names": """
    tool = ""
    for name in ("iron_pickaxe", "stone_pickaxe", "wooden_pickaxe"):
        if tool == "" and obs.count(name) > 0:
            tool = name
    if tool != "" and obs.held != tool:
        obs = yield equip(tool)
    if tool in ("stone_pickaxe", "log") and tool is not None and tool != 3:
        obs = yield jump()
    if obs.count("no_such_thing") == 0 and obs.held not in {"log", "no_such_thing"}:
        obs = yield back()
    for d in (-1, 0, 1):
        if "at" in obs.block(d, 0, 0) or obs.block(d, 1, 0).startswith("st"):
            obs = yield turn(yaw=15 * d)
        if obs.block(d, 0, 1).endswith("t"):
            obs = yield turn(pitch=15 * d)""",
    "functions as values": """
    for move, ticks in ((left, 2), (right, 1), (back, 3)):
        for _ in range(ticks):
            obs = yield move()
    step = forward
    obs = yield step(jump=True)
    for helper in (double, triple):
        obs = yield turn(yaw=15 * helper(2))
    for walk in (some, more):
        obs = yield from walk(obs, 2)""",
    "helpers": """
    obs, n = yield from counted(obs, 3)
    obs = yield turn(yaw=15 * n)
    obs, n = yield from counted(obs)
    obs = yield turn(yaw=15 * n, pitch=15 * double(triple(1)))
    t = [0]
    yield from ticking(obs, t)
    obs = yield turn(yaw=15 * t[0])
    obs = yield choose(obs, side=2)""",
    "nested functions": """
    limit = 3
    count = 0
    log = [0]

    def bump(by):
        nonlocal count
        count += by
        log[0] += limit

    def walk(obs, n):
        for _ in range(min(n, limit)):
            obs = yield forward()
            bump(2)
        return obs

    obs = yield from walk(obs, 9)
    limit = 1
    obs = yield from walk(obs, 9)
    obs = yield turn(yaw=15 * count, pitch=15 * log[0])""",
    "module variables": """
    obs = yield turn(yaw=15 * STEP, pitch=15 * len(NAMES))
    TRACE.append(obs.x)
    note()
    obs = yield turn(yaw=15 * len(TRACE), pitch=15 * seen)""",
    "old observations": """
    start = obs
    prev = obs
    for _ in range(4):
        prev = obs
        obs = yield forward()
        if obs.x > prev.x and obs.z - start.z < 20:
            obs = yield jump()
    new = yield back()
    obs = yield turn(yaw=15 * (new.x > obs.x), pitch=15 * (start.pitch > 0))""",
    "old rays": """
    near = obs.nearest("cow")
    far = max(obs.rays, key=lambda r: r.distance)
    obs = yield turn(yaw=15 * round(near.yaw / 15), pitch=15 * round(far.pitch / 15))
    if near.entity == "cow" and near.distance < 20 and far.block != "log":
        obs = yield jump()
    if near is not None and obs.nearest("cow").distance != near.distance:
        obs = yield back()""",
    "rays": """
    for _ in range(3):
        target = None
        best = 9999
        for r in obs.rays:
            if r.block == "log":
                score = r.distance + 0.5 * abs(r.yaw)
                if score < best:
                    best = score
                    target = r
        group = [r for r in obs.rays if r.entity == "cow" and r.distance < 16]
        mean = sum(r.yaw for r in group) // max(len(group), 1)
        obs = yield turn(yaw=15 * round(target.yaw / 15), pitch=mean)
        if obs.sees("cow") and not obs.sees("sheep") and len(obs.rays) == 120:
            obs = yield attack()
        if obs.nearest("sheep").distance > 900:
            obs = yield use()""",
    "crafting": """
    for item in ("planks", "stick", "crafting_table"):
        obs = yield craft(item)
    obs = yield place("crafting_table")
    obs = yield place("furnace")
    if obs.near("crafting_table") or obs.near("furnace"):
        obs = yield craft("wooden_pickaxe")""",
    "early returns": """
    while True:
        obs = yield forward()
        if obs.x > 0:
            return
        for _ in range(3):
            obs = yield back()
            if obs.z > 0:
                return""",
    "assigned in one branch": """
    for i in range(3):
        if i == 1:
            late = 4
    obs = yield turn(yaw=15 * late)
    x: int = 2
    x = y = x + 1
    obs = yield turn(yaw=15 * x, pitch=15 * y)""",
    "trigonometry": """
    for k in range(8):
        a = radians(k * 45 + 3)
        obs = yield turn(yaw=165 * sin(a), pitch=165 * math.cos(a))
    obs = yield turn(yaw=degrees(atan2(-obs.x, obs.z)), pitch=hypot(30, 40))
    obs = yield turn(yaw=math.sqrt(2) * 45, pitch=100 * pi / 4)""",
}
HELPERS = '''
STEP = 180 / 45
NAMES = ("log", "stone")
TRACE = []
seen = 0

def note():
    global seen
    seen += 3

def double(x):
    """Twice x."""
    return 2 * x

def triple(x: float) -> float:
    return double(x) + x

def some(obs, n):
    for _ in range(n):
        obs = yield jump()
    return obs

def more(obs, n):
    obs = yield from some(obs, n + 1)
    return obs

def counted(obs, n=2):
    k = 0
    while k < n:
        k += 1
        obs = yield forward()
    return obs, k

def ticking(obs, t):
    for _ in range(3):
        obs = yield right()
        t[0] += 1

def choose(obs, side=1):
    # an action as a value
    if side > 1:
        return turn(yaw=30)
    return noop()
'''


def source_of(name: str) -> str:
    return HELPERS + "\ndef macro(obs):" + BODIES[name] + "\n    obs = yield attack()\n"


@pytest.mark.parametrize("name", BODIES)
def test_a_program_acts_as_it_does_in_python(name):
    acted = worlds.compared_with_python(source_of(name), len(name), LANES, TICKS)
    assert all(acted)


OTHER = """
def macro(obs):
    cells = [1]
    same, x = cells, 4
    flag = bool(cells) and not obs.life > 99
    if same is cells and cells is not [1] and flag is True:
        obs = yield turn(yaw=15 * (obs.life <= 99), pitch=15 * ((obs.life == 3) + (x != 3)))
    row = tuple(x for x in (1, 2))
    for x in list(row):
        while not x <= -1:
            x -= 1
    obs = yield turn(yaw=15 * x, pitch=15 * ceil(x / 2))
"""


def test_the_programs_here_use_every_operation():
    programs = [worlds.program(source_of(name), name="macro") for name in BODIES]
    used = {int(op) for p in [*programs, worlds.program(OTHER)] for op in p.code[:, 0]}
    missing = [name for op, name in enumerate(bytecode.OPERATIONS) if op not in used]
    assert missing == []
