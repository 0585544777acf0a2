"""The texts that random ones are made from, see `random_texts.py`."""

from tests.fuzz.attacks import every
from tests.macros.bench.many_rays import SOURCES
from tests.macros.bench.workload import TRANSCRIPTS, answers

# Macros that use much of the language, so that pieces of it are in the corpus.
EVERYTHING = (
    '''
TOOLS = {"log": "wooden_axe", "stone": "wooden_pickaxe"}
SAFE = ("grass", "dirt", "stone")

def best(obs, names, key=None):
    found = sorted((r for r in obs.rays if r.block in names), key=lambda r: r.distance)
    return found[0] if found else None

def mine(obs, ticks=60, *, tool=None):
    """Hits until the block is gone."""
    if tool is not None and obs.held != tool:
        obs = yield equip(tool)
    for i in range(ticks):
        obs = yield attack()
        if i % 10 == 9 and not obs.sees("log"):
            break
    else:
        return obs, False
    return obs, True

def macro(obs):
    seen, path, counts = set(), [], {}
    target = best(obs, SAFE)
    while obs.count("log") < 4 and len(path) < 100:
        x, z = round(obs.x), round(obs.z)
        if (x, z) in seen:
            obs = yield turn(yaw=90 if len(path) % 2 else -90)
        seen.add((x, z))
        path.append((x, z))
        counts[obs.held] = counts.get(obs.held, 0) + 1
        ray = obs.nearest("log")
        if ray.distance < 3 and abs(ray.yaw) <= 7.5:
            obs, done = yield from mine(obs, tool=TOOLS.get(ray.block))
            if not done:
                continue
        for move in (forward, left, right)[:2]:
            obs = yield move()
    first, *rest = path[-3:] or [(0, 0)]
    total = sum(n for _, n in counts.items()) + max(p[0] for p in path)
    obs = yield turn(total % 360 - 180)
''',
    """
import math

WIDTH: float = 2.5

def macro(obs):
    start = (obs.x, obs.y, obs.z)
    mode, n = "search", 0
    grid = [[0] * 5 for _ in range(5)]
    blocked = lambda o: o.block(0, 0, 1) not in ("air", "water", "tall_grass")

    def away(o):
        nonlocal n
        n += 1
        return math.hypot(o.x - start[0], o.z - start[2])

    while True:
        match mode:
            case "search" if obs.sees("cow"):
                mode = "walk"
            case "search":
                obs = yield turn(yaw=30)
            case "walk" | "run":
                obs = yield forward(jump=blocked(obs), sprint=mode == "run")
            case _:
                return
        grid[n % 5][int(away(obs)) % 5] += 1
        cow = min((r for r in obs.rays if r.entity == "cow"), key=lambda r: r.distance,
                  default=None)
        if cow is None or not (0.5 < cow.distance <= WIDTH):
            mode = "run" if n > 20 else "search" if n % 7 == 0 else mode
        elif any(v > 3 for row in grid for v in row) or all(grid[0]):
            mode = "end"
        try_again = n ** 2 // 7 % 3
        if try_again and (obs.on_ground or not obs.in_water):
            obs = yield use() if cow else jump()
""",
)


def corpus() -> list[str]:
    """Returns what texts are made from: accepted answers ten times as often as attacks."""
    recorded = [p.source for path in sorted(TRANSCRIPTS.glob("*.jsonl")) for p in answers(path)]
    good = sorted({*recorded, *SOURCES.values(), *EVERYTHING})
    return good * 10 + [attack.source for attack in every() if len(attack.source) < 3_000]
